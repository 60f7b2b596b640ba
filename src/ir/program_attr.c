/*
 * program_attr: the attributes of values in the text form.
 *
 * One table says which attributes an op has, and how each is written and
 * read. They come in the order of the table.
 */
#include "ir/program_text.h"

#include "ir/internal.h"

#include <string.h>

#define LIST_LIMIT 64 /* tensors of more elements print as bytes */

static const struct {
	Relax bit;
	const char *name;
} relax_table[] = {
	{RELAX_SINGLE_ROUNDING, "single_rounding"},
	{RELAX_CONTRACTION, "contraction"},
	{RELAX_REASSOCIATE, "reassociate"},
	{RELAX_ROW_INVARIANT, "row_invariant"},
	{RELAX_TF32, "tf32"},
};

static bool has_acc(const Value *v)
{
	OpClass c = op_info[v->op].cls;
	return op_info[v->op].result == OPR_attr &&
	       (c == OPC_REDUCE || c == OPC_SCAN || c == OPC_CONTRACT);
}

static void print_acc(const Printer *w, const Value *v)
{
	buf_puts(w->b, dtype_info[v->acc].name);
}

static bool read_acc(Reader *r, Value *v)
{
	return reader_dtype(r, &v->acc);
}

static bool has_axes(const Value *v)
{
	return op_info[v->op].cls == OPC_REDUCE;
}

static void print_axes(const Printer *w, const Value *v)
{
	const char *before = "";
	buf_putc(w->b, '[');
	for (unsigned d = 0; d < 32; d++)
		if (v->axes >> d & 1) {
			buf_printf(w->b, "%s%u", before, d);
			before = ", ";
		}
	buf_putc(w->b, ']');
}

static bool read_axes_item(Reader *r, Value *v, uint32_t i)
{
	uint32_t d;
	(void)i;
	if (!reader_count(r, TN_MAX_RANK - 1, &d))
		return false;
	if (v->axes >> d & 1)
		return reader_error(r, "axis %u is named twice", d);
	v->axes |= 1u << d;
	return true;
}

static bool read_axes(Reader *r, Value *v)
{
	uint32_t n;
	return reader_list(r, read_axes_item, v, &n);
}

static bool has_axis(const Value *v)
{
	return v->op == OP_IOTA || v->op == OP_CONCAT || v->op == OP_GATHER ||
	       v->op == OP_SCATTER || v->op == OP_SCATTER_ADD ||
	       op_info[v->op].cls == OPC_SCAN;
}

static void print_axis(const Printer *w, const Value *v)
{
	buf_printf(w->b, "%u", v->axis);
}

static bool read_axis(Reader *r, Value *v)
{
	return reader_count(r, TN_MAX_RANK - 1, &v->axis);
}

static bool has_index(const Value *v)
{
	return v->op == OP_INPUT;
}

static void print_index(const Printer *w, const Value *v)
{
	buf_printf(w->b, "%u", v->index);
}

static bool read_index(Reader *r, Value *v)
{
	return reader_count(r, UINT32_MAX, &v->index);
}

static bool has_perm(const Value *v)
{
	return v->op == OP_TRANSPOSE;
}

static void print_perm(const Printer *w, const Value *v)
{
	buf_putc(w->b, '[');
	for (int d = 0; d < v->rank; d++)
		buf_printf(w->b, "%s%d", d ? ", " : "", v->perm[d]);
	buf_putc(w->b, ']');
}

static bool read_perm_item(Reader *r, Value *v, uint32_t i)
{
	uint32_t d;
	if (!reader_count(r, TN_MAX_RANK - 1, &d))
		return false;
	v->perm[i] = (uint8_t)d;
	return true;
}

static bool read_perm(Reader *r, Value *v)
{
	return reader_exact(r, read_perm_item, v, v->rank);
}

static void print_exprs(const Printer *w, const Ex *e, int n)
{
	buf_putc(w->b, '[');
	for (int d = 0; d < n; d++) {
		buf_puts(w->b, d ? ", " : "");
		ex_print(w->b, &w->p->ex, e[d]);
	}
	buf_putc(w->b, ']');
}

