/*
 * ledger_rows: searches, candidates and plans, written and found.
 *
 * A search counts the candidates that it considers itself, in the transaction
 * that adds each: a report holds the count against the rows that are there.
 */
#include "search/ledger_own.h"
#include "ir/plan.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const cand_state_name[CAND_STATES] = {
	[CAND_LEFT] = "left",
	[CAND_REFUSED] = "refused",
	[CAND_FAILED] = "failed",
	[CAND_WRONG] = "wrong",
	[CAND_CRASHED] = "crashed",
	[CAND_TIMED_OUT] = "timed-out",
	[CAND_NO_MEMORY] = "no-memory",
	[CAND_MEASURED] = "measured",
	[CAND_TIE] = "tie",
	[CAND_CHOSEN] = "chosen",
};

static bool take_int(void *arg, sqlite3_stmt *row)
{
	*(int64_t *)arg = sqlite3_column_int64(row, 0);
	return true;
}

/* ---- searches ---------------------------------------------------------- */

/* Hashes of one length, one a part: no part can run into the next. */
void search_key(const SearchKey *k, char out[SHA256_HEX])
{
	const char *part[] = {k->program,  k->dims,    k->target, k->device,
			      k->compiler, k->options, k->version};
	char all[ARRAY_LEN(part) * SHA256_HEX];

	for (size_t i = 0; i < ARRAY_LEN(part); i++) {
		const char *s = part[i] ? part[i] : "";
		sha256_hex(s, strlen(s), all + i * SHA256_HEX);
	}
	sha256_hex(all, sizeof(all), out);
}

void ledger_read_search(Arena *a, sqlite3_stmt *row, SearchInfo *out)
{
	const char *key = ledger_text(a, row, 1);
	int i = 2;

	*out = (SearchInfo){.id = sqlite3_column_int64(row, 0)};
	if (key && strlen(key) < sizeof(out->key))
		strcpy(out->key, key);
	out->name = ledger_text(a, row, i++);
	out->parts.program = ledger_text(a, row, i++);
	out->parts.dims = ledger_text(a, row, i++);
	out->parts.target = ledger_text(a, row, i++);
	out->parts.device = ledger_text(a, row, i++);
	out->parts.compiler = ledger_text(a, row, i++);
	out->parts.options = ledger_text(a, row, i++);
	out->parts.version = ledger_text(a, row, i++);
	out->policy = ledger_text(a, row, i++);
	out->seed = (uint64_t)sqlite3_column_int64(row, i++);
	out->seconds = sqlite3_column_double(row, i++);
	out->candidates = sqlite3_column_int64(row, i++);
	out->started = sqlite3_column_int64(row, i++);
	out->ended = sqlite3_column_int64(row, i++);
	out->state = ledger_text(a, row, i++);
	out->plan = ledger_text(a, row, i++);
}

typedef struct Found {
	Arena *a;
	SearchInfo *out;
	bool any;
} Found;

static bool take_search(void *arg, sqlite3_stmt *row)
{
	Found *f = arg;

	ledger_read_search(f->a, row, f->out);
	f->any = true;
	return true;
}

bool ledger_find(Ledger *l, Arena *a, const SearchInfo *want, SearchInfo *out)
{
	SearchInfo at;
	Found f = {.a = a, .out = &at};
	char key[SHA256_HEX];

	search_key(&want->parts, key);
	if (!ledger_sql(l, take_search, &f,
			"SELECT " SEARCH_COLUMNS " FROM search "
			"WHERE key = ?1 AND policy IS ?2 AND seed = ?3 "
			"AND seconds = ?4 AND candidates = ?5 "
			"AND state IN ('complete', 'exhausted') "
			"AND plan IS NOT NULL ORDER BY id DESC LIMIT 1",
			"ttidi", key, want->policy, (int64_t)want->seed,
			want->seconds, want->candidates))
		return false;
	if (f.any)
		*out = at;
	return f.any;
}

