/*
 * cubin: reading the ELF files that NVRTC and ptxas make.
 *
 * A kernel is a function symbol marked as an entry; its section holds its
 * code and that of functions it calls. .nv.info has records: registers,
 * stack, by symbol. .nv.shared.KERNEL, linked to the kernel's section, is as
 * large as its static shared memory, and from sm_90 on the 1,024 bytes that
 * CUDA takes of each block. Spills are in no section: ptxas -v tells them in
 * the log, with registers and shared memory once more, which are compared.
 *
 * The format is not documented: what is used here was found in files of
 * NVRTC 11.8, 12.6, 12.8, 12.9 and 13.0, and is checked against the log in
 * each compilation. Numbers are little-endian, as on the hosts of CUDA.
 *
 * The file may come from a cache and so from anyone: every offset is checked
 * before it is followed, and sections together may hold no more code than the
 * file has bytes, so that time is bounded by the size.
 */
#include "runtime/cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ELF: offsets in its records, and values (elf.h has no names for CUDA's) */
enum {
	HEADER_SIZE = 64,
	SECTION_SIZE = 64,
	SYMBOL_SIZE = 24,
	MACHINE_CUDA = 190,
	TYPE_SYMTAB = 2,
	TYPE_NOBITS = 8,
	SYMBOL_FUNCTION = 2,
	ENTRY_MARK = 0x10, /* in a symbol's st_other */
	INSTRUCTION = 16,
	RESERVED_SHARED = 1024,
};

/* Attributes of .nv.info, and the forms of its records. */
enum {
	FORM_SIZED = 4, /* 1 to 3: four bytes and nothing after */
	ATTRIBUTE_FRAME = 0x11,
	ATTRIBUTE_STACK = 0x12,
	ATTRIBUTE_REGISTERS = 0x2f,
};

typedef struct Section {
	const char *name;
	uint32_t type, link, info;
	uint64_t offset, size; /* size 0 in the file for TYPE_NOBITS */
} Section;

typedef struct Reader {
	Ctx *ctx;
	Arena *a;
	const unsigned char *p;
	uint64_t size;
	Section *sections;
	uint32_t n;
	const Section *symbols;
	/* by symbol and by section: index of the kernel + 1, or 0 */
	uint32_t *of_symbol, *of_section;
	uint64_t budget;   /* bytes of code that may still be read */
	uint64_t reserved; /* of the bytes of shared memory, CUDA's own */
	VEC(CubinKernel) kernels;
} Reader;

static const struct {
	const char *name;
	uint32_t opcode, other;
} matrix_table[] = {
#define MATRIX(name, opcode, other) {#name, opcode, other},
	CUBIN_MATRIX(MATRIX)
#undef MATRIX
};

const char *cubin_matrix_name(CubinMatrix m)
{
	return matrix_table[m].name;
}

/* ---- bytes ----------------------------------------------------------- */

static uint16_t get16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const unsigned char *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t get64(const unsigned char *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static bool malformed(Reader *r, const char *why)
{
	return diag_fail(r->ctx, ERR_ENV, NULL, "the cubin is damaged: %s",
			 why);
}

/* Whether `size` bytes at `offset` are in the file. */
static bool in_file(const Reader *r, uint64_t offset, uint64_t size)
{
	return offset <= r->size && size <= r->size - offset;
}

/* The text at `at` of a string section; NULL if it does not end in there. */
static const char *string_at(const Reader *r, const Section *s, uint32_t at)
{
	const unsigned char *p = r->p + s->offset;
	if (at >= s->size || !memchr(p + at, '\0', s->size - at))
		return NULL;
	return (const char *)p + at;
}

/* ---- the parts of the file ------------------------------------------- */

static bool header_read(Reader *r, Cubin *out)
{
	static const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1};
	const unsigned char *p = r->p;
	uint32_t flags;

	if (r->size < HEADER_SIZE || memcmp(p, magic, sizeof(magic)) != 0)
		return malformed(r, "it is no ELF file of 64 bits");
	if (get16(p + 18) != MACHINE_CUDA)
		return malformed(r, "it is for another machine than CUDA's");
	/* The ABI's version 8 came with CUDA 13. */
	flags = get32(p + 48);
	out->sm = (int)((p[8] >= 8 ? flags >> 8 : flags) & 0xff);
	if (out->sm < 70)
		return malformed(r, "its code is not of sm_70 or later");
	if (get16(p + 58) != SECTION_SIZE ||
	    !in_file(r, get64(p + 40), SECTION_SIZE * (uint64_t)get16(p + 60)))
		return malformed(r, "its sections lie outside of it");
	r->n = get16(p + 60);
	if (get16(p + 62) >= r->n)
		return malformed(r, "its sections have no names");
	return true;
}

