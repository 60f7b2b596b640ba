/*
 * cfuncs: expansion of the templates (cfuncs_text.h) by name.
 *
 * A name such as tn_add_f16_v16 is taken apart, its row found, the row's
 * text made for that dtype and lane count, and the text searched for
 * further names, which are made first. So the dependencies need not be
 * listed, and the order of definitions follows.
 */
#include "emit/cfuncs.h"

#include <string.h>

#include "emit/cfuncs_text.h"

/* A definition: of a type, or of a function. */
typedef struct CDef {
	const char *name;
	const char *text; /* of a function, what follows its linkage */
	bool function;
	bool elementary; /* may be out of line */
	bool apart;      /* is out of line */
	int lanes;       /* as Name's */
	uint64_t size;   /* operations, its callees' included */
	uint64_t sites;  /* calls that a kernel prints */
} CDef;

struct CFuncs {
	Arena *arena;
	CDialect dialect;
	bool vectors;
	StrMap *seen; /* name to index in defs, plus 1 */
	VEC(CDef) defs;
};

/*
 * Elementary functions are inlined as long as all of them together come to
 * so many operations, which is where a kernel takes the compiler some 0.3 s.
 * Beyond that the longest are kept out of line: a call and its constants cost
 * some 5 ns a vector, beside which a kernel with so much to compute is slow.
 */
#define INLINE_OPERATIONS 400

/* A name taken apart. lanes 0: the suffix s, -1: no suffix at all. */
typedef struct Name {
	const char *op; /* "" for a type */
	DType d, t;     /* DT_COUNT where the name has none */
	int lanes;
	bool unaligned; /* type with suffix u */
	CDialect dialect;
} Name;

static const CTemplate *const tables[] = {
	cfuncs_memory, cfuncs_integer,    cfuncs_float,
	cfuncs_casts,  cfuncs_elementary, cfuncs_elementary64,
};

/*
 * runtime/abi.h without its include and comments; a test compares the two.
 */
static const char abi_text[] =
	"typedef __INT8_TYPE__ int8_t;\n"
	"typedef __INT16_TYPE__ int16_t;\n"
	"typedef __INT32_TYPE__ int32_t;\n"
	"typedef __INT64_TYPE__ int64_t;\n"
	"typedef __UINT8_TYPE__ uint8_t;\n"
	"typedef __UINT16_TYPE__ uint16_t;\n"
	"typedef __UINT32_TYPE__ uint32_t;\n"
	"typedef __UINT64_TYPE__ uint64_t;\n" FAULT_TYPES
	"typedef struct TnArgs {\n"
	"\tvoid *const *buffers;\n"
	"\tconst int64_t *dims;\n"
	"\tchar *scratch;\n"
	"\tint64_t scratch_stride;\n"
	"\tint64_t *next;\n"
	"} TnArgs;\n"
	"static inline __attribute__((unused)) int64_t\n"
	"tn_task(const TnArgs *args, int worker, int workers, int64_t tasks, "
	"int64_t t,\n"
	"\tint *done)\n"
	"{\n"
	"\tif (workers == 1)\n"
	"\t\treturn t + 1;\n"
	"\tfor (; *done < workers; ++*done) {\n"
	"\t\tint part = (worker + *done) % workers;\n"
	"\t\tint64_t n = tasks / workers, more = tasks % workers;\n"
	"\t\tint64_t first = part * n + (part < more ? part : more);\n"
	"\t\tint64_t i = __atomic_fetch_add(&args->next[part], 1,\n"
	"\t\t\t\t\t       __ATOMIC_RELAXED);\n"
	"\t\tif (i < n + (part < more))\n"
	"\t\t\treturn first + i;\n"
	"\t}\n"
	"\treturn tasks;\n"
	"}\n"
	"typedef void TnKernel(const TnArgs *args, int worker, int workers,\n"
	"\t\t      TnStatus *status);\n"
	"\n"
	"#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
	"#define TN_INLINE static inline "
	"__attribute__((always_inline, unused))\n"
	"#define TN_APART static __attribute__((noinline, unused))\n";

CFuncs *cfuncs_new(Arena *a)
{
	return cfuncs_new_in(a, CD_C);
}

