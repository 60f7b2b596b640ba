/*
 * pipeline: the pass table, from stage 1 to stage 5.
 *
 * Only this file runs passes: it verifies after each, honours --skip and
 * --stop-after, and knows which stage a pass belongs to.
 */
#include "driver/driver.h"
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>

const char *const stage_name[STAGE_COUNT] = {
	[STAGE_PROGRAM] = "program", [STAGE_REWRITTEN] = "rewritten",
	[STAGE_REGIONS] = "regions", [STAGE_KERNELS] = "kernels",
	[STAGE_SOURCES] = "sources", [STAGE_PLAN] = "plan",
};

bool stage_parse(const char *name, Stage *out)
{
	for (int i = 0; i < STAGE_COUNT; i++)
		if (!strcmp(stage_name[i], name)) {
			*out = (Stage)i;
			return true;
		}
	return false;
}

/* ---- passes ---------------------------------------------------------- */

static bool verify_program(Pipeline *p, const char *pass)
{
	Buf why;

	buf_init(&why, p->arena);
	if (!program_verify(p->rewritten, &why))
		bug("pass %s breaks the laws of stage 2: %s", pass,
		    buf_str(&why));
	return true;
}

static bool run_rewrite(Pipeline *p, RewritePass *pass, const char *name)
{
	const Program *from = p->rewritten ? p->rewritten : p->program;

	p->rewritten = pass(&p->c->ctx, p->arena, from, &p->log);
	return p->rewritten && verify_program(p, name);
}

static bool pass_constants(Pipeline *p)
{
	return run_rewrite(p, rewrite_constants, "constants");
}

static bool pass_relaxations(Pipeline *p)
{
	return run_rewrite(p, rewrite_relaxations, "relaxations");
}

static bool pass_views(Pipeline *p)
{
	return run_rewrite(p, rewrite_views, "views");
}

static bool pass_cse(Pipeline *p)
{
	return run_rewrite(p, rewrite_cse, "cse");
}

static bool pass_dead(Pipeline *p)
{
	return run_rewrite(p, rewrite_dead, "dead");
}

/*
 * Expressions have limits (ir/expr.h). One that went over them is not the
 * index that was meant: the program is refused.
 */
static bool indices_fit(Pipeline *p, ExprTab *t, Loc loc)
{
	if (!t->overflow)
		return true;
	t->overflow = false;
	return diag_error(&p->c->ctx, loc,
			  "fewer named dims in one product, or constant sizes",
			  "refused: an index of the generated code is too "
			  "large an expression");
}

static bool is_region_pin(const Pipeline *p, const char *text)
{
	for (size_t i = 0; i < p->nregion_pins; i++)
		if (p->region_pins[i].text == text)
			return true;
	return false;
}

/* On a GPU attention.unit is a pin of regions as well: without a matrix unit
 * attention is its parts, with one it is joined. */
static void pin_regions(Pipeline *p)
{
	size_t left = 0;

	for (size_t i = 0; i < p->npins; i++) {
		const Pin *pin = &p->pins[i];
		bool unit = p->target->threads &&
			    !strcmp(pin->realisation, "attention") &&
			    !strcmp(pin->param, "unit");
		bool fma = pin->value == UNIT_FMA;
		if (unit && !is_region_pin(p, pin->text))
			p->region_pins[p->nregion_pins++] =
				(RegionPin){.kind = PIN_ATTENTION,
					    .join = !fma,
					    .text = pin->text};
		if (!unit || !fma)
			p->pins[left++] = *pin;
	}
	p->npins = left;
}

/* Whether the target is one of those that a user's kernel is for. */
static bool external_fits(Pipeline *p, const External *x)
{
	bool cuda = x->threads > 0;

	return (cuda ? p->target->cuda : !p->target->threads) ||
	       diag_fail(&p->c->ctx, ERR_USAGE,
			 cuda ? "use --target cuda, or one such as cuda:sm_90a"
			      : "use --target cpu; for a target of CUDA "
				"`source` is a .cu (docs/external.md)",
			 "%s: `source` is %s, %s, and the target is %s",
			 x->path, x->file,
			 cuda ? "a kernel of CUDA" : "a function of C",
			 p->target->name);
}

