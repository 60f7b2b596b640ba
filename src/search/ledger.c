/*
 * ledger: the database of searches, its schema, versions and errors.
 *
 * SQLite in WAL mode: readers go on beside one writer, and what is committed
 * survives the death of the process. Each write is one short transaction that
 * begins as a writer (BEGIN IMMEDIATE), so that it waits at its beginning and
 * never half-way. Sources: sqlite.org/wal.html, lang_transaction.html,
 * howtocorrupt.html (on fork, and on closing a file that a connection has
 * open: nothing here opens the file beside SQLite).
 */
#include "search/ledger_own.h"
#include "runtime/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEDGER_MARK 0x546e4c67 /* application_id: TnLg */

int ledger_wait_ms = 10000;

/* ---- schema ------------------------------------------------------------ */

static const char schema_1[] =
	"CREATE TABLE search ("
	" id INTEGER PRIMARY KEY,"
	" key TEXT NOT NULL," /* SHA-256 of the seven that follow name */
	" name TEXT, program TEXT, dims TEXT, target TEXT, device TEXT,"
	" compiler TEXT, options TEXT, version TEXT,"
	" policy TEXT, seed INTEGER, seconds REAL, candidates INTEGER,"
	" started INTEGER, ended INTEGER,"
	" state TEXT NOT NULL CHECK (state IN"
	"  ('running', 'complete', 'exhausted', 'stopped', 'failed',"
	"   'killed')),"
	" plan TEXT,"
	" considered INTEGER NOT NULL DEFAULT 0,"
	" process TEXT);"
	"CREATE INDEX search_by_key ON search (key);"
	"CREATE TABLE variant ("
	" id INTEGER PRIMARY KEY,"
	" key TEXT NOT NULL, how TEXT NOT NULL, UNIQUE (key, how));"
	"CREATE TABLE candidate ("
	" id INTEGER PRIMARY KEY,"
	" search INTEGER NOT NULL REFERENCES search ON DELETE CASCADE,"
	" ord INTEGER NOT NULL,"
	" variant INTEGER NOT NULL REFERENCES variant,"
	" region INTEGER NOT NULL, chosen TEXT, rest TEXT,"
	" state TEXT NOT NULL CHECK (state IN"
	"  ('left', 'refused', 'failed', 'wrong', 'crashed', 'timed-out',"
	"   'no-memory', 'measured', 'tie', 'chosen')),"
	" reason TEXT,"
	" predicted_us REAL, compute_us REAL, memory_us REAL, move_us REAL,"
	" start_us REAL,"
	" measured_us REAL, ratio REAL, lo REAL, hi REAL, against INTEGER,"
	" calls INTEGER, check_ms REAL, time_ms REAL,"
	" plan TEXT,"
	" UNIQUE (search, ord));"
	"CREATE INDEX candidate_by_plan ON candidate (plan)"
	" WHERE plan IS NOT NULL;"
	"CREATE TABLE sample ("
	" candidate INTEGER NOT NULL REFERENCES candidate ON DELETE CASCADE,"
	" round INTEGER NOT NULL,"
	" us REAL NOT NULL, other_us REAL NOT NULL,"
	" first INTEGER NOT NULL," /* 1: the candidate began the round */
	" PRIMARY KEY (candidate, round)) WITHOUT ROWID;"
	"CREATE TABLE plan ("
	" identity TEXT PRIMARY KEY,"
	" sha256 TEXT NOT NULL," /* of the bytes of json */
	" json TEXT NOT NULL, kept INTEGER NOT NULL) WITHOUT ROWID;";

