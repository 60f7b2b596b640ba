/* context: contexts, errors and tensors of the public API. */
#include "driver/driver.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DTYPE(e, name, bytes, cls, prec, npy)                                  \
	_Static_assert((int)TENON_##e == (int)DT_##e, "dtype order");
#include "ir/dtype.def"
#undef DTYPE
_Static_assert((int)TENON_DTYPE_COUNT == (int)DT_COUNT, "dtype count");
_Static_assert(TENON_MAX_RANK == TN_MAX_RANK, "rank");

#define CACHE_LIMIT  ((uint64_t)1 << 30) /* as tenon.h says */
#define TRIM_SECONDS 60
#define TIME_LIMIT   600.0 /* seconds; as tenon.h says */

static bool context_init(TenonContext *c)
{
	OomTrap trap;

	if (OOM_TRAP(&trap))
		return false;
	ctx_init(&c->ctx);
	c->cache_limit = CACHE_LIMIT;
	c->time_limit = TIME_LIMIT;
	buf_init(&c->notices, &c->ctx.perm);
	oom_trap_pop(&trap);
	return true;
}

TenonContext *tenon_context_new(void)
{
	TenonContext *c = calloc(1, sizeof(*c));

	if (c && !context_init(c)) {
		tenon_context_free(c);
		return NULL;
	}
	return c;
}

void tenon_context_free(TenonContext *c)
{
	if (!c)
		return;
	context_close_devices(c);
	ctx_release(&c->ctx);
	free(c);
}

const char *tenon_message(const TenonContext *c)
{
	if (c->out_of_memory)
		return OUT_OF_MEMORY_TEXT;
	return c->ctx.messages.p ? c->ctx.messages.p : "";
}

const char *context_take_error(TenonContext *c, Arena *a)
{
	static const char prefix[] = "tenon: error: ";
	const char *text = buf_str(&c->ctx.messages);

	if (strncmp(text, prefix, strlen(prefix)) == 0)
		text += strlen(prefix);
	text = arena_strndup(a, text, strcspn(text, "\n"));
	ctx_clear_errors(&c->ctx);
	return text;
}

const char *tenon_notices(TenonContext *c)
{
	OomTrap trap;

	if (!c->ctx.warnings.n && !c->notices.n)
		return "";
	if (OOM_TRAP(&trap))
		return "";
	for (size_t i = 0; i < c->ctx.warnings.n; i++)
		buf_printf(&c->notices, "%s\n", c->ctx.warnings.p[i]);
	c->ctx.warnings.n = 0;
	const char *text = arena_strdup(&c->ctx.perm, buf_str(&c->notices));
	buf_init(&c->notices, &c->ctx.perm);
	oom_trap_pop(&trap);
	return text;
}

void tenon_set_threads(TenonContext *c, int threads)
{
	c->threads = threads > 0 ? threads : 0;
	c->ctx.threads = context_threads(c);
}

int tenon_threads(const TenonContext *c)
{
	return context_threads(c);
}

int context_threads(const TenonContext *c)
{
	return c->threads ? c->threads : cpu_count();
}

/* One number of a list such as 0-3,8; *s moves past it. */
static bool cpu_number(const char **s, int *out)
{
	int n = 0;

	if (**s < '0' || **s > '9')
		return false;
	for (; **s >= '0' && **s <= '9' && n < 100000; (*s)++)
		n = 10 * n + (**s - '0');
	*out = n;
	return true;
}

/* The CPUs of a list; false if it is not one. */
static bool cpu_list(const char *s, int *out, unsigned most, unsigned *n)
{
	int from, to;

	for (*n = 0;; s++) {
		if (!cpu_number(&s, &from))
			return false;
		to = from;
		if (*s == '-' && (s++, !cpu_number(&s, &to)))
			return false;
		if (to < from || (unsigned)(to - from) >= most - *n)
			return false;
		while (from <= to)
			out[(*n)++] = from++;
		if (*s != ',')
			return *s == '\0';
	}
}

TenonError tenon_set_affinity(TenonContext *c, const char *cpus)
{
	int list[1024];
	unsigned n = 0;

	API_ENTER(c);
	bool ok = !cpus || cpu_list(cpus, list, ARRAY_LEN(list), &n);
	if (!ok)
		diag_fail(&c->ctx, ERR_USAGE, "CPUs are listed as in 0-3,8",
			  "`%s` is not a list of CPUs", cpus);
	else if (!pool_affinity(list, n))
		ok = diag_fail(&c->ctx, ERR_USAGE, NULL,
			       "CPUs %s: this process may not use all of them",
			       cpus ? cpus : "");
	return API_LEAVE(c, ok);
}

void tenon_set_cache(TenonContext *c, const char *folder)
{
	OomTrap trap;

	if (OOM_TRAP(&trap)) {
		c->cache = "";
		return;
	}
	c->cache = folder ? arena_strdup(&c->ctx.perm, folder) : NULL;
	oom_trap_pop(&trap);
}

void tenon_set_compiler(TenonContext *c, const char *name)
{
	OomTrap trap;

	if (OOM_TRAP(&trap)) {
		c->compiler = NULL;
		return;
	}
	c->compiler = name ? arena_strdup(&c->ctx.perm, name) : NULL;
	oom_trap_pop(&trap);
}

bool context_cache(TenonContext *c, const char **out)
{
	*out = NULL;
	if (c->cache && !*c->cache)
		return true;
	if (c->cache)
		*out = c->cache;
	else if (!cache_dir(&c->ctx, &c->ctx.perm, out))
		return false;
	return dir_make(&c->ctx, *out);
}

void tenon_set_cache_limit(TenonContext *c, uint64_t bytes)
{
	c->cache_limit = bytes;
}

/*
 * Whether somebody looked at the folder within the last minute: a look costs
 * a system call for each of some thousands of files. A stamp tells, which this
 * renews.
 */
static bool looked_lately(Arena *a, const char *cache)
{
	const char *stamp = arena_printf(a, "%s/trimmed", cache);
	struct timespec now;
	struct stat st;

	if (clock_gettime(CLOCK_REALTIME, &now) == 0 && stat(stamp, &st) == 0 &&
	    st.st_mtim.tv_sec <= now.tv_sec &&
	    now.tv_sec - st.st_mtim.tv_sec < TRIM_SECONDS)
		return true;
	int f = open(stamp, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (f >= 0) {
		(void)futimens(f, NULL);
		close(f);
	}
	return false;
}

static void trim(TenonContext *c, Arena *a)
{
	const char *cache = c->cache, *folders[2];

	if (!cache && !cache_dir(NULL, a, &cache))
		return;
	if (c->cache_limit == CACHE_LIMIT && looked_lately(a, cache))
		return;
	folders[0] = arena_printf(a, "%s/code", cache);
	folders[1] = arena_printf(a, "%s/oracle", cache);
	folders_trim(a, folders, ARRAY_LEN(folders), c->cache_limit);
}

void context_trim(TenonContext *c)
{
	Arena own;
	OomTrap trap;

	if (c->cache && !*c->cache)
		return;
	arena_init(&own);
	if (!OOM_TRAP(&trap)) { /* without memory, the next call trims */
		trim(c, &own);
		oom_trap_pop(&trap);
	}
	arena_release(&own);
}

/* ---- errors ---------------------------------------------------------- */

TenonError api_no_memory(TenonContext *c)
{
	TenonPlan *plan = c->new_plan;
	TenonProgram *program = c->new_program;

	c->new_plan = NULL;
	c->new_program = NULL;
	tenon_plan_free(plan);
	tenon_program_free(program);
	c->out_of_memory = true;
	return TENON_ENOMEM;
}

TenonError api_result(TenonContext *c, OomTrap *trap, bool ok)
{
	oom_trap_pop(trap);
	c->new_plan = NULL;
	c->new_program = NULL;
	if (ok)
		return TENON_OK;
	switch (c->ctx.err) {
	case ERR_PROGRAM:
		return TENON_EPROGRAM;
	case ERR_USAGE:
		return TENON_EUSAGE;
	case ERR_ENV:
		return TENON_EENV;
	case ERR_NOMEM:
		return TENON_ENOMEM;
	case ERR_NONE:
		break;
	}
	bug("a call failed without a message");
}

bool api_usage(TenonContext *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *text = arena_vprintf(&c->ctx.perm, fmt, ap);
	va_end(ap);
	return diag_fail(&c->ctx, ERR_USAGE, NULL, "%s", text);
}

void api_notice(TenonContext *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&c->notices, fmt, ap);
	va_end(ap);
	buf_putc(&c->notices, '\n');
}

/* ---- tensors --------------------------------------------------------- */

const char *tenon_dtype_name(TenonDType d)
{
	return (unsigned)d < DT_COUNT ? dtype_info[d].name : "?";
}

size_t tenon_dtype_size(TenonDType d)
{
	return (unsigned)d < DT_COUNT ? (size_t)dtype_info[d].bytes : 0;
}

Tensor tensor_from_api(const TenonTensor *t)
{
	Tensor r = {.dtype = (DType)t->dtype,
		    .rank = (uint8_t)t->rank,
		    .data = t->data};

	memcpy(r.shape, t->shape, sizeof(r.shape));
	memcpy(r.strides, t->strides, sizeof(r.strides));
	return r;
}

bool on_host(TenonContext *c, const TenonTensor *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (t[i].place != TENON_HOST)
			return diag_fail(&c->ctx, ERR_USAGE,
					 "tenon_device_copy() brings it to the "
					 "host",
					 "a tensor in memory of a device is "
					 "neither judged nor written to a "
					 "file");
	return true;
}

TenonTensor tensor_to_api(const Tensor *t)
{
	TenonTensor r = {.dtype = (TenonDType)t->dtype,
			 .rank = t->rank,
			 .data = t->data};

	memcpy(r.shape, t->shape, sizeof(r.shape));
	memcpy(r.strides, t->strides, sizeof(r.strides));
	return r;
}

size_t tenon_tensor_bytes(const TenonTensor *t)
{
	Tensor r = tensor_from_api(t);

	return tensor_bytes(&r);
}

void *tenon_alloc(size_t bytes)
{
	return big_alloc(bytes ? bytes : 1);
}

void tenon_release(void *data, size_t bytes)
{
	if (data)
		big_free(data, bytes ? bytes : 1);
}

TenonError tenon_npy_read(TenonContext *c, const char *path, TenonDType want,
			  TenonTensor *out)
{
	Tensor t;

	API_ENTER(c);
	bool ok = npy_read(&c->ctx, path, (DType)want, &t);
	if (ok)
		*out = tensor_to_api(&t);
	return API_LEAVE(c, ok);
}

TenonError tenon_npy_write(TenonContext *c, const char *path,
			   const TenonTensor *t)
{
	API_ENTER(c);
	Tensor r = tensor_from_api(t);
	return API_LEAVE(c, on_host(c, t, 1) && npy_write(&c->ctx, path, &r));
}