static bool sections_read(Reader *r)
{
	const unsigned char *p = r->p + get64(r->p + 40);
	const Section *names = &r->sections[get16(r->p + 62)];

	for (uint32_t i = 0; i < r->n; i++, p += SECTION_SIZE) {
		Section *s = &r->sections[i];
		s->type = get32(p + 4);
		s->offset = get64(p + 24);
		s->size = get64(p + 32);
		s->link = get32(p + 40);
		s->info = get32(p + 44);
		if (s->type != TYPE_NOBITS && !in_file(r, s->offset, s->size))
			return malformed(r, "a section lies outside of it");
		if (s->type == TYPE_SYMTAB && !r->symbols)
			r->symbols = s;
	}
	if (names->type == TYPE_NOBITS)
		return malformed(r, "its sections have no names");
	p = r->p + get64(r->p + 40);
	for (uint32_t i = 0; i < r->n; i++, p += SECTION_SIZE) {
		r->sections[i].name = string_at(r, names, get32(p));
		if (!r->sections[i].name)
			return malformed(r, "a section's name does not end");
	}
	if (!r->symbols)
		return malformed(r, "it has no symbols");
	return true;
}

static void matrix_count(CubinKernel *k, const unsigned char *code)
{
	for (int64_t at = 0; at < k->code; at += INSTRUCTION) {
		uint32_t op = get16(code + at) & 0xfff;
		for (size_t m = 0; m < CUBIN_MATRIX_COUNT; m++)
			k->matrix[m] += op == matrix_table[m].opcode ||
					op == matrix_table[m].other;
	}
}

static bool kernel_read(Reader *r, uint32_t symbol, const char *name,
			uint32_t section)
{
	CubinKernel k = {.registers = -1};
	const Section *s;

	if (section == 0 || section >= r->n)
		return malformed(r, "a kernel has no code");
	s = &r->sections[section];
	if (r->of_section[section])
		return malformed(r, "two kernels have the same code");
	if (s->type == TYPE_NOBITS || s->size == 0 ||
	    s->size % INSTRUCTION != 0 || s->size > r->budget)
		return malformed(r, "a kernel's code is not of whole "
				    "instructions");
	r->budget -= s->size;
	k.name = arena_strdup(r->a, name);
	k.code = (int64_t)s->size;
	matrix_count(&k, r->p + s->offset);
	VEC_PUSH(r->a, r->kernels, k);
	r->of_symbol[symbol] = r->of_section[section] = (uint32_t)r->kernels.n;
	return true;
}

static bool symbols_read(Reader *r, uint32_t n)
{
	const unsigned char *p = r->p + r->symbols->offset;
	const Section *names;

	if (r->symbols->link >= r->n)
		return malformed(r, "its symbols have no names");
	names = &r->sections[r->symbols->link];
	if (names->type == TYPE_NOBITS)
		return malformed(r, "its symbols have no names");
	for (uint32_t i = 0; i < n; i++, p += SYMBOL_SIZE) {
		const char *name;
		if ((p[4] & 0xf) != SYMBOL_FUNCTION || !(p[5] & ENTRY_MARK))
			continue;
		name = string_at(r, names, get32(p));
		if (!name)
			return malformed(r, "a kernel's name does not end");
		if (!kernel_read(r, i, name, get16(p + 6)))
			return false;
	}
	return true;
}

