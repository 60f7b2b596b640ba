/*
 * emit_c: a kernel as C, with vectors from cfuncs.
 *
 * A source is a comment (what the kernel is and which program lines it
 * computes), the functions it stands on, and one function a phase. Each
 * takes tasks by the ABI's tn_task until none is left, so that any number
 * of workers does all of the work; a phase of one task has nothing to take. The
 * body is printed before the head of its function: only dims, buffers and axes
 * that it uses are declared.
 */
#include "emit/emit_c.h"

#include <inttypes.h>
#include <string.h>

/* ---- text ------------------------------------------------------------ */

void ec_line(Emit *e, const char *fmt, ...)
{
	va_list ap;

	buf_indent(e->out, e->depth);
	va_start(ap, fmt);
	buf_vprintf(e->out, fmt, ap);
	va_end(ap);
}

const char *ec_need(Emit *e, const char *name)
{
	cfuncs_need(e->fn, name);
	return name;
}

const char *ec_fn(Emit *e, const char *stem, DType d, int lanes)
{
	const char *dt = dtype_info[d].name;

	if (!lanes)
		return ec_need(e,
			       arena_printf(e->arena, "tn_%s_%s_s", stem, dt));
	return ec_need(e,
		       arena_printf(e->arena, "tn_%s_%s_v%d", stem, dt, lanes));
}

const char *ec_type(Emit *e, DType d, int lanes)
{
	const char *dt = dtype_info[d].name;

	if (!lanes)
		return ec_need(e, arena_printf(e->arena, "tn_%s_s", dt));
	return ec_need(e, arena_printf(e->arena, "tn_%s_v%d", dt, lanes));
}

const char *ec_index_type(const Emit *e)
{
	return e->narrow ? "int" : "int64_t";
}

