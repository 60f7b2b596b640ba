/*
 * bench: a program against other libraries; the work is src/lab's.
 *
 * Ctrl-C ends at the next block: what was complete is printed, the samples'
 * file is removed, and the exit code says that the work is not done.
 */
#include "cli.h"

#include "lab/lab.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS      15
#define FIRST_CLOCK "host single"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

static bool stop(void)
{
	return interrupted != 0;
}

typedef struct Bench {
	LabMem mem;
	LabMachine machine;
	LabPeaks peaks;
	bool has_peaks;
	LabCsv *csv;
} Bench;

/* ---- text ------------------------------------------------------------ */

static const char *oracle_text(const LabPathResult *p)
{
	switch (p->outcome) {
	case TENON_PASS:
		return "pass";
	case TENON_FAIL:
		return "FAIL";
	case TENON_INCONCLUSIVE:
		return "inconclusive";
	case TENON_NONE:
		break;
	}
	return "-";
}

/* Digits that tell something: three. */
static Text text_us(double us)
{
	Text x;

	snprintf(x.s, TEXT_MAX, "%.*f",
		 us < 9.995   ? 2
		 : us < 99.95 ? 1
			      : 0,
		 us);
	return x;
}

static void path_print(const Bench *b, const LabResult *r,
		       const LabPathResult *p)
{
	printf("%-14s", p->name);
	if (p->why_not) {
		printf("  %s\n", p->why_not);
		return;
	}
	printf(" %10s", text_us(p->median).s);
	if (r->flop > 0)
		printf(" %9s", text_us(r->flop / p->median * 1e-3).s);
	else
		printf(" %9s", "-");
	printf(" %8s", text_us(r->bytes / p->median * 1e-3).s);
	if (b->has_peaks)
		printf(" %5.0f%%", 100 *
					   lab_roof(&b->peaks, r->flop,
						    r->bytes, r->written) /
					   p->median);
	if (p == r->paths)
		printf("   %-28s", "");
	else
		printf("   %5.2f [%.2f, %.2f] %-7s    ", p->ratio.median,
		       p->ratio.low, p->ratio.high,
		       lab_verdict_name(p->verdict));
	printf(" %s%s\n", oracle_text(p), p->drifted ? "   drift" : "");
}

static void result_print(const Bench *b, const LabResult *r)
{
	if (r->interrupted) {
		printf("interrupted\n");
		return;
	}
	printf("clock    %s, %s data%s, %d rounds\n\n", r->clock, r->regime,
	       r->sets > 1 ? " (rotated)" : "", r->rounds);
	printf("%-14s %10s %9s %8s%s   %-28s %s\n", "path", "median us",
	       "GFLOP/s", "GB/s", b->has_peaks ? "   roof" : "",
	       "its time / tenon's; tenon is", "oracle");
	for (int i = 0; i < r->npaths; i++)
		path_print(b, r, &r->paths[i]);
	for (int i = 0; i < r->nmore; i++) {
		printf("\n");
		result_print(b, &r->more[i]);
	}
	for (int i = 1; i < r->npaths && strcmp(r->clock, FIRST_CLOCK) == 0;
	     i++)
		if (!r->paths[i].why_not)
			printf("%s%s: %s\n", i == 1 ? "\n" : "",
			       r->paths[i].name, r->paths[i].steps);
	if (r->others > LAB_OTHERS_FLAG)
		printf("\nother processes kept %.2f CPUs busy meanwhile\n",
		       r->others);
	fflush(stdout);
}

/* ---- JSON ------------------------------------------------------------ */

