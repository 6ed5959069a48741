/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: chooses the subcommand; without one it is the live view. */
#include "cmd/latency.h"
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"

static const struct latency_command *const commands[] = { &latency_diff, &latency_profile, &latency_stuck,
							  &latency_why };

void latency_list_commands(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "\t%-8s %s\n", commands[i]->name, commands[i]->summary);
}

static int latency(int argc, char **argv)
{
	const char *name = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;

	if (argc > 1 && !strcmp(argv[1], "--runtime"))
		return latency_why.run(argc, argv);
	for (size_t i = 0; name && i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i]->run(argc - 1, argv + 1);
	return latency_live.run(argc, argv);
}

const struct command cmd_latency = { "latency", "finds what threads wait for", latency };

/* The two that are asked for first have names of their own. */
static int stuck(int argc, char **argv)
{
	return latency_stuck.run(argc, argv);
}

static int why(int argc, char **argv)
{
	return latency_why.run(argc, argv);
}

const struct command cmd_stuck = { "stuck", "who is blocked right now (latency stuck)", stuck };
const struct command cmd_why = { "why", "what threads wait for (latency why)", why };