CFuncs *cfuncs_new_in(Arena *a, CDialect dialect)
{
	CFuncs *c = arena_new(a, CFuncs);

	c->arena = a;
	c->dialect = dialect;
	c->seen = strmap_new(a);
	return c;
}

const char *cfuncs_op(Op op)
{
	return op == OP_ROUND ? "rint" : op_info[op].name;
}

/* ---- names ----------------------------------------------------------- */

static bool name_suffix(const char *s, Name *n)
{
	size_t len = strlen(s);

	n->unaligned = len > 1 && s[len - 1] == 'u';
	if (n->unaligned)
		len--;
	if (len == 1 && s[0] == 's') {
		n->lanes = 0;
		return true;
	}
	if (len < 2 || len > 3 || s[0] != 'v')
		return false;
	n->lanes = 0;
	for (size_t i = 1; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		n->lanes = n->lanes * 10 + (s[i] - '0');
	}
	if (n->dialect != CD_C)
		return n->lanes == 1;
	return n->lanes >= 2 && n->lanes <= 64 &&
	       (n->lanes & (n->lanes - 1)) == 0;
}

/* Takes a name apart; buf holds its parts. */
static bool name_parse(const char *name, CDialect dialect, char buf[static 64],
		       Name *n)
{
	const char *part[4] = {0};
	size_t nparts = 0;

	if (strncmp(name, "tn_", 3) != 0 || strlen(name) - 3 >= 64)
		return false;
	memcpy(buf, name + 3, strlen(name) - 2);
	for (char *p = buf; p; nparts++) {
		if (nparts == 4)
			return false;
		part[nparts] = p;
		p = strchr(p, '_');
		if (p)
			*p++ = '\0';
	}
	*n = (Name){.op = part[0],
		    .d = DT_COUNT,
		    .t = DT_COUNT,
		    .lanes = -1,
		    .dialect = dialect};
	if (nparts == 1)
		return true;
	if (!name_suffix(part[nparts - 1], n))
		return false;
	if (nparts == 2) {
		n->op = "";
		return dtype_parse(part[0], &n->d);
	}
	if (n->unaligned || !dtype_parse(part[1], &n->d))
		return false;
	return nparts == 3 || dtype_parse(part[2], &n->t);
}

/* ---- dtypes in registers --------------------------------------------- */

/* Bits of a lane: 16-bit floats live as float, bool as int32_t. */
static int lane_bits(DType d)
{
	if (d == DT_F16 || d == DT_BF16 || d == DT_BOOL)
		return 32;
	return dtype_info[d].bytes * 8;
}

static const char *lane_ctype(DType d)
{
	switch (d) {
	case DT_F64:
		return "double";
	case DT_F32:
	case DT_F16:
	case DT_BF16:
		return "float";
	case DT_I64:
		return "int64_t";
	case DT_I32:
	case DT_BOOL:
		return "int32_t";
	case DT_I16:
		return "int16_t";
	case DT_I8:
		return "int8_t";
	case DT_U64:
		return "uint64_t";
	case DT_U32:
		return "uint32_t";
	case DT_U16:
		return "uint16_t";
	case DT_U8:
		return "uint8_t";
	case DT_COUNT:
		break;
	}
	bug("no dtype");
}