/* ---- what is said of kernels ----------------------------------------- */

static bool attribute_read(Reader *r, uint32_t attribute, uint32_t symbol,
			   uint32_t value)
{
	CubinKernel *k;

	if (symbol >= r->symbols->size / SYMBOL_SIZE)
		return malformed(r, ".nv.info names no symbol");
	if (r->of_symbol[symbol] == 0) /* a function that kernels call */
		return true;
	k = &r->kernels.p[r->of_symbol[symbol] - 1];
	if (attribute == ATTRIBUTE_REGISTERS && value > 255)
		return malformed(r, "a kernel has more registers than exist");
	if (attribute == ATTRIBUTE_REGISTERS)
		k->registers = (int)value;
	else if (k->local < value)
		k->local = value;
	return true;
}

static bool info_read(Reader *r, const Section *s)
{
	const unsigned char *p = r->p + s->offset;
	uint64_t left = s->size;

	while (left > 0) {
		uint64_t size = 4;
		if (left < 4 || p[0] < 1 || p[0] > FORM_SIZED)
			return malformed(r, ".nv.info has no such record");
		if (p[0] == FORM_SIZED)
			size += get16(p + 2);
		if (size > left)
			return malformed(r, ".nv.info is cut short");
		if (p[1] == ATTRIBUTE_FRAME || p[1] == ATTRIBUTE_STACK ||
		    p[1] == ATTRIBUTE_REGISTERS) {
			if (size != 12)
				return malformed(r, ".nv.info has a record of "
						    "another size");
			if (!attribute_read(r, p[1], get32(p + 4),
					    get32(p + 8)))
				return false;
		}
		p += size;
		left -= size;
	}
	return true;
}

static bool shared_read(Reader *r, const Section *s)
{
	if (s->info >= r->n || r->of_section[s->info] == 0)
		return true;
	if (s->size < r->reserved || s->size > INT32_MAX)
		return malformed(r, "a kernel's shared memory is of no size "
				    "that exists");
	r->kernels.p[r->of_section[s->info] - 1].shared =
		(int64_t)(s->size - r->reserved);
	return true;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool facts_read(Reader *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const Section *s = &r->sections[i];
		if (strcmp(s->name, ".nv.info") == 0 &&
		    s->type != TYPE_NOBITS && !info_read(r, s))
			return false;
		if (begins(s->name, ".nv.shared.") && !shared_read(r, s))
			return false;
	}
	for (size_t i = 0; i < r->kernels.n; i++) {
		if (r->kernels.p[i].registers < 0)
			return malformed(r, "it does not tell the registers "
					    "of a kernel");
	}
	return true;
}

bool cubin_read(Ctx *ctx, Arena *a, const void *file, size_t size, Cubin *out)
{
	Reader r = {
		.ctx = ctx, .a = a, .p = file, .size = size, .budget = size};
	uint32_t symbols;

	memset(out, 0, sizeof(*out));
	if (!header_read(&r, out))
		return false;
	r.reserved = out->sm >= 90 ? RESERVED_SHARED : 0;
	r.sections = arena_array(a, Section, r.n);
	r.of_section = arena_array(a, uint32_t, r.n);
	if (!sections_read(&r))
		return false;
	if (r.symbols->size / SYMBOL_SIZE > UINT32_MAX)
		return malformed(&r, "it has too many symbols");
	symbols = (uint32_t)(r.symbols->size / SYMBOL_SIZE);
	r.of_symbol = arena_array(a, uint32_t, symbols + (size_t)1);
	if (!symbols_read(&r, symbols) || !facts_read(&r))
		return false;
	out->kernels = r.kernels.p;
	out->n = r.kernels.n;
	return true;
}