const char *ec_memory_type(DType d)
{
	static const char *const by_bytes[2][4] = {
		{"int8_t", "int16_t", "int32_t", "int64_t"},
		{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
	};

	if (d == DT_F64)
		return "double";
	if (d == DT_F32)
		return "float";
	return by_bytes[dtype_info[d].cls != DTC_I]
		       [__builtin_ctz((unsigned)dtype_info[d].bytes)];
}

/* ---- expressions ----------------------------------------------------- */

Ex ec_subst(Emit *e, Ex x)
{
	return ex_subst_axes(e->t, x, e->subst, (size_t)e->k->naxes + 1);
}

/* Notes the dims, axes and functions that the text of x names. */
static void use(Emit *e, Ex x)
{
	const ExNode *n = ex_node(e->t, x);

	switch (n->kind) {
	case EX_CONST:
		return;
	case EX_DIM:
		e->dim_used[n->value] = true;
		return;
	case EX_AXIS:
		e->axis_used[n->value] = true;
		return;
	case EX_DIV:
		ec_need(e, "tn_div");
		break;
	case EX_MOD:
		ec_need(e, "tn_mod");
		break;
	case EX_MIN:
		ec_need(e, "tn_min");
		break;
	case EX_MAX:
		ec_need(e, "tn_max");
		break;
	case EX_POLY:
		for (uint32_t i = 0; i < n->nterms; i++)
			for (uint32_t k = 0; k < n->terms[i].natoms; k++)
				use(e, n->terms[i].atoms[k]);
		return;
	}
	use(e, n->a);
	use(e, n->b);
}

/*
 * A division, remainder or bound of dims alone is computed once a call: the
 * compiler would not take a division out of a loop.
 */
static const char *const_name(void *arg, Ex x)
{
	Emit *e = arg;
	ExKind kind = ex_node(e->t, x)->kind;
	size_t i = 0;

	if ((kind != EX_DIV && kind != EX_MOD && kind != EX_MIN &&
	     kind != EX_MAX) ||
	    ex_uses_any_axis(e->t, x))
		return NULL;
	while (i < e->consts.n && e->consts.p[i] != x)
		i++;
	if (i == e->consts.n)
		VEC_PUSH(e->arena, e->consts, x);
	return arena_printf(e->arena, "c%zu", i);
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Large numbers end in LL; in OpenCL C 64 bits are one L, and none of it is
 * asked for where indices have 32. */
static const char *short_numbers(Emit *e, const char *text)
{
	const char *suffix = e->narrow ? "" : "L";
	Buf b;

	buf_init(&b, e->arena);
	while (*text) {
		size_t n = 0;
		while (is_word(text[n]))
			n++;
		bool large = n > 2 && text[0] >= '0' && text[0] <= '9' &&
			     text[n - 1] == 'L';
		if (large)
			buf_printf(&b, "%.*s%s", (int)n - 2, text, suffix);
		else
			buf_printf(&b, "%.*s", n ? (int)n : 1, text);
		text += n ? n : 1;
	}
	return buf_str(&b);
}

const char *ec_ex_raw(Emit *e, Ex x)
{
	ExNames names = {const_name, e};
	Buf b;

	use(e, x);
	buf_init(&b, e->arena);
	ex_print_c(&b, e->t, x, &names);
	return e->dialect == CD_OPENCL || e->narrow
		       ? short_numbers(e, buf_str(&b))
		       : buf_str(&b);
}

const char *ec_ex(Emit *e, Ex x)
{
	return ec_ex_raw(e, ec_subst(e, x));
}

/* ex_print_c encloses what is more than a name, a number or a call. */
const char *ec_bare(Emit *e, const char *text)
{
	size_t n = strlen(text);

	if (text[0] != '(')
		return text;
	return arena_strndup(e->arena, text + 1, n - 2);
}

const char *ec_conds(Emit *e, const Ex *conds, size_t n)
{
	Buf b;

	if (n == 0)
		return "1";
	buf_init(&b, e->arena);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%s >= 0", i ? " && " : "",
			   ec_bare(e, ec_ex(e, conds[i])));
	return buf_str(&b);
}

/* ---- names ----------------------------------------------------------- */

static bool digits(const char *s)
{
	return s[0] && s[strspn(s, "0123456789")] == 0;
}

/* Whether a buffer's name would clash with C's or our own names. */
static bool is_reserved(const char *s)
{
	static const char *const words[] = {
		"args",     "auto",     "break",    "case",    "char",
		"const",    "continue", "default",  "do",      "double",
		"else",     "enum",     "extern",   "float",   "for",
		"goto",     "if",       "inline",   "int",     "int16_t",
		"int32_t",  "int64_t",  "int8_t",   "l",       "long",
		"register", "restrict", "return",   "scratch", "short",
		"signed",   "sizeof",   "st",       "static",  "struct",
		"switch",   "t",        "tasks",    "typedef", "typeof",
		"uint16_t", "uint32_t", "uint64_t", "uint8_t", "union",
		"unsigned", "void",     "volatile", "while",   "worker",
		"workers",  "asm",      "linux",    "unix",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i], s))
			return true;
	if (strchr("chilnv", s[0]) && digits(s + 1))
		return true;
	if (!strncmp(s, "nt", 2) && s[2] >= '0' && s[2] <= '9')
		return true;
	return s[0] == '_' || (s[0] >= '0' && s[0] <= '9') ||
	       !strncmp(s, "d_", 2) || !strncmp(s, "r_", 2) ||
	       !strncmp(s, "tn_", 3) || !strncmp(s, "Tn", 2) ||
	       !strncmp(s, "TN_", 3);
}

/* Reserved names get a prefix, which reserves the prefix in turn. */
static const char *c_name(Arena *a, const char *name)
{
	if (is_reserved(name) || !strncmp(name, "x_", 2))
		return arena_printf(a, "x_%s", name);
	return name;
}

const char *ec_buffer(Emit *e, uint32_t b)
{
	e->buffer_used[b] = true;
	return c_name(e->arena, e->k->buffers.p[b].name);
}

const char *ec_reg(Emit *e, uint32_t b, const int64_t *at)
{
	Buf name;

	e->buffer_used[b] = true;
	buf_init(&name, e->arena);
	buf_printf(&name, "r_%s", e->k->buffers.p[b].name);
	for (int d = 0; d < e->k->buffers.p[b].rank; d++)
		buf_printf(&name, "_%" PRId64, at[d]);
	return buf_str(&name);
}

