/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of aggregation values, shared by the compiler (which emits the same in BPF), the
 * consumer and the tests: sizes, bucket indices and bounds, merging. Pure. */
#ifndef DWELL_BASE_AGGVAL_H
#define DWELL_BASE_AGGVAL_H
#include "base/recfmt.h"

/* Bytes of one value of this aggregation, by function and parameters. 0 when parameters are invalid. */
uint32_t aggval_size(enum agg_func func, const int32_t param[4]);
/* quantize: bucket (0 … AGG_QUANT_NBUCKETS-1) of v, and the smallest magnitude value shown for it. */
unsigned aggval_quantize_bucket(int64_t v);
int64_t aggval_quantize_bound(unsigned bucket);
/* lquantize(base, limit, step): bucket 0 is "< base", then the levels, the last is ">= limit". */
unsigned aggval_lquantize_levels(const int32_t param[4]);
unsigned aggval_lquantize_bucket(const int32_t param[4], int64_t v);
/* llquantize(factor, low, high, steps): number of buckets (underflow and overflow included), the bucket of v, and the
 * lower bound of a bucket. Negative values mirror the positive ones, as in Oracle's DTrace: bucket order is ascending
 * by value. The middle bucket holds |v| < factor^low, the first and the last |v| >= factor^(high+1). A bound is the one
 * nearer to 0. That of bucket 0 is -factor^(high+1). With low == 0 and steps > factor some buckets of the lowest
 * magnitude can never hold a value. Their bound is 0, which otherwise only the middle bucket has. Leave them out when
 * printing. nbuckets is 0 when the parameters are invalid. */
unsigned aggval_llquantize_nbuckets(const int32_t param[4]);
unsigned aggval_llquantize_bucket(const int32_t param[4], int64_t v);
int64_t aggval_llquantize_bound(const int32_t param[4], unsigned bucket);
/* hist: bucket 0 holds what is negative; from 0 to 63 each value has its own, from there on each power of
 * two is divided into 32. The bound of bucket 0 is -1. */
unsigned aggval_hist_bucket(int64_t v);
int64_t aggval_hist_bound(unsigned bucket);
/* Buckets of a distribution; 0: the function has none, or its parameters are invalid. */
unsigned aggval_nbuckets(enum agg_func func, const int32_t param[4]);
/* The values of a bucket: from <= value < to, as far as it is bounded. */
struct aggval_range {
	bool has_from, has_to;
	int64_t from, to;
};
struct aggval_range aggval_bucket_range(enum agg_func func, const int32_t param[4], unsigned bucket);
/* Adds the value src into dst (both aggval_size() bytes). */
void aggval_merge(enum agg_func func, bool is_signed, const int32_t param[4], uint64_t *dst, const uint64_t *src);
#endif
