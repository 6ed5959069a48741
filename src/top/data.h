/* SPDX-License-Identifier: Apache-2.0 */
/* Describes what `dwell top` shows at one moment: plain data of a fixed size. The screen draws from a copy of its
 * own, so a slow terminal never delays the tracer. */
#ifndef DWELL_TOP_DATA_H
#define DWELL_TOP_DATA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_SECONDS 240	 /* columns of strips and heat maps */
#define TOP_BANDS 52	 /* of a heat map: two for each power of two, from TOP_BAND_MIN on */
#define TOP_BAND_MIN 512 /* ns; what is shorter is in the first band */
#define TOP_TRACKERS 16
#define TOP_SLOW 200 /* slow events that are kept */
#define TOP_CAUSES 100
#define TOP_PROCS 64
#define TOP_CPUS 1024 /* further ones are not drawn */
#define TOP_NAME 24
#define TOP_COMM 16
#define TOP_WORDS 96
#define TOP_SENTENCE 640 /* longer ones are cut */

/* The delays of one tracker that ended in one second. */
struct top_column {
	uint64_t second; /* CLOCK_MONOTONIC, s */
	uint64_t count, max;
	uint32_t band[TOP_BANDS];
};

struct top_tracker {
	char name[TOP_NAME];
	uint64_t count, p50, p99, max; /* of the last minute; ns */
	double per_s;
	struct top_column col[TOP_SECONDS]; /* by second modulo TOP_SECONDS */
};

struct top_cause {
	uint32_t pid;
	char comm[TOP_COMM];
	char words[TOP_WORDS];
	bool idle, inferred;
	uint64_t count, total, max; /* ns */
};

struct top_causes {
	struct top_cause v[TOP_CAUSES];
	size_t n;
	uint64_t ns; /* how long it was measured */
};

struct top_slow {
	uint64_t wall, delay; /* when it ended, CLOCK_REALTIME; ns */
	char tracker[TOP_NAME];
	char comm[TOP_COMM];
	bool idle;
	char sentence[TOP_SENTENCE];
};

struct top_proc {
	uint32_t pid;
	char comm[TOP_COMM];
	double share; /* of one CPU */
};

struct top_cpu {
	double busy;	 /* 0 … 1 */
	double runnable; /* threads that run or could, while it is busy */
};

struct top_data {
	uint64_t now;		    /* CLOCK_MONOTONIC, ns: of the newest row */
	uint64_t since;		    /* the same: begin */
	uint64_t intervals;	    /* that ended so far */
	uint64_t lost;		    /* records, keys …, of all kinds */
	char lost_words[TOP_WORDS]; /* the newest loss */
	double own_probes;	    /* share of one CPU; < 0: not measured */
	double own_user;
	struct top_tracker trackers[TOP_TRACKERS];
	size_t ntrackers;
	struct top_causes last, all;	/* of the last interval; since the begin */
	struct top_slow slow[TOP_SLOW]; /* ring: the newest is slow[(nslow - 1) % TOP_SLOW] */
	uint64_t nslow;
	struct top_proc procs[TOP_PROCS];
	size_t nprocs;
	struct top_cpu cpus[TOP_CPUS];
	size_t ncpus;
};

/* The band of a delay, and the smallest delay of a band. */
unsigned top_band(uint64_t ns);
uint64_t top_band_from(unsigned band);
/* The delay that a share q (0 … 1) of a column's delays does not exceed, to half a power of two; 0: there are none. */
uint64_t top_column_quantile(const struct top_column *c, double q);
/* The column of a second, or NULL: nothing happened then. */
const struct top_column *top_column(const struct top_tracker *t, uint64_t second);
#endif
