/* SPDX-License-Identifier: Apache-2.0 */
/* Starts dwell: chooses the command; without one it is dtrace(1). */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/plainout.h"
#include "cmd/cmd.h"
#include "cmd/viewcmd.h"
#include "front/screen.h"
#include "front/verb.h"
#include "sym/elf/debuginfod.h"

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

/* Reports a failure to write what a command printed without checking: help, a list. */
static int written(int status)
{
	bool failed = ferror(stdout) != 0;

	if (status != EXIT_OK)
		return status;
	status = cmd_written(0);
	return status == EXIT_OK && failed ? cmd_fail("failed to write to standard output") : status;
}

const struct command *cmd_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

const struct command *cmd_part(const struct command *c, const char *name)
{
	for (const struct command *const *p = c->parts; p && *p; p++)
		if (!strcmp(name, (*p)->name))
			return *p;
	return NULL;
}

int cmd_start(const struct command *c, int argc, char **argv)
{
	const struct command *part = argc > 1 ? cmd_part(c, argv[1]) : NULL;
	int e;

	/* report prints the output of a program, and top draws: both stay as they are. */
	if (c != &cmd_report && c != &cmd_top)
		plainout_stdout();
	if (part)
		return cmd_start(part, argc - 1, argv + 1);
	if (c->parts && argc == 2 && !strcmp(argv[1], "help"))
		return cmd_help_of(c, stdout), EXIT_OK;
	e = c->view ? viewcmd(c->view, argc, argv) : c->run(argc, argv);
	return e < 0 ? EXIT_OK : e;
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
	struct arena *a;

	if (cmd_is_tool(word))
		return cmd_wrong("%s is a tool: %s run %s", word, cmd_name(), word);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	verb_explain(&b, word, names, ARRAY_SIZE(names), cmd_near_tool(a, word));
	arena_free(a);
	return cmd_wrong("%s", strb_str(&b));
}

int main(int argc, char **argv)
{
	const struct command *c;

	cmd_set_name(argc > 0 ? argv[0] : NULL);
	hold_standard_fds();
	/* A closed pipe is a write error that is reported. Handled, not ignored: commands of -c and system()
	 * would inherit that. */
	if (signal(SIGPIPE, on_pipe) == SIG_IGN)
		signal(SIGPIPE, SIG_IGN);
	/* So is a file that reaches RLIMIT_FSIZE: the signal would end the run without a word. */
	if (signal(SIGXFSZ, on_pipe) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
	debuginfod_consent(getenv("DWELL_DEBUGINFOD"));
	if (!strcmp(cmd_name(), "dtrace"))
		return written(cmd_dtrace(argc, argv));
	if (argc < 2)
		return fputs(screen_text, stderr), EXIT_USAGE;
	if (argc == 2 && cmd_wants_help(argc, argv))
		return written(fputs(screen_text, stdout) < 0);
	if (argc == 2 && !strcmp(argv[1], "--version"))
		return cmd_version(), written(EXIT_OK);
	if (cmd_is_host(argc, argv))
		return written(cmd_host(argc, argv));
	c = cmd_find(argv[1]);
	if (c)
		return written(cmd_start(c, argc - 1, argv + 1));
	if (!verb_is_dtrace(argc, argv))
		return cmd_unknown(argv[1]);
	return written(cmd_dtrace(argc, argv));
}
