/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: its subcommands, and what their command lines have in common. */
#ifndef DWELL_CMD_LATENCY_H
#define DWELL_CMD_LATENCY_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "cmdline/optable.h"
#include "engine/request.h"

struct latency_command {
	const char *name; /* "why"; NULL: no name was given */
	const char *summary;
	int (*run)(int argc, char **argv); /* exit code; argv[0] is the name */
};
extern const struct latency_command latency_diff, latency_live, latency_profile, latency_stuck, latency_why;

/* The subcommands that have a name, a line each. */
void latency_list_commands(FILE *out);

/* Options that the run takes as they are. request: the struct request within the struct of the command. */
#define LATENCY_PASS(type, request) .kind = OPT_CALL, .at = offsetof(type, request), .take = latency_pass
int latency_pass(void *request, const struct optrow *o, const char *arg, struct err *err);
/* --user, --cgroup …: whose events, by the kernel: an option of D of the same name. */
#define LATENCY_WHOSE(type, request) .kind = OPT_CALL, .at = offsetof(type, request), .take = latency_whose
int latency_whose(void *request, const struct optrow *o, const char *arg, struct err *err);
/* --for TIME: the run ends by itself. */
#define LATENCY_FOR(type, request) .kind = OPT_CALL, .at = offsetof(type, request), .take = latency_for, .arg = "TIME"
int latency_for(void *request, const struct optrow *o, const char *arg, struct err *err);
/* Says that the option is not for recordings; word: what the first of them is called. EXIT_USAGE. */
int latency_not_recorded(const struct optable *t, const struct optrow *o, const char *word);
/* Does a thread that goes on pass a tracepoint of its own (Linux 6.16)? */
bool latency_has_exit_tp(void);
/* Columns of standard output: of the terminal, else 80. */
int latency_columns(void);
#endif
