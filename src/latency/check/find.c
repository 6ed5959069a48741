/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the rules to the sums: decides what is a finding, what it costs, and which finding explains another. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "latency/check/int.h"

#define EXPLAINS 10 /* a finding may explain another that costs up to this many times as much */
#define GOOD_PART 4 /* a quarter */

static const char *const areas[CHECK_NAREAS] = { "CPU",	  "memory",  "disks and file systems",
						 "locks", "network", "processes" };

const char *check_area_name(enum check_area area)
{
	return areas[area];
}

/* Kernel threads wait for threads that wait for them: what they do is counted once. */
static const char *const kernel_threads[] = { "jbd2/*",	    "kworker/*",  "loop[0-9]*",	 "kswapd*",
					      "xfsaild/*",  "dmcrypt*",	  "md*_raid*",	 "ksoftirqd*",
					      "khugepaged", "kcompactd*", "migration/*", "rcu*" };

static bool is_kernel_thread(const char *comm)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_threads); i++)
		if (fnmatch(kernel_threads[i], comm, 0) == 0)
			return true;
	return false;
}

/* Patterns with | between them. */
static bool fits(const char *patterns, const char *text)
{
	char one[64];

	while (patterns && *patterns) {
		size_t n = strcspn(patterns, "|");

		snprintf(one, sizeof(one), "%.*s", (int)n, patterns);
		if (fnmatch(one, text, 0) == 0)
			return true;
		patterns += n + (patterns[n] == '|');
	}
	return false;
}

bool check_fits(const struct check_rule *r, const struct check_item *i)
{
	return !strcmp(r->measure, i->measure) && (!r->what || fits(r->what, i->part[PART_WHAT])) &&
	       (!r->by || fits(r->by, i->part[PART_BY])) &&
	       (strncmp(r->measure, "why:", 4) != 0 || !is_kernel_thread(i->part[PART_WHOM]));
}

/* -- those with most -- */

static uint64_t weight(const struct check_rule *r, struct check_sum s)
{
	return s.ns + s.count * (r->each_ns ? r->each_ns : 1);
}

struct tally {
	UT_hash_handle hh;
	struct check_share share;
};

static int by_weight(const void *a, const void *b)
{
	const struct check_share *x = a, *y = b;

	return x->sum.ns < y->sum.ns	     ? 1
	       : x->sum.ns > y->sum.ns	     ? -1
	       : x->sum.count < y->sum.count ? 1
	       : x->sum.count > y->sum.count ? -1
					     : strcmp(x->name, y->name);
}

static void take_most(struct tally *all, struct check_shares *ret)
{
	struct tally *t, *next;

	HASH_ITER (hh, all, t, next) {
		struct check_share least = t->share;

		for (unsigned i = 0; i < ret->n; i++)
			if (by_weight(&least, &ret->v[i]) < 0) {
				struct check_share x = ret->v[i];

				ret->v[i] = least;
				least = x;
			}
		if (ret->n < CHECK_SHARES)
			ret->v[ret->n++] = least;
		ret->all++;
		HASH_DEL(all, t);
		free(t);
	}
}

/* Adds up the items that fit by their names in this part. */
static int tally_by(const struct check *c, const struct check_rule *r, enum check_part part, struct tally **all)
{
	struct tally *t;

	for (struct check_item *i = c->items; i; i = i->hh.next) {
		const char *name = i->part[part];

		if (!check_fits(r, i))
			continue;
		HASH_FIND_STR(*all, name, t);
		if (!t) {
			t = calloc(1, sizeof(*t));
			if (!t)
				return -ENOMEM;
			t->share.name = name;
			HASH_ADD_KEYPTR(hh, *all, name, strlen(name), t);
		}
		t->share.sum.ns += i->sum.ns;
		t->share.sum.count += i->sum.count;
	}
	return 0;
}

/* A slow disk, or a slow name server, beside fast ones: the mean is that of each. */
static bool is_long(const struct check_rule *r, struct check_sum s)
{
	return !r->mean_ns || (s.count && s.ns / s.count >= r->mean_ns);
}

static int share(struct check *c, const struct check_rule *r, enum check_part part, struct check_shares *ret)
{
	struct tally *all = NULL, *t, *next;
	int e = tally_by(c, r, part, &all);

	HASH_ITER (hh, all, t, next)
		if (!t->share.name[0] || (part == PART_WHAT && !is_long(r, t->share.sum))) {
			HASH_DEL(all, t);
			free(t);
		}
	take_most(all, ret);
	return e;
}

/* -- one rule -- */

