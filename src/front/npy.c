/*
 * npy: NumPy's array files, versions 1 to 3.
 *
 * The header is a Python dict of three entries, read here by a small
 * parser of exactly that: 'descr', 'fortran_order' and 'shape', in any
 * order, with nothing else. Big-endian data is swapped and Fortran order
 * transposed while reading, so that the caller sees native row-major data.
 * The file's size must be what the header says, to the byte.
 *
 * Source: numpy/lib/format.py's documentation of the format.
 */
#include "front/data.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NPY_MAX_HEADER  65536u
#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

typedef struct NpyHeader {
	char descr[16];
	bool fortran, swapped;
	DType dtype;
	int rank;
	int64_t shape[TN_MAX_RANK];
	uint64_t data; /* offset of the elements */
} NpyHeader;

/* ---- the header ------------------------------------------------------ */

typedef struct Dict {
	const char *s;
	bool descr, fortran, shape; /* entries seen */
} Dict;

static void blanks(Dict *d)
{
	while (*d->s == ' ' || *d->s == '\t' || *d->s == '\n' || *d->s == '\r')
		d->s++;
}

static bool take(Dict *d, const char *word)
{
	blanks(d);
	size_t n = strlen(word);
	if (strncmp(d->s, word, n) != 0)
		return false;
	d->s += n;
	return true;
}

/* A quoted string without escapes that fits out. */
static bool quoted(Dict *d, char *out, size_t cap)
{
	blanks(d);
	char quote = *d->s;
	if (quote != '\'' && quote != '"')
		return false;
	const char *end = strchr(d->s + 1, quote);
	if (!end || (size_t)(end - d->s) > cap)
		return false;
	size_t n = (size_t)(end - d->s) - 1;
	memcpy(out, d->s + 1, n);
	out[n] = '\0';
	d->s = end + 1;
	return true;
}

static const char *parse_shape(Dict *d, NpyHeader *h)
{
	if (!take(d, "("))
		return "its shape is not a tuple";
	h->rank = 0;
	while (!take(d, ")")) {
		int64_t n = 0;
		blanks(d);
		if (*d->s == '-')
			return "its shape has a negative extent";
		if (*d->s < '0' || *d->s > '9')
			return "its shape is malformed";
		for (; *d->s >= '0' && *d->s <= '9'; d->s++)
			if (__builtin_mul_overflow(n, 10, &n) ||
			    __builtin_add_overflow(n, *d->s - '0', &n))
				return "its shape overflows 64 bits";
		if (*d->s == 'L')
			d->s++; /* a Python 2 integer */
		if (h->rank == TN_MAX_RANK)
			return "its rank is more than 8";
		h->shape[h->rank++] = n;
		if (!take(d, ",")) {
			if (!take(d, ")"))
				return "its shape is malformed";
			break;
		}
	}
	return NULL;
}

static const char *parse_entry(Dict *d, NpyHeader *h)
{
	char key[16];
	if (!quoted(d, key, sizeof(key)) || !take(d, ":"))
		return "its header is malformed";
	if (strcmp(key, "descr") == 0) {
		if (d->descr)
			return "its header names an entry twice";
		d->descr = true;
		blanks(d);
		if (*d->s == '[')
			return "structured arrays are not supported";
		return quoted(d, h->descr, sizeof(h->descr))
			       ? NULL
			       : "its header has a malformed descr";
	}
	if (strcmp(key, "fortran_order") == 0) {
		if (d->fortran)
			return "its header names an entry twice";
		d->fortran = true;
		h->fortran = take(d, "True");
		return h->fortran || take(d, "False")
			       ? NULL
			       : "its fortran_order is neither True nor False";
	}
	if (strcmp(key, "shape") == 0) {
		if (d->shape)
			return "its header names an entry twice";
		d->shape = true;
		return parse_shape(d, h);
	}
	return "its header has an unknown entry";
}

/* text: NUL-terminated; NULL on success, else what is wrong. */
static const char *parse_dict(const char *text, NpyHeader *h)
{
	Dict d = {.s = text};
	if (!take(&d, "{"))
		return "its header is not a dict";
	while (!take(&d, "}")) {
		const char *why = parse_entry(&d, h);
		if (why)
			return why;
		if (!take(&d, ",")) {
			if (!take(&d, "}"))
				return "its header is malformed";
			break;
		}
	}
	blanks(&d);
	if (*d.s)
		return "its header goes on after the dict";
	if (!d.descr || !d.fortran || !d.shape)
		return "its header lacks descr, fortran_order or shape";
	return NULL;
}

/*
 * The dtype that descr names. Two-byte void is bf16 (as ml_dtypes writes
 * it) and u2 may hold bf16 bits, each only where bf16 is asked for.
 */