static const char schema_2[] =
	"ALTER TABLE candidate ADD COLUMN trial INTEGER;"
	"CREATE TABLE space ("
	" search INTEGER NOT NULL REFERENCES search ON DELETE CASCADE,"
	" number INTEGER NOT NULL,"
	" variant INTEGER NOT NULL REFERENCES variant,"
	" region INTEGER NOT NULL, first INTEGER NOT NULL, n INTEGER NOT NULL,"
	" PRIMARY KEY (search, number, region)) WITHOUT ROWID;"
	"CREATE TABLE trial ("
	" search INTEGER NOT NULL REFERENCES search ON DELETE CASCADE,"
	" number INTEGER NOT NULL, point TEXT NOT NULL,"
	" PRIMARY KEY (search, number)) WITHOUT ROWID;"
	"CREATE TABLE final ("
	" id INTEGER PRIMARY KEY,"
	" search INTEGER NOT NULL REFERENCES search ON DELETE CASCADE,"
	" candidate INTEGER NOT NULL, against INTEGER NOT NULL,"
	" outcome TEXT NOT NULL CHECK (outcome IN"
	"  ('faster', 'tie', 'slower', 'failed')),"
	" reason TEXT, ratio REAL, lo REAL, hi REAL);"
	"CREATE INDEX final_by_search ON final (search);"
	"CREATE TABLE final_sample ("
	" final INTEGER NOT NULL REFERENCES final ON DELETE CASCADE,"
	" round INTEGER NOT NULL,"
	" us REAL NOT NULL, other_us REAL NOT NULL, first INTEGER NOT NULL,"
	" PRIMARY KEY (final, round)) WITHOUT ROWID;";

/*
 * What leads from version i to i + 1, which is the database's user_version. A
 * new version is one more row, that alters what is there and loses nothing.
 */
static const char *const steps[] = {schema_1, schema_2};
#define LEDGER_VERSION ((int64_t)ARRAY_LEN(steps))

/* ---- errors ------------------------------------------------------------ */

#define MOVE_AWAY "move it away, and Tenon makes a new one"

/* Of the log, of the database, or of what was to be opened. */
static int system_errno(sqlite3 *db)
{
	sqlite3_file *log = NULL;
	int why = 0;

	sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (log && log->pMethods)
		log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &why);
	if (!why)
		sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &why);
	return why ? why : sqlite3_system_errno(db);
}

/* The system's word for what went wrong under SQLite. */
static bool system_fails(Ledger *l, const char *doing)
{
	int why = system_errno(l->db);

	if (why == ENOSPC || why == EDQUOT || why == EFBIG)
		return diag_fail(l->ctx, ERR_ENV,
				 why == EFBIG
					 ? "files may not grow as large as "
					   "that here: see ulimit -f"
					 : "make room, or set "
					   "XDG_CACHE_HOME to a folder on "
					   "another disk",
				 "%s: no room to write the ledger", l->path);
	return diag_fail(l->ctx, ERR_ENV,
			 "set XDG_CACHE_HOME to a folder that can be read and "
			 "written",
			 "cannot %s the ledger %s: %s", doing, l->path,
			 why ? strerror(why) : sqlite3_errmsg(l->db));
}

/* Reports what SQLite said; false. */
static bool fails(Ledger *l, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		oom_raise();
	case SQLITE_NOTADB:
		return diag_fail(l->ctx, ERR_ENV, MOVE_AWAY,
				 "%s is not a ledger: it is no SQLite database",
				 l->path);
	case SQLITE_CORRUPT:
		return diag_fail(l->ctx, ERR_ENV,
				 "`sqlite3 FILE .recover` tells what can still "
				 "be read; " MOVE_AWAY,
				 "the ledger %s is damaged or cut short: %s",
				 l->path, sqlite3_errmsg(l->db));
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return diag_fail(l->ctx, ERR_ENV,
				 "`fuser FILE` tells which process has it open",
				 "the ledger %s was locked by another process "
				 "for more than %g s",
				 l->path, ledger_wait_ms / 1000.0);
	case SQLITE_READONLY:
		return diag_fail(l->ctx, ERR_ENV,
				 "make it and its folder writable, or set "
				 "XDG_CACHE_HOME to another folder",
				 "the ledger %s cannot be written: it is "
				 "read-only",
				 l->path);
	case SQLITE_FULL:
		return diag_fail(l->ctx, ERR_ENV,
				 "make room, or set XDG_CACHE_HOME to a folder "
				 "on another disk",
				 "%s: no room to write the ledger", l->path);
	case SQLITE_CANTOPEN:
		return system_fails(l, "open");
	case SQLITE_IOERR:
		return system_fails(l, "read or write");
	default:
		return diag_fail(l->ctx, ERR_ENV, NULL, "the ledger %s: %s",
				 l->path, sqlite3_errmsg(l->db));
	}
}

