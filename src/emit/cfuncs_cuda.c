/*
 * cfuncs_cuda: the functions in CUDA C.
 *
 * Every thread works on scalars, but the texts of most functions are written
 * for GNU vectors: comparisons give masks, and casts keep bits. Here a vector
 * has one lane, TnLane, a class whose operators mean the same; it compiles to
 * the scalar's instructions. So there is one text of each algorithm, and a GPU
 * gives the bits of a CPU that has fused multiply-adds.
 *
 * An expanded text differs in three things. Its conditionals, all of them on
 * what a CPU has, are decided here, so that a source has no functions of other
 * ways; only those on __CUDA_ARCH__ stay: instructions of PTX, whose twin
 * serves tests on a CPU. Compound literals, which C++ has not, become lists
 * of initial values. Builtins are CUDA's functions: without the prefix.
 */
#include "emit/cfuncs_text.h"

#include <string.h>

static const char head_text[] =
	"typedef signed char int8_t;\n"
	"typedef short int16_t;\n"
	"typedef int int32_t;\n"
	"typedef long long int64_t;\n"
	"typedef unsigned char uint8_t;\n"
	"typedef unsigned short uint16_t;\n"
	"typedef unsigned int uint32_t;\n"
	"typedef unsigned long long uint64_t;\n" FAULT_TYPES "\n"
	"#define TN_LEAST(p, v) atomicMin((long long *)(p), (long long)(v))\n"
	"#define TN_INLINE static __device__ __forceinline__ "
	"__attribute__((unused))\n"
	"#define TN_APART static __device__ __noinline__ "
	"__attribute__((unused))\n";

/* Integers wrap, so they are added as unsigned ones. */
static const char lane_text[] =
	"template <int bytes> struct TnInt;\n"
	"template <> struct TnInt<1> { typedef int8_t S; typedef uint8_t U; "
	"};\n"
	"template <> struct TnInt<2> { typedef int16_t S; typedef uint16_t U; "
	"};\n"
	"template <> struct TnInt<4> { typedef int32_t S; typedef uint32_t U; "
	"};\n"
	"template <> struct TnInt<8> { typedef int64_t S; typedef uint64_t U; "
	"};\n"
	"#define TN_FRIEND friend __device__ __forceinline__\n"
	"#define TN_WRAPS(op) \\\n"
	"\tTN_FRIEND TnLane operator op(TnLane a, TnLane b) \\\n"
	"\t{ \\\n"
	"\t\tif constexpr (whole) \\\n"
	"\t\t\treturn T(U(a.x) op U(b.x)); \\\n"
	"\t\telse \\\n"
	"\t\t\treturn a.x op b.x; \\\n"
	"\t}\n"
	"#define TN_BITS(op) \\\n"
	"\tTN_FRIEND TnLane operator op(TnLane a, TnLane b) \\\n"
	"\t{ \\\n"
	"\t\treturn T(a.x op b.x); \\\n"
	"\t}\n"
	"#define TN_SETS(op) \\\n"
	"\tTN_FRIEND TnLane &operator op##=(TnLane &a, TnLane b) \\\n"
	"\t{ \\\n"
	"\t\treturn a = a op b; \\\n"
	"\t}\n"
	"#define TN_TESTS(op) \\\n"
	"\tTN_FRIEND TnLane<typename TnInt<sizeof(T)>::S> \\\n"
	"\toperator op(TnLane a, TnLane b) \\\n"
	"\t{ \\\n"
	"\t\treturn typename TnInt<sizeof(T)>::S(a.x op b.x ? -1 : 0); \\\n"
	"\t}\n"
	"template <typename T> struct TnLane {\n"
	"\ttypedef typename TnInt<sizeof(T)>::U U;\n"
	"\tstatic constexpr bool whole = T(0.5f) == T(0);\n"
	"\tT x;\n"
	"\n"
	"\tTnLane() = default;\n"
	"\t__device__ __forceinline__ TnLane(T a) : x(a) {}\n"
	"\ttemplate <typename O>\n"
	"\t__device__ __forceinline__ explicit TnLane(TnLane<O> a)\n"
	"\t{\n"
	"\t\tunion { O from; T to; } bits = {a.x};\n"
	"\n"
	"\t\tstatic_assert(sizeof(O) == sizeof(T), \"one lane\");\n"
	"\t\tx = bits.to;\n"
	"\t}\n"
	"\t__device__ __forceinline__ T &operator[](int) { return x; }\n"
	"\tTN_WRAPS(+) TN_WRAPS(-) TN_WRAPS(*) TN_BITS(/)\n"
	"\tTN_BITS(&) TN_BITS(|) TN_BITS(^) TN_BITS(>>)\n"
	"\tTN_SETS(+) TN_SETS(-) TN_SETS(&) TN_SETS(|) TN_SETS(^)\n"
	"\tTN_TESTS(==) TN_TESTS(!=) TN_TESTS(<) TN_TESTS(<=)\n"
	"\tTN_TESTS(>) TN_TESTS(>=)\n"
	"\tTN_FRIEND TnLane operator<<(TnLane a, TnLane b)\n"
	"\t{\n"
	"\t\treturn T(U(a.x) << b.x);\n"
	"\t}\n"
	"\tTN_FRIEND TnLane operator~(TnLane a) { return T(~a.x); }\n"
	"\tTN_FRIEND TnLane operator-(TnLane a)\n"
	"\t{\n"
	"\t\tif constexpr (whole)\n"
	"\t\t\treturn T(U(0) - U(a.x));\n"
	"\t\telse\n"
	"\t\t\treturn -a.x;\n"
	"\t}\n"
	"};\n"
	"#define TN_CONVERT(a, type) type((a).x)\n";