/* ---- buffers --------------------------------------------------------- */

/* Bytes rounded up to 64. */
static Ex padded_bytes(ExprTab *t, const KBuffer *b)
{
	Ex n = ex_const(t, dtype_info[b->dtype].bytes);

	for (int d = 0; d < b->rank; d++)
		n = ex_mul(t, n, b->shape[d]);
	Ex line = ex_const(t, 64);
	return ex_mul(t, ex_ceil_div(t, n, line), line);
}

Ex emit_scratch(const Kernels *ks, const Kernel *k)
{
	ExprTab *t = &ks->program->ex;
	Ex sum = ex_const(t, 0);

	for (size_t i = 0; i < k->buffers.n; i++)
		if (k->buffers.p[i].scope == SCOPE_WORKER)
			sum = ex_add(t, sum, padded_bytes(t, &k->buffers.p[i]));
	return sum;
}

/* Declares the pointers of the buffers in memory that the phase uses. */
static void print_buffers(Emit *e)
{
	Ex offset = ex_const(e->t, 0);
	bool scratch = false;
	unsigned number = 0;

	for (uint32_t i = 0; i < e->k->buffers.n; i++)
		scratch |= e->k->buffers.p[i].scope == SCOPE_WORKER &&
			   e->buffer_used[i];
	if (scratch)
		ec_line(e, "char *const scratch = args->scratch + worker * "
			   "args->scratch_stride;\n");
	for (uint32_t i = 0; i < e->k->buffers.n; i++) {
		const KBuffer *b = &e->k->buffers.p[i];
		const char *type = ec_memory_type(b->dtype);
		const char *name = c_name(e->arena, b->name);
		const char *ro = b->scope == SCOPE_IN ? "const " : "";
		switch (b->scope) {
		case SCOPE_IN:
		case SCOPE_OUT:
		case SCOPE_SHARED:
			if (e->buffer_used[i])
				ec_line(e,
					"%s%s *const %s = args->buffers[%u];\n",
					ro, type, name, number);
			number++;
			break;
		case SCOPE_WORKER:
			if (e->buffer_used[i])
				ec_line(e,
					"%s *const %s = (%s *)(scratch + "
					"%s);\n",
					type, name, type, ec_ex_raw(e, offset));
			offset = ex_add(e->t, offset, padded_bytes(e->t, b));
			break;
		case SCOPE_REG:
		case SCOPE_COUNT:
			break;
		}
	}
}

/* Declares the elements of a REG buffer, one variable a register. */
static void print_registers(Emit *e, uint32_t number)
{
	const KBuffer *b = &e->k->buffers.p[number];
	int64_t at[K_MAX_RANK] = {0}, shape[K_MAX_RANK], count = 1;
	int lanes = e->reg_lanes[number];
	Buf row;

	for (int d = 0; d < b->rank; d++) {
		bug_if(!ex_is_const(e->t, b->shape[d], &shape[d]));
		if (lanes && d == b->rank - 1)
			shape[d] /= lanes;
		count *= shape[d];
	}
	buf_init(&row, e->arena);
	for (int64_t i = 0; i < count; i++) {
		int64_t rest = i;
		for (int d = b->rank - 1; d >= 0; d--) {
			at[d] = rest % shape[d];
			rest /= shape[d];
		}
		ec_line(e, "TN_REG %s %s = %s;\n", ec_type(e, b->dtype, lanes),
			ec_reg(e, number, at), lanes ? "{0}" : "0");
	}
}

/* ---- phases ---------------------------------------------------------- */

