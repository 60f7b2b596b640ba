/*
 * peers: the libraries that are here, each through every kind of program that
 * its adapter takes, judged by the oracle. One that is not here is skipped.
 * What libraries keep to the end is not theirs to answer for here.
 */
#include "lab/lab.h"

#include "tests/unit/test.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static jmp_buf refused;

typedef struct Program {
	const char *text;
	const char *steps; /* of a library that has all it could */
} Program;

/* Sizes with tails; 64 where a library has a kernel for it. */
static const Program programs[] = {
	{"dims d: M = 37, K = 65, N = 129\n"
	 "def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
	 "product"},
	{"dims d: M = 64, K = 64, N = 64\n"
	 "def f(x: f32[K, M], w: f32[N, K]):\n    return x.T @ w.T\n",
	 "product"},
	{"dims d: M = 1, K = 65, N = 129\n"
	 "def f(x: f32[M, K], w: f32[N, K], v: f32[K, N]):\n"
	 "    return x @ w.T, x @ v, w @ x.T, v.T @ x.T\n",
	 NULL},
	{"dims d: M = 8, K = 16, N = 24\n"
	 "def f(x: f64[M, K], w: f64[N, K]):\n    return x @ w.T\n",
	 NULL},
	{"dims d: M = 33, K = 40, N = 48\n"
	 "def f(x: f32[M, K], w: f32[N, K], b: f32[N]):\n"
	 "    return x @ w.T + b\n",
	 NULL},
	{"dims d: M = 33, K = 40, N = 48\n"
	 "def f(x: f16[M, K], w: f16[K, N], b: f16[N]):\n"
	 "    return relu(x @ w + b)\n",
	 NULL},
	{"dims d: M = 33, K = 40, N = 48\n"
	 "def f(x: bf16[M, K], w: bf16[K, N], b: bf16[N]):\n"
	 "    return relu(x @ w + b)\n",
	 NULL},
	{"dims d: M = 33, K = 40, N = 48\n"
	 "def f(x: i8[M, K], w: i8[K, N]):\n"
	 "    return matmul(x, w, acc=i32, out=i32)\n",
	 "product"},
	{"dims d: B = 2, H = 3, M = 9, D = 16\n"
	 "def f(q: f32[B, M, H, D], k: f32[B, M, H, D]):\n"
	 "    return transpose(q, 0, 2, 1, 3) @ transpose(k, 0, 2, 3, 1)\n",
	 "product"},
	{"dims d: M = 9, K = 35\n"
	 "def f(x: f32[M, K]):\n    return softmax(x)\n",
	 NULL},
	{"dims d: M = 9, K = 35\n"
	 "def f(x: f32[M, K], g: f32[K], b: f32[K]):\n"
	 "    return layer_norm(x, g, b)\n",
	 NULL},
};
#define PROGRAMS (sizeof(programs) / sizeof(*programs))

static void judge(const LabPeerSpec *spec, const Program *t, int *ran)
{
	TenonContext *c = tenon_context_new();
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	LabMem m = {.refused = &refused};
	LabOptions o = {.peers = spec->name,
			.threads = 2,
			.rounds = 1,
			.check = true,
			.seed = 3};
	const LabPathResult *r;
	LabResult out;

	if (CHECK(c && !tenon_program_from_text(c, "t.tn", t->text, NULL, &p) &&
		  !tenon_compile(c, p, NULL, &plan)) &&
	    CHECK(!lab_bench(&m, c, p, plan, &o, &out))) {
		r = &out.paths[1];
		if (!r->why_not) {
			++*ran;
			if (!CHECK(r->outcome == TENON_PASS ||
				   r->outcome == TENON_INCONCLUSIVE))
				printf("%s, %s of %s\n", spec->title, r->steps,
				       t->text);
			if (t->steps)
				CHECK_STR(r->steps, t->steps);
		}
	}
	lab_release(&m);
	tenon_plan_free(plan);
	tenon_program_free(p);
	tenon_context_free(c);
}

static void peer_judged(const LabPeerSpec *spec, int least)
{
	LabMem m = {.refused = &refused};
	LabPeer p = {.spec = spec, .threads = 2};
	int ran = 0;

	if (!spec->open(&m, &p)) {
		printf("skip: %s %s\n", spec->title, p.why);
		lab_release(&m);
		test_skipped = true;
		return;
	}
	for (size_t i = 0; i < PROGRAMS; i++)
		judge(spec, &programs[i], &ran);
	CHECK(ran >= least);
	lab_release(&m);
}

static void openblas(void)
{
	peer_judged(&lab_peer_openblas, 10);
}

static void blis(void)
{
	peer_judged(&lab_peer_blis, 10);
}

static void onednn(void)
{
	peer_judged(&lab_peer_onednn, 10);
}

static void libxsmm(void)
{
	peer_judged(&lab_peer_libxsmm, 9);
}

/* No program of these has a constant weight: it says so. */
static void onednn_packed(void)
{
	peer_judged(&lab_peer_onednn_packed, 0);
}

TEST_MAIN(TEST(openblas), TEST(blis), TEST(onednn), TEST(onednn_packed),
	  TEST(libxsmm))
