/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a fleet's tables. Histograms are added up by ClickHouse, exactly; what is shown is made here. */
#ifndef DWELL_FLEET_ASK_ASK_H
#define DWELL_FLEET_ASK_ASK_H
#include <stdbool.h>
#include "fleet/wire/bus.h"
#include "fleet/wire/click.h"
#include "fleet/wire/tables.h"
#include "store/rechist.h"

#define ASK_WHO_MAX (2 * BUS_NAME_MAX + 1) /* bytes of a host in answers, as TABLES_WHO has it */
#define ASK_SELECTORS_MAX 32u
#define ASK_SECONDS_MAX (30u * 60)	 /* up to that long a range is asked of seconds … */
#define ASK_MINUTES_MAX (6u * 3600 + 60) /* … of minutes, … */
#define ASK_TENS_MAX (36u * 3600)	 /* … of tens of minutes, and else of hours */
#define ASK_PARTS_MAX 5u
#define ASK_ADDED_S 120	    /* what ended so long ago is added up */
#define ASK_SERIES_MAX 256u /* of a recording */

struct ask_range {
	uint64_t from, to; /* s since 1970 */
};
/* Selects rows. All of them in one tenant. */
struct ask_what {
	const char *tenant;
	/* NAME, NAME*, SITE/NAME or a label NAME=VALUE ("site=NAME": the site): hosts that any of the names fits, and
	 * that have all the labels. */
	const char *selectors[ASK_SELECTORS_MAX];
	size_t nselectors;
	bool rest;			       /* the hosts that are not selected */
	const char *except[ASK_SELECTORS_MAX]; /* names of hosts that are left out: NAME, NAME*, SITE/NAME */
	size_t nexcept;
	const char *series; /* or tracker: NULL: all */
	const char *by;	    /* the same, but that it may begin with an '@', too: NULL: all */
	bool idle;	    /* slow events that waited for something to do, or for time to pass, too */
	struct ask_range range;
};
/* The table that is asked for a picture of a range. */
enum tables_slot ask_slot(struct ask_range range);
/* The parts of a range that are asked for its sum. These are the longest slots that lie in it and are added up by `now`
 * (s since 1970), and shorter ones at its ends. How many. */
size_t ask_cover(struct ask_range range, uint64_t now, struct tables_range ret[ASK_PARTS_MAX]);
enum ask_need {
	ASK_SLOTS, /* those of ask_slot() */
	ASK_HOURS, /* the same, but that hours may be there for tens of minutes */
	ASK_SUM,   /* their sum only */
	ASK_ALL	   /* minutes of all hosts together */
};
/* The parts that are asked for what is needed. How many. */
size_t ask_parts(struct ask_range range, enum ask_need need, uint64_t now, struct tables_range ret[ASK_PARTS_MAX]);

/* -- for the other files of questions -- */
/* The conditions: " AND tenant = … AND …". column: the one of the series' name, or NULL. */
void ask_where(struct strb *sql, const struct ask_what *w, const char *column);
/* An answer that is not one to the question: -EINVAL. */
int ask_refuse(struct err *err);

struct ask_sum {
	const char *series, *host; /* host: "" with all hosts together */
	uint64_t hosts;		   /* how many are in it */
	struct histsum h;
};
typedef int ask_sum_fn(void *ctx, const struct ask_sum *s);
/* A histogram of each series, or of each series and host. */
int ask_sums(struct click *c, const struct ask_what *w, bool by_host, ask_sum_fn *fn, void *ctx, struct err *err);
/* For histsum_quantile() of these. */
extern const struct rec_histdesc ask_histdesc;

struct ask_cause {
	const char *tracker, *cause;
	uint64_t hosts, events, total, max; /* ns */
};
typedef int ask_cause_fn(void *ctx, const struct ask_cause *s);
/* The causes of slow events, most time first. limit: rows. */
int ask_causes(struct click *c, const struct ask_what *w, unsigned limit, ask_cause_fn *fn, void *ctx, struct err *err);

/* Columns by which slow events are added up. */
enum ask_by { ASK_HOST, ASK_TRACKER, ASK_KEY, ASK_COMM, ASK_CAUSE, ASK_NBY };
extern const char *const ask_by_names[ASK_NBY];
struct ask_share {
	const char *by[ASK_NBY];     /* NULL: not added up by it */
	const char *cause;	     /* what most of it waited for */
	uint64_t events, total, max; /* ns */
};
typedef int ask_share_fn(void *ctx, const struct ask_share *s);
/* Time of slow events by these columns (bits of enum ask_by), most first. limit: rows. */
int ask_shares(struct click *c, const struct ask_what *w, unsigned by, unsigned limit, ask_share_fn *fn, void *ctx,
	       struct err *err);

/* Time of slow events by stack: names, the outermost first, with ';' between them. */
typedef int ask_stack_fn(void *ctx, const char *stack, uint64_t ns);
int ask_stacks(struct click *c, const struct ask_what *w, ask_stack_fn *fn, void *ctx, struct err *err);

struct ask_host {
	const char *site, *host, *dwell, *kernel, *labels; /* labels with '\n' between them */
	uint64_t silent;				   /* s since it was heard of */
	int64_t clock; /* ns that its clock was ahead of the collector's, with the way's time */
	uint64_t gaps; /* s that are missing */
};
typedef int ask_host_fn(void *ctx, const struct ask_host *h);
int ask_hosts(struct click *c, const struct ask_what *w, ask_host_fn *fn, void *ctx, struct err *err);

struct ask_program {
	const char *time, *host, *event, *user, *id, *reason, *program;
	uint64_t seconds, write, status, rows, cpu; /* as struct batch_audit has them */
};
typedef int ask_program_fn(void *ctx, const struct ask_program *p);
/* Programs that hosts were asked to run in the range, and how they ended; in order of time. */
int ask_programs(struct click *c, const struct ask_what *w, ask_program_fn *fn, void *ctx, struct err *err);

/* Hosts of a picture by time that have a key of their own: as many as a heat map has (HEAT_MAX_KEYS). */
#define ASK_APART_MAX 24u
/* Writes a recording of histograms for the views. Each series is an aggregation, and its key is the host. words: the
 * view's options, with NULL at the end. sum: the view shows no times, and every host has a key. Else ASK_APART_MAX
 * hosts with most events have one, and so do hosts that an option names (HOST, or --key=HOST). The key "other" has the
 * rest. -ENODATA: there is nothing in the range. */
int ask_recording(struct click *c, const struct ask_what *w, char *const *words, bool sum, const char *path,
		  struct err *err);
#endif
