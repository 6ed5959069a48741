/* SPDX-License-Identifier: Apache-2.0 */
/* Options as rows of a table: what each is called and which member of a struct it sets. Commands read a command line by
 * them (cmdline/optable.h); views say by them what they understand (view/view.h). */
#ifndef DWELL_BASE_OPTROW_H
#define DWELL_BASE_OPTROW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum opt_kind {
	OPT_FLAG,   /* bool: true */
	OPT_TEXT,   /* const char * */
	OPT_SET,    /* const char *: `text` of the row */
	OPT_TIME,   /* uint64_t, ns: `value` at least */
	OPT_NUMBER, /* unsigned, 1 … value */
	OPT_CALL,   /* whatever: take() */
};

struct optrow {
	const char *name; /* --name, or NULL */
	char letter;	  /* -l, or 0; neither: an empty line of the usage */
	enum opt_kind kind;
	size_t at;	  /* of what it sets, within the struct that the rows are of */
	const char *arg;  /* what the usage calls its argument; NULL: it has none */
	const char *help; /* lines; NULL: the row above tells of it, too */
	int value;
	const char *text;
	/* member: at `at`. 0 or -errno with a message. */
	int (*take)(void *member, const struct optrow *o, const char *arg, struct err *err);
	bool live;  /* recordings do not have it: for optable.given() */
	bool asked; /* of a view: the page may ask for it, too */
};

/* The time in `arg`, of the option --name: ns, not less than `least`. -EINVAL with a message. */
int optrow_time(const char *name, const char *arg, uint64_t least, uint64_t *ret, struct err *err);
#endif
