/*
 * device_run: launches that are run together, many times.
 *
 * On CUDA the launches are one graph. What comes from the host goes through
 * memory that stays where it is (the stage), since copies from elsewhere are
 * made in pieces by the driver, and hold the host until they are done. A stage
 * that holds all tensors at once is filled before the graph and emptied after
 * the wait; larger tensors go through its halves in turn, one being filled
 * while the other is copied.
 *
 * A run that only launches and is waited for at once ends with a node that
 * writes a word, where that is the shortest way (cuda_wait.h). Others, which
 * that node would only hold up, are a second graph without it, made when it is
 * first needed, and are waited for by the stream or by an event in it.
 *
 * A library's product is recorded by itself, in the run's own stream, and is a
 * node of the graphs. It is recorded anew when its memory moves; only a product
 * of another size makes the graphs anew.
 */
#include "runtime/device_own.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a stage at most, both halves. */
#define STAGE_MAX ((size_t)16 << 20)
#define LINE      ((size_t)64)
#define COPIERS   4 /* threads that fill it */

typedef struct Stage {
	char *base;
	size_t size;
	bool whole;          /* it holds all tensors at once */
	CudaEvent copied[2]; /* of each half */
} Stage;

/* What a product queues. */
typedef struct Recorded {
	CudaGraphForm form; /* NULL: nothing */
	uint64_t serial;    /* of the product; 0: not recorded */
} Recorded;

struct DeviceRun {
	Device *d;
	Arena arena;
	DeviceMove *in, *out;
	DeviceCopy *copies;
	size_t nin, nout, ncopies;
	size_t cap_in, cap_out, cap_copies;
	DeviceLaunch *launches;    /* their args are our copies */
	struct Recorded *recorded; /* by launch */
	size_t nlaunches;
	int threads;
	bool made;      /* launches and, on CUDA, the graph */
	size_t pending; /* runs under way */
	/* CUDA */
	CudaGraph graph;  /* that signals, if the kind does */
	CudaGraph silent; /* that does not; where it is another one */
	bool silent_made;
	CudaStream own, stream; /* stream: the one in use */
	CudaWaitKind kind;      /* of a run that only launches */
	CudaWaitKind waits;     /* of those under way */
	uint32_t *word;
	CudaEvent done;
	Stage stage;
};

/* ---- life ------------------------------------------------------------ */

static bool cuda_init(Ctx *ctx, DeviceRun *r)
{
	const CudaDevice *d = &r->d->gpu;

	r->kind = cuda_wait_forced < CUDA_WAITS ? cuda_wait_forced
						: r->d->waiter.waits.best;
	if (!device_usable(ctx, r->d) || !cuda_stream_new(ctx, d, &r->own) ||
	    !cuda_event_new(ctx, d, false, &r->done) ||
	    !cuda_host_alloc(ctx, d, LINE, (void **)&r->word))
		return false;
	r->stream = r->own;
	return true;
}

bool device_run_new(Ctx *ctx, Device *d, DeviceRun **out)
{
	DeviceRun *r = calloc(1, sizeof(*r));

	if (!r)
		oom_raise();
	r->d = d;
	arena_init(&r->arena);
	*out = r;
	if (d->kind == DEVICE_OPENCL || cuda_init(ctx, r))
		return true;
	*out = NULL;
	device_run_free(r);
	return false;
}

static void stage_free(DeviceRun *r)
{
	const CudaDevice *d = &r->d->gpu;

	for (int i = 0; i < 2; i++)
		cuda_event_free(NULL, d, r->stage.copied[i]);
	cuda_host_free(NULL, d, r->stage.base);
	r->stage = (Stage){0};
}

void device_run_free(DeviceRun *r)
{
	if (!r)
		return;
	device_run_wait(NULL, r);
	/* what hangs goes on using it */
	if (r->d->kind == DEVICE_CUDA && !r->d->hangs) {
		const CudaDevice *d = &r->d->gpu;
		cuda_graph_free(NULL, &r->graph);
		if (r->silent_made)
			cuda_graph_free(NULL, &r->silent);
		for (size_t i = 0; i < r->nlaunches; i++)
			cuda_record_free(d, r->recorded[i].form);
		stage_free(r);
		cuda_host_free(NULL, d, r->word);
		cuda_event_free(NULL, d, r->done);
		cuda_stream_free(NULL, d, r->own);
	}
	arena_release(&r->arena);
	free(r);
}

