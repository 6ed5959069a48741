/* SPDX-License-Identifier: Apache-2.0 */
#include "view/summary/diffprint.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/units.h"
#include "view/form/table.h"

#define NAME_SHOWN 56 /* of a source and its key in a sentence */

/* How long a side is, s. */
static size_t length(const struct diff *d, int side)
{
	return d->side[side].n * (d->unit_s ? d->unit_s : 1);
}

/* Converts octaves to percent. */
static double percent_of(double octaves)
{
	return (exp2(octaves) - 1) * 100;
}

/* A change that would be seen, as text. */
static const char *seen_text(double octaves, char buf[16])
{
	double v = percent_of(octaves);

	if (v > DIFF_PERCENT_MAX)
		snprintf(buf, 16, ">%d%%", DIFF_PERCENT_MAX);
	else
		snprintf(buf, 16, "%.0f%%", v);
	return buf;
}

/* A ratio in percent, "*" when it has changed, "?" when too little is known. */
static const char *percent(const struct cmp_stat *s, char buf[16])
{
	double v = (exp2(s->value) - 1) * 100;

	if (!s->known || !isfinite(s->value))
		snprintf(buf, 16, "?");
	else if (v >= 900)
		snprintf(buf, 16, "x%.3g%s", exp2(s->value), s->changed ? "*" : "");
	else
		snprintf(buf, 16, "%+.0f%%%s", v, s->changed ? "*" : "");
	return buf;
}

static void show_text(struct table *t, const struct diff_pair *p)
{
	const struct latency_series *s = p->a ? p->a : p->b;
	const struct cmp_result *r = &p->res;
	char q[CMP_NQUANTILES][16], rate[16], w1[16], auc[16];

	for (int i = 0; i < CMP_NQUANTILES; i++)
		percent(&r->q[i], q[i]);
	percent(&r->rate, rate);
	snprintf(w1, sizeof(w1), isfinite(r->w1) ? "%.2f" : "?", r->w1);
	snprintf(auc, sizeof(auc), isfinite(r->auc.value) ? "%.2f%s" : "?", r->auc.value, r->auc.changed ? "*" : "");

	const struct cell cells[] = {
		{ "source", CELL_TEXT, -10, 0, { s->d.name[0] ? s->d.name : "@" } },
		{ "p50", CELL_TEXT, 6, 0, { q[0] } },
		{ "p90", CELL_TEXT, 6, 0, { q[1] } },
		{ "p99", CELL_TEXT, 6, 0, { q[2] } },
		{ "p99.9", CELL_TEXT, 6, 0, { q[3] } },
		{ "W1", CELL_TEXT, 4, 0, { w1 } },
		{ "AUC", CELL_TEXT, 5, 0, { auc } },
		{ "rate",
		  CELL_TEXT,
		  6,
		  0,
		  { r->na && r->nb    ? rate
		    : r->rate.changed ? r->nb ? "new*" : "gone*"
		    : r->nb	      ? "new"
				      : "gone" } },
		{ "key", CELL_TEXT, -1, 0, { s->text } },
	};
	table_line(t, cells, ARRAY_SIZE(cells));
}

static void value_text(const struct latency_series *s, double v, char buf[UNITS_LEN])
{
	if (s->d.is_delay)
		units_ns((uint64_t)v, buf);
	else
		units_number(v, buf);
}

/* The largest change of a quantile in words. */
static void explain_change(const struct diff_pair *p, FILE *out)
{
	const struct latency_series *s = p->a ? p->a : p->b;
	const struct cmp_result *r = &p->res;
	char from[UNITS_LEN], to[UNITS_LEN];
	int best = -1;

	for (int i = 0; i < CMP_NQUANTILES; i++)
		if (r->q[i].changed && (best < 0 || fabs(r->q[i].value) > fabs(r->q[best].value)))
			best = i;
	if (best < 0) {
		fprintf(out, "  all of it %s: one of B takes longer than one of A in %.1f%% (%.1f to %.1f%%)\n",
			r->auc.value > 0.5 ? "larger" : "smaller", 100 * r->auc.value, 100 * r->auc.low,
			100 * r->auc.high);
		return;
	}
	value_text(s, r->qa[best], from);
	value_text(s, r->qb[best], to);
	fprintf(out, "  p%g %s: %s -> %s, %+.0f%% (%+.0f to %+.0f%% at 95%% confidence)\n", cmp_quantiles[best] * 100,
		r->q[best].value > 0 ? "larger" : "smaller", from, to, percent_of(r->q[best].value),
		percent_of(r->q[best].low), percent_of(r->q[best].high));
}

