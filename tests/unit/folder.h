/*
 * folder.h: a folder of a test's own.
 */
#ifndef TENON_TEST_FOLDER_H
#define TENON_TEST_FOLDER_H

#include "tests/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

#define TEST_ONLY __attribute__((unused))

/* A folder of this process's, for files of the tests at hand. */
TEST_ONLY static const char *test_folder(void)
{
	static char path[256];
	const char *tmp = getenv("TMPDIR");

	if (!path[0]) {
		snprintf(path, sizeof(path), "%s/test-XXXXXX",
			 tmp && *tmp ? tmp : "/tmp");
		if (!mkdtemp(path))
			abort();
	}
	return path;
}

/* A path in that folder; good until the eighth call after. */
TEST_ONLY static const char *test_path(const char *name)
{
	static char path[8][512];
	static unsigned next;
	char *p = path[next++ % 8];

	snprintf(p, sizeof(path[0]), "%s/%s", test_folder(), name);
	return p;
}

TEST_ONLY static void file_put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (CHECK(f != NULL)) {
		CHECK(fputs(text, f) >= 0);
		CHECK(fclose(f) == 0);
	}
}

TEST_ONLY static void test_folder_remove(void)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -rf '%s'", test_folder());
	CHECK(system(command) == 0);
}

#endif