bool ledger_begin(Ledger *l, SearchInfo *s)
{
	char process[PROCESS_TEXT];

	search_key(&s->parts, s->key);
	process_text(process);
	s->started = (int64_t)time(NULL);
	s->ended = 0;
	s->state = "running";
	return ledger_begin_write(l) &&
	       ledger_finish(
		       l, ledger_sql(l, take_int, &s->id,
				     "INSERT INTO search (key, name, program, "
				     "dims, target, device, compiler, options, "
				     "version, policy, seed, seconds, "
				     "candidates, started, ended, state, "
				     "process) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
				     "?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 0, "
				     "'running', ?15) RETURNING id",
				     "ttttttttttidiit", s->key, s->name,
				     s->parts.program, s->parts.dims,
				     s->parts.target, s->parts.device,
				     s->parts.compiler, s->parts.options,
				     s->parts.version, s->policy,
				     (int64_t)s->seed, s->seconds,
				     s->candidates, s->started, process));
}

/* Whether the statement before met a row: somebody may have removed it. */
static bool met(Ledger *l, const char *what, int64_t id)
{
	return sqlite3_changes(l->db) > 0 ||
	       diag_fail(l->ctx, ERR_ENV,
			 "rows were removed while a search was running",
			 "the ledger %s has no %s %lld", l->path, what,
			 (long long)id);
}

bool ledger_end(Ledger *l, const SearchInfo *s)
{
	return ledger_begin_write(l) &&
	       ledger_finish(
		       l,
		       ledger_sql(l, NULL, NULL,
				  "UPDATE search SET state = ?2, plan = ?3, "
				  "ended = ?4 WHERE id = ?1",
				  "itti", s->id, s->state, s->plan,
				  s->ended ? s->ended : (int64_t)time(NULL)) &&
			       met(l, "search", s->id));
}

/* ---- candidates -------------------------------------------------------- */

static CandState state_of(const char *name)
{
	for (int i = 0; i < CAND_STATES; i++)
		if (name && strcmp(name, cand_state_name[i]) == 0)
			return (CandState)i;
	return CAND_STATES;
}

void ledger_read_cand(Arena *a, sqlite3_stmt *row, CandInfo *out)
{
	int i = 0;

	*out = (CandInfo){.id = sqlite3_column_int64(row, i++)};
	out->search = sqlite3_column_int64(row, i++);
	out->order = sqlite3_column_int64(row, i++);
	out->variant = ledger_text(a, row, i++);
	out->variant_how = ledger_text(a, row, i++);
	out->region = sqlite3_column_int64(row, i++);
	out->chosen = ledger_text(a, row, i++);
	out->rest = ledger_text(a, row, i++);
	out->state = state_of(ledger_text(a, row, i++));
	out->reason = ledger_text(a, row, i++);
	out->predicted_us = sqlite3_column_double(row, i++);
	out->compute_us = sqlite3_column_double(row, i++);
	out->memory_us = sqlite3_column_double(row, i++);
	out->move_us = sqlite3_column_double(row, i++);
	out->start_us = sqlite3_column_double(row, i++);
	out->measured_us = sqlite3_column_double(row, i++);
	out->ratio = sqlite3_column_double(row, i++);
	out->lo = sqlite3_column_double(row, i++);
	out->hi = sqlite3_column_double(row, i++);
	out->against = sqlite3_column_int64(row, i++);
	out->plan = ledger_text(a, row, i++);
	out->trial = sqlite3_column_int64(row, i++);
}

/* The number of a variant, which is made where it is new. */
static bool variant_id(Ledger *l, const char *key, const char *how, int64_t *id)
{
	key = key ? key : "";
	how = how ? how : "";
	*id = 0;
	if (!ledger_sql(l, take_int, id,
			"SELECT id FROM variant WHERE key = ?1 AND how = ?2",
			"tt", key, how))
		return false;
	return *id || ledger_sql(l, take_int, id,
				 "INSERT INTO variant (key, how) "
				 "VALUES (?1, ?2) RETURNING id",
				 "tt", key, how);
}

static bool add(Ledger *l, CandInfo *c)
{
	int64_t order = -1, variant;

	if (!ledger_sql(l, take_int, &order,
			"UPDATE search SET considered = considered + 1 "
			"WHERE id = ?1 RETURNING considered - 1",
			"i", c->search) ||
	    !met(l, "search", c->search) ||
	    !variant_id(l, c->variant, c->variant_how, &variant))
		return false;
	c->order = order;
	return ledger_sql(
		l, take_int, &c->id,
		"INSERT INTO candidate (search, ord, variant, region, chosen, "
		"rest, state, reason, predicted_us, compute_us, memory_us, "
		"move_us, start_us, measured_us, ratio, lo, hi, against, plan, "
		"trial) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
		"?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20) RETURNING id",
		"iiiittttDDDDDDDDDItI", c->search, c->order, variant, c->region,
		c->chosen, c->rest, cand_state_name[c->state], c->reason,
		c->predicted_us, c->compute_us, c->memory_us, c->move_us,
		c->start_us, c->measured_us, c->ratio, c->lo, c->hi, c->against,
		c->plan, c->trial);
}

