/*
 * pins_test: any pin gives kernels that keep their laws, or is refused.
 *
 * Parameters are drawn from what a legal one may be and some beyond; a stage
 * that breaks its laws is a bug, which ends the test. No compiler runs.
 *
 *   TEST_ALL=1 draws ten times as many.
 */
#include "tests/unit/api.h"

#include <signal.h>
#include <unistd.h>

#define DRAWS 1500

/* The draw at hand, told when a bug ends the test. */
static char at_hand[1000];

static void tell(int sig)
{
	ssize_t n = write(STDOUT_FILENO, at_hand, strlen(at_hand));

	(void)n;
	(void)sig;
}

/* What is returned of x[M, K] and w[K, N]. */
static const char *const bodies[] = {
	"x @ w",
	"relu(x @ (w * 2)) + 1",
	"x.T.T @ where(w > 0, w, 1)",
	"(x @ w) * sigmoid(x @ (w + w)), x @ w",
	"softmax(x, axis=-1), w + 1",
	"softmax(x @ x.T, axis=-1) @ x, w.T + 1",
};

static const char *const dtypes[] = {"f32", "f16", "bf16", "f64", "i8"};

/* A parameter and values, ended by -1. */
typedef struct Draw {
	const char *name;
	int values[12];
} Draw;

static const Draw contract[] = {
	{"mr", {1, 2, 5, 6, 9, 14, 16, 28, 29, -1}},
	{"nr", {16, 32, 48, 64, 128, 8, 0, -1}},
	{"lanes", {16, 8, 2, 4, 32, 64, 3, -1}},
	{"mb", {1, 2, 4, 17, 100, 0, -1}},
	{"nb", {1, 3, 7, 1 << 20, -1}},
	{"kc", {1, 7, 16, 64, 256, 1 << 20, 0, -1}},
	{"a", {0, 1, 2, 3, -1}},
	{"b", {0, 1, 2, 3, 4, -1}},
	{"unit", {0, 1, 2, 3, 4, 9, -1}},
	{"ahead", {0, 1, 2, 3, -1}},
};

static const Draw rowreduce[] = {
	{"lanes", {1, 2, 4, 16, 64, 128, 3, -1}},
	{"rows", {1, 100, 16384, 0, -1}},
	{"stream", {0, 1, 2, 3, -1}},
	{"ahead", {0, 1, 2, 3, -1}},
	{"split", {0, 1, 2, 3, -1}},
	{"keep", {0, 1, 2, 3, -1}},
	{"distance", {1, 3, 64, 65, 0, -1}},
};

static const Draw loop[] = {
	{"lanes", {1, 2, 4, 16, 64, 128, 3, -1}},
	{"block", {1, 16, 1000, 16384, 0, -1}},
	{"walk", {0, 1, 2, 3, 4, -1}},
	{"stream", {0, 1, 2, 3, -1}},
};

static const Draw attention[] = {
	{"rows", {1, 2, 4, 6, 100, 0, -1}},
	{"queries", {1, 16, 64, 100, 0, -1}},
	{"lanes", {2, 4, 8, 16, 64, 3, -1}},
	{"keys", {1, 16, 32, 48, 64, 0, -1}},
	{"columns", {1, 2, 16, 32, 100, 0, -1}},
	{"block", {1, 16, 64, 256, 0, -1}},
	{"copy_k", {0, 1, 2, 3, -1}},
	{"copy_v", {0, 1, 2, 3, -1}},
	{"ahead", {0, 1, 2, 3, -1}},
};

/* Whose pins a body takes. */
static const struct {
	const char *name;
	const Draw *draws;
	size_t n;
} realisations[] = {
	{"contract", contract, ARRAY_LEN(contract)},
	{"rowreduce", rowreduce, ARRAY_LEN(rowreduce)},
	{"loop", loop, ARRAY_LEN(loop)},
	{"attention", attention, ARRAY_LEN(attention)},
};

static uint64_t state = 88172645463325252u;

static int below(int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int)(state % (uint64_t)n);
}

/* Each parameter is pinned one time in `one`. */
static size_t draw_pins(char text[][40], const char *name, const Draw *from,
			size_t n, int one)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		int values = 0;
		if (below(one))
			continue;
		while (from[i].values[values] >= 0)
			values++;
		snprintf(text[used++], sizeof(text[0]), "%s.%s=%d", name,
			 from[i].name, from[i].values[below(values)]);
	}
	return used;
}

static int extent(void)
{
	static const int special[] = {0, 1, 2, 15, 16, 17, 64};

	return below(3) ? 1 + below(1 << (1 + below(9)))
			: special[below(ARRAY_LEN(special))];
}

static bool draw(const Case *k, int *made)
{
	char text[400], pin[ARRAY_LEN(contract)][40];
	const char *pins[ARRAY_LEN(contract)];
	const char *dtype = dtypes[below(ARRAY_LEN(dtypes))];
	size_t which = (size_t)below(ARRAY_LEN(bodies));
	/* the last two have rows and a loop, attention and a loop */
	size_t rest = ARRAY_LEN(bodies) - 2;
	size_t whose = which < rest ? 0 : below(2) ? 2 : 1 + 2 * (which - rest);
	int m = extent(), n = extent(), kk = extent();
	TenonPlanOptions o = {.pins = pins, .emit_only = true};
	TenonProgram *p;
	TenonPlan *plan;

	snprintf(text, sizeof(text),
		 "def f(x: %s[%d, %d], w: %s[%d, %d]):\n    return %s\n", dtype,
		 m, kk, dtype, kk, n, bodies[which]);
	if (tenon_program_from_text(k->c, "pins", text, NULL, &p))
		return true; /* the dtype has no such operation */
	o.npins = draw_pins(pin, realisations[whose].name,
			    realisations[whose].draws, realisations[whose].n,
			    1 + below(6));
	for (size_t i = 0; i < o.npins; i++)
		pins[i] = pin[i];
	size_t used = (size_t)snprintf(at_hand, sizeof(at_hand), "%s", text);
	for (size_t i = 0; i < o.npins; i++)
		used += (size_t)snprintf(at_hand + used, sizeof(at_hand) - used,
					 "--pin %s ", pin[i]);
	TenonError e = tenon_compile(k->c, p, &o, &plan);
	bool ok = e == TENON_OK || e == TENON_EUSAGE;
	if (!ok)
		printf("%s\n%s\n", tenon_message(k->c), at_hand);
	*made += e == TENON_OK;
	if (e == TENON_OK)
		tenon_plan_free(plan);
	tenon_program_free(p);
	return CHECK(ok);
}

static void lawful(void)
{
	Case k = {.c = tenon_context_new()};
	signal(SIGABRT, tell);
	int made = 0, draws = test_all() ? 10 * DRAWS : DRAWS;

	for (int i = 0; i < draws; i++)
		if (!draw(&k, &made))
			break;
	/* most pins can be met */
	CHECK(made > draws / 8);
	tenon_context_free(k.c);
}

TEST_MAIN(TEST(lawful))
