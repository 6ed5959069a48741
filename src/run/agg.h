/* SPDX-License-Identifier: Apache-2.0 */
/* Reads aggregations: two sets of maps, of which the programs use one. A snapshot makes them use the
 * other, waits until no program is left in the old one, and takes everything out of it. So nothing is
 * lost or counted twice, and what a snapshot gives are deltas (ROW_AGG). */
#ifndef DWELL_RUN_AGG_H
#define DWELL_RUN_AGG_H
#include "load/load.h"
#include "run/decode.h"
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

/* l and schema must outlive the reader. percpu: rows carry the values of each CPU as well. */
int agg_reader_new(const struct loaded *l, const struct rec_schema *schema, bool percpu,
		   struct agg_reader **ret);
void agg_reader_free(struct agg_reader *a);
/* Appends what was added since the last snapshot. running: programs may be running (else no grace period
 * is waited for, and both sets are read). 0, or -errno with a message. */
int agg_snapshot(struct agg_reader *a, uint64_t now, bool running, const struct agg_sink *sink,
		 struct err *err);
#endif