/* ---- what is run ----------------------------------------------------- */

/* What the launch queues, in place of what it queued before. */
static bool product_record(Ctx *ctx, DeviceRun *r, size_t i,
			   const DeviceLaunch *l)
{
	const CudaDevice *d = &r->d->gpu;
	CudaGraphForm form = NULL;

	bug_if(l->nargs != DEVICE_PRODUCT_ARGS);
	if (!cublaslt_plan_is_empty(l->product)) {
		if (!cuda_record_begin(ctx, d, r->own))
			return false;
		bool ok = cublaslt_queue(ctx, l->product, d, l->args, r->own);
		/* of two errors the first is told */
		ok = cuda_record_end(ok ? ctx : NULL, d, r->own, &form) && ok;
		if (!ok) {
			cuda_record_free(d, form);
			return false;
		}
	}
	cuda_record_free(d, r->recorded[i].form);
	r->recorded[i] = (Recorded){form, l->product->serial};
	return true;
}

/* Whether a product must be recorded anew; again: it is of another size. */
static bool product_moved(const DeviceRun *r, size_t i, const DeviceLaunch *l,
			  bool *again)
{
	bool other = r->recorded[i].serial != l->product->serial;

	*again |= other && r->made;
	return other || memcmp(r->launches[i].args, l->args,
			       l->nargs * sizeof(*l->args)) != 0;
}

/* Before launches_keep(). */
static bool products_record(Ctx *ctx, DeviceRun *r, const DeviceWork *w,
			    bool *again)
{
	if (!r->recorded)
		r->recorded =
			arena_array(&r->arena, Recorded, w->nlaunches + 1);
	r->nlaunches = w->nlaunches;
	for (size_t i = 0; i < w->nlaunches; i++) {
		const DeviceLaunch *l = &w->launches[i];
		if (l->product && product_moved(r, i, l, again) &&
		    !product_record(ctx, r, i, l))
			return false;
	}
	return true;
}

static void launches_keep(DeviceRun *r, const DeviceWork *w)
{
	size_t n = w->nlaunches;

	if (!r->launches)
		r->launches = arena_array(&r->arena, DeviceLaunch, n + 1);
	bug_if(r->nlaunches && n != r->nlaunches);
	r->nlaunches = n;
	for (size_t i = 0; i < n; i++) {
		const DeviceLaunch *l = &w->launches[i];
		union {
			const uint64_t *seen;
			uint64_t *ours;
		} args = {.seen = r->launches[i].args};
		if (!args.ours)
			args.ours =
				arena_array(&r->arena, uint64_t, l->nargs + 1);
		memcpy(args.ours, l->args, l->nargs * sizeof(*l->args));
		r->launches[i] = *l;
		r->launches[i].args = args.ours;
	}
}

/* A launch as CUDA takes it. */
static bool cuda_launch_of(Ctx *ctx, const DeviceRun *r, size_t i,
			   CudaLaunch *out)
{
	const DeviceLaunch *l = &r->launches[i];
	unsigned some = 1;

	if (!l->product)
		return device_cuda_launch(ctx, l, out);
	some = r->recorded[i].form != NULL;
	*out = (CudaLaunch){.name = l->kernel->name,
			    .grid = {some, some, some},
			    .block = {some, some, some},
			    .child = r->recorded[i].form};
	return true;
}

/* The launches as CUDA takes them, in the arena. */
static CudaLaunch *cuda_launches(Ctx *ctx, Arena *a, const DeviceRun *r)
{
	CudaLaunch *l = arena_array(a, CudaLaunch, r->nlaunches + 1);

	for (size_t i = 0; i < r->nlaunches; i++)
		if (!cuda_launch_of(ctx, r, i, &l[i]))
			return NULL;
	return l;
}

static bool graph_update(Ctx *ctx, CudaGraph *g, const CudaLaunch *l,
			 bool again)
{
	for (size_t i = 0; i < g->n && !again; i++)
		if (!cuda_graph_update(ctx, g, i, &l[i]))
			return false;
	return !(again || g->stale) || cuda_graph_remake(ctx, g, l);
}