/* For a tracker that has not changed: what the comparison could have found, or why it found nothing. */
static void explain_not(const struct diff *d, const struct diff_pair *p, FILE *out)
{
	const struct cmp_result *r = &p->res;
	char seen[16];

	switch (r->unjudged) {
	case CMP_FEW_SECONDS:
		fprintf(out, "  not judged: %zu s and %zu s, at least %u s of each are needed\n", length(d, 0),
			length(d, 1), CMP_SECONDS_MIN * (d->unit_s ? d->unit_s : 1));
		return;
	case CMP_FEW_EVENTS:
		fprintf(out, "  latencies not judged: %llu and %llu events, at least %d of each are needed\n",
			(unsigned long long)r->na, (unsigned long long)r->nb, 2 * CMP_TAIL_MIN);
		return;
	case CMP_BURST:
		fprintf(out, "  latencies not judged: nearly all events of a side are of fewer than %d seconds\n",
			CMP_SPREAD_MIN);
		return;
	default:
		fprintf(out, "  no change found; one of less than %s would not be seen\n", seen_text(r->visible, seen));
	}
}

static void put_values(struct jsonw *j, const char *name, double before, double now)
{
	jsonw_array(j, name);
	jsonw_fixed(j, NULL, before, 1);
	jsonw_fixed(j, NULL, now, 1);
	jsonw_end_array(j);
}

static void put_stat(struct jsonw *j, const char *name, const struct cmp_stat *s)
{
	char p[24];

	if (!s->known) {
		jsonw_null(j, name);
		return;
	}
	jsonw_object(j, name);
	jsonw_fixed(j, "value", s->value, 6);
	jsonw_fixed(j, "low", s->low, 6);
	jsonw_fixed(j, "high", s->high, 6);
	jsonw_raw(j, "p", p, (size_t)snprintf(p, sizeof(p), "%.3g", s->p));
	jsonw_bool(j, "changed", s->changed);
	jsonw_end_object(j);
}

static void show_json(struct table *t, const struct diff_pair *p)
{
	static const char *const names[] = { "p50", "p90", "p99", "p99.9" };
	static const char *const reasons[CMP_NWHY] = { NULL, "few-seconds", "few-events", "burst" };
	const struct latency_series *s = p->a ? p->a : p->b;
	const struct cmp_result *r = &p->res;
	struct strb b = { 0 }, q = { 0 };
	struct jsonw octaves = jsonw_to(&b), values = jsonw_to(&q);

	jsonw_object(&values, NULL);
	for (int i = 0; i < CMP_NQUANTILES; i++)
		put_values(&values, names[i], r->qa[i], r->qb[i]);
	jsonw_end_object(&values);
	jsonw_object(&octaves, NULL);
	for (int i = 0; i < CMP_NQUANTILES; i++)
		put_stat(&octaves, names[i], &r->q[i]);
	put_stat(&octaves, "rate", &r->rate);
	jsonw_fixed(&octaves, "visible", r->visible, 6);
	jsonw_end_object(&octaves);

	const struct cell cells[] = {
		{ "source", CELL_TEXT, 0, 0, { s->d.name } },
		{ "kind", CELL_TEXT, 0, 0, { s->d.is_tracker ? "tracker" : "aggregation" } },
		{ "key", CELL_TEXT, 0, 0, { s->text } },
		{ "count_a", CELL_UINT, 0, 0, { .u = r->na } },
		{ "count_b", CELL_UINT, 0, 0, { .u = r->nb } },
		{ "in",
		  CELL_TEXT,
		  0,
		  0,
		  { r->na && r->nb ? "both"
		    : r->na	   ? "a"
				   : "b" } },
		{ "changed", CELL_LIST, 0, 0, { r->changed ? "true" : "false" } },
		{ "rate_changed", CELL_LIST, 0, 0, { r->rate.changed ? "true" : "false" } },
		{ "not_judged", CELL_TEXT, 0, 0, { reasons[r->unjudged] } },
		{ "p", CELL_NUMBER, 0, 9, { .d = r->unjudged == CMP_JUDGED ? r->p : (double)NAN } },
		{ "quantiles", CELL_LIST, 0, 0, { strb_str(&q) } },
		{ "w1", CELL_NUMBER, 0, 6, { .d = r->w1 } },
		{ "w1_noise", CELL_NUMBER, 0, 6, { .d = r->w1_noise } },
		{ "auc", CELL_NUMBER, 0, 6, { .d = r->auc.value } },
		{ "auc_low", CELL_NUMBER, 0, 6, { .d = r->auc.low } },
		{ "auc_high", CELL_NUMBER, 0, 6, { .d = r->auc.high } },
		{ "auc_changed", CELL_LIST, 0, 0, { r->auc.changed ? "true" : "false" } },
		{ "octaves", CELL_LIST, 0, 0, { strb_str(&b) } },
	};
	table_line(t, cells, ARRAY_SIZE(cells));
	strb_free(&b);
	strb_free(&q);
}

