/* SPDX-License-Identifier: Apache-2.0 */
/* Reads aggregations: two sets of maps, of which the programs use one. A snapshot makes them use the
 * other, waits until no program is left in the old one, and takes everything out of it. So nothing is
 * lost or counted twice, and what a snapshot gives are deltas (ROW_AGG).
 *
 * Taking out a key means to set its value to zero. Making and deleting per-CPU entries costs the kernel 6 to 20 us each
 * (unpreallocated, Linux 6.18). Reading costs 0.6 us, setting to zero 0.5 us. A key that was not used since the set was
 * last read is deleted. All keys are deleted when the map is filling up, and always in plain hashes (large values, an
 * entry per key and CPU), where that costs less. */
#ifndef DWELL_RUN_CONSUME_AGG_H
#define DWELL_RUN_CONSUME_AGG_H
#include "load/load.h"
#include "run/consume/decode.h"
#include "store/recording.h"

struct agg_reader;

struct agg_sink {
	struct recording *rec;
	int (*batch)(void *ctx); /* called between rows so that they can be consumed; <0 stops */
	decode_proc_fn proc;	 /* processes with user stacks in keys, or NULL */
	void *ctx;
};

/* Memory of one read of a keyed aggregation, in bytes. */
#define AGG_BATCH_BYTES ((size_t)4 << 20)
#define AGG_BATCH_MAX 8192 /* entries */
/* Entries of a map from which on keys are deleted, as a share of its size. */
#define AGG_FULL_NUM 1
#define AGG_FULL_DEN 2

/* l and schema must outlive the reader. percpu: rows carry the values of each CPU as well. */
int agg_reader_new(const struct loaded *l, const struct rec_schema *schema, bool percpu, struct agg_reader **ret);
void agg_reader_free(struct agg_reader *a);
enum agg_when {
	AGG_RUNNING, /* programs may be running: one set, after a grace period */
	AGG_STILL,   /* none runs now: both sets */
	AGG_LAST,    /* none will run any more: both sets, and nothing is taken out. Once. */
};

/* Appends what was added since the last snapshot. 0, or -errno with a message. */
int agg_snapshot(struct agg_reader *a, uint64_t now, enum agg_when when, const struct agg_sink *sink, struct err *err);
#endif