void ec_open_phase(Emit *e, const Phase *ph)
{
	const Kernel *k = e->k;
	size_t axes = (size_t)k->naxes + 1;

	e->vars = arena_array(e->arena, EVar, k->nvars + 1);
	e->subst = arena_array(e->arena, Ex, axes);
	for (size_t i = 0; i < axes; i++)
		e->subst[i] = ex_axis(e->t, (int64_t)i);
	e->axis_used = arena_array(e->arena, bool, axes);
	e->dim_used = arena_array(e->arena, bool, e->t->dims.n + 1);
	e->buffer_used = arena_array(e->arena, bool, k->buffers.n + 1);
	e->reg_lanes = arena_array(e->arena, int, k->buffers.n + 1);
	e->vaxis = -1;
	e->commented = NO_VALUE;
	e->fence = false;
	e->consts.n = 0;
	e->facts.ranges.n = e->facts.facts.n = 0;
	for (size_t i = 0; i < ph->tasks.n; i++) {
		ExRange r = {ph->tasks.p[i].axis, ph->tasks.p[i].extent};
		VEC_PUSH(e->arena, e->facts.ranges, r);
	}
	ec_live(e, ph);
	ec_reg_lanes(e, &ph->body, -1, 0);
}

void ec_task_axes(Emit *e, const Phase *ph)
{
	Ex below = ex_const(e->t, 1);
	const char *text[K_MAX_RANK * 4];

	bug_if(ph->tasks.n > ARRAY_LEN(text));
	for (size_t i = ph->tasks.n; i-- > 0;) {
		Ex extent = ph->tasks.p[i].extent;
		const char *div = ec_ex_raw(e, below);
		text[i] = ex_equals(e->t, below, 1)
				  ? "t"
				  : arena_printf(e->arena, "t / %s", div);
		if (i > 0)
			text[i] = arena_printf(e->arena, "%s %% %s", text[i],
					       ec_ex_raw(e, extent));
		below = ex_mul(e->t, below, extent);
	}
	for (size_t i = 0; i < ph->tasks.n; i++)
		if (e->axis_used[ph->tasks.p[i].axis])
			ec_line(e, "const %s i%" PRId64 " = %s;\n",
				ec_index_type(e), ph->tasks.p[i].axis, text[i]);
}

const char *ec_task_count(Emit *e, const Phase *ph)
{
	Ex n = ex_const(e->t, 1);

	for (size_t i = 0; i < ph->tasks.n; i++)
		n = ex_mul(e->t, n, ph->tasks.p[i].extent);
	return ec_ex_raw(e, n);
}

/* Nothing to claim: whoever is worker 0 runs it. */
static void print_one_task(Emit *e)
{
	ec_line(e, "const int64_t t = 0;\n\n");
	ec_line(e, "(void)t;\n");
	ec_line(e, "(void)workers;\n");
	ec_line(e, "(void)st;\n");
	ec_line(e, "if (worker == 0) {\n");
}

static void print_task_loop(Emit *e, const char *count)
{
	ec_line(e, "const int64_t tasks = %s;\n", count);
	ec_line(e, "int done = 0;\n");
	ec_line(e, "int64_t t = -1;\n\n");
	ec_line(e, "(void)st;\n");
	ec_line(e,
		"while ((t = tn_task(args, worker, workers, tasks, t, &done)) "
		"<\n");
	ec_line(e, "       tasks) {\n");
}

static void print_phase(Emit *e, Buf *out, const Phase *ph)
{
	Buf body, head;

	ec_open_phase(e, ph);
	buf_init(&body, e->arena);
	buf_init(&head, e->arena);
	e->out = &body;
	e->depth = 2;
	ec_list(e, &ph->body);
	e->out = &head;
	ec_task_axes(e, ph);
	for (uint32_t i = 0; i < e->k->buffers.n; i++)
		if (e->k->buffers.p[i].scope == SCOPE_REG && e->buffer_used[i])
			print_registers(e, i);
	const char *count = ec_bare(e, ec_task_count(e, ph));

	e->out = out;
	e->depth = 1;
	buf_printf(out,
		   "\nTN_EXPORT void %s_%s(const TnArgs *args, int worker, "
		   "int workers,\n\t\tTnStatus *st)\n{\n",
		   e->k->name, ph->name);
	/* buffers first: the sizes of those in scratch name further dims */
	Buf buffers;
	buf_init(&buffers, e->arena);
	e->out = &buffers;
	print_buffers(e);
	e->out = out;
	for (size_t i = 0; i < e->t->dims.n; i++)
		if (e->dim_used[i])
			ec_line(e, "const int64_t d_%s = args->dims[%zu];\n",
				e->t->dims.p[i].name, i);
	for (size_t i = 0; i < e->consts.n; i++) {
		Buf text;
		buf_init(&text, e->arena);
		ex_print_c(&text, e->t, e->consts.p[i], NULL);
		ec_line(e, "const int64_t c%zu = %s;\n", i,
			ec_bare(e, buf_str(&text)));
	}
	buf_puts(out, buf_str(&buffers));
	ec_dot_open(e, ph);
	if (!strcmp(count, "1"))
		print_one_task(e);
	else
		print_task_loop(e, count);
	e->depth = 2;
	buf_puts(out, buf_str(&head));
	buf_puts(out, buf_str(&body));
	e->depth = 1;
	ec_line(e, "}\n");
	ec_dot_close(e, ph);
	if (e->fence)
		ec_line(e, "%s();\n", ec_need(e, "tn_fence"));
	buf_puts(out, "}\n");
}

