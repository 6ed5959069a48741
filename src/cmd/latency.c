/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: its parts, and what it is without one: the live view. */
#include "cmd/latency.h"
#include <string.h>
#include "cmd/cmd.h"

static const struct command *const parts[] = { &latency_diff, &latency_profile, &latency_stuck, &latency_why, NULL };

void latency_list_commands(FILE *out)
{
	cmd_list_parts(&cmd_latency, out);
}

static int latency(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "--runtime") ? latency_why.run(argc, argv) : latency_live(argc, argv);
}

const struct command cmd_latency = { "latency", "finds what threads wait for", latency, .joined = &latency_joined,
				     .parts = parts };
