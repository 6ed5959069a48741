/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the range of values of each bucket of a distribution. */
#include "base/aggval.h"

unsigned aggval_nbuckets(enum agg_func func, const int32_t param[4])
{
	return func < AGG_QUANTIZE || !aggval_size(func, param) ? 0 : aggval_size(func, param) / 8 - 1;
}

static struct aggval_range between(bool has_from, int64_t from, bool has_to, int64_t to)
{
	return (struct aggval_range){ has_from, has_to, has_from ? from : 0, has_to ? to : 0 };
}

/* DTrace's lines: at and below 0 a bucket is named by its upper end. */
static struct aggval_range quantize_range(unsigned i)
{
	int64_t b = aggval_quantize_bound(i);

	return between(i > 0,
		       i > AGG_QUANT_ZERO || !i ? b
		       : i == AGG_QUANT_ZERO	? 0
						: aggval_quantize_bound(i - 1) + 1,
		       i < AGG_QUANT_NBUCKETS - 1,
		       i < AGG_QUANT_ZERO	     ? b + 1
		       : i == AGG_QUANT_NBUCKETS - 1 ? 0
						     : aggval_quantize_bound(i + 1));
}

static struct aggval_range lquantize_range(const int32_t param[4], unsigned i)
{
	unsigned levels = aggval_lquantize_levels(param);
	int64_t base = param[0], step = param[2];

	return between(i > 0, base + ((int64_t)i - 1) * step, i <= levels, base + (int64_t)i * step);
}

static struct aggval_range llquantize_range(const int32_t param[4], unsigned i)
{
	unsigned n = aggval_llquantize_nbuckets(param), zero = n / 2, near = i, far = i;
	int64_t b = aggval_llquantize_bound(param, i), next = 0;

	if (i == zero) { /* up to the first bound on both sides */
		for (near = zero + 1; near < n && !next; near++)
			next = aggval_llquantize_bound(param, near);
		return between(true, 1 - next, true, next);
	}
	while (!next && far > 0 && far < n - 1) {
		far += i > zero ? 1 : -1u;
		next = aggval_llquantize_bound(param, far);
	}
	return between(i > zero || next, i > zero ? b : next + 1, i < zero || next, i > zero ? next : b + 1);
}

struct aggval_range aggval_bucket_range(enum agg_func func, const int32_t param[4], unsigned bucket)
{
	switch (func) {
	case AGG_QUANTIZE: return quantize_range(bucket);
	case AGG_LQUANTIZE: return lquantize_range(param, bucket);
	case AGG_LLQUANTIZE: return llquantize_range(param, bucket);
	case AGG_HIST:
		return between(bucket > 0, aggval_hist_bound(bucket), bucket < AGG_HIST_NBUCKETS - 1,
			       bucket ? aggval_hist_bound(bucket + 1) : 0);
	default: return between(false, 0, false, 0);
	}
}