static bool graph_set(Ctx *ctx, DeviceRun *r, bool again)
{
	CudaSignal signal = cuda_wait_signal(&r->d->waiter, r->kind, r->word);
	const CudaLaunch *l = cuda_launches(ctx, &ctx->scratch, r);

	if (!l)
		return false;
	if (!r->made)
		return cuda_graph_new(ctx, &r->arena, &r->d->gpu, l,
				      r->nlaunches, &signal, &r->graph);
	return graph_update(ctx, &r->graph, l, again) &&
	       (!r->silent_made || graph_update(ctx, &r->silent, l, again));
}

/* The graph for a run that is not waited for by a word. */
static const CudaGraph *silent_graph(Ctx *ctx, DeviceRun *r)
{
	if (r->graph.signal.kind == CUDA_SIGNAL_NONE)
		return &r->graph;
	if (!r->silent_made) {
		const CudaLaunch *l = cuda_launches(ctx, &r->arena, r);
		r->silent_made =
			l && cuda_graph_new(ctx, &r->arena, &r->d->gpu, l,
					    r->nlaunches, NULL, &r->silent);
	}
	return r->silent_made ? &r->silent : NULL;
}

static size_t in_lines(size_t bytes)
{
	return (bytes + LINE - 1) / LINE * LINE;
}

/* A stage for the tensors that are moved; the old one if it will do. */
static bool stage_make(Ctx *ctx, DeviceRun *r)
{
	const CudaDevice *d = &r->d->gpu;
	Stage *s = &r->stage;
	size_t all = 0, size;

	for (size_t i = 0; i < r->nin; i++)
		all += in_lines(r->in[i].bytes);
	for (size_t i = 0; i < r->nout; i++)
		all += in_lines(r->out[i].bytes);
	size = all < STAGE_MAX ? all : STAGE_MAX;
	s->whole = all <= STAGE_MAX;
	if (size <= s->size)
		return true;
	stage_free(r);
	s->whole = all <= STAGE_MAX;
	if (!cuda_event_new(ctx, d, false, &s->copied[0]) ||
	    !cuda_event_new(ctx, d, false, &s->copied[1]) ||
	    !cuda_host_alloc(ctx, d, size, (void **)&s->base))
		return false;
	s->size = size;
	return true;
}

static void moves_keep(Arena *a, DeviceMove **list, size_t *cap,
		       const DeviceMove *moves, size_t n)
{
	if (n > *cap) {
		*list = arena_array(a, DeviceMove, n);
		*cap = n;
	}
	if (n)
		memcpy(*list, moves, n * sizeof(*moves));
}

bool device_run_set(Ctx *ctx, DeviceRun *r, const DeviceWork *w)
{
	bool cuda = r->d->kind == DEVICE_CUDA, again = false;

	bug_if(r->pending);
	if (cuda &&
	    !(device_usable(ctx, r->d) && products_record(ctx, r, w, &again)))
		return false;
	launches_keep(r, w);
	moves_keep(&r->arena, &r->in, &r->cap_in, w->in, w->nin);
	moves_keep(&r->arena, &r->out, &r->cap_out, w->out, w->nout);
	r->nin = w->nin;
	r->nout = w->nout;
	if (w->ncopies > r->cap_copies) {
		r->copies = arena_array(&r->arena, DeviceCopy, w->ncopies);
		r->cap_copies = w->ncopies;
	}
	if (w->ncopies)
		memcpy(r->copies, w->copies, w->ncopies * sizeof(*w->copies));
	r->ncopies = w->ncopies;
	r->threads = w->threads;
	if (cuda && !(graph_set(ctx, r, again) && stage_make(ctx, r)))
		return false;
	r->made = true;
	return true;
}

bool device_run_stream(Ctx *ctx, DeviceRun *r, void *stream)
{
	bug_if(r->pending);
	if (r->d->kind == DEVICE_OPENCL)
		return diag_fail(ctx, ERR_USAGE,
				 "its runs go to a queue of Tenon's own",
				 "a stream of the caller's is for CUDA, and "
				 "the plan is for OpenCL");
	if (stream && !cuda_stream_check(ctx, &r->d->gpu, stream))
		return false;
	r->stream = stream ? stream : r->own;
	return true;
}

/* ---- the stage ------------------------------------------------------- */

