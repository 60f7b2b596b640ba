/*
 * print: what the commands show, as aligned text and as JSON.
 *
 * Numbers that may be NaN or infinite are strings in JSON, in the shortest
 * form that reads back to the same bits.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces of text -------------------------------------------------- */

Text text_type(const TenonTensor *t)
{
	Text x;
	size_t n = (size_t)snprintf(x.s, TEXT_MAX, "%s",
				    tenon_dtype_name(t->dtype));

	for (int i = 0; i < t->rank && n < TEXT_MAX; i++)
		n += (size_t)snprintf(x.s + n, TEXT_MAX - n, "%s%lld",
				      i ? ", " : " [", (long long)t->shape[i]);
	if (t->rank > 0 && n < TEXT_MAX)
		snprintf(x.s + n, TEXT_MAX - n, "]");
	return x;
}

Text text_count(int64_t v)
{
	char digits[24];
	Text x;
	int n = snprintf(digits, sizeof(digits), "%lld", (long long)v), k = 0;

	for (int i = 0; i < n; i++) {
		if (i > (digits[0] == '-') && (n - i) % 3 == 0)
			x.s[k++] = ',';
		x.s[k++] = digits[i];
	}
	x.s[k] = '\0';
	return x;
}

Text text_bytes(int64_t n)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double v = (double)n;
	size_t u = 0;
	Text x;

	while (v >= 1024 && u + 1 < sizeof(unit) / sizeof(*unit)) {
		v /= 1024;
		u++;
	}
	snprintf(x.s, TEXT_MAX, u ? "%.1f %s" : "%.0f %s", v, unit[u]);
	return x;
}

/* Three significant digits, in the unit that fits. */
Text text_ms(double ms)
{
	double v = ms;
	const char *unit = "ms";
	Text x;

	if (ms < 0.9995) {
		v = ms * 1e3;
		unit = "us";
	} else if (ms >= 999.5) {
		v = ms / 1e3;
		unit = "s";
	}
	snprintf(x.s, TEXT_MAX, "%.*f %s",
		 v < 9.995   ? 2
		 : v < 99.95 ? 1
			     : 0,
		 v, unit);
	return x;
}

Text text_real(double v)
{
	Text x;

	if (isnan(v)) {
		snprintf(x.s, TEXT_MAX, "nan");
		return x;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(x.s, TEXT_MAX, "%.*g", digits, v);
		if (strtod(x.s, NULL) == v)
			break;
	}
	return x;
}

const char *outcome_name(TenonOutcome o)
{
	switch (o) {
	case TENON_PASS:
		return "pass";
	case TENON_FAIL:
		return "fail";
	case TENON_INCONCLUSIVE:
		return "inconclusive";
	case TENON_NONE:
		break;
	}
	return "none";
}

/* ---- blocks of text -------------------------------------------------- */

void print_head(Session *s)
{
	TenonPlanInfo info;
	int threads = tenon_threads(s->ctx);

	tenon_plan_info(s->plan, &info);
	printf("%s", tenon_program_name(s->program));
	for (int i = 0; i < tenon_program_dims(s->program); i++) {
		int64_t size = tenon_program_dim(s->program, i);
		printf("%s%s", i ? " " : "   ",
		       tenon_program_dim_name(s->program, i));
		if (size >= 0) /* it may be unset when nothing runs */
			printf("=%lld", (long long)size);
	}
	printf("   %s, %d thread%s\n", info.target, threads,
	       threads == 1 ? "" : "s");
}

/* The element that a failed verdict is about, and what was allowed there. */
static void print_worst(const TenonVerdict *v, const TenonTensor *result)
{
	int64_t index[TENON_MAX_RANK], rest = v->worst;

	for (int i = result->rank; i-- > 0;) {
		int64_t n = result->shape[i] ? result->shape[i] : 1;

		index[i] = rest % n;
		rest /= n;
	}
	printf("           element [");
	for (int i = 0; i < result->rank; i++)
		printf("%s%lld", i ? ", " : "", (long long)index[i]);
	printf("] is %s; reference %s, allowed %s to %s\n", text_real(v->got).s,
	       text_real(v->ref).s, text_real(v->lo).s, text_real(v->hi).s);
}

void print_verdict(const TenonVerdict *v, const TenonTensor *result)
{
	printf("check    %s  %s\n", v->result,
	       v->outcome == TENON_FAIL ? "FAIL" : outcome_name(v->outcome));
	if (v->fault)
		printf("           the program faults on these inputs\n");
	if (v->exact != TENON_NONE)
		printf("           exact     %s: %s of %s elements have one "
		       "legal value, %s differ\n",
		       outcome_name(v->exact), text_count(v->points).s,
		       text_count(v->elements).s, text_count(v->mismatches).s);
	if (v->interval != TENON_NONE)
		printf("           interval  %s: %s elements, %s outside, %s "
		       "undecided, median width %.2g ulp\n",
		       outcome_name(v->interval), text_count(v->elements).s,
		       text_count(v->violations).s, text_count(v->undecided).s,
		       v->median_width);
	if (v->fixed != TENON_NONE)
		printf("           fixed     %s beyond %g + %g |reference|; "
		       "shown, never decisive\n",
		       text_count(v->misses).s, v->atol, v->rtol);
	if (v->exact == TENON_FAIL || v->interval == TENON_FAIL)
		print_worst(v, result);
}