static json_t *json_path(const LabResult *r, const LabPathResult *p)
{
	json_t *o = json_object(), *list = json_array();

	json_object_set_new(o, "path", json_text(p->name));
	json_object_set_new(o, "version", json_text(p->version));
	json_object_set_new(o, "missing", json_boolean(p->missing));
	json_object_set_new(o, "why_not", json_text(p->why_not));
	if (p->why_not)
		return json_decref(list), o;
	json_object_set_new(o, "steps", json_text(p->steps));
	json_object_set_new(o, "outcome",
			    json_string(outcome_name(p->outcome)));
	json_object_set_new(o, "wrong", json_integer(p->wrong));
	json_object_set_new(o, "misses", json_integer(p->misses));
	json_object_set_new(o, "calls_a_sample",
			    json_integer(p->samples.calls));
	json_object_set_new(o, "median_us", json_real(p->median));
	json_object_set_new(o, "p10_us", json_real(p->p10));
	json_object_set_new(o, "p90_us", json_real(p->p90));
	json_object_set_new(o, "drift", json_real(p->drift));
	json_object_set_new(o, "ratio",
			    json_pack("{s:f, s:f, s:f, s:f, s:f}", "median",
				      p->ratio.median, "low", p->ratio.low,
				      "high", p->ratio.high, "least",
				      p->ratio.least, "most", p->ratio.most));
	json_object_set_new(
		o, "verdict",
		p == r->paths ? json_null()
			      : json_string(lab_verdict_name(p->verdict)));
	for (int k = 0; k < r->rounds; k++)
		json_array_append_new(list, json_real(p->samples.us[k]));
	json_object_set_new(o, "samples_us", list);
	return o;
}

static void report(Session *s, const LabResult *r)
{
	json_t *list = json_array(), *clocks = json_array();

	report_head(s);
	json_object_set_new(s->report, "clock", json_string(r->clock));
	json_object_set_new(s->report, "regime", json_text(r->regime));
	json_object_set_new(s->report, "rounds", json_integer(r->rounds));
	json_object_set_new(s->report, "others", json_real(r->others));
	json_object_set_new(s->report, "flop", json_real(r->flop));
	json_object_set_new(s->report, "bytes", json_real(r->bytes));
	json_object_set_new(s->report, "written", json_real(r->written));
	for (int i = 0; i < r->npaths; i++)
		json_array_append_new(list, json_path(r, &r->paths[i]));
	json_object_set_new(s->report, "paths", list);
	for (int k = 0; k < r->nmore; k++) {
		const LabResult *more = &r->more[k];

		list = json_array();
		for (int i = 0; i < more->npaths; i++)
			json_array_append_new(list,
					      json_path(more, &more->paths[i]));
		json_array_append_new(clocks,
				      json_pack("{s:s, s:i, s:f, s:o}", "clock",
						more->clock, "rounds",
						more->rounds, "others",
						more->others, "paths", list));
	}
	json_object_set_new(s->report, "clocks", clocks);
}

/* ---- one case -------------------------------------------------------- */

static int lab_failed(Session *s, TenonError err, const LabMem *m)
{
	if (*tenon_message(s->ctx) || !m->why)
		return session_fail(s, err);
	return session_fail_text(s, EXIT_ENVIRONMENT, NULL, "%s", m->why);
}

/* Names that --vs gives are known before anything is compiled. */
static int peers_known(Session *s)
{
	const char *at = arg_value(s->args, OPT_VS);
	char hint[256] = "peers:";
	size_t used = strlen(hint);

	for (int i = 0; i < lab_npeers && used < sizeof(hint); i++)
		used += (size_t)snprintf(hint + used, sizeof(hint) - used,
					 "%s %s", i ? "," : "",
					 lab_peers[i]->name);
	while (at && *at) {
		size_t n = strcspn(at, ",");

		if (!lab_peer_find(lab_peers, lab_npeers, at, n))
			return session_fail_text(s, EXIT_USAGE, hint,
						 "--vs: no peer named %.*s",
						 (int)n, at);
		at += n + (at[n] == ',');
	}
	return EXIT_GOOD;
}

static int options_read(Session *s, LabOptions *o)
{
	const char *regime = arg_value(s->args, OPT_REGIME);
	uint64_t seed = 1, rounds = ROUNDS;
	int code = arg_number(s->args, OPT_SEED, 0, INT64_MAX, &seed);

	if (code == EXIT_GOOD)
		code = arg_number(s->args, OPT_ROUNDS, 1, 1000, &rounds);
	if (code == EXIT_GOOD)
		code = peers_known(s);
	if (code != EXIT_GOOD)
		return code;
	if (regime && strcmp(regime, "warm") != 0 &&
	    strcmp(regime, "cold") != 0)
		return session_fail_text(s, EXIT_USAGE, NULL,
					 "--regime: %s is neither warm nor "
					 "cold",
					 regime);
	*o = (LabOptions){
		.peers = arg_value(s->args, OPT_VS),
		.strict = true,
		.threads = tenon_threads(s->ctx),
		.rounds = (int)rounds,
		.cold = regime && strcmp(regime, "cold") == 0,
		.check = !arg_has(s->args, OPT_NO_CHECK),
		.seed = seed,
		.compiler = arg_value(s->args, OPT_CC),
		.stop = stop,
		.progress = progress,
	};
	return EXIT_GOOD;
}

