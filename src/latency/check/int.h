/* SPDX-License-Identifier: Apache-2.0 */
/* The sums over a run that the rules of `dwell check` judge, for the files of latency/check. */
#ifndef DWELL_LATENCY_CHECK_INT_H
#define DWELL_LATENCY_CHECK_INT_H
#include "base/hash_try.h"
#include "base/strb.h"
#include "base/vec.h"
#include "latency/cause/chain.h"
#include "latency/check/check.h"
#include "latency/cause/whytab.h"

enum check_part { PART_WHOM, PART_WHAT, PART_BY, PART_MORE, CHECK_NPARTS };

/* Waits alike: of one measure, with the same texts. */
struct check_item {
	UT_hash_handle hh;
	char *id; /* owned: measure, whom, what, by, more, each ended by NUL */
	const char *measure, *part[CHECK_NPARTS];
	struct check_sum sum;
};

/* The longest slow event of a tracker. */
struct check_worst {
	char *tracker, *sentence, *stack; /* owned */
	uint64_t delay;
};

struct check_counter {
	char *name; /* owned */
	double first, last;
	bool ended; /* last is known */
};

struct check {
	struct causes *causes;
	check_wants_fn *wants;
	void *ctx;
	const char *comm; /* NULL: any */
	const struct rec_schema *schema;
	struct sym *sym;
	struct check_item *items;
	struct check_item others;
	struct whytab *why;
	bool why_added; /* its rows are among the items */
	struct chains *chains;
	VEC(struct check_worst) worst;
	VEC(struct check_counter) counters;
	VEC(char *) measures; /* that the program has */
	bool has_why;
	uint64_t begun, ended, took;
	uint64_t cost_ns, cost_span;
	unsigned ncpus;
	uint64_t lost[REC_NLOSSES];
};

/* Is anything left out? */
static inline bool check_is_filtered(const struct check *c)
{
	return c->wants || c->comm;
}

/* The input of a rule. */
struct check_eval {
	struct check *c;
	const struct check_rule *rule;
	double seconds;
	struct check_sum sum;
};

/* Does an item count for the rule? */
bool check_fits(const struct check_rule *r, const struct check_item *i);
/* The rows of the causes become items of the measures "why:CLASS". */
int check_add_why(struct check *c);
/* A counter's growth in the time; 0: not known. */
double check_counter(const struct check *c, const char *name);
const struct check_counter *check_find_counter(const struct check *c, const char *name);
/* Adds a text of counters: "name value" in lines. */
int check_counters(struct check *c, uint64_t ts, const char *text, size_t len);
/* How busy CPU i was, or all (i < 0), from 0 to 1; < 0: not known. */
double check_busy(const struct check *c, int cpu);
/* Counters of memory limits: a text about the group with most pages that were read again, and how many; NULL: none.
 * nreclaims: of the limit. They stand for the pages if no group was there when the counters were read. */
char *check_again(const struct check *c, uint64_t nreclaims, double *ret_pages);
/* Did the waits of `wait` read what the limits of `limit` had put out? As many pages of files at least, and
 * mostly by those that met the limit. */
bool check_read_again(const struct check_finding *limit, const struct check_finding *wait);
void check_fill_used(const struct check *c, struct check_report *ret);
double check_seconds(const struct check *c);
bool check_has(const struct check *c, const char *measure);
#endif