static bool check_externals(Pipeline *p)
{
	for (size_t i = 0; i < p->nexternals; i++) {
		External *x = &p->externals[i];
		if (x->text && !(external_fits(p, x) &&
				 external_check(&p->c->ctx, p->arena, x,
						(Program *)p->rewritten)))
			return false;
	}
	return true;
}

static bool pass_partition(Pipeline *p)
{
	Buf why;

	if (!check_externals(p))
		return false;
	pin_regions(p);
	Target t = target_pinned(p->target, p->pins, p->npins);
	Partition on = {.gpu = t.threads > 0,
			.cpus = t.cpus,
			.vector_bytes = t.vector_bytes,
			.l2 = t.cache[1],
			.processors = t.processors,
			.units = t.units,
			.nunits = t.nunits,
			.unit_pinned = t.unit_pinned,
			.library = t.library};
	p->regions = region_partition(&p->c->ctx, p->arena, p->rewritten, &on,
				      p->region_pins, p->nregion_pins);
	if (!p->regions)
		return false;
	buf_init(&why, p->arena);
	if (!regions_verify(p->regions, &why))
		bug("stage 3 breaks its laws: %s", buf_str(&why));
	return true;
}

/* A kernel whose accesses are not all proved is not made. */
static bool refuse_unproved(Pipeline *p, const char *why)
{
	const Kernel *k = p->kernels->unproved;
	ValueId v = p->regions->regions.p[k->region].anchor;

	return diag_error(&p->c->ctx, program_value(p->rewritten, v)->loc,
			  "constant sizes, or fewer reshapes of products of "
			  "named dims, make it provable",
			  "refused: an index of the generated code cannot be "
			  "proved in bounds (%s)",
			  why);
}

static bool pass_realise(Pipeline *p)
{
	Buf why;
	ExprTab *t = (ExprTab *)&p->regions->program->ex;

	t->overflow = false;
	if (p->nchosen && p->nchosen != p->regions->regions.n)
		return diag_fail(&p->c->ctx, ERR_PROGRAM,
				 "`choices` has a line a kernel, and its pins "
				 "decide how many there are; --dump=regions "
				 "shows them",
				 "refused: %zu kernels are chosen, and the "
				 "program has %zu with these pins",
				 p->nchosen, p->regions->regions.n);
	p->kernels = realise_program(&p->c->ctx, p->arena, p->regions,
				     p->target, p->pins, p->npins, p->chosen);
	if (!p->kernels || !indices_fit(p, t, p->kernels->program->loc))
		return false;
	buf_init(&why, p->arena);
	bool lawful = kernels_verify(p->kernels, &why);
	while (!lawful && p->kernels->unproved && realise_guard(p->kernels)) {
		buf_init(&why, p->arena);
		lawful = kernels_verify(p->kernels, &why);
	}
	if (!lawful && p->kernels->unproved)
		return refuse_unproved(p, buf_str(&why));
	if (!lawful)
		bug("stage 4 breaks its laws: %s", buf_str(&why));
	return true;
}

static bool pass_emit(Pipeline *p)
{
	Kernels *ks = p->kernels;

	p->sources = arena_array(p->arena, const char *, ks->kernels.n + 1);
	for (size_t i = 0; i < ks->kernels.n; i++)
		p->sources[i] = target_emit(p->arena, p->target->name, ks,
					    &ks->kernels.p[i]);
	return true;
}

typedef struct Pass {
	const char *name;
	Stage stage;   /* whose data it makes */
	bool optional; /* --skip may leave it out */
	bool (*run)(Pipeline *p);
} Pass;

static const Pass passes[] = {
	{"constants", STAGE_REWRITTEN, true, pass_constants},
	{"relaxations", STAGE_REWRITTEN, true, pass_relaxations},
	{"views", STAGE_REWRITTEN, false, pass_views}, /* realise needs it */
	{"cse", STAGE_REWRITTEN, true, pass_cse},
	{"dead", STAGE_REWRITTEN, true, pass_dead},
	{"partition", STAGE_REGIONS, false, pass_partition},
	{"realise", STAGE_KERNELS, false, pass_realise},
	{"emit", STAGE_SOURCES, false, pass_emit},
};

static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = list; s && *s;) {
		size_t len = strcspn(s, ",");
		if (len == n && !strncmp(s, name, n))
			return true;
		s += len + (s[len] == ',');
	}
	return false;
}

