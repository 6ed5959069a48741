/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: its subcommands, and what their command lines have in common. */
#ifndef DWELL_CMD_LATENCY_H
#define DWELL_CMD_LATENCY_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "engine/request.h"

struct latency_command {
	const char *name; /* "why"; NULL: no name was given */
	const char *summary;
	int (*run)(int argc, char **argv); /* exit code; argv[0] is the name */
};
extern const struct latency_command latency_diff, latency_live, latency_profile, latency_stuck, latency_why;

/* The subcommands that have a name, a line each. */
void latency_list_commands(FILE *out);

#endif
