/*
 * emit_external: a user's function of C with what calls it, or his kernel of
 * CUDA, which is launched as it is.
 *
 * It is declared in front of the user's text, by the signature, so that another
 * prototype does not compile; the text's lines are its file's. A kernel of CUDA
 * is declared `extern "C"`: a definition that says so too is that one or an
 * error. One that does not, with another prototype, is an overload that nobody
 * asks for, and what was declared is not there (driver/gpu_code.c tells).
 */
#include "emit/emit.h"

static const char *c_type(DType d)
{
	switch (d) {
	case DT_F64:
		return "double";
	case DT_F32:
		return "float";
	case DT_F16:
	case DT_BF16:
	case DT_U16:
		return "uint16_t";
	case DT_I64:
		return "int64_t";
	case DT_I32:
		return "int32_t";
	case DT_I16:
		return "int16_t";
	case DT_I8:
		return "int8_t";
	case DT_U64:
		return "uint64_t";
	case DT_U32:
		return "uint32_t";
	case DT_U8:
	case DT_BOOL:
		return "uint8_t";
	case DT_COUNT:
		break;
	}
	bug("dtype %d", (int)d);
}

static void put_type(Buf *b, const Kernel *k, const KArg *arg)
{
	if (arg->kind != KARG_BUFFER) {
		buf_puts(b, "int64_t");
		return;
	}
	const KBuffer *buffer = &k->buffers.p[arg->n];
	buf_printf(b, "%s%s *", buffer->scope == SCOPE_IN ? "const " : "",
		   c_type(buffer->dtype));
}

static void put_argument(Buf *b, const Kernel *k, const KArg *arg)
{
	if (arg->kind == KARG_BUFFER) {
		buf_puts(b, "(");
		put_type(b, k, arg);
		buf_printf(b, ")args->buffers[%u]", arg->n);
	} else if (arg->kind == KARG_DIM) {
		buf_printf(b, "args->dims[%u]", arg->n);
	} else {
		buf_puts(b, "t");
	}
}

/* How floats round and whether subnormals are flushed, which a thread keeps:
 * after a user's code they are as they were. */
static const char mode_text[] =
	"#if defined(__x86_64__)\n"
	"#define TN_MODE_KEEP const unsigned mode = __builtin_ia32_stmxcsr();\n"
	"#define TN_MODE_BACK __builtin_ia32_ldmxcsr(mode);\n"
	"#elif defined(__aarch64__)\n"
	"#define TN_MODE_KEEP \\\n"
	"\tuint64_t mode; \\\n"
	"\t__asm__ volatile(\"mrs %0, fpcr\" : \"=r\"(mode));\n"
	"#define TN_MODE_BACK \\\n"
	"\t__asm__ volatile(\"msr fpcr, %0\" : : \"r\"(mode));\n"
	"#else\n"
	"#define TN_MODE_KEEP\n"
	"#define TN_MODE_BACK\n"
	"#endif\n";

static void put_parameters(Buf *b, const Kernel *k, const KForeign *f)
{
	for (size_t i = 0; i < f->args.n; i++) {
		buf_puts(b, i ? ", " : "");
		put_type(b, k, &f->args.p[i]);
	}
}

static void put_text(Buf *b, const KForeign *f)
{
	buf_puts(b, "#line 1 ");
	buf_json_string(b, f->file);
	buf_printf(b, "\n%s", f->text);
}

const char *emit_prototype(Arena *a, const Kernel *k)
{
	const KForeign *f = kernel_foreign(k);
	Buf b;

	buf_init(&b, a);
	buf_printf(&b, "extern \"C\" __global__ void %s(", f->symbol);
	put_parameters(&b, k, f);
	buf_puts(&b, ")");
	return buf_str(&b);
}

static const char *emit_cuda(Arena *a, const Kernel *k)
{
	const KForeign *f = kernel_foreign(k);
	Buf b;

	buf_init(&b, a);
	buf_printf(&b, "/* %s: %s of %s */\n", k->name, f->symbol, f->file);
	buf_puts(&b, "#include <stdint.h>\n");
	/* else a block may have more registers than there are */
	buf_printf(&b, "extern \"C\" __global__ void __launch_bounds__(%d) %s(",
		   k->phases.p[0].threads, f->symbol);
	put_parameters(&b, k, f);
	buf_puts(&b, ");\n");
	put_text(&b, f);
	return buf_str(&b);
}

const char *emit_external(Arena *a, const Kernels *ks, const Kernel *k)
{
	if (k->phases.p[0].threads)
		return emit_cuda(a, k);
	const KForeign *f = k->phases.p[0].foreign;
	const ExprTab *t = &ks->program->ex;
	CFuncs *fn = cfuncs_new(a);
	Buf b, tasks;

	buf_init(&b, a);
	buf_init(&tasks, a);
	buf_printf(&b, "/* %s: %s of %s */\n", k->name, f->symbol, f->file);
	cfuncs_need(fn, "tn_div");
	cfuncs_need(fn, "tn_mod");
	cfuncs_need(fn, "tn_min");
	cfuncs_need(fn, "tn_max");
	cfuncs_print(fn, &b);
	buf_puts(&b, mode_text);
	/* hidden: a function that is not there fails to link */
	buf_printf(&b, "__attribute__((visibility(\"hidden\"))) void %s(",
		   f->symbol);
	put_parameters(&b, k, f);
	buf_printf(&b, "%s);\n", f->args.n ? "" : "void");
	put_text(&b, f);
	buf_printf(&b, "#line 1 \"%s.c\"\n", k->name);
	ex_print_c(&tasks, t, f->tasks, NULL);
	buf_printf(&b,
		   "__attribute__((visibility(\"default\"))) void "
		   "%s_main(const TnArgs *args, int worker, int workers, "
		   "TnStatus *status)\n{\n",
		   k->name);
	for (size_t i = 0; i < t->dims.n; i++)
		buf_printf(&b,
			   "\tconst int64_t d_%s __attribute__((unused)) = "
			   "args->dims[%zu];\n",
			   t->dims.p[i].name, i);
	buf_printf(&b,
		   "\tconst int64_t tasks = %s;\n\tint done = 0;\n"
		   "\tTN_MODE_KEEP\n\n\t(void)status;\n"
		   "\tfor (int64_t t = tn_task(args, worker, workers, tasks, "
		   "-1, &done); t < tasks;\n"
		   "\t     t = tn_task(args, worker, workers, tasks, t, "
		   "&done))\n\t\t%s(",
		   buf_str(&tasks), f->symbol);
	for (size_t i = 0; i < f->args.n; i++) {
		buf_puts(&b, i ? ", " : "");
		put_argument(&b, k, &f->args.p[i]);
	}
	buf_puts(&b, ");\n\tTN_MODE_BACK\n}\n");
	return buf_str(&b);
}