bool ledger_add(Ledger *l, CandInfo *c)
{
	return ledger_add_all(l, c, 1);
}

bool ledger_add_all(Ledger *l, CandInfo *c, size_t n)
{
	bool ok = true;

	if (!ledger_begin_write(l))
		return false;
	for (size_t i = 0; i < n && ok; i++)
		ok = add(l, &c[i]);
	return ledger_finish(l, ok);
}

static bool settle(Ledger *l, const CandInfo *c, const TrialResult *t)
{
	return ledger_sql(l, NULL, NULL,
			  "UPDATE candidate SET state = ?2, reason = ?3, "
			  "predicted_us = ?4, compute_us = ?5, memory_us = ?6, "
			  "move_us = ?7, start_us = ?8, measured_us = ?9, "
			  "ratio = ?10, lo = ?11, hi = ?12, against = ?13, "
			  "plan = ?14, calls = coalesce(?15, calls), "
			  "check_ms = coalesce(?16, check_ms), "
			  "time_ms = coalesce(?17, time_ms), trial = ?18, "
			  "rest = coalesce(?19, rest) WHERE id = ?1",
			  "ittDDDDDDDDDItIDDIt", c->id,
			  cand_state_name[c->state], c->reason, c->predicted_us,
			  c->compute_us, c->memory_us, c->move_us, c->start_us,
			  c->measured_us, c->ratio, c->lo, c->hi, c->against,
			  c->plan, (int64_t)(t ? t->calls : 0),
			  t ? t->check_ms : 0.0, t ? t->time_ms : 0.0, c->trial,
			  c->rest) &&
	       met(l, "candidate", c->id);
}

/* The first row that tells of a trial makes it. */
static bool add_trial(Ledger *l, const CandInfo *c)
{
	return !c->trial || !c->point ||
	       ledger_sql(l, NULL, NULL,
			  "INSERT OR IGNORE INTO trial (search, number, point) "
			  "VALUES (?1, ?2, ?3)",
			  "iit", c->search, c->trial, c->point);
}

static bool add_samples(Ledger *l, int64_t id, const TrialResult *t)
{
	bool ok =
		ledger_sql(l, NULL, NULL,
			   "DELETE FROM sample WHERE candidate = ?1", "i", id);

	/* what failed between its rounds has no time */
	if (t->state != TRIAL_MEASURED && t->median_us <= 0)
		return ok;
	for (int i = 0; ok && i < t->rounds && i < TRIAL_ROUNDS; i++)
		ok = ledger_sql(l, NULL, NULL,
				"INSERT INTO sample (candidate, round, us, "
				"other_us, first) VALUES (?1, ?2, ?3, ?4, ?5)",
				"iiddi", id, (int64_t)i, t->us[i],
				t->other_us[i], (int64_t)t->first[i]);
	return ok;
}

static bool settle_one(Ledger *l, const CandInfo *c, const TrialResult *samples)
{
	return settle(l, c, samples) && add_trial(l, c) &&
	       (!samples || add_samples(l, c->id, samples));
}

bool ledger_settle(Ledger *l, const CandInfo *c, const TrialResult *samples)
{
	return ledger_begin_write(l) &&
	       ledger_finish(l, settle_one(l, c, samples));
}

bool ledger_settle_all(Ledger *l, CandInfo *c, size_t n,
		       const TrialResult *samples)
{
	bool ok = true;

	if (!ledger_begin_write(l))
		return false;
	for (size_t i = 0; i < n && ok; i++)
		ok = (c[i].id || add(l, &c[i])) &&
		     settle_one(l, &c[i], samples);
	return ledger_finish(l, ok);
}

bool ledger_left(Ledger *l, int64_t search, const char *reason)
{
	return ledger_begin_write(l) &&
	       ledger_finish(l, ledger_sql(l, NULL, NULL,
					   "UPDATE candidate SET reason = ?2 "
					   "WHERE search = ?1 "
					   "AND state = 'left'",
					   "it", search, reason));
}

/* ---- variants and finals ----------------------------------------------- */

