/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the functions that a function calls, how often and how long, and its callers: in the kernel by fbt, in a
 * program by the pid provider. Reads the function's code to find which functions to look at. */
#ifndef DWELL_LIVE_CALLS_H
#define DWELL_LIVE_CALLS_H
#include "engine/front/callsprog.h"
#include "engine/run/run.h"
#include "view/summary/callsprint.h"

struct live_calls {
	/* asked for */
	struct request request; /* begun by the caller, ended by live_calls_done(); may have a command */
	long pid;		/* 0: none */
	const char *mod, *func; /* mod NULL: any, or the program */
	bool kernel, json;
	/* found, and the run */
	struct callees callees;
	struct callsprint *print;
	const struct rec_schema *schema;
	struct sym *sym;
	FILE *out;
};

/* Reads "MODULE`FUNCTION"; cuts word in two. 0, or -EINVAL with a message. */
int live_calls_function(struct live_calls *c, char *word, struct err *err);
bool live_calls_has_command(const struct live_calls *c);
/* Finds the function's callees in its code. 0, or -errno with a message. */
int live_calls_find(struct live_calls *c, struct err *err);
/* 0 or -errno, told. */
int live_calls_run(struct live_calls *c);
void live_calls_done(struct live_calls *c);
#endif