/* ---- JSON ------------------------------------------------------------ */

json_t *json_text(const char *s)
{
	return s ? json_string(s) : json_null();
}

json_t *json_tensor(const char *name, const TenonTensor *t)
{
	json_t *shape = json_array();

	for (int i = 0; i < t->rank; i++)
		json_array_append_new(shape, json_integer(t->shape[i]));
	return json_pack("{s:s, s:s, s:o}", "name", name, "dtype",
			 tenon_dtype_name(t->dtype), "shape", shape);
}

json_t *json_verdict(const TenonVerdict *v)
{
	json_t *o = json_object();

	json_object_set_new(o, "result", json_text(v->result));
	json_object_set_new(o, "family", json_text(v->family));
	json_object_set_new(o, "seed", json_integer((json_int_t)v->seed));
	json_object_set_new(o, "fixture", json_text(v->fixture_sha256));
	json_object_set_new(o, "applies", json_boolean(v->applies));
	if (!v->applies) {
		json_object_set_new(o, "why_not", json_text(v->why_not));
		return o;
	}
	json_object_set_new(o, "outcome",
			    json_string(outcome_name(v->outcome)));
	json_object_set_new(o, "fault", json_boolean(v->fault));
	json_object_set_new(o, "exact", json_string(outcome_name(v->exact)));
	json_object_set_new(o, "interval",
			    json_string(outcome_name(v->interval)));
	json_object_set_new(o, "fixed", json_string(outcome_name(v->fixed)));
	json_object_set_new(o, "elements", json_integer(v->elements));
	json_object_set_new(o, "points", json_integer(v->points));
	json_object_set_new(o, "mismatches", json_integer(v->mismatches));
	json_object_set_new(o, "violations", json_integer(v->violations));
	json_object_set_new(o, "undecided", json_integer(v->undecided));
	json_object_set_new(o, "median_width_ulp",
			    json_string(text_real(v->median_width).s));
	json_object_set_new(o, "misses", json_integer(v->misses));
	json_object_set_new(o, "rtol", json_real(v->rtol));
	json_object_set_new(o, "atol", json_real(v->atol));
	json_object_set_new(
		o, "worst",
		json_pack("{s:I, s:s, s:s, s:s, s:s}", "index",
			  (json_int_t)v->worst, "got", text_real(v->got).s,
			  "reference", text_real(v->ref).s, "low",
			  text_real(v->lo).s, "high", text_real(v->hi).s));
	return o;
}

/* A time to the microsecond, which is what it is good for. */
json_t *json_ms(double ms)
{
	return json_real(round(ms * 1e3) / 1e3);
}

/* An object a launch that was compiled for CUDA. */
static json_t *json_code(TenonPlan *plan, int launches)
{
	json_t *list = json_array();
	TenonCode c;

	for (int i = 0; i < launches; i++) {
		if (!tenon_plan_code(plan, i, &c))
			continue;
		json_t *o = json_pack("{s:s, s:i, s:I, s:I, s:s}", "launch",
				      tenon_plan_launch_name(plan, i),
				      "registers", c.registers, "spilled_bytes",
				      (json_int_t)c.spilled, "code_bytes",
				      (json_int_t)c.code, "matrix", c.matrix);
		if (c.shared >= 0)
			json_object_set_new(o, "shared_bytes",
					    json_integer(c.shared));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *json_plan(TenonPlan *plan)
{
	TenonPlanInfo info;
	json_t *launches = json_array(), *o = json_object();

	tenon_plan_info(plan, &info);
	for (int i = 0; i < info.launches; i++)
		json_array_append_new(
			launches, json_text(tenon_plan_launch_name(plan, i)));
	json_object_set_new(o, "identity", json_text(info.identity));
	json_object_set_new(o, "target", json_text(info.target));
	json_object_set_new(o, "compiler", json_text(info.compiler));
	json_object_set_new(o, "kernels", json_integer(info.kernels));
	json_object_set_new(o, "launches", launches);
	json_object_set_new(o, "code", json_code(plan, info.launches));
	json_object_set_new(o, "intermediate_bytes",
			    json_integer(info.arena_bytes));
	json_object_set_new(o, "cached", json_boolean(info.cached));
	json_object_set_new(o, "front_ms", json_ms(info.front_ms));
	json_object_set_new(o, "plan_ms", json_ms(info.plan_ms));
	json_object_set_new(o, "compile_ms", json_ms(info.compile_ms));
	return o;
}

void report_head(Session *s)
{
	json_t *dims = json_object();

	for (int i = 0; i < tenon_program_dims(s->program); i++)
		json_object_set_new(
			dims, tenon_program_dim_name(s->program, i),
			json_integer(tenon_program_dim(s->program, i)));
	json_object_set_new(s->report, "program",
			    json_text(tenon_program_name(s->program)));
	json_object_set_new(s->report, "file", json_text(s->args->operand));
	json_object_set_new(s->report, "dims", dims);
	json_object_set_new(s->report, "threads",
			    json_integer(tenon_threads(s->ctx)));
	json_object_set_new(s->report, "plan", json_plan(s->plan));
}