#define HALF  (STAGE_MAX / 2)
#define PIECE ((size_t)2 << 20)

typedef struct Copy {
	char *to;
	const char *from;
	size_t bytes;
	_Atomic size_t next; /* share */
} Copy;

#define SHARE ((size_t)256 << 10)

static void copy_shares(void *arg, int worker)
{
	Copy *c = arg;
	size_t at;

	(void)worker;
	while ((at = atomic_fetch_add(&c->next, 1) * SHARE) < c->bytes) {
		size_t left = c->bytes - at;
		memcpy(c->to + at, c->from + at, left < SHARE ? left : SHARE);
	}
}

/* One thread reads memory at a fraction of its bandwidth. */
static void copy_bytes(const DeviceRun *r, void *to, const void *from,
		       size_t bytes)
{
	Copy c = {.to = to, .from = from, .bytes = bytes};
	int workers = r->threads < COPIERS ? r->threads : COPIERS;

	if (bytes >= 4 * SHARE && workers > 1)
		pool_run(workers, copy_shares, &c);
	else if (bytes)
		memcpy(to, from, bytes);
}

/* Piece by piece, so that one is copied while the next is brought. */
static bool in_whole(Ctx *ctx, DeviceRun *r)
{
	char *to = r->stage.base;

	for (size_t i = 0; i < r->nin; i++) {
		const DeviceMove *m = &r->in[i];
		for (size_t at = 0; at < m->bytes; at += PIECE) {
			size_t left = m->bytes - at;
			size_t n = left < PIECE ? left : PIECE;
			copy_bytes(r, to + at, (const char *)m->host + at, n);
			if (!cuda_copy_in(ctx, &r->d->gpu, m->mem + at, to + at,
					  n, r->stream))
				return false;
		}
		to += in_lines(m->bytes);
	}
	return true;
}

/* Through the halves in turn; one is filled when its last copy is made. */
static bool in_pieces(Ctx *ctx, DeviceRun *r)
{
	const CudaDevice *d = &r->d->gpu;
	Stage *s = &r->stage;
	bool used[2] = {false, false};
	int h = 0;

	for (size_t i = 0; i < r->nin; i++) {
		const DeviceMove *m = &r->in[i];
		for (size_t at = 0; at < m->bytes; at += HALF) {
			size_t left = m->bytes - at;
			size_t n = left < HALF ? left : HALF;
			char *half = s->base + (size_t)h * HALF;
			if (used[h] && !cuda_event_wait(ctx, d, s->copied[h]))
				return false;
			copy_bytes(r, half, (const char *)m->host + at, n);
			if (!cuda_copy_in(ctx, d, m->mem + at, half, n,
					  r->stream) ||
			    !cuda_event_record(ctx, d, s->copied[h], r->stream))
				return false;
			used[h] = true;
			h = !h;
		}
	}
	return true;
}

/* Where results begin in a stage that holds everything. */
static char *stage_results(const DeviceRun *r)
{
	char *at = r->stage.base;

	for (size_t i = 0; i < r->nin; i++)
		at += in_lines(r->in[i].bytes);
	return at;
}

static bool out_queue(Ctx *ctx, DeviceRun *r)
{
	char *at = stage_results(r);

	for (size_t i = 0; i < r->nout; i++) {
		const DeviceMove *m = &r->out[i];
		if (!cuda_copy_out(ctx, &r->d->gpu, at, m->mem, m->bytes,
				   r->stream))
			return false;
		at += in_lines(m->bytes);
	}
	return true;
}

static void out_whole(DeviceRun *r)
{
	const char *at = stage_results(r);

	for (size_t i = 0; i < r->nout; i++) {
		const DeviceMove *m = &r->out[i];
		copy_bytes(r, m->host, at, m->bytes);
		at += in_lines(m->bytes);
	}
}

/* A piece of a result on its way through a half. */
typedef struct Piece {
	char *to;
	size_t n; /* 0: none */
} Piece;

static bool piece_end(Ctx *ctx, DeviceRun *r, Piece *p, int half)
{
	if (p->n == 0)
		return true;
	if (!cuda_event_wait(ctx, &r->d->gpu, r->stage.copied[half]))
		return false;
	copy_bytes(r, p->to, r->stage.base + (size_t)half * HALF, p->n);
	p->n = 0;
	return true;
}

