/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the compilation of statements: actions that put data into the clause's record, and aggregations. */
#ifndef DWELL_CG_LOWER_ACT_H
#define DWELL_CG_LOWER_ACT_H
#include "cg/gen/gen.h"

/* Reserves the record of g->lay, or jumps to fail. */
void gen_record(struct gen *g, irlabel fail);
/* The statement when the ring is full: does all but put data into the record. */
void gen_stmt_full(struct gen *g, const struct stmt *s);
/* The bucket of the value; VREG_NONE: the function has none. */
vreg gen_agg_bucket(struct gen *g, const struct dagg *a, vreg v);
/* The values that an aggregation is given: vregs or VREG_NONE. */
struct agg_values {
	vreg value, bucket;
	vreg by; /* the increment of a bucket */
	struct mem key;
};
void gen_aggregate(struct gen *g, const struct dagg *a, const struct agg_values *w);
void gen_stmt(struct gen *g, const struct stmt *s);
/* Is this expression an action that puts data into the record? *ret: which one. */
bool act_is_data(const struct node *n, enum act_kind *ret);
/* All of a clause: its predicate and its statements. */
void gen_clause(struct gen *g, const struct cg_unit *u);
#endif
