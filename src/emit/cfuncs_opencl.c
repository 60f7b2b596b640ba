/*
 * cfuncs_opencl: the functions in OpenCL C.
 *
 * As in CUDA C (cfuncs_cuda.c, which decides the conditionals), a vector has
 * one lane. OpenCL C has no classes, so here it is the scalar itself, and the
 * text is rewritten where GNU vectors mean something else: a cast to a vector
 * type keeps bits, which is as_uint(x), or makes a mask of a comparison,
 * which is -(uint)(a < b); and there is nothing to index. Pointers to elements
 * are to global memory. Builtins lose their prefix and, as OpenCL's are
 * overloaded, the f of float.
 */
#include "emit/cfuncs_text.h"

#include <string.h>

static const char head_text[] =
	"#pragma OPENCL FP_CONTRACT OFF\n"
	"#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
	"typedef char int8_t;\n"
	"typedef short int16_t;\n"
	"typedef int int32_t;\n"
	"typedef long int64_t;\n"
	"typedef uchar uint8_t;\n"
	"typedef ushort uint16_t;\n"
	"typedef uint uint32_t;\n"
	"typedef ulong uint64_t;\n" FAULT_TYPES "\n"
	"#define TN_LEAST(p, v) atom_min((volatile __global long *)(p), v)\n"
	"#define TN_CONVERT(a, type) ((type)(a))\n"
	"#define TN_EXPECT(a, b) (a)\n"
	"#define TN_INLINE static inline __attribute__((always_inline))\n"
	"#define TN_APART static __attribute__((noinline))\n";

void cfuncs_opencl_head(Buf *out)
{
	buf_puts(out, head_text);
}

static const char *word_end(const char *s)
{
	while (cfuncs_is_word(*s))
		s++;
	return s;
}

/* The place after what the bracket at s opens. */
static const char *close_of(const char *s)
{
	int depth = 0;

	do {
		if (!*s)
			bug("open bracket in a template");
		depth += strchr("([{", *s) != NULL;
		depth -= strchr(")]}", *s) != NULL;
		s++;
	} while (depth > 0);
	return s;
}

/* `(tn_u32_v1)` at s, up to its end; NULL: there is something else. */
static const char *cast_end(const char *s)
{
	const char *end;

	if (strncmp(s, "(tn_", 4) != 0)
		return NULL;
	end = word_end(s + 1);
	return *end == ')' && end[1] != '{' ? end + 1 : NULL;
}

/* What a cast at the place before s applies to. */
static const char *operand_end(const char *s)
{
	const char *cast = cast_end(s);

	if (cast)
		return operand_end(cast);
	if (*s == '~' || *s == '-')
		return operand_end(s + 1);
	s = cfuncs_is_word(*s) || *s == '.' ? word_end(s) : close_of(s);
	while (*s == '(' || *s == '[' || *s == '{')
		s = close_of(s);
	return s;
}

/* Whether the parenthesis at s holds a comparison, at its own level. */
static bool compares(const char *s)
{
	const char *end = close_of(s);

	for (s++; s < end; s++) {
		if (strchr("([{", *s)) {
			s = close_of(s) - 1;
			continue;
		}
		if ((*s == '<' || *s == '>') && s[1] != *s && s[-1] != *s)
			return true;
		if ((*s == '=' || *s == '!') && s[1] == '=')
			return true;
	}
	return false;
}

/* The OpenCL type of the lanes of a type's name. */
static const char *lane_type(const char *s)
{
	static const struct {
		const char *name, *type;
	} types[] = {
		{"f64_", "double"}, {"f32_", "float"},  {"f16_", "float"},
		{"bf16_", "float"}, {"i64_", "long"},   {"i32_", "int"},
		{"bool_", "int"},   {"u64_", "ulong"},  {"u32_", "uint"},
		{"i16_", "short"},  {"u16_", "ushort"},
	};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strncmp(s + 4, types[i].name, strlen(types[i].name)) == 0)
			return types[i].type;
	bug("no lanes of %.12s", s);
}

/* __builtin_fabsf at s as OpenCL's; returns the place after it. */
static const char *put_builtin(Buf *b, const char *s)
{
	static const struct {
		const char *name, *text;
	} some[] = {
		{"convertvector", "TN_CONVERT"},
		{"expect", "TN_EXPECT"},
		{"inff()", "INFINITY"},
		{"inf()", "(double)INFINITY"},
	};
	const char *name = s + strlen("__builtin_"), *end = word_end(name);

	for (size_t i = 0; i < ARRAY_LEN(some); i++)
		if (strncmp(name, some[i].name, strlen(some[i].name)) == 0) {
			buf_puts(b, some[i].text);
			return name + strlen(some[i].name);
		}
	buf_write(b, name, (size_t)(end - name) - (end[-1] == 'f'));
	return end;
}

static void rewrite(Buf *b, const char *s, const char *end)
{
	char prev = ' ';

	while (s < end) {
		const char *cast = cast_end(s), *last;

		if (cast && strncmp(cast - 4, "_v1)", 4) == 0) {
			last = operand_end(cast);
			buf_printf(b, compares(cast) ? "-(%s)" : "as_%s(",
				   lane_type(s));
			rewrite(b, cast, last);
			if (!compares(cast))
				buf_putc(b, ')');
			s = last;
		} else if (strncmp(s, "__builtin_", 10) == 0) {
			s = put_builtin(b, s);
		} else if (strncmp(s, "[0]", 3) == 0 ||
			   strncmp(s, "[i]", 3) == 0) {
			s += 3;
		} else if (!cfuncs_is_word(prev) && cfuncs_is_word(*s)) {
			last = word_end(s);
			if (last - s > 3 && strncmp(last - 3, "_su", 3) == 0 &&
			    last[1] == '*')
				buf_puts(b, "__global ");
			buf_write(b, s, (size_t)(last - s));
			/* a type's name, here */
			if (last - s == 4 && strncmp(s, "half", 4) == 0)
				buf_putc(b, '_');
			s = last;
		} else {
			buf_putc(b, *s++);
		}
		prev = s[-1];
	}
}

const char *cfuncs_opencl_text(Arena *a, const char *text)
{
	const char *s = cfuncs_decide(a, text, false);
	Buf b;

	buf_init(&b, a);
	rewrite(&b, s, s + strlen(s));
	return buf_str(&b);
}
