/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: its subcommands, and what their command lines have in common. */
#ifndef DWELL_CMD_LATENCY_H
#define DWELL_CMD_LATENCY_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/arena.h"
#include "base/vec.h"
#include "cmd/optable.h"

struct latency_command {
	const char *name; /* "why"; NULL: no name was given */
	const char *summary;
	int (*run)(int argc, char **argv); /* exit code; argv[0] is the name */
};
extern const struct latency_command latency_diff, latency_live, latency_profile, latency_stuck, latency_why;

/* The subcommands that have a name, a line each. */
void latency_list_commands(FILE *out);

/* A command line of dtrace(1) being made. Everything lives in the arena. */
struct latency_args {
	struct arena *arena;
	VEC(char *) v;
};
void latency_args_init(struct latency_args *a);
void latency_args_done(struct latency_args *a);
void latency_args_add(struct latency_args *a, const char *arg);
void latency_args_add2(struct latency_args *a, const char *option, const char *value);
/* -s dlib/latency/NAME.d */
void latency_args_program(struct latency_args *a, const char *name);
bool latency_args_has_program(const struct latency_args *a, const char *name);
/* Options that the program's run takes as they are. args: the struct latency_args within the struct of the command. */
#define LATENCY_PASS(type, args) .kind = OPT_CALL, .at = offsetof(type, args), .take = latency_pass
int latency_pass(void *args, const struct optrow *o, const char *arg);
/* --for TIME: the run ends by itself. */
#define LATENCY_FOR(type, args) .kind = OPT_CALL, .at = offsetof(type, args), .take = latency_for, .arg = "TIME"
int latency_for(void *args, const struct optrow *o, const char *arg);
/* Says that the option is not for recordings; word: what the first of them is called. EXIT_USAGE. */
int latency_not_recorded(const struct optable *t, const struct optrow *o, const char *word);
/* Does a thread that goes on pass a tracepoint of its own (Linux 6.16)? */
bool latency_has_exit_tp(void);
/* The command behind "--", which is cut off the arguments: words that end with NULL, or NULL. EXIT_USAGE after a
 * message. */
int latency_take_command(int *argc, char **argv, char *const **ret);
/* Columns of standard output: of the terminal, else 80. */
int latency_columns(void);
#endif
