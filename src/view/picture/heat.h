/* SPDX-License-Identifier: Apache-2.0 */
/* Heat maps: columns are time, rows are values (or where in a period), cells count events by their own time. */
#ifndef DWELL_VIEW_PICTURE_HEAT_H
#define DWELL_VIEW_PICTURE_HEAT_H
#include <stdio.h>
#include "base/err.h"
#include "store/file/recquery.h"

#define HEAT_MAX_COLUMNS 2000u
#define HEAT_MAX_ROWS 160u
#define HEAT_MAX_KEYS 24u /* that are told apart; the rest is together */

enum heat_select {
	HEAT_ALL_KEYS,
	HEAT_ISOLATE /* only the chosen keys */,
	HEAT_EXCLUDE /* all but these */,
	HEAT_HIGHLIGHT /* these in colours */
};

struct heat_opts {
	const char *by; /* tracker or aggregation; NULL: the only one. For a period: a lane of span(), or a CPU; NULL:
			   events */
	enum heat_select select;
	const char *chosen[HEAT_MAX_KEYS]; /* keys */
	size_t nchosen;
	bool by_key;	    /* each key in a colour of its own */
	uint64_t step_ns;   /* of a column; 0: as the time fits */
	uint64_t period_ns; /* not 0: rows are the place of events within this period; columns are one or several of
			       these */
	unsigned rows;	    /* of a period or a linear axis, 0: 100; else at most, but one for each power of two */
	bool linear;	    /* values from 0 on in equal steps, else each power of two has as much room */
	uint64_t from_ns, to_ns; /* only what was so long after the beginning; to 0: to the end */
};

struct heat_key {
	char *text; /* "" when there are no keys */
	double total;
	bool chosen;  /* has a colour of its own */
	float *cells; /* columns * rows, column by column, the lowest row first */
};

struct heat_column {
	double avg, p50, p90, p99; /* NAN: no values */
	uint64_t lost;		   /* events that were not recorded */
	char *note;	/* why less may be in it, and the columns after it: dwell did not run, or detached probes; NULL:
			   nothing */
	unsigned noted; /* how many columns that is of */
	uint32_t detached; /* … of that program, by its first probe's id + 1, being off */
};

struct heat {
	char title[256];
	char unit[32];	     /* of the rows: "ns", …; "" unknown */
	const char *counted; /* what cells have: "": events; "ns": time */
	uint64_t period_ns;  /* as asked for */
	unsigned ncolumns, nrows;
	uint64_t begin_wall_ns; /* of the first column, CLOCK_REALTIME */
	uint64_t column_ns;
	double edges[HEAT_MAX_ROWS + 1]; /* row i holds edges[i] <= v < edges[i + 1] */
	struct heat_column *columns;
	struct heat_key *keys; /* most first; the last may be "other" */
	size_t nkeys;
	double total;
	bool by_read; /* some columns are by the time of reading: an event may be one late */
};

/* -EINVAL: nothing of the kind in the recording, or several; err says which. *ret is freed by heat_free(). */
int heat_make(struct recread *f, const struct heat_opts *opts, struct heat **ret, struct err *err);
void heat_free(struct heat *h);

/* Row edges of an axis from lo to hi (lo < hi); returns how many rows. Not linear: powers of two, each cut into the
 * same number of equal parts (a power of two), so that the buckets of histograms are never split. */
unsigned heat_edges(double lo, double hi, bool linear, unsigned rows, double edges[HEAT_MAX_ROWS + 1]);
/* The first round number above v: the end of a linear axis, which stays while v varies. */
double heat_round_up(double v);
/* The smallest distance of round values that is not below `least`: 1, 2, 5 by tens; seconds and more in "ns" as people
 * count them. */
double heat_tick(double least, const char *unit);
/* Adds count to the rows that lo <= v < hi overlaps, by how much; what is outside goes to the first or last. */
void heat_spread(float *cells, const double *edges, unsigned rows, double lo, double hi, double count);
/* Replaces values by the share of all values above 0 that are not larger; 0 stays. 0 or -ENOMEM. */
int heat_ranks(float *v, size_t n);

/* Pictures: 0 or -errno. */
int heat_svg(const struct heat *h, const char *title, FILE *out);
int heat_html(const struct heat *h, const char *title, FILE *out); /* only if flame_has_html() */
int heat_json(const struct heat *h, const char *title, FILE *out); /* what the page draws; dwell-heat(1) */
#endif
