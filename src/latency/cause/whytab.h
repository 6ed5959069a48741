/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the table of causes. Takes rows of aggregations that have a stack in the key, and classifies the stacks. It
 * adds them up by cause, by process and, when there is one, by user stack. `dwell why` prints it. */
#ifndef DWELL_LATENCY_WHYTAB_H
#define DWELL_LATENCY_WHYTAB_H
#include "latency/cause/causes.h"
#include "store/recording.h"
#include "sym/sym.h"

#define WHYTAB_MAX_ROWS 65536 /* further ones are counted together as others */
#define WHYTAB_MAX_KEYS 65536 /* known keys; then all are forgotten and asked again */
#define WHYTAB_MAX_WORDS 4096 /* texts of whytab_wait(); then "others" */
#define WHYTAB_MAX_STACK 128  /* frames of a user stack */

/* Waits of one kind. */
struct why_sum {
	uint64_t count, total, max; /* ns */
};

struct why_row {
	uint64_t who;	   /* first key field: pid, tid or 0 */
	const char *comm;  /* second; "" */
	const char *words; /* of the cause; equal ones by one pointer */
	enum cause_class class;
	bool inferred;
	const char *ustack;	 /* names of its frames, innermost first, separated by ";"; NULL: not asked for */
	struct why_sum all, now; /* since the begin; since whytab_next() */
	bool others;		 /* what did not fit */
};

struct whytab;

/* causes and sym (or NULL) must outlive the table. -ENOMEM. */
int whytab_new(struct causes *causes, struct sym *sym, struct whytab **ret);
void whytab_free(struct whytab *t);
/* A ROW_AGG: of an aggregation with the key (who, comm, why [, ustack] [, futex] [, ustack]) or without a key
 * ("short"), function avg or max; other rows are left alone. 0 or -ENOMEM. */
int whytab_add(struct whytab *t, const struct rec_schema *s, const struct row *row);
/* From now on one frame of a user stack counts: the innermost function of the program that a language runtime runs.
 * If the program has none there, it is the runtime's; "" when there is no runtime. */
void whytab_askers(struct whytab *t);
/* From now on names come from sym: rows of another recording follow. */
void whytab_set_sym(struct whytab *t, struct sym *sym);
/* Adds one wait of ns. Reads who, comm, words, class and inferred of r, and copies the texts. 0 or -ENOMEM. */
int whytab_wait(struct whytab *t, const struct why_row *r, uint64_t ns);
/* All rows, those with the most time first: of the time since whytab_next(), or of all. *ret lives until the next
 * call. How many. */
size_t whytab_rows(struct whytab *t, bool now, const struct why_row *const **ret);
/* Waits that were too short for a cause. */
struct why_sum whytab_short(const struct whytab *t, bool now);
/* Programs that fill such a table end an interval by a printa() of a tick- probe: is it that? */
bool whytab_is_end(const struct rec_schema *s, const struct row *row);
/* A new interval begins. */
void whytab_next(struct whytab *t);
#endif
