/*
 * store: files kept by content in the cache folder, for code.c and gpucode.c.
 */
#ifndef TENON_STORE_H
#define TENON_STORE_H

#include "base/base.h"

/* One call's view of the folder, with a work folder of its own. */
typedef struct Store {
	Ctx *ctx;
	Arena *a;         /* outlives the store */
	const char *kept; /* the folder of finished files; NULL: none is kept */
	const char *work; /* the work folder; NULL until store_work */
	int lock;         /* descriptor, or -1 */
} Store;

/*
 * cache NULL: nothing is kept. Else files are kept in its folder `code`, which
 * is made, and refused where others could put files into it. What is open is
 * closed whatever store_open said.
 */
bool store_open(Store *s, Ctx *ctx, Arena *a, const char *cache);
void store_close(Store *s); /* removes the work folder */

/* Where the file of this key is kept, or would be. */
const char *store_path(const Store *s, const char *key, const char *ending);
/*
 * What a kept file holds, as store_finish found it; NULL if it is not there,
 * damaged, or another key's. It counts as used now.
 */
const char *store_read(const Store *s, const char *path, const char *key,
		       size_t *n);

/* Makes the work folder, where none is yet; it goes with store_close. */
bool store_work(Store *s);
/* Makes a file in the work folder. */
bool store_create(const Store *s, const char *path, const void *p, size_t n);
/*
 * Seals a file of the work folder with its key and hash and, where files are
 * kept, moves it there; *path is where it is then.
 */
bool store_finish(const Store *s, const char **path, const char *key,
		  const char *ending);

/* Whether only this user may put files there: what code is loaded from. */
bool folder_is_ours(const char *path);

/* Reports that the folder cannot be written, with errno's reason. */
bool store_cannot_write(const Store *s, int why);

#endif