static void say_visible(const char *what, const struct diff_pair *p, FILE *out)
{
	const struct latency_series *s = p->a ? p->a : p->b;
	int room = NAME_SHOWN - (int)strlen(s->d.name);
	char seen[16];

	fprintf(out, "  %s %s: %s%s%.*s\n", what, seen_text(p->res.visible, seen), s->d.name[0] ? s->d.name : "@",
		s->text[0] ? " " : "", room > 0 ? room : 0, s->text);
}

static void say_sum(const struct diff *d, const struct diff_print *o, bool begun)
{
	const struct diff_tally *t = &d->tally;
	FILE *out = o->out;
	size_t not = d->pairs.n - t->judged;
	char seen[16];

	fprintf(out, "%s%zu of %zu changed (%zu s and %zu s compared)\n", begun ? "\n" : "", t->changed, d->pairs.n,
		length(d, 0), length(d, 1));
	if (t->quiet) {
		bool one = percent_of(t->most->res.visible) - percent_of(t->least->res.visible) < 1;

		fprintf(out, "nothing %sdiffers: changes below ", t->changed ? "else " : "");
		if (!one)
			fprintf(out, "%s to ", seen_text(t->least->res.visible, seen));
		fprintf(out, "%s would not be seen\n", seen_text(t->most->res.visible, seen));
		if (!one) {
			say_visible("smallest", t->least, out);
			say_visible("largest", t->most, out);
		}
	}
	if (t->only[0] + t->only[1])
		fprintf(out, "%zu only in A and %zu only in B, which may be chance\n", t->only[0], t->only[1]);
	if (not )
		fprintf(out, "%zu had too few events or seconds to compare latencies%s\n", not,
			o->all ? "" : ": --all says which");
	if (d->left_out)
		fprintf(out, "%llu keys with fewer events were not compared: --keys\n",
			(unsigned long long)d->left_out);
}

static void say_sum_json(const struct diff *d, FILE *out)
{
	const struct diff_tally *t = &d->tally;
	struct table sum = { .out = out, .type = "diff-summary", .json = true };
	const struct cell cells[] = {
		{ "seconds_a", CELL_UINT, 0, 0, { .u = length(d, 0) } },
		{ "seconds_b", CELL_UINT, 0, 0, { .u = length(d, 1) } },
		{ "compared", CELL_UINT, 0, 0, { .u = d->pairs.n } },
		{ "judged", CELL_UINT, 0, 0, { .u = t->judged } },
		{ "changed", CELL_UINT, 0, 0, { .u = t->changed } },
		{ "visible_least", CELL_NUMBER, 0, 6, { .d = t->least ? t->least->res.visible : (double)NAN } },
		{ "visible_most", CELL_NUMBER, 0, 6, { .d = t->most ? t->most->res.visible : (double)NAN } },
		{ "only_a", CELL_UINT, 0, 0, { .u = t->only[0] } },
		{ "only_b", CELL_UINT, 0, 0, { .u = t->only[1] } },
		{ "left_out", CELL_UINT, 0, 0, { .u = d->left_out } },
		{ "alpha", CELL_NUMBER, 0, 3, { .d = d->opts.alpha } },
	};

	table_line(&sum, cells, ARRAY_SIZE(cells));
}

int diffprint(const struct diff *d, const struct diff_print *o)
{
	struct table t = { .out = o->out, .type = "diff", .json = o->json };

	for (size_t i = 0; i < d->pairs.n; i++) {
		const struct diff_pair *p = &d->pairs.v[i];

		if (o->json) {
			show_json(&t, p);
		} else if (o->all || diff_changed(p)) {
			show_text(&t, p);
			if (p->res.changed)
				explain_change(p, o->out);
			else if (o->all)
				explain_not(d, p, o->out);
		}
	}
	if (o->json)
		say_sum_json(d, o->out);
	else
		say_sum(d, o, t.begun);
	return t.error ? t.error : ferror(o->out) ? -EIO : 0;
}
