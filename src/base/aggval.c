/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of aggregation values. Bucket order and bounds are DTrace's.
 * Source: DTrace guide, chapter "Aggregations"; Oracle's for the negative half of llquantize. */
#include "base/aggval.h"

#define LQUANT_MAX_LEVELS 65535 /* DTrace's: the number of levels has 16 bits */
#define LLQUANT_MAX_PARAM 65535 /* the largest value of a parameter of llquantize */

/* llquantize's parameters, checked, with what follows from them. */
struct llquant {
	uint64_t factor, steps;
	uint64_t fold;	  /* steps / factor: the part of the steps that the magnitude below has (0: none) */
	uint64_t lowest;  /* factor^low */
	uint64_t highest; /* factor^(high+1) */
	unsigned low, nmag;
	unsigned per_mag; /* buckets of one magnitude */
	unsigned zero;	  /* index of the bucket around 0 */
};

static bool power(uint64_t base, unsigned exp, uint64_t *ret)
{
	uint64_t v = 1;

	while (exp--)
		if (__builtin_mul_overflow(v, base, &v) || v > INT64_MAX)
			return false;
	*ret = v;
	return true;
}

static bool llquant_init(struct llquant *q, const int32_t param[4])
{
	int32_t factor = param[0], low = param[1], high = param[2], steps = param[3];
	uint64_t divided;

	if (factor < 2 || low < 0 || high < low || high > 62 || steps < 1 || steps > LLQUANT_MAX_PARAM ||
	    (steps < factor ? factor % steps : steps % factor))
		return false;
	q->factor = (uint64_t)factor;
	q->steps = (uint64_t)steps;
	q->fold = q->steps / q->factor;
	q->low = (unsigned)low;
	q->nmag = (unsigned)(high - low) + 1;
	if (!power(q->factor, q->low, &q->lowest) || !power(q->factor, (unsigned)high + 1, &q->highest))
		return false;
	/* The first magnitude that is divided into all steps must give whole numbers. */
	if (steps > factor && (!power(q->factor, low ? q->low + 1 : 2, &divided) || divided % q->steps))
		return false;
	q->per_mag = (unsigned)(q->steps - q->fold);
	q->zero = 1 + q->nmag * q->per_mag;
	return true;
}

uint32_t aggval_size(enum agg_func func, const int32_t param[4])
{
	unsigned n;

	switch (func) {
	case AGG_COUNT: return 8;
	case AGG_SUM:
	case AGG_AVG:
	case AGG_MIN:
	case AGG_MAX: return 16;
	case AGG_STDDEV: return 32;
	case AGG_QUANTIZE: return 8 * (1 + AGG_QUANT_NBUCKETS);
	case AGG_LQUANTIZE: n = aggval_lquantize_levels(param); return n ? 8 * (1 + n + 2) : 0;
	case AGG_LLQUANTIZE: n = aggval_llquantize_nbuckets(param); return n ? 8 * (1 + n) : 0;
	case AGG_HIST: return 8 * (1 + AGG_HIST_NBUCKETS);
	}
	return 0;
}

unsigned aggval_quantize_bucket(int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	unsigned log2;

	if (!v)
		return AGG_QUANT_ZERO;
	log2 = 63 - (unsigned)__builtin_clzll(u);
	if (v > 0)
		return AGG_QUANT_ZERO + 1 + log2;
	return log2 > AGG_QUANT_ZERO - 1 ? 0 : AGG_QUANT_ZERO - 1 - log2; /* INT64_MIN */
}

int64_t aggval_quantize_bound(unsigned bucket)
{
	if (bucket == AGG_QUANT_ZERO)
		return 0;
	if (bucket < AGG_QUANT_ZERO)
		return -(INT64_C(1) << (AGG_QUANT_ZERO - 1 - bucket));
	return INT64_C(1) << (bucket - AGG_QUANT_ZERO - 1);
}

unsigned aggval_lquantize_levels(const int32_t param[4])
{
	int64_t range = (int64_t)param[1] - param[0], step = param[2];

	if (step <= 0 || range < step || range / step > LQUANT_MAX_LEVELS)
		return 0;
	return (unsigned)(range / step);
}

