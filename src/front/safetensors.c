/*
 * safetensors: one tensor of a .safetensors file.
 *
 * The file is a 64-bit little-endian length, that many bytes of JSON, and
 * the data. The JSON names each tensor's dtype, shape and byte range. All
 * entries are judged before one is believed: ranges must lie in the file,
 * fit their dtype and shape, and lie end to end, without overlap or gap, to
 * the last byte; so a truncated or altered file is told from a sound one
 * whichever tensor is asked for. Only that tensor's bytes are then read.
 *
 * Source: the format's description in the safetensors project's README.
 */
#include "front/data.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADER (100u << 20) /* as the format's own reader */

static const struct {
	const char *name;
	DType dtype;
} dtypes[] = {
	{"F64", DT_F64},   {"F32", DT_F32}, {"F16", DT_F16}, {"BF16", DT_BF16},
	{"I64", DT_I64},   {"I32", DT_I32}, {"I16", DT_I16}, {"I8", DT_I8},
	{"U64", DT_U64},   {"U32", DT_U32}, {"U16", DT_U16}, {"U8", DT_U8},
	{"BOOL", DT_BOOL},
};

/* One entry of the header. */
typedef struct Entry {
	const char *name;
	bool known; /* dtype is one of ours; else only the range is judged */
	Tensor tensor;
	const char *dtype;
	uint64_t begin, end; /* within the data */
} Entry;

typedef struct Header {
	json_t *json;
	Entry *entries; /* by name, as the JSON has them */
	size_t n;
	uint64_t data; /* offset of the data in the file */
} Header;

static void header_free(Header *h)
{
	json_decref(h->json);
	big_free(h->entries, h->n * sizeof(Entry));
	*h = (Header){0};
}

static bool integer(const json_t *j, uint64_t *out)
{
	json_int_t v = json_integer_value(j);
	*out = (uint64_t)v;
	return json_is_integer(j) && v >= 0;
}

static const char *parse_shape(const json_t *j, Entry *e)
{
	if (!json_is_array(j))
		return "its shape is not a list";
	if (json_array_size(j) > TN_MAX_RANK) {
		e->known = false; /* a tensor that only others may use */
		return NULL;
	}
	e->tensor.rank = (uint8_t)json_array_size(j);
	for (size_t i = 0; i < json_array_size(j); i++) {
		uint64_t v;
		if (!integer(json_array_get(j, i), &v))
			return "an extent of it is not a natural number";
		e->tensor.shape[i] = (int64_t)v;
	}
	return NULL;
}

static const char *parse_entry(const json_t *j, uint64_t size, Entry *e)
{
	const json_t *offsets = json_object_get(j, "data_offsets");
	e->dtype = json_string_value(json_object_get(j, "dtype"));
	if (!json_is_object(j) || json_object_size(j) != 3 || !e->dtype)
		return "it is not {dtype, shape, data_offsets}";
	for (size_t i = 0; i < ARRAY_LEN(dtypes); i++) {
		if (strcmp(dtypes[i].name, e->dtype) != 0)
			continue;
		e->known = true;
		e->tensor.dtype = dtypes[i].dtype;
	}
	const char *why = parse_shape(json_object_get(j, "shape"), e);
	if (why)
		return why;
	if (json_array_size(offsets) != 2 ||
	    !integer(json_array_get(offsets, 0), &e->begin) ||
	    !integer(json_array_get(offsets, 1), &e->end) || e->begin > e->end)
		return "its data_offsets are not a range";
	if (e->end > size)
		return "its data lies beyond the end of the file: the file is "
		       "truncated";
	tensor_set_contiguous(&e->tensor);
	if (e->known && tensor_bytes(&e->tensor) != e->end - e->begin)
		return "its data_offsets do not fit its dtype and shape";
	return NULL;
}

static int by_begin(const void *x, const void *y)
{
	const Entry *a = x, *b = y;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Sorted ranges must cover the data without overlap or gap. */
static const char *check_ranges(Header *h, uint64_t size, const char **who)
{
	uint64_t at = 0;
	qsort(h->entries, h->n, sizeof(Entry), by_begin);
	for (size_t i = 0; i < h->n; i++) {
		*who = h->entries[i].name;
		if (h->entries[i].begin < at)
			return "its data overlaps another tensor's";
		if (h->entries[i].begin > at)
			return "there is unnamed data before it";
		at = h->entries[i].end;
	}
	*who = NULL;
	return at == size ? NULL : "there is data after the last tensor";
}

/* NULL on success; *who: the tensor that is wrong, or NULL. */
static const char *parse_header(const char *text, size_t len, uint64_t size,
				Header *h, const char **who)
{
	json_error_t error;
	const char *key;
	json_t *value;
	*who = NULL;
	h->json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!h->json && json_error_code(&error) == json_error_out_of_memory)
		return "out of memory";
	if (!json_is_object(h->json))
		return "its header is not a JSON object";
	h->entries = big_alloc((json_object_size(h->json) + 1) * sizeof(Entry));
	if (!h->entries)
		return "out of memory";
	json_object_foreach(h->json, key, value)
	{
		if (strcmp(key, "__metadata__") == 0)
			continue;
		Entry *e = &h->entries[h->n];
		*e = (Entry){.name = key};
		h->n++;
		*who = key;
		const char *why = parse_entry(value, size, e);
		if (why)
			return why;
	}
	return check_ranges(h, size, who);
}