static bool has_start(const Value *v)
{
	return v->op == OP_SLICE || v->op == OP_PAD;
}

static void print_start(const Printer *w, const Value *v)
{
	print_exprs(w, v->start, v->rank);
}

static bool read_start_item(Reader *r, Value *v, uint32_t i)
{
	return reader_ex(r, &v->start[i]);
}

static bool read_start(Reader *r, Value *v)
{
	return reader_exact(r, read_start_item, v, v->rank);
}

static bool has_step(const Value *v)
{
	return v->op == OP_SLICE;
}

static void print_step(const Printer *w, const Value *v)
{
	buf_putc(w->b, '[');
	for (int d = 0; d < v->rank; d++)
		buf_printf(w->b, "%s%lld", d ? ", " : "",
			   (long long)v->step[d]);
	buf_putc(w->b, ']');
}

static bool read_step_item(Reader *r, Value *v, uint32_t i)
{
	return reader_number(r, &v->step[i]);
}

static bool read_step(Reader *r, Value *v)
{
	return reader_exact(r, read_step_item, v, v->rank);
}

static bool has_map(const Value *v)
{
	return v->op == OP_VIEW;
}

static void print_map(const Printer *w, const Value *v)
{
	print_exprs(w, v->map, program_value(w->p, v->args[0])->rank);
}

static bool read_map_item(Reader *r, Value *v, uint32_t i)
{
	return reader_ex(r, &v->map[i]);
}

static bool read_map(Reader *r, Value *v)
{
	return reader_exact(r, read_map_item, v,
			    program_value(r->p, v->args[0])->rank);
}

static bool has_data(const Value *v)
{
	return v->op == OP_CONST;
}

static void print_data(const Printer *w, const Value *v)
{
	const char *p = v->data;
	size_t size = (size_t)dtype_info[v->dtype].bytes;
	if (!v->rank) {
		number_print(w->b, v->dtype, p);
		return;
	}
	bool list = v->data_size <= size * LIST_LIMIT;
	buf_puts(w->b, list ? "[" : "hex\"");
	for (size_t i = 0; i < v->data_size; i += list ? size : 1) {
		if (!list) {
			buf_printf(w->b, "%02x", (unsigned char)p[i]);
			continue;
		}
		buf_puts(w->b, i ? ", " : "");
		number_print(w->b, v->dtype, p + i);
	}
	buf_putc(w->b, list ? ']' : '"');
}

static bool read_element(Reader *r, const Value *v, Buf *b)
{
	uint64_t bits;
	reader_skip(r);
	const char *s = r->s;
	const char *error = number_parse(&s, v->dtype, &bits);
	if (error)
		return reader_error(r, "%s", error);
	r->s = s;
	buf_write(b, &bits, (size_t)dtype_info[v->dtype].bytes);
	return true;
}

static bool read_hex(Reader *r, Buf *b)
{
	static const char digits[] = "0123456789abcdef";
	while (*r->s != '"') {
		const char *hi = *r->s ? strchr(digits, r->s[0]) : NULL;
		const char *lo = hi && r->s[1] ? strchr(digits, r->s[1]) : NULL;
		if (!lo)
			return reader_error(r, "expected two hex digits");
		buf_putc(b, (char)((hi - digits) << 4 | (lo - digits)));
		r->s += 2;
	}
	r->s++;
	return true;
}

/* The number of bytes is checked by inference against the shape. */
static bool read_data(Reader *r, Value *v)
{
	Buf b;
	buf_init(&b, r->p->arena);
	bool ok = true;
	if (!v->rank) {
		ok = read_element(r, v, &b);
	} else if (reader_accept(r, "hex\"")) {
		ok = read_hex(r, &b);
	} else {
		ok = reader_expect(r, "[");
		if (ok && !reader_accept(r, "]")) {
			do
				ok = read_element(r, v, &b);
			while (ok && reader_accept(r, ","));
			ok = ok && reader_expect(r, "]");
		}
	}
	v->data = b.p;
	v->data_size = b.n;
	return ok;
}