/* ---- statements -------------------------------------------------------- */

static void must_own(const Ledger *l)
{
	if (l->owner != getpid())
		bug("the ledger is used in a forked child");
}

/* *keep: it stays prepared. NULL: *rc says why. */
static sqlite3_stmt *prepare(Ledger *l, const char *sql, bool *keep, int *rc)
{
	sqlite3_stmt *s = NULL;

	*keep = true;
	for (size_t i = 0; i < l->nkept; i++)
		if (l->kept[i].sql == sql)
			return l->kept[i].statement;
	*keep = l->nkept < LEDGER_KEPT;
	*rc = sqlite3_prepare_v3(l->db, sql, -1,
				 *keep ? SQLITE_PREPARE_PERSISTENT : 0, &s,
				 NULL);
	if (s && *keep) {
		l->kept[l->nkept].sql = sql;
		l->kept[l->nkept++].statement = s;
	}
	return s;
}

static int bind_int(sqlite3_stmt *s, int at, int64_t x, bool null)
{
	return null && x == 0 ? sqlite3_bind_null(s, at)
			      : sqlite3_bind_int64(s, at, x);
}

static int bind_real(sqlite3_stmt *s, int at, double x, bool null)
{
	return null && x == 0 ? sqlite3_bind_null(s, at)
			      : sqlite3_bind_double(s, at, x);
}

static int bind(sqlite3_stmt *s, const char *types, va_list ap)
{
	int rc = SQLITE_OK;

	for (int at = 1; *types && rc == SQLITE_OK; types++, at++) {
		bool null = *types == 'I' || *types == 'D';
		if (*types == 'i' || *types == 'I')
			rc = bind_int(s, at, va_arg(ap, int64_t), null);
		else if (*types == 'd' || *types == 'D')
			rc = bind_real(s, at, va_arg(ap, double), null);
		else
			rc = sqlite3_bind_text(s, at, va_arg(ap, const char *),
					       -1, SQLITE_TRANSIENT);
	}
	return rc;
}

static void put_back(sqlite3_stmt *s, bool keep)
{
	if (keep) {
		sqlite3_reset(s);
		sqlite3_clear_bindings(s);
	} else {
		sqlite3_finalize(s);
	}
}

/* SQLITE_DONE, an error, or SQLITE_ROW where fn has ended the walk. */
static int walk(sqlite3_stmt *s, bool keep, LedgerRow *fn, void *arg)
{
	OomTrap trap;
	int rc;

	if (OOM_TRAP(&trap)) {
		put_back(s, keep);
		oom_raise();
	}
	while ((rc = sqlite3_step(s)) == SQLITE_ROW)
		if (fn && !fn(arg, s))
			break;
	oom_trap_pop(&trap);
	return rc;
}

static int sql_run(Ledger *l, LedgerRow *fn, void *arg, const char *sql,
		   const char *types, va_list ap)
{
	bool keep;
	int rc = SQLITE_OK;
	sqlite3_stmt *s = prepare(l, sql, &keep, &rc);

	if (!s)
		return rc;
	rc = bind(s, types, ap);
	if (rc == SQLITE_OK)
		rc = walk(s, keep, fn, arg);
	put_back(s, keep);
	return rc;
}

bool ledger_sql(Ledger *l, LedgerRow *fn, void *arg, const char *sql,
		const char *types, ...)
{
	va_list ap;

	must_own(l);
	va_start(ap, types);
	int rc = sql_run(l, fn, arg, sql, types, ap);
	va_end(ap);
	if (rc == SQLITE_ROW)
		return false;
	return rc == SQLITE_DONE || fails(l, rc);
}

/* Ends a transaction that running out of memory has left open. */
static void take_back(Ledger *l)
{
	must_own(l);
	if (!sqlite3_get_autocommit(l->db))
		sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL);
}

bool ledger_begin_write(Ledger *l)
{
	take_back(l);
	return ledger_sql(l, NULL, NULL, "BEGIN IMMEDIATE", "");
}

bool ledger_begin_read(Ledger *l)
{
	take_back(l);
	return ledger_sql(l, NULL, NULL, "BEGIN", "");
}