void cfuncs_cuda_head(Buf *out, bool lanes)
{
	buf_puts(out, head_text);
	if (lanes)
		buf_puts(out, lane_text);
}

/* ---- conditionals ---------------------------------------------------- */

/* Reads over word where s has it, and spaces after it. */
static bool eat(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n) != 0)
		return false;
	for (*s += n; **s == ' ';)
		++*s;
	return true;
}

static int number(const char **s)
{
	int n = 0;

	for (; **s >= '0' && **s <= '9'; ++*s)
		n = n * 10 + (**s - '0');
	while (**s == ' ')
		++*s;
	return n;
}

/* Of what a condition may ask, a GPU has fused multiply-adds alone. */
static bool term(const char **s)
{
	if (eat(s, "!"))
		return !term(s);
	if (eat(s, "defined ")) {
		const char *name = *s;

		while (cfuncs_is_word(**s))
			++*s;
		eat(s, "");
		return *s >= name + 7 && strncmp(name, "__FMA__", 7) == 0;
	}
	if (**s >= '0' && **s <= '9') {
		int n = number(s);

		if (eat(s, "=="))
			return n == number(s);
		if (eat(s, ">"))
			return n > number(s);
	}
	bug("condition %.20s in a template", *s);
}

/* `defined A && 4 > 2 || !defined B` up to the line's end. */
static bool condition(const char *s)
{
	bool any = false, all;

	do {
		all = true;
		do {
			bool now = term(&s);

			all = all && now;
		} while (eat(&s, "&&"));
		any = any || all;
	} while (eat(&s, "||"));
	if (*s != '\n')
		bug("condition in a template goes on: %.20s", s);
	return any;
}

/* One #if that is open. */
typedef struct Cond {
	bool stays; /* its lines are printed */
	bool outer; /* what is around it is printed */
	bool taken; /* a part of it was */
	bool on;
} Cond;

static bool has_word(const char *s, const char *end, const char *word)
{
	const char *found = strstr(s, word);

	return found && found < end;
}

/* The text with conditionals decided. */
static void put_decided(Buf *b, const char *s, bool cuda)
{
	Cond open[8];
	size_t n = 0;
	bool on = true;

	while (*s) {
		const char *end = strchr(s, '\n'), *rest = s;
		bool stays = false, directive = *s == '#';
		Cond *top = n ? &open[n - 1] : NULL;

		end = end ? end + 1 : s + strlen(s);
		if (directive &&
		    (eat(&rest, "#ifdef ") || eat(&rest, "#if "))) {
			if (n == ARRAY_LEN(open))
				bug("conditionals in a template");
			top = &open[n++];
			top->outer = on;
			top->stays = cuda && has_word(s, end, "__CUDA_ARCH__");
			stays = top->stays;
			top->on = stays;
			if (!stays && s[3] == 'd')
				top->on = strncmp(rest, "__FMA__\n", 8) == 0;
			else if (!stays)
				top->on = condition(rest);
			top->taken = top->on;
		} else if (directive && !top) {
			bug("%.8s in a template", s);
		} else if (directive && eat(&rest, "#elif ")) {
			top->on = !top->taken && condition(rest);
			top->taken = top->taken || top->on;
		} else if (directive && eat(&rest, "#else")) {
			stays = top->stays;
			top->on = stays || !top->taken;
		} else if (directive) {
			stays = top->stays;
			top->on = true;
			n--;
		}
		if (directive)
			on = top->outer && top->on;
		if (directive ? stays && top->outer : on)
			buf_write(b, s, (size_t)(end - s));
		s = end;
	}
}

const char *cfuncs_decide(Arena *a, const char *text, bool cuda)
{
	Buf b;

	buf_init(&b, a);
	put_decided(&b, text, cuda);
	return buf_str(&b);
}

/* ---- spelling -------------------------------------------------------- */

/* The `(tn_f32_s)` of `(tn_f32_s){0}`: its name's length, or 0. */
static size_t literal_type(const char *s)
{
	size_t n = 0;

	if (strncmp(s, "(tn_", 4) != 0)
		return 0;
	while (cfuncs_is_word(s[1 + n]))
		n++;
	return strncmp(s + 1 + n, "){", 2) == 0 ? n : 0;
}

const char *cfuncs_cuda_text(Arena *a, const char *text)
{
	static const struct {
		const char *name, *text;
	} builtins[] = {
		{"__builtin_convertvector", "TN_CONVERT"},
		{"__builtin_expect", "__builtin_expect"},
		{"__builtin_inff()", "__int_as_float(0x7f800000)"},
		{"__builtin_inf()", "__longlong_as_double(0x7ff0000000000000)"},
		{"__builtin_", ""},
	};
	Buf b;

	buf_init(&b, a);
	for (const char *s = cfuncs_decide(a, text, true); *s;) {
		size_t n = literal_type(s), i = 0;

		if (n) {
			buf_write(&b, s + 1, n);
			s += n + 2;
			continue;
		}
		while (i < ARRAY_LEN(builtins) &&
		       strncmp(s, builtins[i].name, strlen(builtins[i].name)) !=
			       0)
			i++;
		if (i < ARRAY_LEN(builtins)) {
			buf_puts(&b, builtins[i].text);
			s += strlen(builtins[i].name);
		} else {
			buf_putc(&b, *s++);
		}
	}
	return buf_str(&b);
}
