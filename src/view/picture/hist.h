/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions, one over the other: of a tracker or an aggregation, by recording, stretch of time, or key. */
#ifndef DWELL_VIEW_PICTURE_HIST_H
#define DWELL_VIEW_PICTURE_HIST_H
#include <stdio.h>
#include "base/err.h"
#include "base/strb.h"
#include "base/vec.h"
#include "store/file/recquery.h"
#include "view/picture/heat.h"

#define HIST_MAX_SERIES 8u /* in a picture: more colours cannot be told apart */
#define HIST_NQUANTILES 5  /* 50, 90, 99, 99.9 %, the largest */

struct hist_opts {
	const char *by;		 /* tracker or aggregation; NULL: the only one */
	const char *key;	 /* only values of this key; NULL: all */
	unsigned keys;		 /* the keys with most values apart; 0: all together */
	uint64_t from_ns, to_ns; /* only what was so long after the beginning; to 0: to the end */
};

/* A value that is known as well as its bucket tells. */
struct hist_value {
	double value;	  /* NAN: there is none */
	double low, high; /* the true one is within; high INFINITY: without bound */
	bool exact;
};

struct hist_series {
	char *name;
	const char *key;       /* part of the name; NULL: it is not of one key */
	unsigned colour;       /* 0xrrggbb: a key's own, the same in all pictures */
	struct rec_histdesc d; /* lives with the recording */
	struct histsum sum;
	struct hist_value q[HIST_NQUANTILES];
	float share[HEAT_MAX_ROWS]; /* of all values, by row of the picture */
};

struct hist {
	char title[256], unit[32];
	VEC(struct hist_series) series;
	size_t left_out;   /* keys beyond those that were asked for */
	struct strb notes; /* of these, and of what was lost: one line, or empty */
	unsigned nrows;
	double edges[HEAT_MAX_ROWS + 1];
	bool linear;
	char per[48]; /* of what a row is, for the axis of shares: "power of two", "10.0 ms" */
};

/* How a series differs from another. */
struct hist_diff {
	double ratio[HIST_NQUANTILES]; /* NAN: not known */
	double most, at;	       /* the largest difference of the shares up to a value, and that value */
	bool chance;		       /* no more than chance gives (Kolmogorov and Smirnov, 1 %) */
};

/* "50 %" …, and the share. */
const char *hist_quantile_name(unsigned i);
/* The value that share q (0 … 1) of the values does not exceed. q 1: the largest. */
struct hist_value hist_quantile(const struct histsum *sum, const struct rec_histdesc *d, double q);
/* By how much the value may be wrong, of itself: 0.016; 0: it is exact. */
double hist_error(const struct hist_value *v);
/* The share of values below x, a bucket's own spread over it. */
double hist_share_below(const struct histsum *sum, const struct rec_histdesc *d, double x);
struct hist_diff hist_compare(const struct hist_series *a, const struct hist_series *b);

/* Adds what the options ask for; names begin with prefix. -EINVAL: nothing of the kind; err says why. f must outlive h.
 */
int hist_add(struct hist *h, struct recread *f, const struct hist_opts *o, const char *prefix, struct err *err);
/* When all has been added: quantiles and rows. At most max_rows, and none that is finer than what the values are
 * counted in. */
void hist_lay_out(struct hist *h, bool linear, unsigned max_rows);
void hist_done(struct hist *h);

/* Pictures: 0 or -errno. */
int hist_text(const struct hist *h, unsigned columns, bool utf8, FILE *out);
int hist_svg(const struct hist *h, const char *title, FILE *out);
int hist_html(const struct hist *h, const char *title, FILE *out); /* only if flame_has_html() */
int hist_json(const struct hist *h, const char *title, FILE *out); /* what the page draws, as one object */
/* A value as text in the unit of h. */
void hist_value_text(const struct hist *h, double v, char *buf, size_t size);
#endif