unsigned aggval_lquantize_bucket(const int32_t param[4], int64_t v)
{
	unsigned levels = aggval_lquantize_levels(param);
	uint64_t level;

	if (v < param[0])
		return 0;
	level = ((uint64_t)v - (uint64_t)(int64_t)param[0]) / (uint32_t)param[2];
	return level < levels ? (unsigned)level + 1 : levels + 1;
}

unsigned aggval_llquantize_nbuckets(const int32_t param[4])
{
	struct llquant q;

	return llquant_init(&q, param) ? 2 * q.zero + 1 : 0;
}

/* How far from the bucket around 0 a value of this size lies. */
static unsigned llquant_distance(const struct llquant *q, uint64_t size)
{
	uint64_t next = q->lowest * q->factor, in_mag;
	unsigned mag = 0;

	if (size < q->lowest)
		return 0;
	if (size >= q->highest)
		return q->zero;
	for (; size >= next; next *= q->factor) /* ends: size < highest */
		mag++;
	/* Magnitude 0 has fewer whole numbers than steps: every fold-th bucket is used. */
	if (next < q->steps)
		in_mag = (size - 1) * q->fold;
	else
		in_mag = size / (next / q->steps) - q->fold;
	return 1 + mag * q->per_mag + (unsigned)in_mag;
}

unsigned aggval_llquantize_bucket(const int32_t param[4], int64_t v)
{
	struct llquant q;

	if (!llquant_init(&q, param))
		return 0;
	if (v < 0)
		return q.zero - llquant_distance(&q, 0 - (uint64_t)v);
	return q.zero + llquant_distance(&q, (uint64_t)v);
}

int64_t aggval_llquantize_bound(const int32_t param[4], unsigned bucket)
{
	unsigned distance, in_mag;
	uint64_t next, bound;
	struct llquant q;

	if (!llquant_init(&q, param) || bucket == q.zero || bucket > 2 * q.zero)
		return 0;
	distance = bucket > q.zero ? bucket - q.zero : q.zero - bucket;
	if (distance == q.zero) {
		bound = q.highest;
	} else {
		in_mag = (distance - 1) % q.per_mag;
		next = q.lowest * q.factor;
		for (unsigned m = (distance - 1) / q.per_mag; m; m--)
			next *= q.factor;
		if (!in_mag)
			bound = next / q.factor;
		else if (next >= q.steps)
			bound = (q.fold + in_mag) * (next / q.steps);
		else
			bound = in_mag % q.fold ? 0 : 1 + in_mag / q.fold;
	}
	return bucket > q.zero ? (int64_t)bound : -(int64_t)bound;
}

unsigned aggval_hist_bucket(int64_t v)
{
	unsigned shift = 0;

	if (v < 0)
		return 0;
	if (v >> AGG_HIST_SUB)
		shift = 63 - AGG_HIST_SUB - (unsigned)__builtin_clzll((uint64_t)v);
	return 1 + (shift << AGG_HIST_SUB) + (unsigned)(v >> shift);
}

int64_t aggval_hist_bound(unsigned bucket)
{
	unsigned shift;

	if (!bucket--)
		return -1;
	shift = bucket >> AGG_HIST_SUB;
	shift = shift ? shift - 1 : 0;
	/* unsigned: after the last bucket it is 2^63, which is nobody's bound */
	return (int64_t)((uint64_t)(bucket - (shift << AGG_HIST_SUB)) << shift);
}

/* a is to be replaced by b. */
static bool replaces(enum agg_func func, bool is_signed, uint64_t a, uint64_t b)
{
	bool less = is_signed ? (int64_t)b < (int64_t)a : b < a;

	return func == AGG_MIN ? less : !less;
}

void aggval_merge(enum agg_func func, bool is_signed, const int32_t param[4], uint64_t *dst, const uint64_t *src)
{
	uint32_t words = aggval_size(func, param) / 8;

	if (!src[0])
		return;
	if (func == AGG_MIN || func == AGG_MAX) {
		if (!dst[0] || replaces(func, is_signed, dst[1], src[1]))
			dst[1] = src[1];
		dst[0] += src[0];
		return;
	}
	for (uint32_t i = 0; i < words; i++)
		dst[i] += src[i];
	if (func == AGG_STDDEV && dst[2] < src[2])
		dst[3]++; /* carry of the 128-bit sum of squares */
}