static bool unknown_pass(Pipeline *p, const char *option, const char *name)
{
	Buf known;

	buf_init(&known, p->arena);
	buf_puts(&known, "passes:");
	for (size_t i = 0; i < ARRAY_LEN(passes); i++)
		buf_printf(&known, " %s", passes[i].name);
	return diag_fail(&p->c->ctx, ERR_USAGE, buf_str(&known),
			 "%s %s: no such pass%s", option, name,
			 !strcmp(option, "--skip") ? " that can be left out"
						   : "");
}

static bool check_names(Pipeline *p)
{
	for (const char *s = p->skip; s && *s;) {
		size_t len = strcspn(s, ",");
		const char *name = arena_strndup(p->arena, s, len);
		bool found = false;
		for (size_t i = 0; i < ARRAY_LEN(passes); i++)
			found |= passes[i].optional &&
				 !strcmp(passes[i].name, name);
		if (!found)
			return unknown_pass(p, "--skip", name);
		s += len + (s[len] == ',');
	}
	if (!p->stop_after)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(passes); i++)
		if (!strcmp(passes[i].name, p->stop_after))
			return true;
	return unknown_pass(p, "--stop-after", p->stop_after);
}

bool pipeline_run(Pipeline *p, Stage from)
{
	if (!check_names(p))
		return false;
	if (from == STAGE_PROGRAM && !p->rewritten)
		p->rewritten = program_copy(p->arena, p->program);
	for (size_t i = 0; i < ARRAY_LEN(passes); i++) {
		const Pass *pass = &passes[i];
		if (pass->stage <= from)
			continue;
		if (listed(p->skip, pass->name))
			continue;
		bug_stage(pass->name);
		bool ok = pass->run(p);
		bug_stage(NULL);
		if (!ok)
			return false;
		if (p->stop_after && !strcmp(p->stop_after, pass->name)) {
			p->stopped = true;
			return true;
		}
	}
	return true;
}

/* ---- pins ------------------------------------------------------------ */

static bool bad_pin(Pipeline *p, const char *text, const char *why)
{
	return diag_fail(&p->c->ctx, ERR_USAGE,
			 "a pin is realisation.parameter=value, as in "
			 "contract.mr=6, or join.VALUE=yes|no",
			 "--pin %s: %s", text, why);
}

static bool region_pin(Pipeline *p, const char *text, const char *name,
		       const char *value)
{
	bool yes = !strcmp(value, "yes"), no = !strcmp(value, "no");

	if (!yes && !no)
		return bad_pin(p, text, "join takes yes or no");
	p->region_pins[p->nregion_pins++] =
		(RegionPin){.producer = name, .join = yes, .text = text};
	return true;
}

/* attention.join, contract.join and contract.hold; false: another pin. */
static bool kind_pin(const char *head, const char *param, PinKind *out)
{
	bool attention = !strcmp(head, "attention");

	if (!attention && strcmp(head, "contract") != 0)
		return false;
	*out = attention ? PIN_ATTENTION : PIN_JOIN;
	if (!attention && !strcmp(param, "hold"))
		*out = PIN_HOLD;
	else if (strcmp(param, "join") != 0)
		return false;
	return true;
}

/* contract.tile=128x256 is two pins, of rows and of columns. */
static bool tile_pin(Pipeline *p, const char *text, const char *head,
		     const char *value)
{
	char *x, *end;
	int64_t rows = strtoll(value, &x, 10), columns = 0;

	if (x != value && *x == 'x' && x[1] >= '0' && x[1] <= '9')
		columns = strtoll(x + 1, &end, 10);
	if (!columns || *end)
		return bad_pin(p, text, "a tile is rows x columns, as 128x256");
	p->pins[p->npins++] = (Pin){head, "rows", rows, text, false};
	p->pins[p->npins++] = (Pin){head, "columns", columns, text, false};
	return true;
}

/* Parameters whose values have names; false: the name is none of them. */
static bool named_value(const char *param, const char *name, int64_t *value)
{
	static const char *const operands[] = {"each", "staged", "forwarded"};
	MatrixUnit unit;

	if (!strcmp(param, "unit")) {
		bool ok = unit_parse(name, &unit);
		*value = ok ? (int64_t)unit : 0;
		return ok;
	}
	for (size_t i = 0; i < ARRAY_LEN(operands); i++)
		if (!strcmp(operands[i], name)) {
			*value = (int64_t)i;
			return true;
		}
	return false;
}

