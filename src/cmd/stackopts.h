/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the commands that read stacks: which of them, and how far apart. */
#ifndef DWELL_CMD_STACKOPTS_H
#define DWELL_CMD_STACKOPTS_H
#include "view/stacksrc.h"

enum { STACKOPT_BY = 1000, STACKOPT_FROM, STACKOPT_TO, STACKOPT_PER_THREAD, STACKOPT_ADDRESSES, STACKOPT_HELP };
/* Rows of getopt_long()'s table. */
#define STACKOPT_LONGS                                                                                      \
	{ "by", required_argument, NULL, STACKOPT_BY }, { "from", required_argument, NULL, STACKOPT_FROM }, \
	{ "to", required_argument, NULL, STACKOPT_TO }, { "per-thread", no_argument, NULL, STACKOPT_PER_THREAD }, \
	{ "addresses", no_argument, NULL, STACKOPT_ADDRESSES }, { "help", no_argument, NULL, STACKOPT_HELP }
/* What usages say of them. */
#define STACKOPT_USAGE                                                                                       \
	"\t--by NAME         recording: which aggregation (@name) or 'events'; perf script: which event\n"    \
	"\t--from T, --to T  only what was recorded so long after the beginning (10s, 500ms)\n"              \
	"\t--per-thread      threads (all keys of the aggregation) apart\n"                                   \
	"\t--addresses       addresses without a name apart\n"

/* Takes the option that getopt_long() returned, but for help. 0; EXIT_USAGE after a message; -ENOENT: it is none of these. */
int stackopts_take(struct stacksrc_opts *o, int option, const char *arg);
/* "--option" with a time in `arg`, ns. EXIT_USAGE after a message. */
int stackopts_time(const char *option, const char *arg, uint64_t *ret);
#endif