static const char *read_header(int fd, uint64_t size, Header *h,
			       const char **who)
{
	unsigned char head[8];
	uint64_t len = 0;
	*who = NULL;
	if (size < 8 || !data_read(fd, head, 8, 0))
		return "it is not a .safetensors file";
	for (int i = 0; i < 8; i++)
		len |= (uint64_t)head[i] << (8 * i);
	if (len > MAX_HEADER)
		return "its header is absurdly long";
	if (len > size - 8)
		return "it is truncated in its header";
	char *text = big_alloc((size_t)len + 1);
	if (!text)
		return "out of memory";
	h->data = 8 + len;
	const char *why = "it cannot be read";
	if (data_read(fd, text, (size_t)len, 8))
		why = parse_header(text, (size_t)len, size - h->data, h, who);
	big_free(text, (size_t)len + 1);
	return why;
}

static const Entry *find_entry(const Header *h, const char *name)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->entries[i].name, name) == 0)
			return &h->entries[i];
	return NULL;
}

/* Frees the header and closes the file, then reports. */
static bool refuse(Ctx *ctx, int fd, Header *h, const char *path,
		   const char *who, const char *why)
{
	OomTrap trap;
	close(fd);
	if (strcmp(why, "out of memory") == 0) {
		header_free(h);
		oom_raise();
	}
	if (OOM_TRAP(&trap)) {
		header_free(h);
		oom_raise();
	}
	if (who)
		diag_fail(ctx, ERR_PROGRAM, NULL, "%s: tensor \"%s\": %s", path,
			  who, why);
	else
		diag_fail(ctx, ERR_PROGRAM, NULL, "%s: %s", path, why);
	oom_trap_pop(&trap);
	header_free(h);
	return false;
}

/* Opens and judges the file; *e is the entry of name. All stay open. */
static bool open_tensor(Ctx *ctx, const char *path, const char *name, int *fd,
			Header *h, const Entry **e)
{
	uint64_t size;
	const char *who;
	*h = (Header){0};
	if (!data_open(ctx, path, fd, &size))
		return false;
	const char *why = read_header(*fd, size, h, &who);
	if (why)
		return refuse(ctx, *fd, h, path, who, why);
	*e = find_entry(h, name);
	if (!*e)
		return refuse(ctx, *fd, h, path, name, "the file has none");
	if (!(*e)->known)
		return refuse(ctx, *fd, h, path, name,
			      "Tenon has no such dtype or rank");
	return true;
}

bool safetensors_stat(Ctx *ctx, const char *path, const char *name, Tensor *out)
{
	int fd;
	Header h;
	const Entry *e;
	if (!open_tensor(ctx, path, name, &fd, &h, &e))
		return false;
	*out = e->tensor;
	close(fd);
	header_free(&h);
	return true;
}

bool safetensors_read(Ctx *ctx, const char *path, const char *name, DType want,
		      Tensor *out)
{
	int fd;
	Header h;
	const Entry *e;
	if (!open_tensor(ctx, path, name, &fd, &h, &e))
		return false;
	*out = e->tensor;
	uint64_t start = h.data + e->begin;
	header_free(&h);
	if (want != DT_COUNT && out->dtype != want) {
		close(fd);
		return diag_fail(ctx, ERR_PROGRAM,
				 "convert the file, or declare its dtype",
				 "%s: tensor \"%s\" is %s, and %s is wanted",
				 path, name, dtype_info[out->dtype].name,
				 dtype_info[want].name);
	}
	size_t bytes = tensor_bytes(out);
	size_t n = (size_t)tensor_elements(out);
	void *data = big_alloc(bytes);
	if (!data) {
		close(fd);
		oom_raise();
	}
	const char *why = NULL;
	if (!data_read(fd, data, bytes, start))
		why = "its data cannot be read";
	else if (out->dtype == DT_BOOL && !data_bools(data, n))
		why = "a bool in it is neither 0 nor 1";
	if (why) {
		big_free(data, bytes);
		return refuse(ctx, fd, &h, path, name, why);
	}
	close(fd);
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		data_swap(data, n, dtype_info[out->dtype].bytes);
	out->data = data;
	return true;
}
