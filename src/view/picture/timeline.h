/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines: rows (threads, lanes, processes) of intervals, each with what happened in it. Within a row intervals are
 * in order of time and do not overlap. Rows come out of a recording (timeline_read.c, timeline_proc.c); the renderers
 * know no recording. */
#ifndef DWELL_VIEW_PICTURE_TIMELINE_H
#define DWELL_VIEW_PICTURE_TIMELINE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/vec.h"
#include "store/file/recquery.h"
#include "view/text/text.h"

#define TL_MAX_ITEMS 4000000u /* intervals of a picture; what comes after is counted */
#define TL_MAX_ROWS 20000u    /* threads, or processes; of these several may share one */
#define TL_MAX_PROCS 200000u
#define TL_MAX_TEXTS 200000u /* different causes with their stacks */
#define TL_MAX_CPUS 64u	     /* rows of CPUs */
#define TL_MAX_TRACKS 8u     /* rows of a lane whose intervals overlap; what overlaps more is cut */
#define TL_SVG_MAX_RECTS 10000u
#define TL_SVG_MAX_ROWS 300u
#define TL_STACK_BYTES 8192u /* of names that are shown */

enum tl_kind {
#define KIND(id, name, hue, saturation, lightness, legend) TL_##id,
#include "view/picture/waitkind.def"
#undef KIND
	TL_NKINDS
};

struct tl_kind_info {
	const char *name, *legend;
	int hue, saturation, lightness;
};
const struct tl_kind_info *tl_kind_info(enum tl_kind k);
/* The kind with this name; TL_UNKNOWN: there is none. */
enum tl_kind tl_kind_of(const char *name);
/* How much it is looked for, and so drawn before others that share a pixel: 0 does not matter … 2 matters. */
unsigned tl_kind_weight(enum tl_kind k);

enum { TL_OPEN = 1, /* it goes on after the end of the recording */ TL_CUT = 2 /* what overlapped was cut */ };

struct tl_item {
	uint64_t from, to; /* CLOCK_MONOTONIC, ns */
	uint32_t text;	   /* index into texts; 0: none */
	uint32_t by;	   /* text of the thread that woke it up */
	uint16_t cpu;	   /* RUN, IRQ: where, plus 1; 0: not known */
	uint8_t kind, flags;
	uint8_t hue; /* of kinds that have names of their own: tl_add_hues() */
};
typedef VEC(struct tl_item) tl_items;

enum tl_group {
	TL_GROUP_LOSSES,
	TL_GROUP_SPANS,
	TL_GROUP_REQUESTS,
	TL_GROUP_IRQS,
	TL_GROUP_CPUS,
	TL_GROUP_THREADS,
	TL_GROUP_PROCESSES,
	TL_NGROUPS
};

struct tl_row {
	enum tl_group group;
	char *label;
	uint32_t pid, tid;
	unsigned depth;
	tl_items items;
	uint64_t sum[TL_NKINDS]; /* ns; tl_sum_up() */
	uint64_t longest;	 /* ns, of waits */
};

/* The words of an interval: the first line, and the lines after it (a stack). */
struct tl_text {
	char *words;
	char *stack;  /* frames, innermost first, one a line; "" */
	uint8_t kind; /* of a cause: which */
};

struct timeline {
	uint64_t from, to; /* CLOCK_MONOTONIC */
	uint64_t lead;	   /* of the recording before `from`: nothing was seen yet */
	uint64_t wall;	   /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	bool processes;	   /* rows are a tree of processes */
	bool states;	   /* threads are known all the time, not only their slow waits */
	VEC(struct tl_row) rows;
	VEC(struct tl_text) texts; /* [0] is empty */
	uint64_t nitems, left_out; /* of intervals; rows left_out_rows */
	uint64_t left_out_rows;
	uint64_t lost; /* events */
};

struct tl_opts {
	bool processes, all;	 /* all: also what was there all the time and did nothing */
	uint64_t from_ns, to_ns; /* only what was so long after the beginning; to 0: to the end */
	uint32_t pid;		 /* only this process; 0: all */
	text_why_fn *why;
	void *why_arg;
};

/* -EINVAL: nothing of the kind in the recording; err says what is missing. *ret is freed by timeline_free(). */
int timeline_make(struct recread *f, const struct tl_opts *o, struct timeline **ret, struct err *err);
void timeline_free(struct timeline *t); /* accepts NULL */

/* -- arithmetic -- */

/* Orders by time, cuts what overlaps the interval before it, joins neighbours that are the same in all (and touch),
 * drops what is empty. */
void tl_tidy(tl_items *v);
/* A CPU runs one thread at a time. Where another thread begins to run, the one before has ended, even if its end was
 * lost. From there on what that thread did is TL_UNSEEN. Rows must be tidied afterwards. 0 or -ENOMEM. */
int tl_one_per_cpu(struct timeline *t);
/* Puts intervals that may overlap into as few tracks as it takes, TL_MAX_TRACKS at most: track[i] for each of v, which
 * is ordered by time. Returns how many. */
unsigned tl_tracks(const tl_items *v, uint8_t *track);
/* Sums by kind and the longest wait of a row, within from … to. */
void tl_sum_up(struct tl_row *r, uint64_t from, uint64_t to);
/* Fills in for each of n pixels between from and to: TL_NKINDS * hue + the kind with the most weighted time in it, or
 * -1. Pixel i is [from + i * (to - from) / n, …). */
void tl_pixels(const tl_items *v, uint64_t from, uint64_t to, unsigned n, int16_t *ret);

struct tl_proc {	 /* a process, for tl_tree() */
	uint32_t parent; /* index of another, or UINT32_MAX */
	uint64_t from, to;
	const char *name;
	unsigned depth; /* set by tl_tree() */
	uint32_t order; /* its row; by tl_tree() */
};
/* Lays out a forest: children below their parents by time of birth; leaves of one name that follow each other without
 * overlap under one parent share a row. Returns the number of rows. -ENOMEM. */
long tl_tree(struct tl_proc *p, size_t n);

/* Gives what has a name of its own (the words up to the first comma) its colour (keycolour.h). 0 or -ENOMEM. */
int tl_add_hues(struct timeline *t);
bool tl_kind_is_named(enum tl_kind k);

/* -- pictures: 0 or -errno -- */
int timeline_svg(const struct timeline *t, const char *title, FILE *out);
int timeline_html(const struct timeline *t, const char *title, FILE *out); /* only if flame_has_html() */
int timeline_json(const struct timeline *t, const char *title, FILE *out); /* what the page draws, as one object */
int timeline_text(const struct timeline *t, unsigned columns, FILE *out);
#endif
