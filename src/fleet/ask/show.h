/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the fleet's store a question of `dwell fleet`, and prints each row of the answer as a line of text or JSON.
 * Options fill struct askshow. */
#ifndef DWELL_FLEET_ASK_SHOW_H
#define DWELL_FLEET_ASK_SHOW_H
#include "fleet/ask/ask.h"
#include "view/form/table.h"

#define ASKSHOW_FROM_NS (5 * UINT64_C(60000000000))
#define ASKSHOW_LINES 20

struct askshow {
	/* asked for */
	struct click_options store;
	struct ask_what what;
	uint64_t from_ns, to_ns; /* ago */
	bool by_host, json;
	unsigned top;	     /* lines of causes */
	unsigned by;	     /* columns of enum ask_by, as bits */
	uint64_t earlier_ns; /* what is compared was so long before; 0: the hosts are compared with the rest */
	bool all;	     /* what has not changed, too */
	unsigned min_percent;
	FILE *out;
	/* the answer */
	struct table table;
};

/* Defaults. */
void askshow_init(struct askshow *a);
/* Hosts: "web*,role=db", which is cut and must outlive a. -E2BIG: more than ASK_SELECTORS_MAX. */
int askshow_hosts(struct askshow *a, char *list);
/* The same, of hosts that are left out. */
int askshow_except(struct askshow *a, char *list);
/* The range before `now` (CLOCK_REALTIME ns), and the open store. 0; -EINVAL without a message: nothing is between
 * from_ns and to_ns; -errno with a message. */
int askshow_open(struct askshow *a, uint64_t now, struct click **ret, struct err *err);

/* A question whose answer is printed line by line. */
struct askshow_question {
	const char *name, *type; /* of its JSON objects */
	int (*ask)(struct click *c, struct askshow *a, struct err *err);
	const char *nothing; /* the line for an empty answer; NULL: that the range is empty */
};
extern const struct askshow_question askshow_questions[]; /* in the order of: */
enum {
	ASKSHOW_HOSTS,
	ASKSHOW_LATENCY,
	ASKSHOW_WHY,
	ASKSHOW_FLAME,
	ASKSHOW_OUTLIERS,
	ASKSHOW_TOP,
	ASKSHOW_DIFF,
	ASKSHOW_PROGRAMS,
	ASKSHOW_CHANGES,
	ASKSHOW_NQUESTIONS
};
/* 0, or -errno: with a message of the store, without one of writing. a->table.begun: there was something. */
int askshow_answer(const struct askshow_question *q, struct click *c, struct askshow *a, struct err *err);
/* One row of each answer as a line; ctx: a struct askshow. */
int askshow_host(void *ctx, const struct ask_host *h);
int askshow_sum(void *ctx, const struct ask_sum *s);
int askshow_cause(void *ctx, const struct ask_cause *s);
int askshow_share(void *ctx, const struct ask_share *s);
int askshow_program(void *ctx, const struct ask_program *p);
struct change;
int askshow_change(void *ctx, const struct change *ch);
struct outlier;
int askshow_outlier(void *ctx, const struct outlier *o);
int askshow_stack(void *ctx, const char *stack, uint64_t ns);
#endif