/* Pieces of results, one being copied while the one before is taken. */
static bool out_pieces(Ctx *ctx, DeviceRun *r)
{
	const CudaDevice *d = &r->d->gpu;
	Stage *s = &r->stage;
	Piece piece[2] = {{0}};
	int h = 0;

	for (size_t i = 0; i < r->nout; i++) {
		const DeviceMove *m = &r->out[i];
		for (size_t at = 0; at < m->bytes; at += HALF) {
			size_t left = m->bytes - at;
			size_t n = left < HALF ? left : HALF;
			if (!piece_end(ctx, r, &piece[h], h) ||
			    !cuda_copy_out(ctx, d, s->base + (size_t)h * HALF,
					   m->mem + at, n, r->stream) ||
			    !cuda_event_record(ctx, d, s->copied[h], r->stream))
				return false;
			piece[h] = (Piece){(char *)m->host + at, n};
			h = !h;
		}
	}
	return piece_end(ctx, r, &piece[h], h) &&
	       piece_end(ctx, r, &piece[!h], !h);
}

/* ---- runs on CUDA ---------------------------------------------------- */

/* How to wait for the run that is about to be queued, and all before it. */
static CudaWaitKind wait_kind(const DeviceRun *r, bool soon)
{
	bool launches = r->graph.live > 0 && r->nin == 0 && r->nout == 0 &&
			r->ncopies == 0;

	if (r->kind >= CUDA_WAIT_MEMOP && soon && launches && r->pending == 0)
		return r->kind;
	/* behind ours in a caller's stream there may be more */
	if (r->kind == CUDA_WAIT_EVENT || r->stream != r->own)
		return CUDA_WAIT_EVENT;
	return r->kind == CUDA_WAIT_STREAM && r->d->limit <= 0
		       ? CUDA_WAIT_STREAM
		       : CUDA_WAIT_QUERY;
}

static bool cuda_queue(Ctx *ctx, DeviceRun *r)
{
	const CudaDevice *d = &r->d->gpu;
	const CudaGraph *g = &r->graph;
	bool whole = r->stage.whole;

	if (r->waits < CUDA_WAIT_MEMOP)
		g = silent_graph(ctx, r);
	if (!g)
		return false;
	if (r->nin && !(whole ? in_whole(ctx, r) : in_pieces(ctx, r)))
		return false;
	if (!cuda_graph_launch(ctx, g, r->stream))
		return false;
	for (size_t i = 0; i < r->ncopies; i++)
		if (!cuda_copy_over(ctx, d, r->copies[i].to, r->copies[i].from,
				    r->copies[i].bytes, r->stream))
			return false;
	if (r->nout && whole && !out_queue(ctx, r))
		return false;
	return r->waits != CUDA_WAIT_EVENT ||
	       cuda_event_record(ctx, d, r->done, r->stream);
}

/* take: results are wanted on the host. */
static bool cuda_end(Ctx *ctx, DeviceRun *r, bool take)
{
	CudaPending p = {
		.stream = r->stream,
		.kind = r->waits,
		.word = r->waits >= CUDA_WAIT_MEMOP ? r->word : NULL,
		.event = r->done,
		.names = r->graph.n ? r->graph.names : "of none",
	};

	r->pending = 0;
	if (!device_cuda_wait(ctx, r->d, &p))
		return false;
	if (!r->nout || !take)
		return true;
	if (!r->stage.whole)
		return out_pieces(ctx, r);
	out_whole(r);
	return true;
}

static bool cuda_start(Ctx *ctx, DeviceRun *r, bool soon)
{
	if (!device_usable(ctx, r->d))
		return false;
	bug_if(r->pending && (r->nin || r->nout));
	r->waits = wait_kind(r, soon);
	if (r->pending == 0)
		__atomic_store_n(r->word, 0, __ATOMIC_RELEASE);
	r->pending++;
	if (cuda_queue(ctx, r))
		return true;
	/* part of it may be under way, and none of it is wanted */
	r->waits = CUDA_WAIT_QUERY;
	cuda_end(NULL, r, false);
	return false;
}

/* ---- runs ------------------------------------------------------------ */