bool ledger_finish(Ledger *l, bool ok)
{
	if (ok)
		ok = ledger_sql(l, NULL, NULL, "COMMIT", "");
	if (!ok)
		take_back(l);
	return ok;
}

const char *ledger_text(Arena *a, sqlite3_stmt *row, int column)
{
	const char *s = (const char *)sqlite3_column_text(row, column);

	/* NULL for want of memory too: the type tells */
	if (!s && sqlite3_column_type(row, column) != SQLITE_NULL)
		oom_raise();
	return s ? arena_strdup(a, s) : NULL;
}

static bool take_int(void *arg, sqlite3_stmt *row)
{
	*(int64_t *)arg = sqlite3_column_int64(row, 0);
	return true;
}

/* ---- searches of processes that are gone ------------------------------- */

typedef struct Gone {
	Arena *a;
	VEC(int64_t) ids;
} Gone;

static bool take_gone(void *arg, sqlite3_stmt *row)
{
	Gone *g = arg;
	const char *process = (const char *)sqlite3_column_text(row, 1);

	if (process && process_is_gone(process))
		VEC_PUSH(g->a, g->ids, sqlite3_column_int64(row, 0));
	return true;
}

/* Searches whose process has died. */
static bool tell_killed(Ledger *l)
{
	Gone g = {.a = &l->ctx->perm};

	if (!ledger_sql(l, take_gone, &g,
			"SELECT id, process FROM search "
			"WHERE state = 'running'",
			""))
		return false;
	for (size_t i = 0; i < g.ids.n; i++)
		if (!ledger_sql(l, NULL, NULL,
				"UPDATE search SET state = 'killed' "
				"WHERE id = ?1 AND state = 'running'",
				"i", g.ids.p[i]))
			return false;
	return true;
}

/* ---- opening ----------------------------------------------------------- */

/*
 * Every statement goes first, also one that running out of memory has left
 * half-way. A forked child must not even close it.
 */
static void drop(void *p)
{
	Ledger *l = p;
	sqlite3_stmt *s;

	if (!l->db || l->owner != getpid())
		return;
	while ((s = sqlite3_next_stmt(l->db, NULL)) != NULL)
		sqlite3_finalize(s);
	sqlite3_close(l->db);
	l->db = NULL;
}

void ledger_close(Ledger *l)
{
	if (l)
		drop(l);
}

/* NULL: the folder is reported. */
static const char *default_path(Ctx *ctx)
{
	const char *folder;

	if (!cache_dir(ctx, &ctx->perm, &folder) || !dir_make(ctx, folder))
		return NULL;
	if (!folder_is_ours(folder)) {
		diag_fail(ctx, ERR_ENV, "make it yours, with mode 0700",
			  "the cache folder %s can be written by other users",
			  folder);
		return NULL;
	}
	return arena_printf(&ctx->perm, "%s/ledger.sqlite", folder);
}

/*
 * Made closed to others before SQLite sees it, whose own files beside it take
 * the same mode; not by open, which would have to be closed.
 */
static bool file_make(Ledger *l)
{
	struct stat st;

	if (mknod(l->path, S_IFREG | 0600, 0) != 0 && errno != EEXIST) {
		const char *why =
			errno == ENOSPC ? "the disk is full" : strerror(errno);
		return diag_fail(l->ctx, ERR_ENV,
				 "set XDG_CACHE_HOME to a folder that can be "
				 "written",
				 "cannot make the ledger %s: %s", l->path, why);
	}
	if (stat(l->path, &st) != 0)
		return diag_fail(l->ctx, ERR_ENV, NULL,
				 "cannot open the ledger %s: %s", l->path,
				 strerror(errno));
	if (!S_ISREG(st.st_mode))
		return diag_fail(l->ctx, ERR_ENV, MOVE_AWAY,
				 "the ledger %s is not a file", l->path);
	if ((st.st_mode & 022) != 0 || st.st_uid != geteuid())
		return diag_fail(l->ctx, ERR_ENV,
				 "plans in it are run: make it yours, with "
				 "mode 0600",
				 "the ledger %s can be written by other users",
				 l->path);
	return true;
}

