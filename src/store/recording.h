/* SPDX-License-Identifier: Apache-2.0 */
/* The recording: rows that the engine produced, in the order in which they are to be shown. In memory
 * (bounded; rows may be released once read); files are in store/recfile.h. Every view reads this. */
#ifndef DWELL_STORE_RECORDING_H
#define DWELL_STORE_RECORDING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/recfmt.h"

struct recording;

enum row_kind {
	ROW_EVENT,  /* a record of a clause: data points at struct rec_hdr … (fmt->size bytes) */
	ROW_FAULT,  /* data points at struct rec_fault */
	ROW_AGG,    /* what was added to one key of one aggregation since the last snapshot: a delta */
	ROW_DROPS,  /* losses since the last such row */
	ROW_NOTE,   /* status text of the run ("governor detached …"); data: text */
	ROW_END,    /* the run is over */
};

struct row {
	enum row_kind kind;
	uint64_t ts;	 /* CLOCK_MONOTONIC ns */
	uint32_t cpu;
	uint32_t probe;	 /* probe id */
	uint32_t id;	 /* EVENT: epid; AGG: aggregation; DROPS: enum rec_counter */
	uint64_t count;	 /* DROPS: how many */
	const void *data; /* EVENT, FAULT, NOTE; AGG: the key (key_size bytes); valid until released */
	size_t len;
	const uint64_t *value; /* AGG: merged over CPUs (value_size bytes) */
	const uint64_t *percpu; /* AGG: per-CPU values (with aggpercpu), ncpu of them, or NULL */
};

struct rec_probe {
	uint32_t id;
	const char *prov, *mod, *func, *name;
};

/* What does not change during a run: formats, aggregations, probes. */
struct rec_schema {
	const struct recfmt *const *fmts; /* by epid - 1 */
	size_t nfmts;
	const struct aggdesc *const *aggs; /* by id */
	size_t naggs;
	const struct rec_probe *probes; /* sorted by id */
	size_t nprobes;
	unsigned ncpus;
};

/* schema is not copied: it must outlive the recording (later: written to the file). */
int recording_new_memory(const struct rec_schema *schema, struct recording **ret);
void recording_free(struct recording *r);
const struct rec_schema *recording_schema(const struct recording *r);
const struct rec_probe *rec_schema_probe(const struct rec_schema *s, uint32_t id); /* or NULL */

/* Appends a row; data, key and value are copied. 0 or -ENOMEM. */
int recording_append(struct recording *r, const struct row *row);
/* Every row appended from now on is also given to fn (a file; store/recfile.h). NULL: to nobody. */
void recording_tee(struct recording *r, void (*fn)(void *ctx, const struct row *row), void *ctx);
/* The next row not yet read, in order; false: none now. It stays valid until recording_release(). */
bool recording_next(struct recording *r, struct row *ret);
/* Frees what has been read. */
void recording_release(struct recording *r);
#endif
