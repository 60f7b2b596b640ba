/*
 * test: the smallest frame for unit tests in C.
 *
 *   static void sums(void) { CHECK(1 + 1 == 2); CHECK_STR("a", "a"); }
 *   TEST_MAIN(TEST(sums), TEST(other))
 *
 * A test passes when none of its checks failed. Arguments name the tests to
 * run; none: all. The last line is `N passed, N failed, N skipped`, and the
 * exit code is 1 if any failed.
 */
#ifndef TENON_TEST_H
#define TENON_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TestCase {
	const char *name;
	void (*fn)(void);
} TestCase;

static int test_bad; /* failed checks of the test at hand */
static bool test_skipped;

#define TEST(fn)                                                               \
	{                                                                      \
#fn, fn                                                        \
	}

#define CHECK(cond) test_check((cond), __FILE__, __LINE__, #cond)
#define CHECK_STR(got, want)                                                   \
	test_check_str((got), (want), __FILE__, __LINE__, #got)
/* Leaves the test at hand for want of what tools/setup brings. */
#define SKIP_UNTIL_SETUP(why)                                                  \
	do {                                                                   \
		const char *setup_ = getenv("TEST_SETUP");                     \
		if (!setup_ || !*setup_)                                       \
			SKIP(why);                                             \
		printf("tools/setup test has run, but %s\n", why);             \
		CHECK(!"set up");                                              \
		return;                                                        \
	} while (0)
/* Leaves the test at hand, which then counts as skipped. */
#define SKIP(why)                                                              \
	do {                                                                   \
		printf("skip: %s\n", why);                                     \
		test_skipped = true;                                           \
		return;                                                        \
	} while (0)

static inline bool test_check(bool ok, const char *file, int line,
			      const char *what)
{
	if (!ok) {
		printf("%s:%d: failed: %s\n", file, line, what);
		test_bad++;
	}
	return ok;
}

static inline bool test_check_str(const char *got, const char *want,
				  const char *file, int line, const char *what)
{
	bool ok = got && want && strcmp(got, want) == 0;
	if (!ok) {
		printf("%s:%d: failed: %s\n  got:  %s\n  want: %s\n", file,
		       line, what, got ? got : "(null)",
		       want ? want : "(null)");
		test_bad++;
	}
	return ok;
}

static inline int test_main(int argc, char **argv, const TestCase *cases,
			    size_t n)
{
	int passed = 0, failed = 0, skipped = 0;
	for (size_t i = 0; i < n; i++) {
		bool wanted = argc < 2;
		for (int k = 1; k < argc; k++)
			wanted |= strcmp(argv[k], cases[i].name) == 0;
		if (!wanted)
			continue;
		test_bad = 0;
		test_skipped = false;
		cases[i].fn();
		if (test_bad > 0) {
			failed++;
			printf("FAIL %s\n", cases[i].name);
		} else if (test_skipped) {
			skipped++;
			printf("skip %s\n", cases[i].name);
		} else {
			passed++;
			printf("ok   %s\n", cases[i].name);
		}
		fflush(stdout);
	}
	printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
	return failed > 0;
}

#define TEST_MAIN(...)                                                         \
	int main(int argc, char **argv)                                        \
	{                                                                      \
		static const TestCase cases[] = {__VA_ARGS__};                 \
		return test_main(argc, argv, cases,                            \
				 sizeof(cases) / sizeof(cases[0]));            \
	}

#endif
