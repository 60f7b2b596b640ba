/*
 * bench: one case. All paths get the same inputs; each writes results of its
 * own, which the oracle judges before anything is timed. What fails is timed
 * all the same and marked: a wrong library is still a time to know.
 *
 * Cold means that calls go through more sets of data than the last-level
 * cache holds, so that each call finds its own set gone.
 */
#include "lab.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DRAWS        2000 /* of the bootstrap */
#define STALE        0xa5 /* results hold it before they are judged */
#define SETS_MAX     65536
#define GPU_SETS_MAX 1024 /* each has a stream */
#define ROUNDS_MAX   1000

/* Families beside random that results are judged on. */
#define JUDGED 2
static const char *const judged_families[JUDGED] = {"exact", "narrow"};

typedef struct Bench {
	LabMem *m;
	TenonContext *c;
	TenonProgram *program;
	TenonPlan *plan;
	const LabOptions *o;
	LabProgram p;
	LabTeam *team;
	TenonError err;       /* of the API, where it failed */
	int sets;             /* that are timed */
	int filled;           /* with those after them, which are only judged */
	TenonTensor **inputs; /* by set */
	TenonTensor *fixture[1 + JUDGED]; /* set 0 and those: to release */
	int npeers;
	LabPeer *peers;
	LabCompose **composes;
	LabCopy *copy;
	LabPath *paths;
	TenonTensor ***results; /* by path and set */
	TenonCall **calls;      /* of tenon, by set */
	/* of a plan on a GPU: its tensors there, by set */
	bool gpu, cuda;
	TenonTensor **gpu_inputs, **gpu_results;
	LabLt *lt;
	LabResult *out;
} Bench;

static void say(const Bench *b, const char *what)
{
	if (b->o->progress)
		b->o->progress(what);
}

/* ---- peers ----------------------------------------------------------- */

static bool peer_add(Bench *b, const LabPeerSpec *spec, bool named)
{
	LabPeer *p = &b->peers[b->npeers];

	*p = (LabPeer){.spec = spec, .threads = b->o->threads};
	if (spec->device != b->cuda) {
		p->why = spec->device ? "it is for --target cuda"
				      : "it is for the CPU";
		if (!named)
			return true;
		b->npeers++;
		return !b->o->strict ||
		       lab_fail(b->m, "%s: %s", spec->name, p->why);
	}
	/* Those that nobody asked for are there or not. */
	if (!spec->open(b->m, p) && !named)
		return true;
	if (!p->version && b->o->strict)
		return lab_fail(b->m, "%s %s", spec->title, p->why);
	b->npeers++;
	return true;
}

static bool peers_open(Bench *b)
{
	const LabPeerSpec *const *specs = b->o->specs ? b->o->specs : lab_peers;
	int n = b->o->specs ? b->o->nspecs : lab_npeers;

	b->peers = LAB_NEW(b->m, LabPeer, n + 1);
	if (!b->o->peers) {
		for (int i = 0; i < n; i++)
			if (specs[i] != &lab_peer_copy &&
			    !peer_add(b, specs[i], false))
				return false;
		return true;
	}
	for (const char *s = b->o->peers; *s;) {
		size_t len = strcspn(s, ",");
		const LabPeerSpec *spec = lab_peer_find(specs, n, s, len);

		if (!spec)
			return lab_fail(b->m, "no peer named %.*s", (int)len,
					s);
		if (b->npeers == n)
			return lab_fail(b->m, "a peer is named twice");
		if (!peer_add(b, spec, true))
			return false;
		s += len + (s[len] == ',');
	}
	return true;
}

/* ---- data ------------------------------------------------------------ */