static const char *parse_descr(NpyHeader *h, DType want)
{
	const char *code = h->descr;
	bool big = *code == '>';
	if (strchr("<>=|", *code) && *code)
		code++;
	h->swapped = big != BIG_ENDIAN_HOST && (big || h->descr[0] == '<');
	if (*code == 'O')
		return "object arrays hold Python objects, not numbers";
	if (strcmp(code, "V2") == 0 && want != DT_BF16)
		return "two-byte void data is read only as bf16";
	if (strcmp(code, "u2") == 0 && want == DT_BF16) {
		h->dtype = DT_BF16;
		return NULL;
	}
	for (int i = 0; i < DT_COUNT; i++) {
		if (strcmp(dtype_info[i].npy, code) == 0) {
			h->dtype = (DType)i;
			return NULL;
		}
	}
	return "Tenon has no such dtype";
}

/* Reads and judges everything before the data. */
static const char *read_header(int fd, uint64_t size, DType want, NpyHeader *h)
{
	unsigned char head[12] = {0};
	uint64_t start = 10, len;
	if (size < 10 || !data_read(fd, head, 10, 0) ||
	    memcmp(head, "\x93NUMPY", 6) != 0)
		return "it is not a .npy file";
	if (head[6] < 1 || head[6] > 3)
		return "its format version is unknown";
	len = head[8] | (uint64_t)head[9] << 8;
	if (head[6] > 1) {
		start = 12;
		if (size < 12 || !data_read(fd, head, 12, 0))
			return "it is truncated in its header";
		len |= (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24;
	}
	if (len > NPY_MAX_HEADER)
		return "its header is absurdly long";
	if (size - start < len)
		return "it is truncated in its header";
	char *text = big_alloc((size_t)len + 1);
	if (!text)
		return "out of memory";
	const char *why = "it cannot be read";
	if (data_read(fd, text, (size_t)len, start)) {
		text[len] = '\0';
		why = strlen(text) == len ? parse_dict(text, h)
					  : "its header holds a NUL";
	}
	big_free(text, (size_t)len + 1);
	h->data = start + len;
	return why ? why : parse_descr(h, want);
}

/* ---- reading --------------------------------------------------------- */

/* Column-major data to row-major. */
static void transpose(const unsigned char *from, unsigned char *to,
		      const NpyHeader *h, size_t n)
{
	size_t bytes = (size_t)dtype_info[h->dtype].bytes;
	size_t stride[TN_MAX_RANK], at = 0;
	int64_t index[TN_MAX_RANK] = {0};
	for (int d = 0; d < h->rank; d++)
		stride[d] = d ? stride[d - 1] * (size_t)h->shape[d - 1] : 1;
	for (size_t i = 0; i < n; i++) {
		memcpy(to + i * bytes, from + at * bytes, bytes);
		for (int d = h->rank; d-- > 0;) {
			at += stride[d];
			if (++index[d] < h->shape[d])
				break;
			at -= stride[d] * (size_t)h->shape[d];
			index[d] = 0;
		}
	}
}

static bool refuse(Ctx *ctx, const char *path, const NpyHeader *h,
		   const char *why)
{
	if (strcmp(why, "out of memory") == 0)
		oom_raise();
	const char *hint = NULL;
	if (strncmp(why, "two-byte", 8) == 0)
		hint = "say that the file holds bf16";
	if (strcmp(why, "Tenon has no such dtype") == 0)
		return diag_fail(ctx, ERR_PROGRAM, NULL,
				 "%s: Tenon has no dtype for its descr '%s'",
				 path, h->descr);
	return diag_fail(ctx, ERR_PROGRAM, hint, "%s: %s", path, why);
}

/* Opens, reads the header, checks the size; the file stays open. */
static bool open_npy(Ctx *ctx, const char *path, DType want, int *fd,
		     NpyHeader *h, Tensor *t)
{
	uint64_t size;
	*h = (NpyHeader){0};
	if (!data_open(ctx, path, fd, &size))
		return false;
	const char *why = read_header(*fd, size, want, h);
	if (why) {
		close(*fd);
		return refuse(ctx, path, h, why);
	}
	*t = (Tensor){.dtype = h->dtype, .rank = (uint8_t)h->rank};
	memcpy(t->shape, h->shape, sizeof(t->shape));
	tensor_set_contiguous(t);
	size_t bytes = tensor_bytes(t);
	if (bytes <= PTRDIFF_MAX && size - h->data == bytes)
		return true;
	close(*fd);
	if (bytes > PTRDIFF_MAX)
		return diag_fail(ctx, ERR_PROGRAM, NULL,
				 "%s: its shape has more than 2^63 bytes",
				 path);
	return diag_fail(
		ctx, ERR_PROGRAM, NULL,
		size - h->data < bytes
			? "%s: it is truncated: %s has %zu bytes of data, and "
			  "%llu are there"
			: "%s: data after the end: %s has %zu bytes of data, "
			  "and %llu are there",
		path, data_type(ctx, t), bytes,
		(unsigned long long)(size - h->data));
}

bool npy_stat(Ctx *ctx, const char *path, DType want, Tensor *out)
{
	int fd;
	NpyHeader h;
	if (!open_npy(ctx, path, want, &fd, &h, out))
		return false;
	close(fd);
	return true;
}

bool npy_read(Ctx *ctx, const char *path, DType want, Tensor *out)
{
	int fd;
	NpyHeader h;
	if (!open_npy(ctx, path, want, &fd, &h, out))
		return false;
	if (want != DT_COUNT && h.dtype != want) {
		close(fd);
		return diag_fail(ctx, ERR_PROGRAM,
				 "convert the file, or declare its dtype",
				 "%s holds %s, and %s is wanted", path,
				 dtype_info[h.dtype].name,
				 dtype_info[want].name);
	}
	size_t bytes = tensor_bytes(out);
	size_t n = (size_t)tensor_elements(out);
	bool order = h.fortran && h.rank > 1 && n > 1;
	unsigned char *data = big_alloc(bytes);
	unsigned char *raw = order ? big_alloc(bytes) : data;
	bool ok = data && raw && data_read(fd, raw, bytes, h.data);
	close(fd);
	const char *why = data && raw ? "it cannot be read" : "out of memory";
	if (ok && h.swapped)
		data_swap(raw, n, dtype_info[h.dtype].bytes);
	if (ok && order)
		transpose(raw, data, &h, n);
	if (order)
		big_free(raw, bytes);
	if (ok && h.dtype == DT_BOOL && !data_bools(data, n)) {
		ok = false;
		why = "a bool in it is neither 0 nor 1";
	}
	out->data = data;
	if (ok)
		return true;
	big_free(data, bytes);
	out->data = NULL;
	return refuse(ctx, path, &h, why);
}

/* ---- writing --------------------------------------------------------- */

/* Copies a strided tensor to row-major order. */
static void gather_rows(const Tensor *t, unsigned char *to, size_t n)
{
	size_t bytes = (size_t)dtype_info[t->dtype].bytes;
	const unsigned char *from = t->data;
	int64_t index[TN_MAX_RANK] = {0};
	if (n && tensor_is_contiguous(t)) {
		memcpy(to, from, n * bytes);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(to + i * bytes, from, bytes);
		for (int d = t->rank; d-- > 0;) {
			from += t->strides[d];
			if (++index[d] < t->shape[d])
				break;
			from -= t->strides[d] * t->shape[d];
			index[d] = 0;
		}
	}
}

/* The header with its padding: the data starts at a multiple of 64. */
static size_t write_header(const Tensor *t, char out[1024])
{
	char order = BIG_ENDIAN_HOST ? '>' : '<';
	if (dtype_info[t->dtype].bytes == 1)
		order = '|';
	int n = snprintf(out + 10, 1000,
			 "{'descr': '%c%s', 'fortran_order': False, "
			 "'shape': (",
			 order, dtype_info[t->dtype].npy);
	for (int d = 0; d < t->rank; d++)
		n += snprintf(out + 10 + n, 1000 - (size_t)n, "%s%lld%s",
			      d ? " " : "", (long long)t->shape[d],
			      t->rank == 1 || d + 1 < t->rank ? "," : "");
	n += snprintf(out + 10 + n, 1000 - (size_t)n, "), }");
	size_t total = ((size_t)n + 10 + 1 + 63) / 64 * 64;
	memset(out + 10 + n, ' ', total - 10 - (size_t)n - 1);
	out[total - 1] = '\n';
	memcpy(out, "\x93NUMPY\x01\x00", 8);
	out[8] = (char)((total - 10) & 0xff);
	out[9] = (char)((total - 10) >> 8);
	return total;
}

bool npy_write(Ctx *ctx, const char *path, const Tensor *t)
{
	char head[1024];
	size_t start = write_header(t, head);
	size_t n = (size_t)tensor_elements(t), bytes = tensor_bytes(t);
	OomTrap trap;
	unsigned char *all = big_alloc(start + bytes);
	if (!all)
		oom_raise();
	if (OOM_TRAP(&trap)) {
		big_free(all, start + bytes);
		oom_raise();
	}
	memcpy(all, head, start);
	gather_rows(t, all + start, n);
	bool ok = file_write_atomic(ctx, path, all, start + bytes);
	oom_trap_pop(&trap);
	big_free(all, start + bytes);
	return ok;
}
