/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: chooses the subcommand. */
#include "cmd/latency.h"
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"

static const struct latency_command *const commands[] = { &latency_diff, &latency_profile, &latency_stuck, &latency_why };

static int usage(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "%s %s latency %-8s %s\n", i ? "      " : "Usage:", cmd_name(), commands[i]->name,
			commands[i]->summary);
	fprintf(out, "\n\teach with --help\n");
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

static int latency(int argc, char **argv)
{
	const char *name = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;

	for (size_t i = 0; name && i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i]->run(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return usage(stdout);
	if (name)
		cmd_msg("latency: there is no '%s'", name);
	return usage(stderr);
}

const struct command cmd_latency = { "latency", "finds what threads wait for", latency };