/*
 * Whether it is a ledger, or nothing yet; writes nothing. In a transaction, for
 * another process may be making it.
 */
static bool is_ledger(Ledger *l, int64_t *version)
{
	int64_t mark = 0, tables = 0;

	if (!ledger_sql(l, take_int, &mark, "PRAGMA application_id", "") ||
	    !ledger_sql(l, take_int, version, "PRAGMA user_version", "") ||
	    !ledger_sql(l, take_int, &tables,
			"SELECT count(*) FROM sqlite_master", ""))
		return false;
	if (mark != LEDGER_MARK && (mark || *version || tables))
		return diag_fail(l->ctx, ERR_ENV, MOVE_AWAY,
				 "%s is a database, but not a ledger of Tenon",
				 l->path);
	if (*version > LEDGER_VERSION)
		return diag_fail(l->ctx, ERR_ENV,
				 "use that Tenon, or set XDG_CACHE_HOME to "
				 "another folder; " MOVE_AWAY,
				 "the ledger %s was written by a newer Tenon: "
				 "it is of version %lld, and this one knows "
				 "%lld",
				 l->path, (long long)*version,
				 (long long)LEDGER_VERSION);
	return true;
}

/*
 * Stays with what there is where the file system has no shared memory. SQLite
 * does not always wait by itself where two begin at the same time.
 */
static bool use_wal(Ledger *l)
{
	struct timespec pause = {.tv_nsec = 5000000};
	double end = clock_seconds() + ledger_wait_ms / 1000.0;
	int rc;

	while ((rc = sqlite3_exec(l->db, "PRAGMA journal_mode = WAL", NULL,
				  NULL, NULL)) != SQLITE_OK) {
		if ((rc & 0xff) != SQLITE_BUSY || clock_seconds() > end)
			return fails(l, rc);
		nanosleep(&pause, NULL);
	}
	rc = sqlite3_exec(l->db, "PRAGMA synchronous = NORMAL", NULL, NULL,
			  NULL);
	return rc == SQLITE_OK || fails(l, rc);
}

/* In a transaction: from the version that it has, step by step. */
static bool migrate(Ledger *l)
{
	int64_t version;
	char text[80];

	if (!is_ledger(l, &version)) /* another process may have been first */
		return false;
	for (; version < LEDGER_VERSION; version++) {
		snprintf(text, sizeof(text),
			 "PRAGMA application_id = %d; "
			 "PRAGMA user_version = %lld",
			 LEDGER_MARK, (long long)version + 1);
		int rc = sqlite3_exec(l->db, steps[version], NULL, NULL, NULL);
		if (rc == SQLITE_OK)
			rc = sqlite3_exec(l->db, text, NULL, NULL, NULL);
		if (rc != SQLITE_OK)
			return fails(l, rc);
	}
	return true;
}

static bool open_database(Ledger *l)
{
	int64_t version;
	int rc = sqlite3_open_v2(l->path, &l->db, SQLITE_OPEN_READWRITE, NULL);

	if (!l->db)
		oom_raise();
	if (rc != SQLITE_OK)
		return fails(l, rc);
	sqlite3_extended_result_codes(l->db, 1);
	sqlite3_busy_timeout(l->db, ledger_wait_ms);
	if (sqlite3_db_readonly(l->db, "main") == 1)
		return fails(l, SQLITE_READONLY);
	if (!ledger_begin_read(l) ||
	    !ledger_finish(l, is_ledger(l, &version)) || !use_wal(l))
		return false;
	if (version < LEDGER_VERSION &&
	    !(ledger_begin_write(l) && ledger_finish(l, migrate(l))))
		return false;
	return tell_killed(l);
}

Ledger *ledger_open(Ctx *ctx, const char *path)
{
	Ledger *l = arena_new(&ctx->perm, Ledger);

	l->ctx = ctx;
	l->owner = getpid();
	l->path = path ? arena_strdup(&ctx->perm, path) : default_path(ctx);
	if (!l->path)
		return NULL;
	arena_defer(&ctx->perm, drop, l);
	if (file_make(l) && open_database(l))
		return l;
	drop(l);
	return NULL;
}