/* The program of the session against its peers; *r is memory of b. */
static int case_run(Bench *b, Session *s, const LabOptions *o, LabResult *r)
{
	TenonError err;
	int code;

	if ((code = session_program(s)) != EXIT_GOOD ||
	    (code = session_sizes(s)) != EXIT_GOOD ||
	    (code = session_plan(s)) != EXIT_GOOD)
		return code;
	if (!s->report)
		print_head(s);
	err = lab_bench(&b->mem, s->ctx, s->program, s->plan, o, r);
	progress(NULL);
	if (err)
		return lab_failed(s, err, &b->mem);
	session_notices(s);
	if (!s->report)
		result_print(b, r);
	if (r->interrupted)
		return session_fail_text(s, EXIT_ENVIRONMENT, NULL,
					 "interrupted");
	if (b->csv && !lab_csv_add(&b->mem, b->csv, r))
		return lab_failed(s, TENON_EENV, &b->mem);
	return EXIT_GOOD;
}

/* ---- the machine ----------------------------------------------------- */

static const char *const move_names[LAB_MOVES] = {"read", "copy",
						  "copy, streamed"};

/* Peaks with one thread and, if more were asked for, with all. */
static int peaks_measure(Bench *b, Session *s, LabPeaks *peaks, int *n)
{
	const char *compiler = arg_value(s->args, OPT_CC);
	int all = tenon_threads(s->ctx);

	lab_machine(&b->mem, compiler, &b->machine);
	*n = 0;
	for (int threads = 1; *n < 2; threads = all) {
		LabTeam *team = lab_team_new(&b->mem, threads);
		bool ok;

		if (!team)
			return lab_failed(s, TENON_EENV, &b->mem);
		progress("measuring the machine");
		ok = lab_peaks(&b->mem, compiler, team, threads, &b->machine,
			       &peaks[*n]);
		progress(NULL);
		lab_team_free(team);
		if (!ok)
			return lab_failed(s, TENON_EENV, &b->mem);
		b->peaks = peaks[(*n)++];
		if (threads == all)
			break;
	}
	b->has_peaks = true;
	return EXIT_GOOD;
}

static void machine_print(const Bench *b, const LabPeaks *peaks, int n)
{
	const LabMachine *m = &b->machine;

	printf("machine  %s, %d CPUs\n", m->model, m->cpus);
	printf("caches   L1 %s, L2 %s, L3 %s\n", text_bytes(m->l1).s,
	       text_bytes(m->l2).s, text_bytes(m->l3).s);
	printf("system   %s, %s\n\n%-38s", m->system, m->compiler, "");
	for (int i = 0; i < n; i++)
		printf(" %4d thread%s", peaks[i].threads,
		       peaks[i].threads == 1 ? " " : "s");
	printf("\n%-14s %-12s %10s", "multiply-add", "f32", "GFLOP/s");
	for (int i = 0; i < n; i++)
		printf(" %12.1f", peaks[i].gflops);
	for (int l = 0; l < LAB_LEVELS; l++)
		for (int k = 0; k < LAB_MOVES; k++) {
			/* L2 is a thread's own: its footprint grows. */
			const char *place =
				l == LAB_L2   ? "in L2"
				: l == LAB_L3 ? text_bytes(peaks[0].bytes[l]).s
					      : "in memory";

			printf("\n%-14s %-12s %10s", move_names[k], place,
			       "GB/s");
			for (int i = 0; i < n; i++)
				printf(" %12.1f", peaks[i].gbs[l][k]);
		}
	printf("\n");
}