static int64_t memory_bytes(void)
{
	return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

/* More than the last-level cache of any GPU there is. */
#define GPU_CACHE ((int64_t)256 << 20)

/* How many sets the regime asks for. */
static bool sets_count(Bench *b)
{
	LabMachine machine;
	double set = b->p.bytes > 0 ? b->p.bytes : 1, sets;

	b->sets = 1;
	if (!b->o->cold)
		return true;
	lab_machine(b->m, b->o->compiler, &machine);
	if (b->gpu)
		machine.l3 = GPU_CACHE;
	if (machine.l3 == 0)
		return lab_fail(b->m, "the size of the last-level cache is "
				      "unknown: no cold figure");
	sets = (double)machine.l3 / set + 2;
	if (sets > (b->gpu ? GPU_SETS_MAX : SETS_MAX))
		return lab_fail(b->m,
				"a set of %.0f bytes is too small for a cold "
				"figure: %.0f sets would be needed",
				set, sets);
	if (!b->gpu && (sets + JUDGED) * set * (b->npeers + 1) >
			       (double)memory_bytes() / 2)
		return lab_fail(b->m,
				"a cold figure needs %.0f MB of memory for %d "
				"paths",
				sets * set * (b->npeers + 1) * 1e-6,
				b->npeers + 1);
	b->sets = (int)sets;
	return true;
}

/* Inputs of a family; *applies is false where it has none. */
static bool fixture_make(Bench *b, const char *family, TenonTensor **out,
			 bool *applies)
{
	*out = LAB_NEW(b->m, TenonTensor, b->p.ninputs + 1);
	b->err = tenon_fixture(b->program, family, b->o->seed, *out, applies);
	return b->err == TENON_OK;
}

static bool inputs_make(Bench *b)
{
	int n = b->p.ninputs;
	bool applies;

	b->inputs = LAB_NEW(b->m, TenonTensor *, b->sets + JUDGED);
	if (!fixture_make(b, "random", &b->fixture[0], &applies))
		return false;
	if (!applies)
		return lab_fail(b->m, "no random inputs for this program");
	b->inputs[0] = b->fixture[0];
	for (int s = 1; s < b->sets; s++) {
		b->inputs[s] = b->inputs[0];
		if (b->gpu) /* there each has its own */
			continue;
		b->inputs[s] = LAB_NEW(b->m, TenonTensor, n + 1);
		for (int i = 0; i < n; i++) {
			TenonTensor t = b->fixture[0][i];
			size_t bytes = tenon_tensor_bytes(&t);

			t.data = lab_alloc(b->m, bytes);
			memcpy(t.data, b->fixture[0][i].data, bytes);
			b->inputs[s][i] = t;
		}
	}
	b->filled = b->sets;
	for (int f = 0; b->o->check && f < JUDGED; f++) {
		TenonTensor **fixture = &b->fixture[1 + f];

		if (!fixture_make(b, judged_families[f], fixture, &applies))
			return false;
		if (applies)
			b->inputs[b->filled++] = *fixture;
	}
	return true;
}

/* Weights of .npy files; the peers get them as Tenon does, once. */
static bool weights_read(Bench *b)
{
	for (int i = 0; i < b->p.nvalues; i++) {
		LabValue *v = &b->p.values[i];
		const char *path;

		if (strcmp(v->op, "weight") != 0 || !v->file[0])
			continue;
		path = *v->file == '/'
			       ? v->file
			       : lab_printf(b->m, "%s/%s",
					    b->o->folder ? b->o->folder : ".",
					    v->file);
		b->err = tenon_npy_read(b->c, path, v->dtype, &v->weight);
		if (b->err)
			return false;
	}
	return true;
}

static bool results_make(Bench *b, int path)
{
	b->results[path] = LAB_NEW(b->m, TenonTensor *, b->filled);
	for (int s = 0; s < b->filled; s++) {
		TenonTensor *r = LAB_NEW(b->m, TenonTensor, b->p.nresults);

		if (b->gpu && s > 0 && s < b->sets) {
			b->results[path][s] = b->results[path][0];
			continue;
		}
		for (int i = 0; i < b->p.nresults; i++) {
			b->err = tenon_result_desc(b->program, i, &r[i]);
			if (b->err)
				return false;
			r[i].data = lab_alloc(b->m, tenon_tensor_bytes(&r[i]));
		}
		b->results[path][s] = r;
	}
	return true;
}

/* ---- tensors of a GPU ------------------------------------------------ */

static bool gpu_tensor(Bench *b, const TenonTensor *host, TenonTensor *out)
{
	*out = *host;
	out->data = NULL;
	out->place = tenon_plan_place(b->plan);
	b->err = tenon_device_alloc(b->plan, tenon_tensor_bytes(host),
				    &out->data);
	if (!b->err)
		b->err = tenon_device_copy(b->plan, out, host);
	return b->err == TENON_OK;
}

static bool gpu_make(Bench *b)
{
	b->gpu_inputs = LAB_NEW(b->m, TenonTensor *, b->filled);
	b->gpu_results = LAB_NEW(b->m, TenonTensor *, b->filled);
	for (int s = 0; s < b->filled; s++) {
		TenonTensor *in = LAB_NEW(b->m, TenonTensor, b->p.ninputs + 1);
		TenonTensor *out = LAB_NEW(b->m, TenonTensor, b->p.nresults);

		b->gpu_inputs[s] = in;
		b->gpu_results[s] = out;
		for (int i = 0; i < b->p.ninputs; i++)
			if (!gpu_tensor(b, &b->inputs[s][i], &in[i]))
				return false;
		for (int i = 0; i < b->p.nresults; i++)
			if (!gpu_tensor(b, &b->results[0][s][i], &out[i]))
				return false;
	}
	return true;
}

static void gpu_release(Bench *b)
{
	for (int s = 0; b->gpu_inputs && s < b->filled; s++) {
		TenonTensor *list[] = {b->gpu_inputs[s], b->gpu_results[s]};
		int n[] = {b->p.ninputs, b->p.nresults};

		for (int k = 0; k < 2; k++)
			for (int i = 0; list[k] && i < n[k]; i++)
				tenon_device_free(
					b->plan, list[k][i].data,
					tenon_tensor_bytes(&list[k][i]));
	}
}

/* Results of tenon's set to the device, stale, or from it. */
static bool gpu_results(Bench *b, int set, bool in)
{
	for (int i = 0; i < b->p.nresults; i++) {
		const TenonTensor *host = &b->results[0][set][i];
		const TenonTensor *gpu = &b->gpu_results[set][i];

		b->err = in ? tenon_device_copy(b->plan, gpu, host)
			    : tenon_device_copy(b->plan, host, gpu);
		if (b->err)
			return false;
	}
	return true;
}

/* Other clocks than host single. Sets have streams of their own, so that
 * several of them are not started together. */
static double tenon_timed(void *state, LabClock clock, int set, int n)
{
	Bench *b = state;
	double us = 0, start;

	if (clock == LAB_DEVICE_SINGLE)
		b->err = tenon_calls_device_time(&b->calls[set], 1, 1, &us);
	else if (clock == LAB_DEVICE_BATCH)
		b->err = tenon_calls_device_time(
			b->calls, b->sets, n < LAB_BATCH ? n : LAB_BATCH, &us);
	if (clock == LAB_DEVICE_SINGLE || clock == LAB_DEVICE_BATCH)
		return b->err ? -1 : us * 1e-6;
	start = lab_seconds();
	for (int i = 0; i < n && !b->err; i++)
		b->err = tenon_call_start(b->calls[set]);
	if (!b->err)
		b->err = tenon_call_wait(b->calls[set]);
	return b->err ? -1 : (lab_seconds() - start) / n;
}

/* ---- paths ----------------------------------------------------------- */

static bool tenon_run(void *state, int set)
{
	Bench *b = state;

	b->err = tenon_call_run(b->calls[set]);
	return b->err == TENON_OK;
}

static LabPathResult *path_add(Bench *b, const char *name, const char *version)
{
	LabPathResult *r = &b->out->paths[b->out->npaths++];

	r->name = name;
	r->version = version;
	r->outcome = TENON_NONE;
	return r;
}

static void copy_prepare(Bench *b, int i, const LabComposeOptions *o,
			 LabPathResult *r)
{
	r->steps = "what is read and written, streamed";
	b->copy = lab_copy_new(b->m, o, b->filled);
	if (!b->copy)
		r->why_not = b->m->why;
	for (int s = 0; s < b->filled && !r->why_not; s++)
		if (!lab_copy_bind(b->m, b->copy, &b->p, s, b->inputs[s],
				   b->results[i + 1][s]))
			r->why_not = b->m->why;
	b->paths[i + 1] = (LabPath){
		.name = "copy", .run = lab_copy_run, .state = b->copy};
}

static void lt_prepare(Bench *b, int i, LabPathResult *r)
{
	b->lt = lab_lt_new(b->m, &b->peers[i], &b->p, b->c, b->plan,
			   (const TenonTensor *const *)b->gpu_inputs, b->sets,
			   b->filled);
	if (!b->lt) {
		r->why_not = b->m->why;
		return;
	}
	r->steps = lab_lt_steps(b->lt);
	b->paths[i + 1] = (LabPath){.name = "cublaslt",
				    .run = lab_lt_run,
				    .state = b->lt,
				    .timed = lab_lt_timed};
}

static void peer_prepare(Bench *b, int i, LabPathResult *r)
{
	LabPeer *p = &b->peers[i];
	LabComposeOptions o = {b->o->compiler, b->team, b->o->threads};
	LabCompose *c;

	r->missing = !p->version;
	r->why_not = p->why;
	if (r->missing)
		return;
	if (p->spec->device) {
		lt_prepare(b, i, r);
		return;
	}
	if (p->spec == &lab_peer_copy) {
		copy_prepare(b, i, &o, r);
		return;
	}
	c = lab_compose_new(b->m, &b->p, p, &o);
	if (!c) {
		r->why_not = b->m->why;
		return;
	}
	b->composes[i] = c;
	r->steps = lab_compose_steps(c);
	for (int s = 0; s < b->filled; s++)
		if (!lab_compose_bind(c, s, b->filled, b->inputs[s],
				      b->results[i + 1][s]))
			r->why_not = b->m->why;
	b->paths[i + 1] = (LabPath){
		.name = p->spec->name, .run = lab_compose_run, .state = c};
}

static bool paths_make(Bench *b)
{
	size_t n = (size_t)b->npeers + 1;

	b->paths = LAB_NEW(b->m, LabPath, n);
	b->results = LAB_NEW(b->m, TenonTensor **, n);
	b->composes = LAB_NEW(b->m, LabCompose *, n);
	b->out->paths = LAB_NEW(b->m, LabPathResult, n);
	for (int i = 0; i <= b->npeers; i++)
		if (!results_make(b, i))
			return false;
	path_add(b, "tenon", TENON_VERSION)->steps =
		lab_printf(b->m, "the plan");
	b->paths[0] = (LabPath){.name = "tenon",
				.run = tenon_run,
				.state = b,
				.timed = b->gpu ? tenon_timed : NULL};
	if (b->gpu && !gpu_make(b))
		return false;
	b->calls = LAB_NEW(b->m, TenonCall *, b->filled);
	for (int s = 0; s < b->filled; s++) {
		b->err = tenon_call_new(
			b->plan, b->gpu ? b->gpu_inputs[s] : b->inputs[s],
			b->gpu ? b->gpu_results[s] : b->results[0][s],
			&b->calls[s]);
		if (b->err)
			return false;
	}
	for (int i = 0; i < b->npeers; i++)
		peer_prepare(b, i,
			     path_add(b, b->peers[i].spec->name,
				      b->peers[i].version));
	return true;
}

/* ---- judging --------------------------------------------------------- */

static void judged(void *arg, const TenonVerdict *v)
{
	LabPathResult *r = arg;

	r->misses += v->misses;
	r->wrong += v->mismatches + v->violations;
}

/* FAIL of any set decides, then a PASS of any. */
static TenonOutcome both(TenonOutcome a, TenonOutcome b)
{
	if (a == TENON_FAIL || b == TENON_FAIL)
		return TENON_FAIL;
	if (a == TENON_PASS || b == TENON_PASS)
		return TENON_PASS;
	return a == TENON_NONE ? b : a;
}

static bool judge_set(Bench *b, int path, int set)
{
	LabPathResult *r = &b->out->paths[path];
	TenonTensor *res = b->results[path][set];
	TenonOutcome outcome = TENON_NONE;

	if (b->lt && b->paths[path].state == b->lt) {
		b->err = lab_lt_judge(b->lt, b->inputs[set], set, judged, r,
				      &outcome);
		r->outcome = both(r->outcome, outcome);
		return b->err == TENON_OK;
	}
	for (int i = 0; i < b->p.nresults; i++)
		memset(res[i].data, STALE, tenon_tensor_bytes(&res[i]));
	if (b->gpu && !gpu_results(b, set, true))
		return false;
	if (!b->paths[path].run(b->paths[path].state, set)) {
		r->why_not = "its run failed";
		return path > 0; /* tenon's own error is the API's */
	}
	if (b->gpu && !gpu_results(b, set, false))
		return false;
	if (!b->o->check)
		return true;
	b->err = tenon_judge(b->plan, b->inputs[set], res, judged, r, &outcome);
	r->outcome = both(r->outcome, outcome);
	return b->err == TENON_OK;
}

/*
 * On random inputs, then on families where more can be told. Of very large
 * products, which the oracle judges by samples and not quickly, on the family
 * that tells most alone.
 */
#define LARGE_FLOP 0x1p32

static bool judge(Bench *b, int path)
{
	const LabPathResult *r = &b->out->paths[path];
	bool large = b->p.flop > LARGE_FLOP && b->filled > b->sets;
	int first = large ? b->sets : 0;

	for (int set = first; set < b->filled && !r->why_not; set++) {
		if (set > 0 && set < b->sets)
			continue; /* copies of set 0 */
		if (!judge_set(b, path, set))
			return false;
		if (large)
			break;
	}
	return true;
}

static bool stopped(const Bench *b)
{
	if (b->o->stop && b->o->stop())
		b->out->interrupted = true;
	return b->out->interrupted;
}

/* ---- timing ---------------------------------------------------------- */

static void summarise(Bench *b, LabResult *out, int i, int rounds)
{
	LabPathResult *r = &out->paths[i], *mine = &out->paths[0];
	double *x = LAB_NEW(b->m, double, rounds);

	memcpy(x, r->samples.us, (size_t)rounds * sizeof(*x));
	r->drift = lab_drift(x, rounds);
	r->drifted = r->drift > LAB_DRIFT_FLAG || r->drift < -LAB_DRIFT_FLAG;
	r->median = lab_median(x, rounds);
	r->p10 = lab_quantile(x, rounds, 0.1);
	r->p90 = lab_quantile(x, rounds, 0.9);
	for (int k = 0; k < rounds; k++)
		x[k] = r->samples.us[k] / mine->samples.us[k];
	r->ratio = lab_bootstrap(x, rounds, DRAWS, b->o->seed);
	r->verdict = lab_verdict(r->ratio);
}

/*
 * CPU seconds that all processes of the machine have used; -1: unknown. The
 * kernel counts them in ticks of sysconf(_SC_CLK_TCK).
 */
static double machine_seconds(void)
{
	long long user, nice, system;
	FILE *in = fopen("/proc/stat", "r");
	int n = in ? fscanf(in, "cpu %lld %lld %lld", &user, &nice, &system)
		   : 0;

	if (in)
		fclose(in);
	return n == 3 ? (double)(user + nice + system) /
				(double)sysconf(_SC_CLK_TCK)
		      : -1;
}

static double own_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Times the paths that can run, in one table of rounds. */
static bool time_paths(Bench *b, LabResult *out, LabClock clock)
{
	LabPath *ran = LAB_NEW(b->m, LabPath, out->npaths);
	int *index = LAB_NEW(b->m, int, out->npaths), n = 0;
	LabSamples *samples = LAB_NEW(b->m, LabSamples, out->npaths);
	double wall, others;

	for (int i = 0; i < out->npaths; i++)
		if (!out->paths[i].why_not) {
			index[n] = i;
			ran[n] = b->paths[i];
			ran[n].clock = clock;
			if (clock == LAB_HOST_SINGLE)
				ran[n].timed = NULL;
			n++;
		}
	out->clock = lab_clock_name(clock);
	out->rounds = lab_rounds(n, b->o->rounds);
	wall = lab_seconds();
	others = machine_seconds() - own_seconds();
	if (!lab_measure(b->m, ran, n, out->rounds, b->sets, b->o->stop,
			 samples)) {
		out->interrupted = true;
		return true;
	}
	others = machine_seconds() - own_seconds() - others;
	wall = lab_seconds() - wall;
	/* Ticks are too coarse for less. */
	if (others > 0 && wall > 0.2)
		out->others = others / wall;
	for (int k = 0; k < n; k++) {
		LabPathResult *r = &out->paths[index[k]];

		r->samples = samples[k];
		if (samples[k].failed)
			r->why_not = "a timed call failed";
	}
	if (out->paths[0].why_not)
		return false;
	for (int k = 0; k < n; k++)
		if (!out->paths[index[k]].why_not)
			summarise(b, out, index[k], out->rounds);
	return true;
}

/* Clocks that a GPU has beside host single: OpenCL tells no device times, and
 * sets that are rotated are not started together (tenon_timed). */
static bool has_clock(const Bench *b, LabClock c)
{
	return b->gpu && (c == LAB_HOST_BATCH ? b->sets == 1 : b->cuda);
}

static bool time_all(Bench *b)
{
	LabResult *out = b->out;
	LabPathResult *paths = LAB_NEW(b->m, LabPathResult, out->npaths);

	memcpy(paths, out->paths, (size_t)out->npaths * sizeof(*paths));
	if (!time_paths(b, out, LAB_HOST_SINGLE))
		return false;
	out->more = LAB_NEW(b->m, LabResult, LAB_CLOCKS);
	for (int c = LAB_HOST_BATCH; c < LAB_CLOCKS; c++) {
		LabResult *more = &out->more[out->nmore];

		if (!has_clock(b, (LabClock)c) || out->interrupted)
			continue;
		*more = *out;
		more->more = NULL;
		more->nmore = 0;
		more->paths = LAB_NEW(b->m, LabPathResult, out->npaths);
		memcpy(more->paths, paths,
		       (size_t)out->npaths * sizeof(*paths));
		if (!time_paths(b, more, (LabClock)c))
			return false;
		out->interrupted |= more->interrupted;
		out->nmore++;
	}
	return true;
}

/* ---- all of it ------------------------------------------------------- */

static bool bench(Bench *b)
{
	LabResult *out = b->out;
	TenonPlanInfo info;

	*out = (LabResult){.name = tenon_program_name(b->program),
			   .regime = b->o->cold ? "cold" : "warm"};
	out->clock = lab_clock_name(LAB_HOST_SINGLE);
	tenon_plan_info(b->plan, &info);
	b->gpu = tenon_plan_place(b->plan) == TENON_DEVICE;
	b->cuda = strncmp(info.target, "cuda", 4) == 0;
	if (!lab_describe(b->m, b->program, b->plan, &b->p))
		return false;
	out->flop = b->p.flop;
	out->bytes = b->p.bytes;
	out->written = b->p.written;
	b->team = lab_team_new(b->m, b->o->threads);
	if (!b->team || !peers_open(b) || !sets_count(b))
		return false;
	out->sets = b->sets;
	say(b, "making inputs");
	if (!inputs_make(b) || !weights_read(b))
		return false;
	say(b, "preparing peers");
	if (!paths_make(b))
		return false;
	for (int i = 0; i < out->npaths && !stopped(b); i++) {
		if (out->paths[i].why_not || b->paths[i].run == lab_copy_run)
			continue;
		say(b, lab_printf(b->m, "judging %s", out->paths[i].name));
		if (!judge(b, i))
			return false;
	}
	if (stopped(b))
		return true;
	say(b, "timing");
	return time_all(b);
}

static void bench_release(Bench *b)
{
	for (int i = 0; b->composes && i < b->npeers; i++)
		lab_compose_free(b->composes[i]);
	lab_copy_free(b->copy);
	for (int i = 0; i < b->p.nvalues; i++)
		if (b->p.values[i].weight.data)
			tenon_release(
				b->p.values[i].weight.data,
				tenon_tensor_bytes(&b->p.values[i].weight));
	for (int s = 0; b->calls && s < b->filled; s++)
		tenon_call_free(b->calls[s]);
	lab_lt_free(b->lt);
	gpu_release(b);
	for (int f = 0; f < 1 + JUDGED; f++)
		for (int i = 0; b->fixture[f] && i < b->p.ninputs; i++)
			tenon_release(b->fixture[f][i].data,
				      tenon_tensor_bytes(&b->fixture[f][i]));
	lab_team_free(b->team);
}

TenonError lab_bench(LabMem *m, TenonContext *c, TenonProgram *p,
		     TenonPlan *plan, const LabOptions *o, LabResult *out)
{
	jmp_buf refused, *outer = m->refused;
	Bench *volatile b = NULL;
	volatile bool ok = false;
	volatile TenonError err = TENON_ENOMEM;

	m->refused = &refused;
	m->why = NULL;
	if (!setjmp(refused)) {
		b = LAB_NEW(m, Bench, 1);
		*b = (Bench){.m = m,
			     .c = c,
			     .program = p,
			     .plan = plan,
			     .o = o,
			     .out = out};
		ok = bench(b);
		err = b->err;
	}
	m->refused = outer;
	if (b)
		bench_release(b);
	if (ok)
		return TENON_OK;
	return err ? err : TENON_EENV;
}
