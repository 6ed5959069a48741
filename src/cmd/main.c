/* SPDX-License-Identifier: Apache-2.0 */
/* dwell: where time goes, and why. Chooses the command; without one it is dtrace(1). */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"

static const struct command *const commands[] = {
#define COMMAND(name) &cmd_##name,
#include "cmd/command.def"
#undef COMMAND
};

static void on_pipe(int sig)
{
	(void)sig;
}

/* Where a standard descriptor is closed, no file or map may get its number: what is printed would go
 * there. Read-only, so that printing fails. */
static void hold_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	cmd_set_name(argc > 0 ? argv[0] : NULL);
	hold_standard_fds();
	/* A closed pipe is a write error that is reported. Handled, not ignored: commands of -c and system()
	 * would inherit that. */
	if (signal(SIGPIPE, on_pipe) == SIG_IGN)
		signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && strcmp(cmd_name(), "dtrace"))
		for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
			if (!strcmp(argv[1], commands[i]->name))
				return commands[i]->run(argc - 1, argv + 1);
	return cmd_dtrace(argc, argv);
}
