/* SPDX-License-Identifier: Apache-2.0 */
/* dwell: where time goes, and why. Chooses the command; without one it is dtrace(1). */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "base/plainout.h"
#include "front/screen.h"
#include "front/verb.h"

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

/* What a command has printed and not looked after: help, a list. */
static int written(int status)
{
	bool failed = ferror(stdout) != 0;

	if (status != EXIT_OK)
		return status;
	status = cmd_written(0);
	return status == EXIT_OK && failed ? cmd_fail("failed to write to standard output") : status;
}

int cmd_by_name(int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[0], commands[i]->name)) {
			/* What report prints is a program's own, and top draws. */
			if (commands[i] != &cmd_report && commands[i] != &cmd_top)
				plainout_stdout();
			return commands[i]->run(argc, argv);
		}
	return -1;
}

const char *cmd_listed(void *unused, size_t i, const char **summary)
{
	(void)unused;
	for (size_t k = 0; k < ARRAY_SIZE(commands); k++) {
		*summary = commands[k]->summary;
		if (*summary && i-- == 0)
			return commands[k]->name;
	}
	return NULL;
}

int cmd_unknown(const char *word)
{
	const char *names[ARRAY_SIZE(commands)];
	_cleanup_(strb_free) struct strb b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	verb_explain(&b, word, names, ARRAY_SIZE(names));
	return cmd_wrong("%s", strb_str(&b));
}

int main(int argc, char **argv)
{
	int r;

	cmd_set_name(argc > 0 ? argv[0] : NULL);
	hold_standard_fds();
	/* A closed pipe is a write error that is reported. Handled, not ignored: commands of -c and system()
	 * would inherit that. */
	if (signal(SIGPIPE, on_pipe) == SIG_IGN)
		signal(SIGPIPE, SIG_IGN);
	/* So is a file that reaches RLIMIT_FSIZE: the signal would end the run without a word. */
	if (signal(SIGXFSZ, on_pipe) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
	if (!strcmp(cmd_name(), "dtrace"))
		return written(cmd_dtrace(argc, argv));
	if (argc < 2)
		return fputs(screen_text, stderr), EXIT_USAGE;
	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		return written(fputs(screen_text, stdout) < 0);
	if (argc == 2 && !strcmp(argv[1], "--version"))
		memcpy(argv[1], "-V", sizeof("-V"));
	if (cmd_is_host(argc, argv))
		return written(cmd_host(argc, argv));
	r = cmd_by_name(argc - 1, argv + 1);
	if (r >= 0)
		return written(r);
	if (!verb_is_dtrace(argc, argv))
		return cmd_unknown(argv[1]);
	return written(cmd_dtrace(argc, argv));
}