static bool opencl_start(Ctx *ctx, DeviceRun *r)
{
	for (size_t i = 0; i < r->nin; i++)
		if (!device_copy_in(ctx, r->d, r->in[i].mem, r->in[i].host,
				    r->in[i].bytes))
			return false;
	for (size_t i = 0; i < r->nlaunches; i++)
		if (!device_opencl_launch(ctx, r->d, &r->launches[i]))
			return false;
	for (size_t i = 0; i < r->ncopies; i++)
		if (!device_copy_over(ctx, r->d, r->copies[i].to,
				      r->copies[i].from, r->copies[i].bytes))
			return false;
	for (size_t i = 0; i < r->nout; i++)
		if (!device_copy_out(ctx, r->d, r->out[i].host, r->out[i].mem,
				     r->out[i].bytes))
			return false;
	return true;
}

bool device_run_start(Ctx *ctx, DeviceRun *r, bool soon)
{
	if (r->d->kind == DEVICE_CUDA)
		return cuda_start(ctx, r, soon);
	r->pending++;
	if (opencl_start(ctx, r))
		return true;
	/* what is queued still reads and writes the caller's memory */
	opencl_finish(ctx, &r->d->cl);
	r->pending = 0;
	return false;
}

bool device_run_wait(Ctx *ctx, DeviceRun *r)
{
	if (!r->pending)
		return true;
	if (r->d->kind == DEVICE_CUDA)
		return cuda_end(ctx, r, true);
	r->pending = 0;
	return opencl_finish(ctx, &r->d->cl);
}

bool device_run_pending(const DeviceRun *r)
{
	return r->pending > 0;
}

bool device_run_moves(const DeviceRun *r)
{
	return r->nin || r->nout;
}

/* ---- time ------------------------------------------------------------ */

static bool graph_time(Ctx *ctx, Device *d, CudaStream s, const CudaGraph *g,
		       const CudaEvent e[2], double *us)
{
	CudaPending p = {
		.stream = s, .kind = CUDA_WAIT_QUERY, .names = g->names};

	return cuda_event_record(ctx, &d->gpu, e[0], s) &&
	       cuda_graph_launch(ctx, g, s) &&
	       cuda_event_record(ctx, &d->gpu, e[1], s) &&
	       device_cuda_wait(ctx, d, &p) &&
	       cuda_event_us(ctx, &d->gpu, e[0], e[1], us);
}

static bool launches_time(Ctx *ctx, Arena *a, DeviceRun *r, const CudaLaunch *l,
			  size_t n, double *us)
{
	const CudaDevice *d = &r->d->gpu;
	CudaGraph g = {.device = d};
	CudaEvent e[2] = {NULL, NULL};
	bool ok = cuda_graph_new(ctx, a, d, l, n, NULL, &g) &&
		  cuda_event_timed(ctx, d, &e[0]) &&
		  cuda_event_timed(ctx, d, &e[1]) &&
		  /* the first time it is brought to the device */
		  graph_time(ctx, r->d, r->own, &g, e, us) &&
		  graph_time(ctx, r->d, r->own, &g, e, us);

	if (r->d->hangs)
		return false;
	cuda_event_free(NULL, d, e[0]);
	cuda_event_free(NULL, d, e[1]);
	cuda_graph_free(NULL, &g);
	return ok;
}

bool device_run_time(Ctx *ctx, DeviceRun *const *runs, size_t n, size_t times,
		     double *us)
{
	Arena a;
	OomTrap trap;
	size_t each = runs[0]->nlaunches, all = 0;

	if (runs[0]->d->kind == DEVICE_OPENCL)
		return diag_fail(ctx, ERR_USAGE, NULL,
				 "device time is measured on CUDA only");
	if (!device_usable(ctx, runs[0]->d))
		return false;
	arena_init(&a);
	if (OOM_TRAP(&trap)) {
		arena_release(&a);
		oom_raise();
	}
	CudaLaunch *l = arena_array(&a, CudaLaunch, each * times + 1);
	bool ok = true;
	for (size_t t = 0; ok && t < times; t++)
		for (size_t i = 0; ok && i < each; i++)
			ok = cuda_launch_of(ctx, runs[t % n], i, &l[all++]);
	ok = ok && launches_time(ctx, &a, runs[0], l, all, us);
	*us /= (double)times;
	oom_trap_pop(&trap);
	arena_release(&a);
	return ok;
}
