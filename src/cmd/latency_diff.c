/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency diff A B`: which latencies changed between two recordings, or two stretches of one, and by how much. */
#include <getopt.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/latency_set.h"
#include "latency/compare.h"
#include "view/table.h"

#define KEYS_COMPARED 50
#define PERCENT_MAX 10000
/* Seconds of a side that are taken at most: a day and a bit. */
#define SECONDS_MAX 100000

struct side {
	char *path;
	struct latency_range asked;
	struct latency_set set;
	struct rec_range range;
	struct latency_list list;
	struct histsum *seconds; /* of the series that is compared now */
	size_t n;
};

struct pair {
	const struct latency_series *a, *b; /* NULL: not there */
	struct cmp_result res;
};

struct diff {
	struct side side[2];
	size_t nsides;
	bool json, all;
	uint64_t keys;
	struct cmp_opts opts;
	VEC(struct pair) pairs;
	struct err err;
};

/* -- what is compared -- */

static int open_side(struct diff *d, struct side *s)
{
	int e = latency_set_open(&s->set, &s->path, 1);

	if (e == 0)
		e = latency_set_range(&s->set, &s->asked, true, &s->range);
	if (e)
		return e;
	s->n = (size_t)((s->range.to - s->range.from + RECFILE_SECOND_NS - 1) / RECFILE_SECOND_NS);
	if (s->n > SECONDS_MAX)
		return cmd_fail("%s: more than %d s cannot be compared: use --from and --to", s->path, SECONDS_MAX);
	s->seconds = calloc(s->n, sizeof(*s->seconds));
	if (!s->seconds)
		return cmd_fail("out of memory");
	if (latency_list(&s->set, s->range, d->keys, &s->list, &d->err) < 0)
		return cmd_fail("%s", d->err.msg[0] ? d->err.msg : "out of memory");
	return 0;
}

static void close_side(struct side *s)
{
	for (size_t i = 0; s->seconds && i < s->n; i++)
		histsum_free(&s->seconds[i]);
	free(s->seconds);
	latency_list_free(&s->list);
	latency_set_close(&s->set);
}

static const struct latency_series *find(const struct latency_list *l, const struct latency_series *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (latency_same_series(&l->v[i], s))
			return &l->v[i];
	return NULL;
}

static int make_pairs(struct diff *d)
{
	int e = 0;

	for (size_t i = 0; i < d->side[0].list.n && e == 0; i++) {
		struct pair p = { .a = &d->side[0].list.v[i] };

		p.b = find(&d->side[1].list, p.a);
		e = vec_try_push(&d->pairs, p);
	}
	for (size_t i = 0; i < d->side[1].list.n && e == 0; i++) {
		struct pair p = { .b = &d->side[1].list.v[i] };

		if (!find(&d->side[0].list, p.b))
			e = vec_try_push(&d->pairs, p);
	}
	return e;
}

static int add_second(void *ctx, const struct rec_column *c)
{
	struct side *s = ctx;
	uint64_t i = (c->start - s->range.from) / RECFILE_SECOND_NS;

	return i < s->n ? histsum_add(&s->seconds[i], &c->head, c->buckets) : 0;
}

static int load(struct diff *d, struct side *s, const struct latency_series *series)
{
	for (size_t i = 0; i < s->n; i++)
		histsum_reset(&s->seconds[i]);
	return series ? latency_set_columns(&s->set, series, RECFILE_SECOND_NS, s->range, add_second, s, &d->err) : 0;
}

static int compare_all(struct diff *d)
{
	int e = 0;

	d->opts.npairs = d->pairs.n;
	for (size_t i = 0; i < d->pairs.n && e == 0; i++) {
		struct pair *p = &d->pairs.v[i];
		struct cmp_side a = { d->side[0].seconds, d->side[0].n }, b = { d->side[1].seconds, d->side[1].n };

		e = load(d, &d->side[0], p->a);
		if (e == 0)
			e = load(d, &d->side[1], p->b);
		if (e == 0)
			e = cmp_run(p->a ? &p->a->d : &p->b->d, &a, &b, &d->opts, &p->res);
	}
	return e;
}

/* -- what is said -- */

static bool worth_saying(const struct pair *p)
{
	return p->res.changed || p->res.rate.changed;
}

/* The changed ones, the most first. */
static int by_size(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	double dx = isfinite(x->res.w1) ? x->res.w1 : 0, dy = isfinite(y->res.w1) ? y->res.w1 : 0;

	if (worth_saying(x) != worth_saying(y))
		return worth_saying(x) ? -1 : 1;
	if (x->res.changed != y->res.changed)
		return x->res.changed ? -1 : 1;
	return dx > dy ? -1 : dx < dy;
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
	char q[CMP_NQUANTILES][16], rate[16], w1[16];

	for (int i = 0; i < CMP_NQUANTILES; i++)
		percent(&r->q[i], q[i]);
	percent(&r->rate, rate);
	snprintf(w1, sizeof(w1), isfinite(r->w1) ? "%.2f%s" : "?", r->w1, r->w1_changed ? "*" : "");

	const struct cell cells[] = {
		{ "source", CELL_TEXT, -10, 0, { s->d.name[0] ? s->d.name : "@" } },
		{ "p50", CELL_TEXT, 6, 0, { q[0] } }, { "p90", CELL_TEXT, 6, 0, { q[1] } },
		{ "p99", CELL_TEXT, 6, 0, { q[2] } }, { "p99.9", CELL_TEXT, 6, 0, { q[3] } },
		{ "W1", CELL_TEXT, 5, 0, { w1 } }, { "AUC", CELL_NUMBER, 4, 2, { .d = r->auc.value } },
		{ "rate", CELL_TEXT, 6, 0, { p->a && p->b ? rate : p->b ? "new" : "gone" } },
		{ "key", CELL_TEXT, -1, 0, { s->text } },
	};
	table_line(t, cells, ARRAY_SIZE(cells));
}

/* The largest change of a quantile in words. */
static void explain(const struct pair *p)
{
	const struct latency_series *s = p->a ? p->a : p->b;
	const struct cmp_result *r = &p->res;
	char from[UNITS_LEN], to[UNITS_LEN];
	int best = -1;

	for (int i = 0; i < CMP_NQUANTILES; i++)
		if (r->q[i].changed && (best < 0 || fabs(r->q[i].value) > fabs(r->q[best].value)))
			best = i;
	if (best < 0)
		return;
	if (s->d.is_tracker) {
		units_ns((uint64_t)r->qa[best], from);
		units_ns((uint64_t)r->qb[best], to);
	} else {
		units_number(r->qa[best], from);
		units_number(r->qb[best], to);
	}
	printf("  p%g %s: %s -> %s, %+.0f%% (%+.0f to %+.0f%% at 95%% confidence)\n", cmp_quantiles[best] * 100,
	       r->q[best].value > 0 ? "larger" : "smaller", from, to, (exp2(r->q[best].value) - 1) * 100,
	       (exp2(r->q[best].low) - 1) * 100, (exp2(r->q[best].high) - 1) * 100);
}

static void put_stat(struct strb *b, const char *name, const struct cmp_stat *s)
{
	strb_printf(b, "%s\"%s\":", b->n > 1 ? "," : "", name);
	if (s->known && isfinite(s->value))
		strb_printf(b, "{\"value\":%.6f,\"low\":%.6f,\"high\":%.6f,\"changed\":%s}", s->value, s->low, s->high,
			    s->changed ? "true" : "false");
	else
		strb_adds(b, "null");
}

static void show_json(struct table *t, const struct pair *p)
{
	static const char *const names[] = { "p50", "p90", "p99", "p99.9" };
	const struct latency_series *s = p->a ? p->a : p->b;
	const struct cmp_result *r = &p->res;
	struct strb b = { 0 };

	strb_addc(&b, '{');
	for (int i = 0; i < CMP_NQUANTILES; i++)
		put_stat(&b, names[i], &r->q[i]);
	put_stat(&b, "rate", &r->rate);
	strb_addc(&b, '}');

	const struct cell cells[] = {
		{ "source", CELL_TEXT, 0, 0, { s->d.name } }, { "key", CELL_TEXT, 0, 0, { s->text } },
		{ "count_a", CELL_UINT, 0, 0, { .u = r->na } }, { "count_b", CELL_UINT, 0, 0, { .u = r->nb } },
		{ "changed", CELL_LIST, 0, 0, { r->changed ? "true" : "false" } },
		{ "rate_changed", CELL_LIST, 0, 0, { r->rate.changed ? "true" : "false" } },
		{ "a_p50", CELL_NUMBER, 0, 1, { .d = r->qa[0] } }, { "b_p50", CELL_NUMBER, 0, 1, { .d = r->qb[0] } },
		{ "a_p99", CELL_NUMBER, 0, 1, { .d = r->qa[2] } }, { "b_p99", CELL_NUMBER, 0, 1, { .d = r->qb[2] } },
		{ "w1", CELL_NUMBER, 0, 6, { .d = r->w1 } }, { "w1_noise", CELL_NUMBER, 0, 6, { .d = r->w1_noise } },
		{ "auc", CELL_NUMBER, 0, 6, { .d = r->auc.value } }, { "auc_low", CELL_NUMBER, 0, 6, { .d = r->auc.low } },
		{ "auc_high", CELL_NUMBER, 0, 6, { .d = r->auc.high } },
		{ "octaves", CELL_LIST, 0, 0, { strb_str(&b) } },
	};
	table_line(t, cells, ARRAY_SIZE(cells));
	strb_free(&b);
}

static int show(struct diff *d)
{
	struct table t = { .out = stdout, .type = "diff", .json = d->json };
	size_t changed = 0, judged = 0;

	if (d->pairs.n)
		qsort(d->pairs.v, d->pairs.n, sizeof(*d->pairs.v), by_size);
	for (size_t i = 0; i < d->pairs.n; i++) {
		const struct pair *p = &d->pairs.v[i];

		changed += worth_saying(p);
		judged += p->res.q[0].known || p->res.rate.known;
		if (d->json) {
			show_json(&t, p);
		} else if (d->all || worth_saying(p)) {
			show_text(&t, p);
			explain(p);
		}
	}
	if (!d->json)
		printf("%s%zu of %zu changed; %zu had too few events or seconds to tell (%zu s and %zu s)\n", t.begun ? "\n" : "",
		       changed, d->pairs.n, d->pairs.n - judged, d->side[0].n, d->side[1].n);
	return cmd_written(t.error);
}

static int run(struct diff *d)
{
	int e = 0;

	for (int i = 0; i < 2 && e == 0; i++)
		e = open_side(d, &d->side[i]);
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

static int usage(FILE *out)
{
	fprintf(out, "Usage: %s latency diff [--from TIME] [--to TIME] A [--from TIME] [--to TIME] B\n"
			"\n\t--all         what has not changed as well\n"
			"\t--from, --to  of the recording behind them: 30s after its beginning, -1m before its end\n"
			"\t--json        as JSON Lines\n\t--keys        how many keys of each source are compared (%d)\n"
			"\t--min         percent that a quantile must differ by to be called changed (5)\n", cmd_name(), KEYS_COMPARED);
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

/* One option, or a recording between them; an exit status or 0. */
static int take(struct diff *d, int c, struct latency_range *asked)
{
	uint64_t n;
	int e;

	switch (c) {
	case 1:
		if (d->nsides == 2)
			return usage(stderr);
		d->side[d->nsides].path = optarg;
		d->side[d->nsides++].asked = *asked;
		*asked = (struct latency_range){ 0 };
		return 0;
	case 'f':
		asked->from = optarg;
		return 0;
	case 't':
		asked->to = optarg;
		return 0;
	case 'a':
		d->all = true;
		return 0;
	case 'j':
		d->json = true;
		return 0;
	case 'k':
		return latency_number("--keys", optarg, RECFILE_HIST_KEYS, &d->keys);
	case 'm':
		e = latency_number("--min", optarg, PERCENT_MAX, &n);
		d->opts.min_shift = e ? 0 : (double)n / 100;
		return e;
	default:
		return usage(stderr);
	}
}

static int run_diff(int argc, char **argv)
{
	static const struct option longs[] = { { "from", required_argument, NULL, 'f' }, { "to", required_argument, NULL, 't' },
					       { "all", no_argument, NULL, 'a' }, { "json", no_argument, NULL, 'j' },
					       { "keys", required_argument, NULL, 'k' }, { "min", required_argument, NULL, 'm' },
					       { "help", no_argument, NULL, 'H' }, { NULL, 0, NULL, 0 } };
	struct diff d = { .keys = KEYS_COMPARED, .opts = CMP_DEFAULT };
	struct latency_range asked = { 0 };
	int c, e = 0;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout);
	while (e == 0 && (c = getopt_long(argc, argv, "-", longs, NULL)) != -1)
		e = take(&d, c, &asked);
	if (e == 0 && (d.nsides != 2 || optind != argc || asked.from || asked.to))
		e = usage(stderr);
	if (e == 0)
		e = run(&d);
	close_side(&d.side[0]);
	close_side(&d.side[1]);
	vec_free(&d.pairs);
	return e;
}

const struct latency_command latency_diff = { "diff", "what changed between two recordings, or two stretches of one", run_diff };
