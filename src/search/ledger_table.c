/*
 * ledger_table: what reports are made of, aligned columns and JSON.
 */
#include "search/ledger_own.h"

#include <math.h>
#include <string.h>

/* ---- columns ----------------------------------------------------------- */

void table_init(Table *t, Arena *a, const char *titles)
{
	*t = (Table){.a = a};
	for (;; titles++) {
		size_t n = strcspn(titles, "|");
		bool right = titles[0] == '>';
		bug_if(t->ncols == TABLE_COLUMNS);
		t->right[t->ncols++] = right;
		table_cell(t, arena_strndup(a, titles + right, n - right));
		titles += n;
		if (!*titles)
			return;
	}
}

void table_cell(Table *t, const char *text)
{
	VEC_PUSH(t->a, t->cells, text ? text : "");
}

/* Characters, which are columns for what is written here. */
static int width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void put_row(const Table *t, const char *const *cell, const int *wide,
		    Buf *out)
{
	size_t last = t->ncols;

	while (last > 0 && !*cell[last - 1])
		last--;
	for (size_t i = 0; i < last; i++) {
		int pad = wide[i] - width(cell[i]);
		if (t->right[i])
			buf_printf(out, "%*s", pad, "");
		buf_puts(out, cell[i]);
		if (i + 1 < last)
			buf_printf(out, "%*s", t->right[i] ? 2 : pad + 2, "");
	}
}

void table_print(const Table *t, const char *indent, Buf *out)
{
	int wide[TABLE_COLUMNS] = {0};

	for (size_t i = 0; i < t->cells.n; i++) {
		int w = width(t->cells.p[i]);
		if (w > wide[i % t->ncols])
			wide[i % t->ncols] = w;
	}
	for (size_t i = 0; i + t->ncols <= t->cells.n; i += t->ncols) {
		buf_puts(out, indent);
		put_row(t, t->cells.p + i, wide, out);
		buf_putc(out, '\n');
	}
}

const char *us_text(Arena *a, double us)
{
	if (!isfinite(us) || us == 0)
		return "-";
	double size = fabs(us);
	int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
	return arena_printf(a, "%.*f", digits, us);
}

/* ---- JSON -------------------------------------------------------------- */

static void begin(Json *j, const char *key)
{
	buf_puts(j->b, j->first ? "" : ", ");
	j->first = false;
	if (key) {
		buf_json_string(j->b, key);
		buf_puts(j->b, ": ");
	}
}

void json_open(Json *j, const char *key, char bracket)
{
	begin(j, key);
	buf_putc(j->b, bracket);
	j->first = true;
}

void json_close(Json *j, char bracket)
{
	buf_putc(j->b, bracket);
	j->first = false;
}

void json_text(Json *j, const char *key, const char *value)
{
	begin(j, key);
	if (value)
		buf_json_string(j->b, value);
	else
		buf_puts(j->b, "null");
}

void json_int(Json *j, const char *key, int64_t value)
{
	begin(j, key);
	buf_printf(j->b, "%lld", (long long)value);
}

void json_bool(Json *j, const char *key, bool value)
{
	begin(j, key);
	buf_puts(j->b, value ? "true" : "false");
}

void json_us(Json *j, const char *key, double value)
{
	begin(j, key);
	if (isfinite(value) && value != 0)
		buf_printf(j->b, "%.9g", value);
	else
		buf_puts(j->b, "null");
}