/* *ret: of all that fit; if a mean is asked for, of the objects that reach it. 0 or -ENOMEM. */
static int sum_of(const struct check *c, const struct check_rule *r, struct check_sum *ret)
{
	struct tally *all = NULL, *t, *next;
	int e = 0;

	*ret = (struct check_sum){ 0 };
	if (strchr(r->measure, '.'))
		ret->count = (uint64_t)check_counter(c, r->measure);
	else
		e = tally_by(c, r, PART_WHAT, &all);
	HASH_ITER (hh, all, t, next) {
		if (is_long(r, t->share.sum)) {
			ret->count += t->share.sum.count;
			ret->ns += t->share.sum.ns;
		}
		HASH_DEL(all, t);
		free(t);
	}
	return e;
}

static double cost_of(const struct check_rule *r, struct check_sum s, double seconds)
{
	uint64_t ns = r->each_ns && weight(r, s) > s.ns ? s.count * r->each_ns : s.ns;

	return (double)(ns > s.ns ? ns : s.ns) / 1e6 / seconds;
}

static bool is_found(struct check_eval *e, double cost)
{
	const struct check_rule *r = e->rule;
	uint64_t n = e->sum.count;

	return n > 0 && n >= r->least && cost >= r->permille && (double)n >= r->per_second * e->seconds &&
	       (!r->mean_ns || e->sum.ns / n >= r->mean_ns) && (!r->when || r->when(e));
}

static void put_name(struct strb *b, const struct check_shares *s, const char *none)
{
	strb_adds(b, s->n ? s->v[0].name : none);
	if (s->n > 1 && s->v[0].sum.ns + s->v[0].sum.count < 4 * (s->v[1].sum.ns + s->v[1].sum.count))
		strb_printf(b, " (and %s)", s->all > 2 ? "others" : s->v[1].name);
}

static char *title_of(const struct check_finding *f)
{
	struct strb b = { 0 };

	for (const char *p = f->rule->title; *p; p++) {
		if (p[0] != '%') {
			strb_addc(&b, *p);
			continue;
		}
		p++;
		if (*p == 'W')
			put_name(&b, &f->what, "it");
		else if (*p == 'B')
			put_name(&b, &f->by, "somebody");
		else
			put_name(&b, &f->whom, "somebody");
	}
	return strb_take(&b);
}

static void set_evidence(const struct check *c, struct check_finding *f)
{
	f->event = f->stack = "";
	for (size_t i = 0; i < c->worst.n && f->rule->tracker; i++)
		if (!strcmp(c->worst.v[i].tracker, f->rule->tracker)) {
			f->event = c->worst.v[i].sentence;
			f->stack = c->worst.v[i].stack;
		}
}

static int judge(struct check *c, const struct check_rule *r, struct check_finding *f)
{
	struct check_eval e = { .c = c, .rule = r, .seconds = check_seconds(c) };
	int err = sum_of(c, r, &e.sum);

	if (check_is_filtered(c) && strchr(r->measure, '.'))
		e.sum = (struct check_sum){ 0 };
	*f = (struct check_finding){ .rule = r, .before = -1 };
	f->cost = cost_of(r, e.sum, e.seconds);
	f->found = is_found(&e, f->cost);
	f->measured = (check_has(c, r->measure) && !(check_is_filtered(c) && strchr(r->measure, '.'))) || e.sum.count;
	if (!f->found && r->when && !r->when(&e)) /* it is told by another rule, or not at all */
		e.sum = (struct check_sum){ 0 };
	f->sum = e.sum; /* `when` may have changed it */
	f->cost = cost_of(r, e.sum, e.seconds);
	if (err == 0)
		err = share(c, r, PART_WHOM, &f->whom);
	if (err == 0)
		err = share(c, r, PART_WHAT, &f->what);
	if (err == 0)
		err = share(c, r, PART_BY, &f->by);
	set_evidence(c, f);
	f->note = f->found && r->reread ? check_again(c, f->sum.count, &f->again) : NULL;
	f->title = err == 0 ? title_of(f) : NULL;
	return f->title ? 0 : -ENOMEM;
}

/* -- order -- */

static int by_rank(const void *a, const void *b)
{
	const struct check_finding *x = a, *y = b;

	if (x->found != y->found)
		return x->found ? -1 : 1;
	if (x->found && x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	if (x->found && x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = words; p && (p = strstr(p, word)); p += n)
		if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	return false;
}

static bool is_among(const struct check_shares *s, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, name))
			return true;
	return false;
}

/* New processes and threads explain waits for a CPU only if they, or those that make them, had it for a good part. */
static bool had_the_cpus(const struct check_finding *a, const struct check_finding *b)
{
	uint64_t ns = 0;

	for (unsigned i = 0; i < b->by.n; i++)
		if (is_among(&a->whom, b->by.v[i].name) || is_among(&a->what, b->by.v[i].name))
			ns += b->by.v[i].sum.ns;
	return ns * GOOD_PART >= b->sum.ns;
}

