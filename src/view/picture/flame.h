/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs: the layout that all drawings share, SVG, and a single HTML page. */
#ifndef DWELL_VIEW_PICTURE_FLAME_H
#define DWELL_VIEW_PICTURE_FLAME_H
#include <stdio.h>
#include "base/err.h"
#include "base/jsonw.h"
#include "view/stack/stacktree.h"

#define FLAME_SVG_MAX_FRAMES 10000u /* drawn; narrower ones are left out and counted. */
#define FLAME_SVG_WIDTH 1200u	    /* px that labels are made for; the picture follows the window's width */
#define FLAME_MIN_WIDTH 0.1	    /* px: as flamegraph.pl */

struct flame_opts {
	const char *title, *unit;   /* "Where CPUs were", "samples"; unit as in view/form/amount.h */
	const char *notes;	    /* what else is to be said: losses, what was left out; "" */
	bool inverted;		    /* the root is on top */
	bool diff;		    /* weight 0 is before, weight 1 after: widths are the mean of their shares */
	bool significance;	    /* diff: weights are independent events; differences like chance's are grey */
	const char *before, *after; /* diff: their names */
	double min_width;	    /* px of FLAME_SVG_WIDTH */
	unsigned max_frames;	    /* of an SVG; 0: FLAME_SVG_MAX_FRAMES */
};

/* A frame as it is drawn: x and w as parts of the whole (0 … 1); depth from 0, callers in a sandwich below 0. */
struct flame_box {
	double x, w;
	uint32_t node;
	int32_t depth;
};

struct flame_layout {
	struct flame_box *v; /* parents before children, from left to right */
	size_t n;
	size_t left_out; /* nodes that are too narrow */
	double min_w;	 /* what was too narrow */
	unsigned depth;	 /* rows */
};

/* Shares of the whole that a node has before and after (without diff both are the same). */
struct flame_share {
	double before, after;
};
struct flame_share flame_share(const struct stacktree *t, const struct stackorder *o, const struct flame_opts *opts,
			       uint32_t node);
/* Places all nodes that are at least min_w wide, at most max of them (the narrowest give way). 0 or -ENOMEM. */
int flame_layout(const struct stacktree *t, const struct stackorder *o, const struct flame_opts *opts, double min_w,
		 size_t max, struct flame_layout *ret);
void flame_layout_done(struct flame_layout *l);
/* -100 … 100: how much of what a node has is new (all: 100; all vanished: -100); 0: no difference, or no more
 * than chance makes. */
int flame_change(const struct stacktree *t, const struct stackorder *o, const struct flame_opts *opts, uint32_t node);
/* A number for a name, the same in every picture and run. */
unsigned flame_hue(const char *name);

/* callers: NULL, or the callers of a sandwich, which are drawn on the other side of the root frame. 0 or -errno. */
int flame_svg(const struct stacktree *t, const struct stacktree *callers, const struct flame_opts *opts, FILE *out);
/* All stacks in a page that draws them: nothing is left out. min_width and max_frames mean nothing. 0 or
 * -errno; only if flame_has_html(). */
int flame_html(const struct stacktree *t, const struct flame_opts *opts, FILE *out);
bool flame_has_html(void); /* pages were built in */
/* Members of the open object: "unknown", "kinds": the rows of view/form/framekind.def. */
void flame_kinds(struct jsonw *w);
/* Writes the flame graph as the page draws it, as JSON: dwell-flame(1). 0 or -errno. */
int flame_json(const struct stacktree *t, const struct flame_opts *opts, FILE *out);
#endif