/* Least and largest value of an integer dtype as text of a double. */
static const char *int_limit(DType d, bool largest)
{
	static const struct {
		DType d;
		const char *least, *largest;
	} limits[] = {
		{DT_I32, "-2147483648.0", "2147483647.0"},
		{DT_I16, "-32768.0", "32767.0"},
		{DT_I8, "-128.0", "127.0"},
		{DT_U32, "0.0", "4294967295.0"},
		{DT_U16, "0.0", "65535.0"},
		{DT_U8, "0.0", "255.0"},
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		if (limits[i].d == d)
			return largest ? limits[i].largest : limits[i].least;
	bug("no limits of %s", dtype_info[d].name);
}

static DType int_dtype(int bits, bool is_signed)
{
	for (int d = 0; d < DT_COUNT; d++)
		if (dtype_info[d].bytes * 8 == bits &&
		    dtype_info[d].cls == (is_signed ? DTC_I : DTC_U))
			return (DType)d;
	bug("no integer of %d bits", bits);
}

/* ---- rows ------------------------------------------------------------ */

static bool set_has(const char *set, DType d)
{
	/* by dtype: its own letter, and that of its class */
	static const char letters[DT_COUNT][3] = {
		[DT_F64] = "D",  [DT_F32] = "S",  [DT_F16] = "H",
		[DT_BF16] = "B", [DT_I64] = "qi", [DT_I32] = "ji",
		[DT_I16] = "hi", [DT_I8] = "bi",  [DT_U64] = "Qu",
		[DT_U32] = "Ju", [DT_U16] = "hu", [DT_U8] = "bu",
		[DT_BOOL] = "o",
	};

	return strpbrk(set, letters[d]) != NULL;
}

static bool row_fits(const CTemplate *row, const Name *n)
{
	if (strcmp(row->op, n->op) != 0)
		return false;
	if ((n->d == DT_COUNT) != (row->on[0] == '\0') ||
	    (n->t == DT_COUNT) != (row->to[0] == '\0'))
		return false;
	if (n->d != DT_COUNT && !set_has(row->on, n->d))
		return false;
	if (n->t != DT_COUNT && strcmp(row->to, "=") == 0 && n->t != n->d)
		return false;
	if (n->t != DT_COUNT && strcmp(row->to, "=") != 0 &&
	    !set_has(row->to, n->t))
		return false;
	if (strchr(row->forms, n->dialect == CD_C ? 'g' : 'h'))
		return false;
	if (strchr(row->forms, 'k')) {
		int from = lane_bits(n->d), to = lane_bits(n->t);

		if (from <= 2 * to && to <= 2 * from)
			return false;
	}
	if (n->lanes <= 0)
		return strpbrk(row->forms, "sl") != NULL;
	if (strchr(row->forms, '2') && n->lanes != 2)
		return false;
	if (strchr(row->forms, '4') && n->lanes != 4)
		return false;
	if (strchr(row->sig, 'H') && n->lanes <= 2)
		return false;
	return strpbrk(row->forms, "ve") != NULL;
}

static const CTemplate *row_find(const Name *n)
{
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		for (const CTemplate *row = tables[i]; row->op; row++)
			if (row_fits(row, n))
				return row;
	return NULL;
}

bool cfuncs_has(const char *name)
{
	return cfuncs_has_in(CD_C, name);
}

bool cfuncs_has_in(CDialect dialect, const char *name)
{
	char buf[64];
	Name n;

	return name_parse(name, dialect, buf, &n) &&
	       (dialect == CD_C || n.lanes <= 0) && (!n.op[0] || row_find(&n));
}

/* ---- text ------------------------------------------------------------ */

static void put_suffix(Buf *b, int lanes)
{
	if (lanes > 0)
		buf_printf(b, "v%d", lanes);
	else
		buf_putc(b, 's');
}

static void put_register(Buf *b, DType d, int lanes)
{
	buf_printf(b, "tn_%s_", dtype_info[d].name);
	put_suffix(b, lanes);
}

static const char *memory_name(DType d)
{
	if (d == DT_BOOL)
		return "u8";
	return lane_bits(d) == dtype_info[d].bytes * 8 ? dtype_info[d].name
						       : "u16";
}

/* Where a pointer points to. */
static void put_space(Buf *b, const Name *n)
{
	if (n->dialect == CD_OPENCL)
		buf_puts(b, "__global ");
}

/* The type that a letter of sig stands for. */
static void put_type(Buf *b, char letter, const Name *n, int lanes)
{
	switch (letter) {
	case 'V':
		put_register(b, n->d, lanes);
		return;
	case 'W':
		put_register(b, n->t, lanes);
		return;
	case 'B':
		put_register(b, DT_BOOL, lanes);
		return;
	case 'F':
		put_register(b, DT_F32, lanes);
		return;
	case 'T':
		put_register(b, n->d, 0);
		return;
	case 'X':
		put_register(b, n->t, 0);
		return;
	case 'H':
		put_register(b, n->d, lanes / 2);
		return;
	case 'M':
		buf_printf(b, "tn_%s_", memory_name(n->d));
		put_suffix(b, lanes);
		return;
	case 'p':
		put_space(b, n);
		buf_puts(b, "const void *");
		return;
	case 'P':
		put_space(b, n);
		buf_puts(b, "void *");
		return;
	case 'Y':
		buf_puts(b, "void *");
		return;
	case 'I':
		buf_puts(b, "int64_t ");
		return;
	case 'E':
		buf_puts(b, "int32_t ");
		return;
	case 'U':
		buf_puts(b, "uint32_t ");
		return;
	case 'N':
		buf_puts(b, "uint64_t ");
		return;
	case 'Z':
		put_space(b, n);
		buf_puts(b, "TnStatus *");
		return;
	case '-':
		buf_puts(b, "void");
		return;
	default:
		bug("letter %c", letter);
	}
}

static bool is_vector_letter(char c)
{
	return strchr("VWBFM", c) != NULL;
}

static void expand(Buf *b, const char *s, const char *end, const Name *n,
		   int lane);

/* The part of a template up to the closing $ and character. */
static const char *find_close(const char *s, char close)
{
	for (; *s; s++)
		if (s[0] == '$' && s[1] == close)
			return s;
	bug("unclosed part of a template");
}

/* One $ and what follows; returns the place after it. */
static const char *expand_one(Buf *b, const char *s, const Name *n, int lane)
{
	const char *close;
	int bits = n->d < DT_COUNT ? lane_bits(n->d) : 0;
	int other = n->t < DT_COUNT ? lane_bits(n->t) : 0;

	switch (*s) {
	case 'D':
		buf_puts(b, dtype_info[n->d].name);
		break;
	case 'T':
		buf_puts(b, dtype_info[n->t].name);
		break;
	case 'X':
		put_suffix(b, n->lanes);
		break;
	case 'H':
		put_suffix(b, n->lanes > 2 ? n->lanes / 2 : 0);
		break;
	case 'L':
		buf_printf(b, "%d", n->lanes);
		break;
	case 'h':
		buf_printf(b, "%d", n->lanes / 2);
		break;
	case 'V':
		put_register(b, n->d, n->lanes);
		break;
	case 'W':
		put_register(b, n->t, n->lanes);
		break;
	case 't':
		put_register(b, n->d, 0);
		break;
	case 'M':
		put_register(b, int_dtype(bits, true), n->lanes);
		break;
	case 'U':
		put_register(b, int_dtype(bits, false), n->lanes);
		break;
	case 'm':
		buf_puts(b, memory_name(n->d));
		break;
	case 'K':
		buf_puts(
			b,
			dtype_info[int_dtype(bits < other ? bits * 2 : bits / 2,
					     dtype_info[n->d].cls != DTC_U)]
				.name);
		break;
	case 'w':
		buf_printf(b, "%d", bits);
		break;
	case 'q':
		buf_printf(b, "%d", bits - 1);
		break;
	case 'u':
		if (n->dialect != CD_C && n->lanes == 0) {
			buf_putc(b, '(');
			put_register(b, int_dtype(bits, false), 0);
			buf_putc(b, ')');
		}
		break;
	case 'c':
		buf_puts(b, bits == 32 ? "f" : "");
		break;
	case 's':
		buf_puts(b, bits == 32 ? "0x80000000" : "0x8000000000000000");
		break;
	case 'l':
	case 'g':
		buf_puts(b, int_limit(n->t, *s == 'g'));
		break;
	case 'i':
		buf_printf(b, "%d", lane);
		break;
	case 'j':
		buf_printf(b, "%d", lane + n->lanes / 2);
		break;
	case '[':
	case '(':
		close = find_close(s, *s == '[' ? ']' : ')');
		for (int i = 0; i < (*s == '[' ? n->lanes : n->lanes / 2);
		     i++) {
			if (i)
				buf_puts(b, i % 8 ? ", " : ",\n\t\t");
			expand(b, s + 1, close, n, i);
		}
		return close + 2;
	case '<': {
		int lanes = 0;

		close = find_close(s, '>');
		for (s++; *s >= '0' && *s <= '9'; s++)
			lanes = lanes * 10 + (*s - '0');
		if (lanes == n->lanes)
			expand(b, s, close, n, lane);
		return close + 2;
	}
	default:
		bug("$%c in a template", *s);
	}
	return s + 1;
}

static void expand(Buf *b, const char *s, const char *end, const Name *n,
		   int lane)
{
	while (s < end) {
		if (*s == '$') {
			s = expand_one(b, s + 1, n, lane);
		} else {
			buf_putc(b, *s++);
		}
	}
}

static void put_body(Buf *b, const char *s, const char *end, const Name *n)
{
	bool expr = s[0] == '=';

	if (expr) {
		s++;
		buf_puts(b, "\treturn ");
	}
	expand(b, s, end, n, 0);
	if (expr)
		buf_puts(b, ";\n");
}

/* tn_add_f16 without the suffix. */
static void put_stem(Buf *b, const Name *n)
{
	buf_printf(b, "tn_%s_%s_", n->op, dtype_info[n->d].name);
	if (n->t != DT_COUNT)
		buf_printf(b, "%s_", dtype_info[n->t].name);
}

/* ---- the derived forms ----------------------------------------------- */

/* Bytes of the widest lane among the vectors of a row. */
static int row_lane_bytes(const CTemplate *row, const Name *n)
{
	int bits = strchr(row->forms, 'N') ? 64 : 8;

	for (const char *p = row->sig; *p; p++) {
		int w = 0;

		if (*p == 'V')
			w = lane_bits(n->d);
		else if (*p == 'W')
			w = lane_bits(n->t);
		else if (*p == 'B' || *p == 'F')
			w = 32;
		if (w > bits)
			bits = w;
	}
	return bits / 8;
}

/* The scalar as lane 0 of the vector form. */
static void put_lane_form(Buf *b, const CTemplate *row, const Name *n)
{
	int lanes = n->dialect != CD_C            ? 1
		    : row_lane_bytes(row, n) == 8 ? 2
						  : 4;
	const char *args = row->sig + 2;

	buf_puts(b, "\treturn ");
	put_stem(b, n);
	buf_printf(b, "v%d(", lanes);
	for (size_t i = 0; args[i]; i++) {
		char name = (char)('a' + i);

		if (i)
			buf_puts(b, ", ");
		if (is_vector_letter(args[i])) {
			buf_putc(b, '(');
			put_type(b, args[i], n, lanes);
			buf_printf(b, args[i] == 'B' ? "){-%c}" : "){%c}",
				   name);
		} else {
			buf_putc(b, name);
		}
	}
	buf_puts(b, row->sig[0] == 'B' ? ")[0] != 0;\n" : ")[0];\n");
}

/* The vector as the scalar of each lane. */
static void put_each_form(Buf *b, const CTemplate *row, const Name *n)
{
	const char *args = row->sig + 2;

	buf_putc(b, '\t');
	put_type(b, row->sig[0], n, n->lanes);
	buf_printf(b,
		   " r = {0};\n\n\tfor (int i = 0; i < %d; i++)\n"
		   "\t\tr[i] = ",
		   n->lanes);
	put_stem(b, n);
	buf_puts(b, "s(");
	for (size_t i = 0; args[i]; i++)
		buf_printf(b, "%s%c[i]", i ? ", " : "", (char)('a' + i));
	buf_puts(b, ");\n\treturn r;\n");
}

static void put_half_call(Buf *b, const CTemplate *row, const Name *n,
			  const char *which)
{
	const char *args = row->sig + 2;

	put_stem(b, n);
	buf_printf(b, "v%d(", n->lanes / 2);
	for (size_t i = 0; args[i]; i++) {
		Buf type;

		buf_init(&type, b->arena);
		put_type(&type, args[i], n, n->lanes);
		buf_printf(b, "%stn_%s_%s(%c)", i ? ", " : "", which,
			   buf_str(&type) + 3, (char)('a' + i));
	}
	buf_putc(b, ')');
}

static void put_halves_form(Buf *b, const CTemplate *row, const Name *n)
{
	Buf type;

	buf_init(&type, b->arena);
	put_type(&type, row->sig[0], n, n->lanes);
	buf_printf(b, "\treturn tn_join_%s(", buf_str(&type) + 3);
	put_half_call(b, row, n, "lo");
	buf_puts(b, ",\n\t\t");
	put_half_call(b, row, n, "hi");
	buf_puts(b, ");\n");
}

/*
 * The body where the machine has registers so wide, and else its second
 * part (after $|), or the function on halves.
 */
static void put_native_form(Buf *b, const CTemplate *row, const Name *n)
{
	int width = row_lane_bytes(row, n) * n->lanes;
	const char *second = strstr(row->body, "$|");
	const char *end = row->body + strlen(row->body);
	const char *first_end = second ? second : end;

	if (width <= 16 || (n->lanes == 2 && !second)) {
		put_body(b, row->body, first_end, n);
		return;
	}
	if (width <= 64) {
		buf_puts(b, width == 32 ? "#ifdef __AVX2__\n"
					: "#ifdef __AVX512F__\n");
		put_body(b, row->body, first_end, n);
		buf_puts(b, "#else\n");
	}
	if (second)
		put_body(b, second + 2, end, n);
	else
		put_halves_form(b, row, n);
	if (width <= 64)
		buf_puts(b, "#endif\n");
}

static void put_function(Buf *b, const char *name, const CTemplate *row,
			 const Name *n)
{
	const char *args = row->sig + 2;
	bool vector = n->lanes > 0;

	put_type(b, row->sig[0], n, n->lanes);
	if (b->p[b->n - 1] != ' ' && b->p[b->n - 1] != '*')
		buf_putc(b, ' ');
	buf_printf(b, "%s(", name);
	for (size_t i = 0; args[i]; i++) {
		if (i)
			buf_puts(b, ", ");
		put_type(b, args[i], n, n->lanes);
		if (b->p[b->n - 1] != ' ' && b->p[b->n - 1] != '*')
			buf_putc(b, ' ');
		buf_putc(b, (char)('a' + i));
	}
	buf_puts(b, ")\n{\n");
	if (vector && !strchr(row->forms, 'v'))
		put_each_form(b, row, n);
	else if (!vector && !strchr(row->forms, 's'))
		put_lane_form(b, row, n);
	else if (vector && strpbrk(row->forms, "nN"))
		put_native_form(b, row, n);
	else
		put_body(b, row->body, row->body + strlen(row->body), n);
	buf_puts(b, "}\n");
}

static void put_typedef(Buf *b, const char *name, const Name *n)
{
	const char *type = lane_ctype(n->d);

	if (n->dialect != CD_C) {
		if (n->lanes == 0 && n->d == DT_BOOL && !n->unaligned)
			type = "bool";
		buf_printf(b,
			   n->lanes && n->dialect == CD_CUDA
				   ? "typedef TnLane<%s> %s;\n"
				   : "typedef %s %s;\n",
			   type, name);
		return;
	}
	if (n->lanes == 0 && n->d == DT_BOOL && !n->unaligned)
		type = "_Bool";
	buf_printf(b, "typedef %s %s", type, name);
	if (n->lanes > 0)
		buf_printf(b, " __attribute__((vector_size(%d)%s))",
			   n->lanes * lane_bits(n->d) / 8,
			   n->unaligned ? ", aligned(1), may_alias" : "");
	else if (n->unaligned)
		buf_puts(b, " __attribute__((aligned(1), may_alias))");
	buf_puts(b, ";\n");
}

/* ---- the whole ------------------------------------------------------- */

bool cfuncs_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Calls fn with every tn_ name in a text. */
static void each_name(CFuncs *c, const char *s, CDef *of,
		      void (*fn)(CFuncs *c, const char *name, CDef *of))
{
	char prev = ' ';

	for (; *s; prev = *s++) {
		size_t n = 0;

		if (cfuncs_is_word(prev) || strncmp(s, "tn_", 3) != 0)
			continue;
		while (cfuncs_is_word(s[n]))
			n++;
		fn(c, arena_strndup(c->arena, s, n), of);
		s += n - 1;
	}
}

static CDef *def_find(CFuncs *c, const char *name)
{
	uint32_t i;

	return strmap_get(c->seen, name, &i) && i ? &c->defs.p[i - 1] : NULL;
}

static void define(CFuncs *c, const char *name);

static void define_callee(CFuncs *c, const char *name, CDef *of)
{
	(void)of;
	define(c, name);
}

/*
 * A callee counts as one operation, and an elementary one as its own. That of
 * another number of lanes is the way of another instruction set.
 */
static void add_callee(CFuncs *c, const char *name, CDef *of)
{
	const CDef *d = def_find(c, name);

	if (d && d->function && (d->lanes < 0 || d->lanes == of->lanes))
		of->size += d->elementary && !d->apart ? d->size : 1;
}

/* Binary operators, which stand between spaces. */
static uint64_t own_operations(const char *s)
{
	uint64_t n = 1;

	for (; s[0] && s[1]; s++)
		n += s[0] == ' ' && strchr("+-*/&|^<>", s[1]) != NULL &&
		     (s[2] == ' ' || s[3] == ' ');
	return n;
}

static bool is_elementary(const CTemplate *row)
{
	const CTemplate *const some[] = {cfuncs_elementary,
					 cfuncs_elementary64};

	for (size_t i = 0; i < ARRAY_LEN(some); i++)
		for (const CTemplate *r = some[i]; r->op; r++)
			if (r == row)
				return true;
	return false;
}

static void define(CFuncs *c, const char *name)
{
	const CTemplate *row = NULL;
	CDef def = {.name = name};
	uint32_t seen;
	char parts[64];
	Name n;
	Buf b;

	if (strmap_get(c->seen, name, &seen))
		return;
	if (!name_parse(name, c->dialect, parts, &n))
		bug("no function %s", name);
	if (n.op[0] && (row = row_find(&n)) == NULL)
		bug("no function %s", name);
	strmap_set(c->seen, name, 0);
	buf_init(&b, c->arena);
	if (row)
		put_function(&b, name, row, &n);
	else
		put_typedef(&b, name, &n);
	def.text = buf_str(&b);
	if (row && c->dialect == CD_CUDA)
		def.text = cfuncs_cuda_text(c->arena, def.text);
	else if (row && c->dialect == CD_OPENCL)
		def.text = cfuncs_opencl_text(c->arena, def.text);
	def.lanes = n.lanes == 1 ? 0 : n.lanes;
	c->vectors |= n.lanes > 0;
	each_name(c, def.text, NULL, define_callee);
	if (row) {
		def.function = true;
		def.elementary = is_elementary(row);
		def.apart = strchr(row->forms, 'o') != NULL;
		def.size = own_operations(def.text);
		each_name(c, def.text, &def, add_callee);
	}
	VEC_PUSH(c->arena, c->defs, def);
	strmap_set(c->seen, name, (uint32_t)c->defs.n);
}

void cfuncs_need(CFuncs *c, const char *name)
{
	define(c, name);
	def_find(c, name)->sites++;
}

/* Of the functions that are inlined, the one that takes most to compile. */
static CDef *longest(const CFuncs *c, uint64_t *all)
{
	CDef *found = NULL;

	*all = 0;
	for (size_t i = 0; i < c->defs.n; i++) {
		CDef *d = &c->defs.p[i];
		if (!d->elementary || d->apart || !d->sites)
			continue;
		*all += d->sites * d->size;
		if (d->sites > 1 &&
		    (!found || d->sites * d->size > found->sites * found->size))
			found = d;
	}
	return found;
}

void cfuncs_print(CFuncs *c, Buf *out)
{
	uint64_t all;
	CDef *d;

	while ((d = longest(c, &all)) != NULL && all > INLINE_OPERATIONS)
		d->apart = true;
	if (c->dialect == CD_CUDA)
		cfuncs_cuda_head(out, c->vectors);
	else if (c->dialect == CD_OPENCL)
		cfuncs_opencl_head(out);
	else
		buf_puts(out, abi_text);
	for (size_t i = 0; i < c->defs.n; i++) {
		d = &c->defs.p[i];
		if (d->function)
			buf_puts(out, d->apart ? "TN_APART " : "TN_INLINE ");
		buf_puts(out, d->text);
	}
}
