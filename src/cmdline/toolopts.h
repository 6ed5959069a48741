/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options that all tools have (--interval, --top, --by …), and applies them to one tool. */
#ifndef DWELL_CMDLINE_TOOLOPTS_H
#define DWELL_CMDLINE_TOOLOPTS_H
#include <stdbool.h>
#include <stdio.h>
#include "base/err.h"
#include "engine/request.h"

#define TOOLOPTS_TOP_MAX 1000000 /* --top: rows of a table */

/* The processes that a tool can be narrowed to: none, those of -p and -c, any. */
enum tool_narrow { TOOL_NOT, TOOL_TARGET, TOOL_ANY };

struct toolopts {
	enum tool_narrow narrow;
	bool table;	    /* it shows tables or distributions, not events as they happen */
	bool by;	    /* … by process, so that they can be by something else */
	bool interval, top; /* it has parameters of these names */
};

/* By the tool's text; NULL: nothing is possible. */
struct toolopts toolopts_of(const char *text);
/* Tries the names of the options that all tools share, for "did you mean". */
void toolopts_near(struct near *near);
/* For --help: the options that the tool can have. */
void toolopts_help(const struct toolopts *can, FILE *out);
/* Puts these options into the request. rest gets the other words, dtrace(1)'s and the tool's own; it has room for
 * argc + 1, and ends with NULL. *ret_help: --help is among them. How many, or -EINVAL and the like with a message. */
int toolopts_read(struct request *c, const char *tool, const struct toolopts *can, int argc, char **argv, char **rest,
		  bool *ret_help, struct err *err);
#endif