CubinKernel *cubin_kernel(const Cubin *cubin, const char *name)
{
	for (size_t i = 0; i < cubin->n; i++) {
		if (strcmp(cubin->kernels[i].name, name) == 0)
			return &cubin->kernels[i];
	}
	return NULL;
}

/* ---- the log --------------------------------------------------------- */

/* The kernel named in quotes after `words` in the line [p, end). */
static CubinKernel *line_kernel(const Cubin *c, const char *p, const char *end,
				const char *words)
{
	size_t n = strlen(words);
	const char *at = memmem(p, (size_t)(end - p), words, n);
	const char *quote;

	if (!at)
		return NULL;
	at += n;
	quote = memchr(at, '\'', (size_t)(end - at));
	for (size_t i = 0; quote && i < c->n; i++) {
		CubinKernel *k = &c->kernels[i];
		if (strlen(k->name) == (size_t)(quote - at) &&
		    memcmp(k->name, at, strlen(k->name)) == 0)
			return k;
	}
	return NULL;
}

/* The number before `words` in the line; -1 if they are not there. */
static int64_t line_number(const char *p, const char *end, const char *words)
{
	const char *at = memmem(p, (size_t)(end - p), words, strlen(words));
	const char *digits = at;
	char text[16] = "";

	while (digits && digits > p && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (!at || digits == at || (size_t)(at - digits) >= sizeof(text))
		return -1;
	memcpy(text, digits, (size_t)(at - digits));
	return strtoll(text, NULL, 10);
}

static bool differs(Ctx *ctx, const CubinKernel *k, const char *what,
		    int64_t logged, int64_t read)
{
	return diag_fail(ctx, ERR_ENV, NULL,
			 "kernel %s: the compiler's log says %lld %s, its "
			 "cubin %lld",
			 k->name, (long long)logged, what, (long long)read);
}

/* "Used 20 registers, used 1 barriers, 1200 bytes smem" */
static bool line_used(Ctx *ctx, CubinKernel *k, const char *p, const char *end)
{
	int64_t registers = memmem(p, (size_t)(end - p), ": Used ", 7)
				    ? line_number(p, end, " registers")
				    : -1;
	int64_t shared = line_number(p, end, " bytes smem");

	if (registers < 0)
		return true;
	k->logged = true;
	if (registers != k->registers)
		return differs(ctx, k, "registers", registers, k->registers);
	shared = shared < 0 ? 0 : shared;
	if (shared != k->shared)
		return differs(ctx, k, "bytes of shared memory", shared,
			       k->shared);
	return true;
}

bool cubin_read_log(Ctx *ctx, Cubin *cubin, const char *log)
{
	CubinKernel *k = NULL; /* that lines speak of, callees' too */

	for (const char *end; *log; log = *end ? end + 1 : end) {
		CubinKernel *named;
		int64_t stores, loads;
		end = log + strcspn(log, "\n");
		named = line_kernel(cubin, log, end,
				    "Compiling entry function '");
		if (named)
			k = named;
		named = line_kernel(cubin, log, end, "function '");
		if (named && memmem(log, (size_t)(end - log), "serialized", 10))
			named->serialized = true;
		if (!k)
			continue;
		stores = line_number(log, end, " bytes spill stores");
		loads = line_number(log, end, " bytes spill loads");
		k->spill_stores += stores > 0 ? stores : 0;
		k->spill_loads += loads > 0 ? loads : 0;
		if (!line_used(ctx, k, log, end))
			return false;
	}
	for (size_t i = 0; i < cubin->n; i++) {
		if (!cubin->kernels[i].logged)
			return diag_fail(ctx, ERR_ENV, NULL,
					 "the compiler's log does not tell of "
					 "kernel %s",
					 cubin->kernels[i].name);
	}
	return true;
}