bool pipeline_externals(Pipeline *p, const char *const *paths, size_t n)
{
	if (n > MAX_DOMAIN)
		return diag_fail(&p->c->ctx, ERR_USAGE, NULL,
				 "--external: %zu kernels, and %d may be given",
				 n, MAX_DOMAIN);
	p->externals = arena_array(p->arena, External, n + 1);
	for (size_t i = 0; i < n; i++) {
		External *x = &p->externals[i];
		if (!external_read(&p->c->ctx, p->arena, paths[i], x))
			return false;
		for (size_t j = 0; j < i; j++)
			if (!strcmp(p->externals[j].name, x->name))
				return diag_fail(
					&p->c->ctx, ERR_USAGE, NULL,
					"%s: `name` is %s, as that of %s",
					paths[i], x->name, paths[j]);
		p->nexternals++;
	}
	return true;
}

/* external.kernel=NAME */
static bool external_pin(Pipeline *p, const char *text, const char *head,
			 const char *param, const char *name)
{
	size_t i = 0;

	while (i < p->nexternals && (!p->externals[i].text ||
				     strcmp(p->externals[i].name, name) != 0))
		i++;
	if (i == p->nexternals)
		return bad_pin(p, text,
			       "no --external brings a kernel of that name");
	p->pins[p->npins++] = (Pin){head, param, (int64_t)i, text, false};
	return true;
}

bool pipeline_pins(Pipeline *p, const char *const *texts, size_t n)
{
	p->region_pins = arena_array(p->arena, RegionPin, n + 1);
	p->pins = arena_array(p->arena, Pin, 2 * n + 1);
	for (size_t i = 0; i < n; i++) {
		const char *text = arena_strdup(p->arena, texts[i]);
		const char *dot = strchr(text, '.'), *eq = strchr(text, '=');
		char *end;
		if (!dot || !eq || eq < dot || eq == dot + 1 || dot == text)
			return bad_pin(p, text, "not a pin");
		const char *head =
			arena_strndup(p->arena, text, (size_t)(dot - text));
		const char *param = arena_strndup(p->arena, dot + 1,
						  (size_t)(eq - dot - 1));
		if (!strcmp(head, "join")) {
			if (!region_pin(p, text, param, eq + 1))
				return false;
			continue;
		}
		PinKind kind;
		if (kind_pin(head, param, &kind)) {
			bool no = !strcmp(eq + 1, "0");
			if (!no && strcmp(eq + 1, "1"))
				return bad_pin(p, text,
					       "join and hold take 0 or 1");
			p->region_pins[p->nregion_pins++] = (RegionPin){
				.kind = kind, .join = !no, .text = text};
			continue;
		}
		if (!strcmp(param, "tile")) {
			if (!tile_pin(p, text, head, eq + 1))
				return false;
			continue;
		}
		if (!strcmp(head, "external") && !strcmp(param, "kernel")) {
			if (!external_pin(p, text, head, param, eq + 1))
				return false;
			continue;
		}
		int64_t value = strtoll(eq + 1, &end, 10);
		if (!strcmp(head, "library") && !strcmp(param, "product")) {
			Library library;
			if (!library_parse(eq + 1, &library))
				return bad_pin(p, text,
					       "libraries are cublaslt, "
					       "openblas and onednn");
			p->pins[p->npins++] =
				(Pin){head, param, library, text, false};
			continue;
		}
		bool is_unit = !strcmp(param, "unit");
		bool is_operands = !strcmp(param, "operands");
		bool named = is_unit || is_operands;
		if (named && named_value(param, eq + 1, &value))
			end = NULL;
		else if (is_operands)
			return bad_pin(p, text,
				       "operands are each (as it can), staged "
				       "or forwarded");
		else if (is_unit)
			return bad_pin(p, text,
				       "units are fma (simt), mma, wgmma, "
				       "avx512_bf16, avx512_vnni, amx_bf16, "
				       "amx_int8, amx_f16");
		else if (!eq[1] || (end && *end))
			return bad_pin(p, text, "the value is not a number");
		p->pins[p->npins++] = (Pin){head, param, value, text, false};
	}
	return true;
}