static bool put_out(const struct check_finding *a, const struct check_finding *b)
{
	return has_word(a->rule->reread, b->rule->id) && check_read_again(a, b);
}

static bool explains(const struct check_finding *a, const struct check_finding *b)
{
	if (put_out(a, b))
		return true;
	return has_word(a->rule->explains, b->rule->id) && !has_word(b->rule->explains, a->rule->id) &&
	       !put_out(b, a) && a->cost * EXPLAINS >= b->cost &&
	       (a->rule->area != CHECK_PROCESS || strcmp(b->rule->measure, "wakeup") != 0 || had_the_cpus(a, b));
}

/* Puts each finding below the one that explains it, at the top of the chain. That one is ranked by the largest cost of
 * those below it. */
static void relate(struct check_report *r)
{
	struct check_finding *v = r->v;

	for (unsigned i = 0; i < r->nfound; i++) {
		v[i].rank = v[i].cost;
		for (unsigned k = 0; k < r->nfound && !v[i].beneath; k++)
			if (k != i && explains(&v[k], &v[i]))
				v[i].beneath = k + 1;
	}
	for (unsigned i = 0; i < r->nfound; i++)
		for (unsigned n = 0; v[i].beneath && v[v[i].beneath - 1].beneath && n < r->nfound; n++)
			v[i].beneath = v[v[i].beneath - 1].beneath;
	for (unsigned i = 0; i < r->nfound; i++)
		if (v[i].beneath && v[v[i].beneath - 1].rank < v[i].cost)
			v[v[i].beneath - 1].rank = v[i].cost;
}

/* By rank, what is explained after what explains it: `beneath` are places in the new order then. room: for as many. */
static void regroup(struct check_report *r, struct check_finding *room)
{
	const struct check_rule *top[CHECK_MAX_RULES] = { NULL };
	unsigned n = 0;

	for (unsigned i = 0; i < r->nfound; i++)
		top[r->v[i].rule - check_rules] = r->v[i].beneath ? r->v[r->v[i].beneath - 1].rule : NULL;
	qsort(r->v, r->nfound, sizeof(*r->v), by_rank);
	for (unsigned i = 0; i < r->nfound; i++) {
		unsigned at = n + 1;

		if (r->v[i].beneath)
			continue;
		room[n++] = r->v[i];
		for (unsigned k = 0; k < r->nfound; k++)
			if (top[r->v[k].rule - check_rules] == r->v[i].rule) {
				room[n] = r->v[k];
				room[n++].beneath = at;
			}
	}
	memcpy(r->v, room, n * sizeof(*room));
}

static int compare(struct check_report *r, struct check *before)
{
	int e = 0;

	for (unsigned i = 0; i < r->n && e == 0; i++) {
		struct check_sum sum;

		if (!check_has(before, r->v[i].rule->measure))
			continue;
		e = sum_of(before, r->v[i].rule, &sum);
		r->v[i].before = cost_of(r->v[i].rule, sum, check_seconds(before));
	}
	return e;
}

int check_judge(struct check *c, struct check *before, struct check_report *ret)
{
	_cleanup_free_ struct check_finding *room = calloc(check_nrules, sizeof(*room));
	int e = check_add_why(c);

	*ret = (struct check_report){ .v = calloc(check_nrules, sizeof(*ret->v)),
				      .seconds = check_seconds(c),
				      .own = -1,
				      .filtered = check_is_filtered(c) };
	memcpy(ret->lost, c->lost, sizeof(ret->lost));
	if (!ret->v || !room)
		return -ENOMEM;
	for (; ret->n < check_nrules && e == 0; ret->n++) {
		e = judge(c, &check_rules[ret->n], &ret->v[ret->n]);
		ret->nfound += ret->v[ret->n].found;
	}
	if (e == 0 && before && (e = check_add_why(before)) == 0)
		e = compare(ret, before);
	qsort(ret->v, ret->n, sizeof(*ret->v), by_rank);
	relate(ret);
	regroup(ret, room);
	if (c->cost_ns)
		ret->own = 100.0 * (double)c->cost_ns / (ret->seconds * NSEC_PER_SEC * (c->ncpus ? c->ncpus : 1));
	check_fill_used(c, ret);
	return e;
}

void check_report_done(struct check_report *r)
{
	for (unsigned i = 0; r->v && i < r->n; i++) {
		free(r->v[i].title);
		free(r->v[i].note);
	}
	free(r->v);
	r->v = NULL;
}

const char *check_cost_text(double permille, char buf[24])
{
	snprintf(buf, 24,
		 permille >= 10000  ? "%.0f s/s"
		 : permille >= 1000 ? "%.2f s/s"
		 : permille >= 10   ? "%.0f ms/s"
				    : "%.2f ms/s",
		 permille >= 1000 ? permille / 1000 : permille);
	return buf;
}
