/* SPDX-License-Identifier: Apache-2.0 */
/* dtrace(1)'s command line. Functions return 0 or -errno with a message: -EINVAL for options that do not go together,
 * and the two codes below. */
#ifndef DWELL_CMDLINE_OPTS_H
#define DWELL_CMDLINE_OPTS_H
#include <errno.h>
#include <stdio.h>
#include "base/err.h"
#include "engine/request.h"

#define CMDLINE_USAGE (-ENOEXEC) /* dtrace(1) shows its usage; the message may be empty: nothing to trace */
#define CMDLINE_REFUSED (-EDOM)	 /* a value that an option cannot have: no usage */
#define CMDLINE_DONE 1		 /* nothing is to be run: -V, --help of a program, -e without one */

/* An empty request of this program, with the options of the environment. */
void cmdline_begin(struct request *c, const char *program, const struct listener *to);
/* Reads the command line into a request that cmdline_begin() made, which may have programs. CMDLINE_DONE, too. */
int cmdline_parse(struct request *c, int argc, char **argv, struct err *err);
/* One option by its letter: 'x', 'c', 'p' …; arg must outlive the request. */
int cmdline_option(struct request *c, int letter, const char *arg, struct err *err);
/* An option of D by its name; value: or NULL. */
int cmdline_named(struct request *c, const char *name, const char *value, struct err *err);
int cmdline_pid(const char *text, long *ret, struct err *err); /* -p */
void cmdline_usage(const char *program, FILE *out);	       /* dtrace(1)'s */

/* params.c: reads --name … at argv[*at], and moves on. */
int params_option(struct request *c, int argc, char **argv, int *at, struct err *err);
/* An option of two dashes where there is no program that could have it. */
int params_unknown(const char *name, struct err *err);
/* request.near_options: tries the long names that programs may be given, or (tools) those of shipped tools. */
void cmdline_near(struct near *near, bool tools);
/* --help: what the programs take. 0 or -errno, told to the request's listener. */
int params_help(struct request *c, FILE *out);
#endif
