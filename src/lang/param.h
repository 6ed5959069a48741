/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters of a script: "#pragma D param NAME int|string "help" [default]" declares $NAME, which
 * the command line sets with --NAME VALUE. */
#ifndef DWELL_LANG_PARAM_H
#define DWELL_LANG_PARAM_H
#include "base/arena.h"
#include "base/source.h"

struct param {
	const char *name, *help;
	const char *def;   /* default as text; NULL: it must be given */
	const char *value; /* what holds: given or default; NULL: missing */
	bool is_string;
	struct span at;
	struct param *next;
};
struct param_given { /* on the command line */
	const char *name, *value;
	bool known; /* some script declares it */
};
struct params {
	struct param *first;
	struct param_given *given;
	size_t ngiven;
};

/* The parameter, or NULL. ps may be NULL. */
struct param *param_find(const struct params *ps, const char *name, size_t n);
/* Adds p, which lives in the arena, and gives it its value. 0; -EEXIST: another of that name was declared
 * elsewhere (the same line again is none); -EINVAL: its value is no integer. */
int param_add(struct params *ps, struct param *p);
#endif
