/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency diff A B`: which latencies changed between two recordings, or two stretches of one, or a stretch and
 * the rest of its recording, and by how much. */
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "latency/recset.h"
#include "latency/compare.h"
#include "view/form/table.h"

#define KEYS_COMPARED 50
#define PERCENT_MAX 10000
#define NAME_SHOWN 56	    /* of a source and its key in a sentence */
#define ROUNDED_NS 10000000 /* that a time may be off which was meant to be a second's */
/* Seconds of a side that are taken at most: a day and a bit. */
#define SECONDS_MAX 100000

struct side {
	char *path;
	struct latency_range asked;
	struct recset set;
	struct rec_range range, hole; /* hole: what is left out of the range */
	struct latency_list list;
	struct histsum *seconds; /* of the series that is compared now */
	size_t n, allocated;
};

struct pair {
	const struct latency_series *a, *b; /* NULL: not there */
	struct cmp_result res;
};

struct diff {
	struct side side[2];
	size_t nsides;
	bool json, all, rest;	    /* rest: A is what B's recording has beside B */
	struct latency_range asked; /* of the recording that comes next */
	unsigned keys, min_percent;
	uint64_t left_out;
	struct cmp_opts opts;
	VEC(struct pair) pairs;
	struct err err;
};

/* -- what is compared -- */

/* Histograms are of whole seconds: one that is in the stretch only in part would be of another, too. */
static void whole_seconds(struct side *s)
{
	uint64_t off = s->set.wall_off;

	s->range.from = rechist_slot(s->range.from + RECFILE_SECOND_NS - ROUNDED_NS, RECFILE_SECOND_NS, off);
	s->range.to = rechist_slot(s->range.to + ROUNDED_NS, RECFILE_SECOND_NS, off);
	s->n = s->range.to > s->range.from ? (size_t)((s->range.to - s->range.from) / RECFILE_SECOND_NS) : 0;
}

static int open_side(struct diff *d, struct side *s)
{
	int e = recset_open(&s->set, &s->path, 1, cmd_left_out, &d->err);

	if (e < 0)
		return cmd_fail("%s", d->err.msg);
	e = recset_range(&s->set, &s->asked, true, &s->range, &d->err);
	if (e < 0)
		return cmd_fail("%s: nothing to compare: %s", s->path, d->err.msg);
	whole_seconds(s);
	if (!s->n)
		return cmd_fail("%s: there is no whole second between these times", s->path);
	if (s->n > SECONDS_MAX)
		return cmd_fail("%s: more than %d s cannot be compared: use --from and --to", s->path, SECONDS_MAX);
	s->seconds = calloc(s->n, sizeof(*s->seconds));
	s->allocated = s->n;
	if (!s->seconds)
		return cmd_fail("out of memory");
	if (latency_list(&s->set, s->range, RECFILE_HIST_KEYS, &s->list, &d->err) < 0)
		return cmd_fail("%s", d->err.msg[0] ? d->err.msg : "out of memory");
	return 0;
}

/* Of a recording the seconds that are not in a stretch of it. */
static int leave_out(struct side *s, struct rec_range hole)
{
	s->hole = hole;
	s->n -= (size_t)((hole.to - hole.from) / RECFILE_SECOND_NS);
	return s->n ? 0 : cmd_fail("%s: nothing is left beside these times to compare them with", s->path);
}

static void close_side(struct side *s)
{
	for (size_t i = 0; s->seconds && i < s->allocated; i++)
		histsum_free(&s->seconds[i]);
	free(s->seconds);
	latency_list_free(&s->list);
	recset_close(&s->set);
}

/* Among those of its source, the most first. */
static size_t place(const struct latency_list *l, const struct latency_series *s)
{
	size_t n = 0;

	while (s - n > l->v && (s - n - 1)->rank == s->rank)
		n++;
	return n;
}

/* Keys that are among the first of their source on either side. */
static int make_pairs(struct diff *d)
{
	const struct latency_list *a = &d->side[0].list, *b = &d->side[1].list;
	int e = 0;

	for (size_t i = 0; i < a->n && e == 0; i++) {
		struct pair p = { &a->v[i], latency_find(b, &a->v[i]), { 0 } };

		if (place(a, p.a) < d->keys || (p.b && place(b, p.b) < d->keys))
			e = vec_try_push(&d->pairs, p);
		else
			d->left_out++;
	}
	for (size_t i = 0; i < b->n && e == 0; i++) {
		struct pair p = { NULL, &b->v[i], { 0 } };

		if (latency_find(a, p.b))
			continue;
		if (place(b, p.b) < d->keys)
			e = vec_try_push(&d->pairs, p);
		else
			d->left_out++;
	}
	return e;
}

static int add_second(void *ctx, const struct rec_column *c)
{
	struct side *s = ctx;
	uint64_t i = (c->start - s->range.from) / RECFILE_SECOND_NS;

	if (c->start >= s->hole.from && c->start < s->hole.to)
		return 0;
	if (c->start >= s->hole.to)
		i -= (s->hole.to - s->hole.from) / RECFILE_SECOND_NS;
	return i < s->n ? histsum_add(&s->seconds[i], &c->head, c->buckets) : 0;
}

static int load(struct diff *d, struct side *s, const struct latency_series *series)
{
	for (size_t i = 0; i < s->n; i++)
		histsum_reset(&s->seconds[i]);
	return series ? recset_columns(&s->set, series, RECFILE_SECOND_NS, s->range, add_second, s, &d->err) : 0;
}

static int compare_all(struct diff *d)
{
	_cleanup_free_ struct cmp_result **all = calloc(d->pairs.n + 1, sizeof(*all));
	int e = all ? 0 : -ENOMEM;

	d->opts.npairs = d->pairs.n;
	for (size_t i = 0; i < d->pairs.n && e == 0; i++) {
		struct pair *p = &d->pairs.v[i];
		struct cmp_side a = { d->side[0].seconds, d->side[0].n }, b = { d->side[1].seconds, d->side[1].n };

		e = load(d, &d->side[0], p->a);
		if (e == 0)
			e = load(d, &d->side[1], p->b);
		if (e == 0)
			e = cmp_run(p->a ? &p->a->d : &p->b->d, &a, &b, &d->opts, &p->res);
		if (e == 0)
			all[i] = &p->res;
	}
	return e == 0 ? cmp_decide(all, d->pairs.n, &d->opts) : e;
}

/* -- what is said -- */

static bool worth_saying(const struct pair *p)
{
	return p->res.changed || p->res.rate.changed;
}

/* The changed ones, the most first: by latencies, then by rates alone. */
static int by_size(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	double dx = isfinite(x->res.w1) ? x->res.w1 : 0, dy = isfinite(y->res.w1) ? y->res.w1 : 0;

	if (worth_saying(x) != worth_saying(y))
		return worth_saying(x) ? -1 : 1;
	if (x->res.changed != y->res.changed)
		return x->res.changed ? -1 : 1;
	if (!x->res.changed && worth_saying(x)) {
		dx = fabs(x->res.rate.value);
		dy = fabs(y->res.rate.value);
	}
	return dx > dy ? -1 : dx < dy;
}

/* Of octaves. */
static double percent_of(double octaves)
{
	return (exp2(octaves) - 1) * 100;
}

/* A change that would be seen, as text. */
static const char *seen_text(double octaves, char buf[16])
{
	double v = percent_of(octaves);

	if (v > PERCENT_MAX)
		snprintf(buf, 16, ">%d%%", PERCENT_MAX);
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

static void show_text(struct table *t, const struct pair *p)
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
	if (s->d.is_tracker)
		units_ns((uint64_t)v, buf);
	else
		units_number(v, buf);
}

/* The largest change of a quantile in words. */
static void explain_change(const struct pair *p)
{
	const struct latency_series *s = p->a ? p->a : p->b;
	const struct cmp_result *r = &p->res;
	char from[UNITS_LEN], to[UNITS_LEN];
	int best = -1;

	for (int i = 0; i < CMP_NQUANTILES; i++)
		if (r->q[i].changed && (best < 0 || fabs(r->q[i].value) > fabs(r->q[best].value)))
			best = i;
	if (best < 0) {
		printf("  all of it %s: one of B takes longer than one of A in %.1f%% (%.1f to %.1f%%)\n",
		       r->auc.value > 0.5 ? "larger" : "smaller", 100 * r->auc.value, 100 * r->auc.low,
		       100 * r->auc.high);
		return;
	}
	value_text(s, r->qa[best], from);
	value_text(s, r->qb[best], to);
	printf("  p%g %s: %s -> %s, %+.0f%% (%+.0f to %+.0f%% at 95%% confidence)\n", cmp_quantiles[best] * 100,
	       r->q[best].value > 0 ? "larger" : "smaller", from, to, percent_of(r->q[best].value),
	       percent_of(r->q[best].low), percent_of(r->q[best].high));
}

/* What is known of one that has not changed, or why nothing is. */
static void explain_not(const struct diff *d, const struct pair *p)
{
	const struct cmp_result *r = &p->res;
	char seen[16];

	switch (r->why) {
	case CMP_FEW_SECONDS:
		printf("  not judged: %zu s and %zu s, at least %d s of each are needed\n", d->side[0].n, d->side[1].n,
		       CMP_SECONDS_MIN);
		return;
	case CMP_FEW_EVENTS:
		printf("  latencies not judged: %llu and %llu events, at least %d of each are needed\n",
		       (unsigned long long)r->na, (unsigned long long)r->nb, 2 * CMP_TAIL_MIN);
		return;
	case CMP_BURST:
		printf("  latencies not judged: nearly all events of a side are of fewer than %d seconds\n",
		       CMP_SPREAD_MIN);
		return;
	default: printf("  no change found; one of less than %s would not be seen\n", seen_text(r->visible, seen));
	}
}

/* A member; JSON has no infinity. */
static void put_number(struct strb *b, const char *name, double v)
{
	strb_printf(b, "%s\"%s\":", b->n > 1 ? "," : "", name);
	if (isfinite(v))
		strb_printf(b, "%.6f", v);
	else
		strb_adds(b, "null");
}

static void put_values(struct strb *b, const char *name, double before, double now)
{
	const double v[] = { before, now };

	for (int i = 0; i < 2; i++) {
		if (i)
			strb_addc(b, ',');
		else
			strb_printf(b, "%s\"%s\":[", b->n > 1 ? "," : "", name);
		if (isfinite(v[i]))
			strb_printf(b, "%.1f", v[i]);
		else
			strb_adds(b, "null");
	}
	strb_addc(b, ']');
}

static void put_stat(struct strb *b, const char *name, const struct cmp_stat *s)
{
	struct strb o = { 0 };

	strb_printf(b, "%s\"%s\":", b->n > 1 ? "," : "", name);
	if (!s->known) {
		strb_adds(b, "null");
		return;
	}
	strb_addc(&o, '{');
	put_number(&o, "value", s->value);
	put_number(&o, "low", s->low);
	put_number(&o, "high", s->high);
	strb_printf(&o, ",\"p\":%.3g,\"changed\":%s}", s->p, s->changed ? "true" : "false");
	strb_adds(b, strb_str(&o));
	strb_free(&o);
}

static void show_json(struct table *t, const struct pair *p)
{
	static const char *const names[] = { "p50", "p90", "p99", "p99.9" };
	static const char *const whys[CMP_NWHY] = { NULL, "few-seconds", "few-events", "burst" };
	const struct latency_series *s = p->a ? p->a : p->b;
	const struct cmp_result *r = &p->res;
	struct strb b = { 0 }, q = { 0 };

	strb_addc(&q, '{');
	for (int i = 0; i < CMP_NQUANTILES; i++)
		put_values(&q, names[i], r->qa[i], r->qb[i]);
	strb_addc(&q, '}');
	strb_addc(&b, '{');
	for (int i = 0; i < CMP_NQUANTILES; i++)
		put_stat(&b, names[i], &r->q[i]);
	put_stat(&b, "rate", &r->rate);
	put_number(&b, "visible", r->visible);
	strb_addc(&b, '}');

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
		{ "not_judged", CELL_TEXT, 0, 0, { whys[r->why] } },
		{ "p", CELL_NUMBER, 0, 9, { .d = r->why == CMP_JUDGED ? r->p : (double)NAN } },
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

/* Of all pairs. */
struct tally {
	size_t changed, judged, quiet; /* quiet: judged, and nothing changed */
	size_t only[2];		       /* there on one side only, and not for sure by more than chance */
	const struct pair *least,
		*most; /* of the quiet ones, where the smallest and the largest changes would be seen */
};

static void count(struct tally *t, const struct pair *p)
{
	t->changed += worth_saying(p);
	if (!worth_saying(p) && (!p->res.na || !p->res.nb))
		t->only[!p->res.na]++;
	if (p->res.why != CMP_JUDGED)
		return;
	t->judged++;
	if (worth_saying(p))
		return;
	t->quiet++;
	if (!t->least || p->res.visible < t->least->res.visible)
		t->least = p;
	if (!t->most || p->res.visible > t->most->res.visible)
		t->most = p;
}

static void say_visible(const char *what, const struct pair *p)
{
	const struct latency_series *s = p->a ? p->a : p->b;
	int room = NAME_SHOWN - (int)strlen(s->d.name);
	char seen[16];

	printf("  %s %s: %s%s%.*s\n", what, seen_text(p->res.visible, seen), s->d.name[0] ? s->d.name : "@",
	       s->text[0] ? " " : "", room > 0 ? room : 0, s->text);
}

static void say_sum(const struct diff *d, const struct tally *t, bool begun)
{
	size_t not = d->pairs.n - t->judged;
	char seen[16];

	printf("%s%zu of %zu changed (%zu s and %zu s compared)\n", begun ? "\n" : "", t->changed, d->pairs.n,
	       d->side[0].n, d->side[1].n);
	if (t->quiet) {
		bool one = percent_of(t->most->res.visible) - percent_of(t->least->res.visible) < 1;

		printf("nothing %sdiffers: changes below ", t->changed ? "else " : "");
		if (!one)
			printf("%s to ", seen_text(t->least->res.visible, seen));
		printf("%s would not be seen\n", seen_text(t->most->res.visible, seen));
		if (!one) {
			say_visible("smallest", t->least);
			say_visible("largest", t->most);
		}
	}
	if (t->only[0] + t->only[1])
		printf("%zu only in A and %zu only in B, which may be chance\n", t->only[0], t->only[1]);
	if (not )
		printf("%zu had too few events or seconds to compare latencies%s\n", not,
		       d->all ? "" : ": --all says which");
	if (d->left_out)
		printf("%llu keys with fewer events were not compared: --keys\n", (unsigned long long)d->left_out);
}

static void say_sum_json(const struct diff *d, const struct tally *t)
{
	struct table sum = { .out = stdout, .type = "diff-summary", .json = true };
	const struct cell cells[] = {
		{ "seconds_a", CELL_UINT, 0, 0, { .u = d->side[0].n } },
		{ "seconds_b", CELL_UINT, 0, 0, { .u = d->side[1].n } },
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

static int show(struct diff *d)
{
	struct table t = { .out = stdout, .type = "diff", .json = d->json };
	struct tally tally = { 0 };

	if (d->pairs.n)
		qsort(d->pairs.v, d->pairs.n, sizeof(*d->pairs.v), by_size);
	for (size_t i = 0; i < d->pairs.n; i++) {
		const struct pair *p = &d->pairs.v[i];

		count(&tally, p);
		if (d->json) {
			show_json(&t, p);
		} else if (d->all || worth_saying(p)) {
			show_text(&t, p);
			if (p->res.changed)
				explain_change(p);
			else if (d->all)
				explain_not(d, p);
		}
	}
	if (d->json)
		say_sum_json(d, &tally);
	else
		say_sum(d, &tally, t.begun);
	return cmd_written(t.error);
}

static int run(struct diff *d)
{
	int e = 0;

	for (int i = 0; i < 2 && e == 0; i++)
		e = open_side(d, &d->side[i]);
	if (e == 0 && d->rest)
		e = leave_out(&d->side[0], d->side[1].range);
	if (e)
		return e;
	e = make_pairs(d);
	if (e == 0)
		e = compare_all(d);
	if (e < 0)
		return cmd_fail("%s", d->err.msg[0] ? d->err.msg : strerror(-e));
	return show(d);
}

/* -- the command line -- */

static int take_side(void *command, char *word);

static const struct optrow rows[] = {
	{ .name = "all", .kind = OPT_FLAG, .at = offsetof(struct diff, all), .help = "what has not changed as well" },
	{ .name = "from",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct diff, asked.from),
	  .arg = "TIME",
	  .help = "of the recording behind it: 30s after its beginning, -1m before its end" },
	{ .name = "to",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct diff, asked.to),
	  .arg = "TIME",
	  .help = "… and up to there" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct diff, json), .help = "as JSON Lines" },
	{ .name = "keys",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct diff, keys),
	  .value = RECFILE_HIST_KEYS,
	  .arg = "N",
	  .help = "how many keys of each source are compared (" OPTABLE_TEXT(KEYS_COMPARED) ")" },
	{ .name = "min",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct diff, min_percent),
	  .value = PERCENT_MAX,
	  .arg = "PERCENT",
	  .help = "that a quantile must differ by to be called changed (3)" },
};
static const struct optable options = {
	.command = "latency diff",
	.synopsis = "latency diff [--from TIME] [--to TIME] A [--from TIME] [--to TIME] B\n"
		    "latency diff [--from TIME] [--to TIME] B    with the rest of the recording",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.word = take_side,
};

static int take_side(void *command, char *word)
{
	struct diff *d = command;

	if (d->nsides == 2)
		return optable_usage(&options, true);
	d->side[d->nsides].path = word;
	d->side[d->nsides++].asked = d->asked;
	d->asked = (struct latency_range){ 0 };
	return 0;
}

static int run_diff(int argc, char **argv)
{
	struct diff d = { .keys = KEYS_COMPARED, .opts = CMP_DEFAULT };
	int e = optable_read(&options, &d, argc, argv);

	if (e == 0 && d.nsides == 1 && (d.side[0].asked.from || d.side[0].asked.to)) {
		d.rest = true;
		d.nsides = 2;
		d.side[1].path = d.side[0].path;
		d.side[1].asked = d.side[0].asked;
		d.side[0].asked = (struct latency_range){ 0 };
	}
	if (d.min_percent)
		d.opts.min_shift = d.min_percent / 100.0;
	if (e == 0 && (d.nsides != 2 || d.asked.from || d.asked.to))
		e = optable_usage(&options, true);
	if (e == 0)
		e = run(&d);
	close_side(&d.side[0]);
	close_side(&d.side[1]);
	vec_free(&d.pairs);
	return e < 0 ? EXIT_OK : e;
}

const struct latency_command latency_diff = { "diff", "what changed between two recordings, or stretches of one",
					      run_diff };