/* ---- the source ------------------------------------------------------ */

/* Text of the user's inside a comment: no end of it. */
static void put_comment_text(Buf *out, const char *s)
{
	for (; *s; s++) {
		bool ends = s[0] == '*' && s[1] == '/';
		buf_putc(out, ends || *s == '\n' ? ' ' : *s);
	}
}

static void mark_values(const StmtList *l, bool *computed)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		mark_values(&s->body, computed);
		mark_values(&s->orelse, computed);
		if (s->value != NO_VALUE && s->kind != ST_LOAD)
			computed[s->value] = true;
	}
}

void ec_head(Emit *e, Buf *out)
{
	const Kernel *k = e->k;
	const Program *p = e->ks->program;
	bool *computed = arena_array(e->arena, bool, p->values.n + 1);

	buf_printf(out, "/*\n * %s: region %u of %s, by %s", k->name, k->region,
		   p->name, k->realisation);
	for (size_t i = 0; i < k->params.n; i++)
		buf_printf(out, " %s=%" PRId64, k->params.p[i].name,
			   k->params.p[i].value);
	buf_puts(out, "\n");
	if (k->note) {
		buf_puts(out, " * ");
		put_comment_text(out, k->note);
		buf_puts(out, "\n");
	}
	for (size_t i = 0; i < k->phases.n; i++)
		mark_values(&k->phases.p[i].body, computed);
	for (ValueId v = 0; v < p->values.n; v++) {
		const Value *x = program_value(p, v);
		if (!computed[v])
			continue;
		buf_printf(out, " *   %%%u", v);
		if (x->name)
			buf_printf(out, " %s", x->name);
		buf_printf(out, " = %s: %s", op_info[x->op].name,
			   dtype_info[x->dtype].name);
		if (x->loc.line)
			buf_printf(out, ", line %u", x->loc.line);
		buf_puts(out, "\n");
	}
	buf_puts(out, " */\n");
}

const char *emit_c(Arena *a, const Kernels *ks, const Kernel *k)
{
	Emit e = {.arena = a, .ks = ks, .k = k, .t = &ks->program->ex};
	bool overflow = e.t->overflow;
	Buf code, out;

	e.fn = cfuncs_new(a);
	buf_init(&code, a);
	for (size_t i = 0; i < k->phases.n; i++) {
		/* several may be compiled apart */
		if (k->phases.n > 1)
			buf_printf(&code,
				   "\n#if !defined TN_PHASE || TN_PHASE == %zu",
				   i);
		print_phase(&e, &code, &k->phases.p[i]);
		if (k->phases.n > 1)
			buf_puts(&code, "#endif\n");
	}
	if (e.t->overflow && !overflow)
		bug("an address of kernel %s is too large", k->name);
	buf_init(&out, a);
	ec_head(&e, &out);
	cfuncs_print(e.fn, &out);
	ec_dot_head(&out, k);
	buf_puts(
		&out,
		"\n#define TN_EXPORT __attribute__((visibility(\"default\")))\n"
		"#define TN_REG __attribute__((unused))\n");
	buf_puts(&out, buf_str(&code));
	return buf_str(&out);
}
