/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the rows that the engine produced, in the order in which they are to be shown. This one is in memory and
 * bounded: rows may be released once read. Files are in store/file/recfile.h. Every view reads this. */
#ifndef DWELL_STORE_RECORDING_H
#define DWELL_STORE_RECORDING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/err.h"
#include "base/recfmt.h"

struct recording;

enum row_kind {
	ROW_EVENT,  /* a record of a clause: data points at struct rec_hdr … (fmt->size bytes) */
	ROW_FAULT,  /* data points at struct rec_fault */
	ROW_AGG,    /* what was added to one key of one aggregation since the last snapshot: a delta */
	ROW_DROPS,  /* losses since the last such row */
	ROW_NOTE,   /* status text of the run ("maxcpu: detached …"); data: text; id: enum rec_note */
	ROW_END,    /* the run is over */
	ROW_HIST,   /* the values that fell into one slot of time, as a histogram: data points at struct rec_hist */
	ROW_PROC,   /* a process or mapping: data points at struct rec_proc */
	ROW_COST,   /* what a program of ours cost since the last such row: data points at struct rec_cost */
	ROW_FLIGHT, /* what went on around the slow event of the row before: data points at struct rec_flight */
	ROW_NKINDS
};

enum rec_note {
	NOTE_TEXT,	 /* to be shown */
	NOTE_PAUSE,	 /* the reader did not run: pictures draw it, losses are counted apart */
	NOTE_DETACHED,	 /* to be shown: maxcpu has taken a program off; row.probe: its first probe */
	NOTE_REATTACHED, /* … and put back: it was off for row.count ns until ts */
	NOTE_COUNTERS,	 /* counters of the kernel as they were at ts: lines "name value" */
};

/* Is it for people? */
static inline bool note_is_shown(uint32_t id)
{
	return id != NOTE_PAUSE && id != NOTE_COUNTERS;
}

struct row {
	enum row_kind kind;
	uint64_t ts; /* CLOCK_MONOTONIC ns; HIST: when the slot began */
	uint32_t cpu;
	uint32_t probe;	  /* probe id; NOTE: of a program, by its first */
	uint32_t id;	  /* EVENT: epid; AGG: aggregation; DROPS: enum rec_counter; HIST: the source, a number of
			   * rec_hist_source(); COST: the program's number */
	uint64_t count;	  /* DROPS: how many; NOTE: ns in front of ts that it is of */
	const void *data; /* by kind; AGG: the key (key_size bytes); valid until released */
	size_t len;
	const uint64_t *value;	/* AGG: merged over CPUs (value_size bytes) */
	const uint64_t *percpu; /* AGG: per-CPU values (with aggpercpu), ncpu of them, or NULL */
};

/* A note that maxcpu has taken a program off. Recordings of before there was NOTE_DETACHED have its text. */
static inline bool note_is_detached(const struct row *note)
{
	static const char detached[] = "maxcpu: detached";

	return note->len > sizeof(detached) && !memcmp(note->data, detached, sizeof(detached) - 1);
}

struct rec_probe {
	uint32_t id;
	const char *prov, *mod, *func, *name;
};

/* A tracker of the program. Its slow events are ROW_EVENTs with ACT_SLOW, its delays ROW_HISTs. */
struct rec_tracker {
	uint32_t id; /* 0, 1, … */
	const char *name;
	uint64_t threshold, timeout; /* ns, as the program said; 0: none */
	const struct recfield *keys; /* offsets from the start of the key */
	size_t nkeys;
	uint32_t key_size; /* bytes; 0: per thread */
};

/* A histogram of one slot of time. The key follows (key_size bytes, then up to a multiple of 8), then nbuckets struct
 * rec_bucket, ascending by index, none with count 0. Slots are keyed by the event's own time, never by when it was
 * read. A slot may come in several rows: they add up. */