static bool has_file(const Value *v)
{
	return v->op == OP_WEIGHT;
}

static void print_file(const Printer *w, const Value *v)
{
	printer_quoted(w->b, v->file);
}

static bool read_file(Reader *r, Value *v)
{
	return reader_quoted(r, &v->file);
}

static bool has_tensor(const Value *v)
{
	return v->tensor != NULL;
}

static void print_tensor(const Printer *w, const Value *v)
{
	printer_quoted(w->b, v->tensor);
}

static bool read_tensor(Reader *r, Value *v)
{
	if (v->op != OP_WEIGHT)
		return reader_error(r, "only a weight has a tensor's name");
	return reader_quoted(r, &v->tensor);
}

static bool has_via(const Value *v)
{
	return v->via != NULL;
}

static void print_via(const Printer *w, const Value *v)
{
	printer_word(w->b, v->via);
}

static bool read_via(Reader *r, Value *v)
{
	return reader_word(r, &v->via);
}

static bool has_relax(const Value *v)
{
	return v->relax != 0;
}

static void print_relax(const Printer *w, const Value *v)
{
	const char *before = "";
	buf_putc(w->b, '[');
	for (size_t i = 0; i < ARRAY_LEN(relax_table); i++)
		if (v->relax & relax_table[i].bit) {
			buf_printf(w->b, "%s%s", before, relax_table[i].name);
			before = ", ";
		}
	buf_putc(w->b, ']');
}

static bool read_relax_item(Reader *r, Value *v, uint32_t k)
{
	const char *name;
	(void)k;
	reader_skip(r);
	Reader at = *r;
	if (!reader_word(r, &name))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(relax_table); i++)
		if (strcmp(name, relax_table[i].name) == 0) {
			v->relax |= relax_table[i].bit;
			return true;
		}
	return reader_error(&at, "`%s` is no relaxation", name);
}

static bool read_relax(Reader *r, Value *v)
{
	uint32_t n;
	return reader_list(r, read_relax_item, v, &n);
}

static const struct {
	const char *name;
	bool must; /* an op that has it always writes it */
	bool (*has)(const Value *v);
	void (*print)(const Printer *w, const Value *v);
	bool (*read)(Reader *r, Value *v);
} attr_table[] = {
	{"index=", true, has_index, print_index, read_index},
	{"acc=", true, has_acc, print_acc, read_acc},
	{"axes=", true, has_axes, print_axes, read_axes},
	{"axis=", true, has_axis, print_axis, read_axis},
	{"perm=", true, has_perm, print_perm, read_perm},
	{"start=", true, has_start, print_start, read_start},
	{"step=", true, has_step, print_step, read_step},
	{"map=", true, has_map, print_map, read_map},
	{"data=", true, has_data, print_data, read_data},
	{"file=", true, has_file, print_file, read_file},
	{"tensor=", false, has_tensor, print_tensor, read_tensor},
	{"via=", false, has_via, print_via, read_via},
	{"relax=", false, has_relax, print_relax, read_relax},
};

void attrs_print(const Printer *w, const Value *v)
{
	for (size_t i = 0; i < ARRAY_LEN(attr_table); i++)
		if (attr_table[i].has(v)) {
			buf_printf(w->b, " %s", attr_table[i].name);
			attr_table[i].print(w, v);
		}
}

bool attrs_read(Reader *r, Value *v)
{
	for (size_t i = 0; i < ARRAY_LEN(attr_table); i++) {
		bool must = attr_table[i].must;
		if (must && !attr_table[i].has(v))
			continue;
		if (reader_accept(r, attr_table[i].name)) {
			if (!attr_table[i].read(r, v))
				return false;
		} else if (must) {
			return reader_error(r, "`%s` needs %s here",
					    op_info[v->op].name,
					    attr_table[i].name);
		}
	}
	return true;
}
