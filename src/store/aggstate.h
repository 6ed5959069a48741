/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the state of a recording's aggregations as the consumer sees it: applies deltas, then clear(), trunc() and
 * normalize() as the program asked. Every view that shows aggregations uses it. */
#ifndef DWELL_STORE_AGGSTATE_H
#define DWELL_STORE_AGGSTATE_H
#include "store/recording.h"

struct aggstate;

struct agg_entry {
	const uint8_t *key; /* key_size bytes */
	uint64_t *value;    /* value_size bytes */
	uint64_t *percpu;   /* ncpus values or NULL */
};

int aggstate_new(const struct rec_schema *schema, struct aggstate **ret);
void aggstate_free(struct aggstate *s);
int aggstate_apply(struct aggstate *s, const struct row *row); /* a ROW_AGG; 0 or -ENOMEM */
void aggstate_clear(struct aggstate *s, uint32_t agg);	       /* zeroes values, keeps keys */
/* Keeps the n highest by value (n > 0), the lowest (n < 0), or nothing (has_n false or n == 0). */
void aggstate_trunc(struct aggstate *s, uint32_t agg, bool has_n, int64_t n);
void aggstate_normalize(struct aggstate *s, uint32_t agg, int64_t factor); /* 1: denormalize */
int64_t aggstate_normal(const struct aggstate *s, uint32_t agg);
/* The entries of one aggregation in unspecified order; valid until the next change. */
size_t aggstate_entries(struct aggstate *s, uint32_t agg, const struct agg_entry **ret);

/* -- for callers that also keep the state elsewhere -- */

/* The owner's notes on an entry. */
struct agg_mark {
	int64_t tag; /* 0: a new entry */
	uint64_t stamp;
	uint64_t memory;
	uint32_t bytes;
};
typedef void agg_gone_fn(void *ctx, const struct agg_mark *m);
typedef int agg_cell_fn(void *ctx, const struct aggdesc *d, const struct agg_entry *e, struct agg_mark *m);
/* From now on changes are noted, and fn is told of each entry that goes. */
void aggstate_watch(struct aggstate *s, agg_gone_fn *fn, void *ctx);
/* Each entry that has changed since the last call, in the order in which they first did, until fn returns other than 0,
 * which is returned. */
int aggstate_take_changed(struct aggstate *s, agg_cell_fn *fn, void *ctx);
/* Removes the entries of an aggregation of which fn says other than 0. */
void aggstate_sift(struct aggstate *s, uint32_t agg, agg_cell_fn *fn, void *ctx);

/* Sort key of a value, as in DTrace: by function (avg by average, quantize by weighted sum, then by the weight of
 * zero). Computed once per value, since a distribution has many buckets. */
struct agg_rank {
	long double first;
	int64_t second; /* increments may be negative */
};
struct agg_rank aggstate_rank(const struct aggdesc *d, const uint64_t *value);
/* Order of one field of two keys, a and b pointing to the field: integers without their sign, as in DTrace. */
int aggstate_key_field_cmp(const struct recfield *f, const uint8_t *a, const uint8_t *b);
/* Order of whole keys, field by field. */
int aggstate_key_cmp(const struct aggdesc *d, const uint8_t *a, const uint8_t *b);
/* A number in the same order, as far as the first 8 bytes tell: equal numbers say nothing. */
uint64_t aggstate_key_field_lead(const struct recfield *f, const uint8_t *p);
int aggstate_rank_cmp(const struct agg_rank *a, const struct agg_rank *b);
#endif
