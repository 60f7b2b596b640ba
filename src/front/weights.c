/*
 * weights: the data of `const` declarations, from .npy and .safetensors,
 * and what the readers of both share.
 */
#include "front/data.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- for the readers ------------------------------------------------- */

bool data_open(Ctx *ctx, const char *path, int *fd, uint64_t *size)
{
	struct stat st;
	/* not blocking: a pipe is refused, not waited for */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return diag_fail(ctx, ERR_ENV, NULL, "cannot open %s: %s", path,
				 strerror(errno));
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return true;
	}
	close(*fd);
	return diag_fail(ctx, ERR_ENV, NULL, "%s is not a regular file", path);
}

bool data_read(int fd, void *p, size_t n, uint64_t offset)
{
	unsigned char *at = p;
	while (n > 0) {
		ssize_t got = pread(fd, at, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

void data_swap(void *p, size_t n, int bytes)
{
	unsigned char *at = p;
	for (size_t i = 0; i < n; i++, at += bytes) {
		for (int lo = 0, hi = bytes - 1; lo < hi; lo++, hi--) {
			unsigned char c = at[lo];
			at[lo] = at[hi];
			at[hi] = c;
		}
	}
}

bool data_bools(const void *p, size_t n)
{
	const unsigned char *at = p;
	for (size_t i = 0; i < n; i++)
		if (at[i] > 1)
			return false;
	return true;
}

const char *data_type(Ctx *ctx, const Tensor *t)
{
	Buf b;
	buf_init(&b, &ctx->scratch);
	buf_puts(&b, dtype_info[t->dtype].name);
	for (int d = 0; d < t->rank; d++)
		buf_printf(&b, "%s%lld%s", d ? ", " : "[",
			   (long long)t->shape[d], d + 1 == t->rank ? "]" : "");
	return buf_str(&b);
}

/* ---- consts ---------------------------------------------------------- */

bool weight_stat(Ctx *ctx, const char *path, const char *name, DType want,
		 Tensor *out)
{
	return name ? safetensors_stat(ctx, path, name, out)
		    : npy_stat(ctx, path, want, out);
}

bool weight_read(Ctx *ctx, const Program *p, ValueId v, const Binding *b,
		 Tensor *out)
{
	const Value *w = program_value(p, v);
	bug_if(w->op != OP_WEIGHT);
	Tensor want = {.dtype = w->dtype, .rank = w->rank};
	for (int d = 0; d < w->rank; d++)
		if (!ex_eval_checked(&p->ex, w->shape[d], b->dims, NULL,
				     &want.shape[d]))
			return diag_error(ctx, w->loc, NULL,
					  "an extent of const `%s` overflows",
					  w->name ? w->name : "?");
	bool ok = w->tensor ? safetensors_read(ctx, w->file, w->tensor,
					       w->dtype, out)
			    : npy_read(ctx, w->file, w->dtype, out);
	if (!ok)
		return false;
	if (out->rank == want.rank &&
	    memcmp(out->shape, want.shape, want.rank * sizeof(want.shape[0])) ==
		    0)
		return true;
	OomTrap trap;
	if (OOM_TRAP(&trap)) {
		big_free(out->data, tensor_bytes(out));
		out->data = NULL;
		oom_raise();
	}
	diag_error(ctx, w->loc, "set the dims to what the file has",
		   "const `%s` is %s with these sizes, and %s holds %s",
		   w->name ? w->name : "?", data_type(ctx, &want), w->file,
		   data_type(ctx, out));
	oom_trap_pop(&trap);
	big_free(out->data, tensor_bytes(out));
	out->data = NULL;
	return false;
}