static json_t *json_peaks(const LabPeaks *p)
{
	static const char *const levels[LAB_LEVELS] = {"l2", "l3", "memory"};
	static const char *const moves[LAB_MOVES] = {"read", "copy", "stream"};
	json_t *o = json_object();

	json_object_set_new(o, "threads", json_integer(p->threads));
	json_object_set_new(o, "gflops", json_real(p->gflops));
	for (int l = 0; l < LAB_LEVELS; l++) {
		json_t *level = json_object();

		json_object_set_new(level, "bytes", json_integer(p->bytes[l]));
		for (int k = 0; k < LAB_MOVES; k++)
			json_object_set_new(level, moves[k],
					    json_real(p->gbs[l][k]));
		json_object_set_new(o, levels[l], level);
	}
	return o;
}

static void machine_report(const Bench *b, json_t *report,
			   const LabPeaks *peaks, int n)
{
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_peaks(&peaks[i]));
	json_object_set_new(report, "machine", lab_machine_json(&b->machine));
	json_object_set_new(report, "peaks", list);
}

static int machine(Bench *b, Session *s, bool alone)
{
	LabPeaks peaks[2];
	int n, code = peaks_measure(b, s, peaks, &n);

	if (code != EXIT_GOOD)
		return code;
	if (s->report)
		machine_report(b, s->report, peaks, n);
	else
		machine_print(b, peaks, n);
	if (alone)
		session_report(s, "measured");
	else if (!s->report)
		printf("\n");
	return EXIT_GOOD;
}

/* ---- all of it ------------------------------------------------------- */

/* FILE.tn as it is; NAME as examples/NAME.tn. */
static const char *program_path(LabMem *m, const char *operand)
{
	if (strpbrk(operand, "./") || access(operand, R_OK) == 0)
		return operand;
	return lab_printf(m, "examples/%s.tn", operand);
}

static const char *folder_of(LabMem *m, const char *path)
{
	const char *end = strrchr(path, '/');

	return end ? lab_printf(m, "%.*s", (int)(end - path), path) : ".";
}

static int csv_open(Bench *b, Session *s)
{
	const char *path = arg_value(s->args, OPT_CSV);

	if (!path)
		return EXIT_GOOD;
	b->csv = lab_csv_open(&b->mem, path);
	return b->csv ? EXIT_GOOD : lab_failed(s, TENON_EENV, &b->mem);
}

static int bench(Bench *b, Session *s)
{
	LabOptions o;
	LabResult r;
	int code;

	if ((code = options_read(s, &o)) != EXIT_GOOD ||
	    (code = csv_open(b, s)) != EXIT_GOOD)
		return code;
	o.folder = folder_of(&b->mem, s->args->operand);
	if (arg_has(s->args, OPT_MACHINE) &&
	    (code = machine(b, s, false)) != EXIT_GOOD)
		return code;
	if ((code = case_run(b, s, &o, &r)) != EXIT_GOOD)
		return code;
	if (s->report)
		report(s, &r);
	if (b->csv) {
		LabCsv *csv = b->csv;

		b->csv = NULL;
		lab_machine(&b->mem, o.compiler, &b->machine);
		if (!lab_csv_close(&b->mem, csv, &b->machine, &r))
			return lab_failed(s, TENON_EENV, &b->mem);
	}
	session_report(s, outcome_name(r.paths[0].outcome));
	return r.paths[0].outcome == TENON_FAIL ? EXIT_WRONG : EXIT_GOOD;
}

int cli_bench(const Args *a)
{
	jmp_buf refused;
	Bench b = {.mem = {.refused = &refused}};
	Session s;
	Args args = *a;
	int code = session_init(&s, &args);

	if (code == EXIT_GOOD && !a->operand && !arg_has(a, OPT_MACHINE))
		code = session_fail_text(&s, EXIT_USAGE,
					 "tenon bench --help tells more",
					 "bench needs a FILE.tn");
	if (code == EXIT_GOOD) {
		signal(SIGINT, on_interrupt);
		if (setjmp(refused)) {
			code = session_fail(&s, TENON_ENOMEM);
		} else if (!a->operand) {
			code = machine(&b, &s, true);
		} else {
			args.operand = program_path(&b.mem, a->operand);
			code = bench(&b, &s);
		}
		signal(SIGINT, SIG_DFL);
	}
	if (b.csv)
		lab_csv_abandon(b.csv);
	lab_release(&b.mem);
	session_clear(&s);
	return code;
}
