/*
 * programs_test: random programs of fixed seeds, and the programs that once
 * failed (tests/differential/cases/NAME.program).
 *
 *   programs_test                      the quick run
 *   programs_test --seconds N          as long, from the seed of the clock
 *   programs_test --seed S [--count N] those seeds
 *   programs_test --print S            the text of a seed's program
 *
 * tests/run: plain
 */
#include "tests/differential/fuzz.h"

#include <glob.h>

#define QUICK_SEEDS 40

static bool case_passes(const char *path)
{
	TenonPlanOptions o = {0};
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	Judge j;

	judge_init(&j);
	if (tenon_resume(j.c, "program", path, &o, &p, &plan))
		judge_error(&j, "resume");
	tenon_plan_free(plan);
	if (!judge_failed(&j))
		judge_program(&j, p, NULL, 0,
			      JUDGE_REPEAT | JUDGE_STRIDES | JUDGE_STAGES);
	bool ok = !judge_failed(&j);
	if (!ok)
		printf("FAIL %s\n%s\n", path, buf_str(&j.why));
	tenon_program_free(p);
	judge_release(&j);
	return ok;
}

static bool case_isolated(const char *path)
{
	int status;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(!case_passes(path) ? fflush(stdout), 1 : 0);
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("FAIL %s: signal %d\n", path, WTERMSIG(status));
	return status == 0;
}

int main(int argc, char **argv)
{
	uint64_t first = 1, count = QUICK_SEEDS, ran = 0;
	double seconds = 0, shrinking = 20;
	int jobs = cpu_count() > 8 ? 8 : cpu_count(), passed = 0, failed = 0;
	bool cases = argc < 2;
	glob_t found;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds")) {
			seconds = atof(argv[i + 1]);
			first = (uint64_t)time(NULL) * 100000;
			count = UINT64_MAX;
		} else if (!strcmp(argv[i], "--seed")) {
			first = strtoull(argv[i + 1], NULL, 10);
			count = count == QUICK_SEEDS ? 1 : count;
		} else if (!strcmp(argv[i], "--count")) {
			count = strtoull(argv[i + 1], NULL, 10);
		} else if (!strcmp(argv[i], "--shrink")) {
			shrinking = atof(argv[i + 1]);
		} else if (!strcmp(argv[i], "--jobs")) {
			jobs = atoi(argv[i + 1]);
		} else if (!strcmp(argv[i], "--print")) {
			Subject s;
			subject_make(&s, strtoull(argv[i + 1], NULL, 10));
			subject_report(&s, "");
			return 0;
		}
	}
	if (cases &&
	    glob("tests/differential/cases/*.program", 0, NULL, &found)) {
		printf("no cases are found\n");
		failed++;
	} else if (cases) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			bool ok = case_isolated(found.gl_pathv[i]);
			passed += ok;
			failed += !ok;
		}
		globfree(&found);
	}
	int bad = fuzz_run(first, count, seconds, jobs, shrinking, &ran);
	printf("%d passed, %d failed, 0 skipped\n", passed + (int)ran - bad,
	       failed + bad);
	return failed + bad > 0;
}
