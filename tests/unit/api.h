/*
 * api: a program compiled and called through the public API, for tests.
 *
 * Case is a context with a program, its plan, and tensors for one call.
 * Examples are found from the project's root, where tests are run.
 */
#ifndef TENON_TEST_API_H
#define TENON_TEST_API_H

#include "driver/driver.h"
#include "runtime/nvrtc.h"

#include <glob.h>
#include <stdlib.h>

#include "tests/unit/folder.h"
#include "tests/unit/test.h"

#define CASE_TENSORS 8

typedef struct Case {
	TenonContext *c;
	TenonProgram *p;
	TenonPlan *plan;
	TenonTensor in[CASE_TENSORS], out[CASE_TENSORS];
} Case;

/* Whether all is to be tested, rather than samples. */
TEST_ONLY static bool test_all(void)
{
	const char *all = getenv("TEST_ALL");

	return all && *all;
}

TEST_ONLY static bool works(const Case *k, TenonError e, const char *what)
{
	if (e)
		printf("%s: %s", what, tenon_message(k->c));
	return CHECK(e == TENON_OK);
}

/* Starts from a file, or from a text where `text` is given. */
TEST_ONLY static bool case_open(Case *k, const char *path, const char *text,
				const char *dtype)
{
	TenonProgramOptions o = {.dtype = dtype};

	memset(k, 0, sizeof(*k));
	instance_serial_steps = 0; /* the sizes here are small */
	k->c = tenon_context_new();
	if (!CHECK(k->c != NULL))
		return false;
	return works(k,
		     text ? tenon_program_from_text(k->c, path, text, &o, &k->p)
			  : tenon_program_from_file(k->c, path, &o, &k->p),
		     path);
}

TEST_ONLY static bool case_compile(Case *k)
{
	return works(k, tenon_compile(k->c, k->p, NULL, &k->plan), "compile");
}

TEST_ONLY static void tensors_release(TenonTensor *t)
{
	for (int i = 0; i < CASE_TENSORS; i++) {
		if (t[i].data)
			tenon_release(t[i].data, tenon_tensor_bytes(&t[i]));
		t[i].data = NULL;
	}
}

/* Results of the sizes set, filled with a pattern. */
TEST_ONLY static bool case_results(Case *k)
{
	tensors_release(k->out);
	for (int i = 0; i < tenon_program_results(k->p); i++) {
		TenonTensor *t = &k->out[i];
		if (!works(k, tenon_result_desc(k->p, i, t), "result"))
			return false;
		t->data = tenon_alloc(tenon_tensor_bytes(t));
		memset(t->data, 0xa5, tenon_tensor_bytes(t));
	}
	return true;
}

/* Inputs of the sizes set from a fixture family, and results. */
TEST_ONLY static bool case_fill(Case *k, const char *family)
{
	bool applies;

	tensors_release(k->in);
	return works(k, tenon_fixture(k->p, family, 1, k->in, &applies),
		     family) &&
	       CHECK(applies) && case_results(k);
}

TEST_ONLY static bool case_run(Case *k)
{
	return works(k, tenon_plan_run(k->plan, k->in, k->out), "run");
}

/* Of the results' bits. */
TEST_ONLY static uint64_t case_hash(const Case *k)
{
	uint64_t h = 1;

	for (int i = 0; i < tenon_program_results(k->p); i++)
		h = hash_bytes(k->out[i].data, tenon_tensor_bytes(&k->out[i]),
			       h);
	return h;
}

TEST_ONLY static void case_close(Case *k)
{
	tensors_release(k->in);
	tensors_release(k->out);
	tenon_plan_free(k->plan);
	tenon_program_free(k->p);
	tenon_context_free(k->c);
	memset(k, 0, sizeof(*k));
}

/* A call that is refused with `e` and exactly these words in its message. */
TEST_ONLY static void refused(const Case *k, TenonError got, TenonError e,
			      const char *words)
{
	const char *m = tenon_message(k->c);

	if (!CHECK(got == e) || !CHECK(strstr(m, words)))
		printf("error %d, wanted %d and `%s`:\n%s", (int)got, (int)e,
		       words, m);
}

TEST_ONLY static size_t examples(glob_t *g)
{
	CHECK(glob("examples/*.tn", 0, NULL, g) == 0);
	return g->gl_pathc;
}

/* A text with one part of it replaced. */
TEST_ONLY static const char *replaced(Arena *a, const char *s, const char *from,
				      const char *to)
{
	const char *at = strstr(s, from);

	if (!CHECK(at != NULL)) {
		printf("no `%s`\n", from);
		return s;
	}
	return arena_printf(a, "%.*s%s%s", (int)(at - s), s, to,
			    at + strlen(from));
}

/* Whether NVRTC is, which plans for CUDA are compiled by. */
TEST_ONLY static bool compiler_here(void)
{
	Ctx ctx;
	Nvrtc n;

	ctx_init(&ctx);
	bool here = nvrtc_open(&ctx, NULL, &n);
	ctx_release(&ctx);
	return here;
}

#endif