static bool add_space(Ledger *l, int64_t search, const SpaceInfo *x)
{
	int64_t variant;

	return variant_id(l, x->variant, x->variant_how, &variant) &&
	       ledger_sql(l, NULL, NULL,
			  "INSERT INTO space (search, number, variant, region, "
			  "first, n) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
			  "iiiiii", search, x->number, variant, x->region,
			  x->first, x->n);
}

bool ledger_add_space(Ledger *l, int64_t search, const SpaceInfo *x, size_t n)
{
	bool ok = true;

	if (!ledger_begin_write(l))
		return false;
	for (size_t i = 0; i < n && ok; i++)
		ok = add_space(l, search, &x[i]);
	return ledger_finish(l, ok);
}

static bool add_final(Ledger *l, const FinalInfo *f, const TrialResult *r)
{
	bool measured = r->state == TRIAL_MEASURED;
	int64_t id = 0;
	bool ok = ledger_sql(
		l, take_int, &id,
		"INSERT INTO final (search, candidate, against, outcome, "
		"reason, ratio, lo, hi) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "
		"?8) RETURNING id",
		"iiittDDD", f->search, f->candidate, f->against, f->outcome,
		f->reason, measured ? r->ratio : 0.0, measured ? r->lo : 0.0,
		measured ? r->hi : 0.0);

	for (int i = 0; ok && measured && i < r->rounds; i++)
		ok = ledger_sql(l, NULL, NULL,
				"INSERT INTO final_sample (final, round, us, "
				"other_us, first) VALUES (?1, ?2, ?3, ?4, ?5)",
				"iiddi", id, (int64_t)i, r->us[i],
				r->other_us[i], (int64_t)r->first[i]);
	return ok;
}

bool ledger_add_final(Ledger *l, const FinalInfo *f, const TrialResult *r)
{
	return ledger_begin_write(l) && ledger_finish(l, add_final(l, f, r));
}

/* ---- plans ------------------------------------------------------------- */

/* Whether the text is that plan's, part by part. */
static bool is_plan(Arena *a, const char *identity, const char *json)
{
	PlanParts parts = {0};

	return plan_parts(NULL, a, "", json, strlen(json), false, &parts) &&
	       strcmp(parts.identity, identity) == 0;
}

bool ledger_keep_plan(Ledger *l, const char *identity, const char *json)
{
	char hex[SHA256_HEX];

	if (!is_plan(&l->ctx->scratch, identity, json))
		return diag_fail(l->ctx, ERR_PROGRAM, NULL,
				 "a plan that is not %.12s was to be kept as "
				 "such",
				 identity);
	sha256_hex(json, strlen(json), hex);
	return ledger_begin_write(l) &&
	       ledger_finish(l,
			     ledger_sql(l, NULL, NULL,
					"INSERT INTO plan (identity, sha256, "
					"json, kept) VALUES (?1, ?2, ?3, ?4) "
					"ON CONFLICT (identity) DO UPDATE SET "
					"sha256 = ?2, json = ?3 "
					"WHERE sha256 <> ?2 OR json <> ?3",
					"ttti", identity, hex, json,
					(int64_t)time(NULL)));
}

typedef struct PlanRow {
	Arena *a;
	const char *sha256, *json;
} PlanRow;

static bool take_plan(void *arg, sqlite3_stmt *row)
{
	PlanRow *p = arg;

	p->sha256 = ledger_text(p->a, row, 0);
	p->json = ledger_text(p->a, row, 1);
	return true;
}

const char *ledger_plan_text(Ledger *l, Arena *a, const char *identity,
			     const char **why)
{
	PlanRow p = {.a = a};
	char hex[SHA256_HEX];

	*why = NULL;
	if (!ledger_sql(l, take_plan, &p,
			"SELECT sha256, json FROM plan WHERE identity = ?1",
			"t", identity))
		return NULL;
	if (!p.json)
		return NULL;
	sha256_hex(p.json, strlen(p.json), hex);
	if (!p.sha256 || strcmp(hex, p.sha256) != 0)
		*why = "its text is not what was kept";
	else if (!is_plan(a, identity, p.json))
		*why = "its text is another plan's";
	return *why ? NULL : p.json;
}

const char *ledger_plan(Ledger *l, Arena *a, const char *identity)
{
	const char *why, *text = ledger_plan_text(l, a, identity, &why);

	if (why)
		diag_warn(l->ctx,
			  "the plan %.12s in the ledger %s is passed over: %s",
			  identity, l->path, why);
	return text;
}
