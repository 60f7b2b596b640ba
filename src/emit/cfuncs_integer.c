/*
 * cfuncs_integer: integers and bool, comparisons, selection, faults.
 *
 * Integers wrap (sources are compiled with -fwrapv). The expressions serve
 * scalars and vectors alike; a scalar narrower than int is computed as int
 * and cut on return, which is the same.
 */
#include "emit/cfuncs_text.h"

#include <stddef.h>

/*
 * a OP b as bool: a vector comparison yields lanes of the operands' width,
 * which become those of bool.
 */
/* clang-format off */
#define COMPARE(op, sym)                                                       \
	{op, "DSHBiuo", "", "s", "B:VV", "=a " sym " b"},                      \
	{op, "DSHBiu", "", "v", "B:VV",                                        \
	 "=tn_cast_i$w_i32_$X(($M)(a " sym " b))"}

const CTemplate cfuncs_integer[] = {
	{"add", "iu", "", "sv", "V:VV", "=$ua + $ub"},
	{"sub", "iu", "", "sv", "V:VV", "=$ua - $ub"},
	/* uint16_t operands promoted to int could overflow */
	{"mul", "iu", "", "s", "V:VV", "=($V)((uint64_t)a * (uint64_t)b)"},
	{"mul", "iu", "", "v", "V:VV", "=a * b"},
	{"mac", "iu", "", "sv", "V:VVV",
	 "=tn_add_$D_$X(tn_mul_$D_$X(a, b), c)"},
	{"neg", "iu", "", "sv", "V:V", "=-$ua"},
	{"abs", "i", "", "sv", "V:V", "=$u(a ^ (a >> $q)) - $u(a >> $q)"},
	{"abs", "u", "", "sv", "V:V", "=a"},
	{"sign", "i", "", "s", "V:V", "=(a > 0) - (a < 0)"},
	{"sign", "u", "", "s", "V:V", "=a != 0"},
	{"sign", "i", "", "v", "V:V", "=($V)(a < 0) - ($V)(a > 0)"},
	{"sign", "u", "", "v", "V:V", "=($V)(a != 0) & 1"},
	{"maximum", "iu", "", "s", "V:VV", "=a > b ? a : b"},
	{"minimum", "iu", "", "s", "V:VV", "=a < b ? a : b"},
	{"maximum", "iu", "", "v", "V:VV",
	 "\t$V m = ($V)(a > b);\n"
	 "\n"
	 "\treturn (m & a) | (~m & b);\n"},
	{"minimum", "iu", "", "v", "V:VV",
	 "\t$V m = ($V)(a < b);\n"
	 "\n"
	 "\treturn (m & a) | (~m & b);\n"},
	{"bitnot", "iu", "", "sv", "V:V", "=~a"},
	{"bitand", "iu", "", "sv", "V:VV", "=a & b"},
	{"bitor", "iu", "", "sv", "V:VV", "=a | b"},
	{"bitxor", "iu", "", "sv", "V:VV", "=a ^ b"},
	{"shl", "iu", "", "s", "V:VV",
	 "=($U)b < $w ? ($V)((uint64_t)a << ($U)b) : 0"},
	{"shl", "iu", "", "v", "V:VV",
	 "\t$U n = ($U)b;\n"
	 "\n"
	 "\treturn ($V)(($U)(n < $w) & (($U)a << (n & $q)));\n"},
	{"shr", "i", "", "s", "V:VV",
	 "=a >> (($U)b < $w ? b : $q)"},
	{"shr", "i", "", "v", "V:VV",
	 "\t$U n = ($U)b;\n"
	 "\t$U m = ($U)(n < $w);\n"
	 "\n"
	 "\treturn a >> ($V)((n & m) | (~m & $q));\n"},
	{"shr", "u", "", "s", "V:VV",
	 "=b < $w ? a >> b : 0"},
	{"shr", "u", "", "v", "V:VV",
	 "=(a >> (b & $q)) & ($U)(b < $w)"},

	/* scalar only: they may fault */
	{"floordiv", "i", "", "s", "V:VVZUI",
	 "\tint64_t q, r;\n"
	 "\n"
	 "\tif (b == 0) {\n"
	 "\t\ttn_fault(c, TN_FAULT_DIVISION, d, e);\n"
	 "\t\treturn 0;\n"
	 "\t}\n"
	 "\tif (b == -1)\n"
	 "\t\treturn -$ua;\n"
	 "\tq = a / b;\n"
	 "\tr = a % b;\n"
	 "\treturn ($V)(q - (r != 0 && (r < 0) != (b < 0)));\n"},
	{"floordiv", "u", "", "s", "V:VVZUI",
	 "\tif (b == 0) {\n"
	 "\t\ttn_fault(c, TN_FAULT_DIVISION, d, e);\n"
	 "\t\treturn 0;\n"
	 "\t}\n"
	 "\treturn a / b;\n"},
	{"mod", "i", "", "s", "V:VVZUI",
	 "\tint64_t r;\n"
	 "\n"
	 "\tif (b == 0) {\n"
	 "\t\ttn_fault(c, TN_FAULT_DIVISION, d, e);\n"
	 "\t\treturn 0;\n"
	 "\t}\n"
	 "\tif (b == -1)\n"
	 "\t\treturn 0;\n"
	 "\tr = a % b;\n"
	 "\treturn ($V)(r != 0 && (r < 0) != (b < 0) ? r + b : r);\n"},
	{"mod", "u", "", "s", "V:VVZUI",
	 "\tif (b == 0) {\n"
	 "\t\ttn_fault(c, TN_FAULT_DIVISION, d, e);\n"
	 "\t\treturn 0;\n"
	 "\t}\n"
	 "\treturn a % b;\n"},
	{"pow", "i", "", "s", "V:VVZUI",
	 "\tif (b < 0) {\n"
	 "\t\ttn_fault(c, TN_FAULT_EXPONENT, d, e);\n"
	 "\t\treturn 0;\n"
	 "\t}\n"
	 "\treturn ($V)tn_power((uint64_t)a, (uint64_t)b);\n"},
	{"pow", "u", "", "s", "V:VVZUI",
	 "\t(void)c;\n"
	 "\t(void)d;\n"
	 "\t(void)e;\n"
	 "\treturn ($V)tn_power(a, b);\n"},
	{"power", "", "", "so", "N:NN",
	 "\tuint64_t r = 1;\n"
	 "\n"
	 "\tfor (; b; b >>= 1) {\n"
	 "\t\tif (b & 1)\n"
	 "\t\t\tr *= a;\n"
	 "\t\ta *= a;\n"
	 "\t}\n"
	 "\treturn r;\n"},
	/* the least of a value's, which has this record for itself */
	{"fault", "", "", "gso", "-:ZEUI",
	 "\tTN_LEAST(&a->index, d);\n"
	 "\ta->value = c;\n"
	 "\ta->code = b;\n"},
	{"fault", "", "", "so", "-:ZEUI",
	 /* the least of a worker's: it may take tasks in any order */
	 "\tif (a->code != TN_FAULT_NONE &&\n"
	 "\t    (a->value < c || (a->value == c && a->index <= d)))\n"
	 "\t\treturn;\n"
	 "\ta->code = b;\n"
	 "\ta->value = c;\n"
	 "\ta->index = d;\n"},
	{"index", "", "", "s", "I:IIZU",
	 "\tint64_t i = a < 0 ? a + b : a;\n"
	 "\n"
	 "\tif (i >= 0 && i < b)\n"
	 "\t\treturn i;\n"
	 "\ttn_fault(c, TN_FAULT_INDEX, d, a);\n"
	 "\treturn 0;\n"},
	/* a divisor of 0 is an empty extent: nothing is read behind it */
	{"div", "", "", "s", "I:II",
	 "\tif (b == 0)\n"
	 "\t\treturn 0;\n"
	 "\treturn a / b - (a % b != 0 && (a % b < 0) != (b < 0));\n"},
	{"mod", "", "", "s", "I:II",
	 "\tint64_t r = b == 0 ? 0 : a % b;\n"
	 "\n"
	 "\treturn r != 0 && (r < 0) != (b < 0) ? r + b : r;\n"},
	{"min", "", "", "s", "I:II", "=a < b ? a : b"},
	{"max", "", "", "s", "I:II", "=a > b ? a : b"},

	/* comparisons */
	{"eq", "o", "", "v", "B:VV", "=~(a ^ b)"},
	{"ne", "o", "", "v", "B:VV", "=a ^ b"},
	{"lt", "o", "", "v", "B:VV", "=~a & b"},
	{"le", "o", "", "v", "B:VV", "=~a | b"},
	{"gt", "o", "", "v", "B:VV", "=a & ~b"},
	{"ge", "o", "", "v", "B:VV", "=a | ~b"},
	COMPARE("eq", "=="),
	COMPARE("ne", "!="),
	COMPARE("lt", "<"),
	COMPARE("le", "<="),
	COMPARE("gt", ">"),
	COMPARE("ge", ">="),

	/* bool */
	{"not", "o", "", "s", "V:V", "=!a"},
	{"not", "o", "", "v", "V:V", "=~a"},
	{"and", "o", "", "sv", "V:VV", "=a & b"},
	{"or", "o", "", "sv", "V:VV", "=a | b"},
	{"minimum", "o", "", "sv", "V:VV", "=a & b"},
	{"maximum", "o", "", "sv", "V:VV", "=a | b"},

	/* selection */
	{"where", "DSHBiuo", "", "s", "V:BVV", "=a ? b : c"},
	{"where", "DSHBiuo", "", "v", "V:BVV",
	 "\t$M m = tn_cast_i32_i$w_$X(a);\n"
	 "\n"
	 "\treturn ($V)((m & ($M)b) | (~m & ($M)c));\n"},
	{0},
};
/* clang-format on */