struct rec_hist {
	uint64_t period; /* ns: length of the slot */
	uint64_t count;
	uint64_t sum, max; /* exact; HIST_NO_SUM: of an aggregation, which has none */
	uint32_t key_size; /* trackers: 0 */
	uint32_t nbuckets;
	uint32_t flags; /* HIST_* */
	uint32_t pad;
};
enum {
	HIST_NO_SUM = 1,  /* sum and max are not known */
	HIST_BY_READ = 2, /* the slot is that of the reading: an event may be in the one after its own */
	HIST_OTHER = 4,	  /* values of keys beyond the limit, under no key */
	HIST_OPEN = 8,	  /* in files: written before the slot was over; shorter slots say more */
};
struct rec_bucket {
	uint32_t index; /* as of aggval_*_bucket() for the source's function */
	uint32_t pad;
	uint64_t count; /* of quantize() with an increment: signed, may be less than nothing */
};

enum rec_proc_kind {
	PROC_FORK,
	PROC_EXEC,
	PROC_EXIT,
	PROC_MMAP,
	PROC_ALIVE, /* when the recording began; ts: since when */
	PROC_NKINDS
};

struct rec_proc {	 /* row.ts: when */
	uint32_t kind;	 /* enum rec_proc_kind */
	uint32_t tgid;	 /* in dwell's pid namespace */
	uint32_t parent; /* FORK, ALIVE */
	uint32_t pad;
	uint64_t addr, len, off; /* MMAP: executable ones */
	char name[];		 /* EXEC, ALIVE: comm; MMAP: path; NUL-terminated within row.len */
};

/* "fork", "exec", "exit", "mmap", "alive"; NULL when there is no such kind. */
const char *rec_proc_name(uint32_t kind);

struct rec_cost {		  /* row.probe: the first probe of the program */
	uint64_t run_ns, run_cnt; /* since the last such row, as the kernel measures */
	uint64_t interval;	  /* ns */
};

/* The part of a recording that does not change during a run: formats, aggregations, probes. */
struct rec_schema {
	const struct recfmt *const *fmts; /* by epid - 1 */
	size_t nfmts;
	const struct aggdesc *const *aggs; /* by id */
	size_t naggs;
	const struct rec_probe *probes; /* sorted by id */
	size_t nprobes;
	const struct rec_tracker *trackers; /* by id */
	size_t ntrackers;
	unsigned ncpus;
};

/* schema is not copied: it must outlive the recording (later: written to the file). */
int recording_new_memory(const struct rec_schema *schema, struct recording **ret);
void recording_free(struct recording *r);
const struct rec_schema *recording_schema(const struct recording *r);
const struct rec_probe *rec_schema_probe(const struct rec_schema *s, uint32_t id); /* or NULL */

/* The sources of histograms: the trackers by id, then the aggregations by id. */
struct rec_histdesc {
	bool is_tracker;
	bool is_delay; /* its values are ns: of a tracker, or of hist() in @TRACKER_WORD, as by_key has them */
	const char *name;
	enum agg_func func;   /* tells what a bucket is: base/aggval.h */
	const int32_t *param; /* four */
	uint32_t nbuckets;
	const struct recfield *keys; /* trackers: none; without that of the slot, whose 8 bytes are 0 in keys here */
	size_t nkeys;
	uint32_t key_size;
	uint64_t slot_ns; /* of an aggregation that keys by slots itself: see struct aggdesc */
	bool slot_wall;
};
static inline uint32_t rec_hist_of_tracker(const struct rec_tracker *t)
{
	return t->id;
}
static inline uint32_t rec_hist_of_agg(const struct rec_schema *s, uint32_t agg)
{
	return (uint32_t)s->ntrackers + agg;
}
/* False: there is no such source, or an aggregation that has no buckets. */
bool rec_hist_source(const struct rec_schema *s, uint32_t id, struct rec_histdesc *ret);

/* Appends a row; data, key and value are copied. 0 or -ENOMEM. */
int recording_append(struct recording *r, const struct row *row);
#define RECORDING_TEES 4
/* Every row appended from now on is also given to fn (a file; store/file/recfile.h), and to those of earlier calls: to
 * RECORDING_TEES at most. */
void recording_tee(struct recording *r, void (*fn)(void *ctx, const struct row *row), void *ctx);
/* The next row not yet read, in order; false: none now. It stays valid until recording_release(). */
bool recording_next(struct recording *r, struct row *ret);
/* Frees what has been read. */
void recording_release(struct recording *r);
#endif
