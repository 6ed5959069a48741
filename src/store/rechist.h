/* SPDX-License-Identifier: Apache-2.0 */
/* Handles histograms of time slots: makes ROW_HIST rows, checks and reads them, adds them up, computes quantiles. */
#ifndef DWELL_STORE_RECHIST_H
#define DWELL_STORE_RECHIST_H
#include "base/step.h"
#include "store/recording.h"

/* Bytes of a ROW_HIST's data before its buckets. */
static inline size_t rechist_head(uint32_t key_size)
{
	return sizeof(struct rec_hist) + (key_size + 7u) / 8 * 8;
}
static inline const void *rechist_key(const struct rec_hist *h)
{
	return h + 1;
}
static inline const struct rec_bucket *rechist_buckets(const struct rec_hist *h)
{
	return (const void *)((const uint8_t *)h + rechist_head(h->key_size));
}
/* Whether data is what struct rec_hist says, for a source: its key, its buckets in order, their sum. */
bool rechist_fits(const struct rec_histdesc *d, const void *data, size_t len);

/* The data of a ROW_HIST being made; all zero at first. */
struct rechist_buf {
	uint8_t *v;
	size_t n, cap;
};
/* head: all but count and nbuckets; key: head->key_size bytes; words: a count for each of nbuckets buckets.
 * 0, or -ENOMEM. Then v and n are data and len of the row. */
int rechist_make(struct rechist_buf *b, const struct rec_hist *head, const void *key, const uint64_t *words,
		 uint32_t nbuckets);
void rechist_buf_free(struct rechist_buf *b);

/* The start of the slot of length period that holds ts; slots begin at multiples of it on the wall clock. */
uint64_t rechist_slot(uint64_t ts, uint64_t period, uint64_t wall_off);
/* The ROW_HIST that a ROW_AGG makes. It is of the slot that its key tells (struct aggdesc), or of the second in the
 * middle between this reading and the one before (0: there was none). It makes one, *ret, with its data in b; or none;
 * -ENOMEM. */
struct step rechist_of_agg(struct rechist_buf *b, const struct rec_schema *s, const struct row *row,
			   uint64_t read_before, uint64_t wall_off, struct row *ret);

/* A histogram that others are added to, exactly; all zero at first. */
struct histsum {
	struct rec_bucket *v; /* ascending by index */
	size_t n, cap;
	uint64_t count, sum, max;
	uint32_t flags; /* HIST_*, of any that was added */
};
/* Adds h's buckets, count, sum and max. 0, or -ENOMEM, and then nothing is added. */
int histsum_add(struct histsum *s, const struct rec_hist *h, const struct rec_bucket *buckets);
int histsum_merge(struct histsum *s, const struct histsum *other);
void histsum_reset(struct histsum *s); /* keeps the memory */
void histsum_free(struct histsum *s);
/* The value that a share q (0 … 1) of all does not exceed: the middle of its bucket, at most the largest
 * where that is known; NAN without values. hist(): within 1.6 % of the true one. */
double histsum_quantile(const struct histsum *s, const struct rec_histdesc *d, double q);
/* The same of times: whole ns; 0 without values. */
uint64_t histsum_quantile_ns(const struct histsum *s, const struct rec_histdesc *d, double q);
/* The middle of a bucket's values; of one without bound the bound that it has. */
double rechist_middle(const struct rec_histdesc *d, uint32_t bucket);
#endif
