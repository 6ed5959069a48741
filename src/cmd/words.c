/* SPDX-License-Identifier: Apache-2.0 */
/* Reads words of command lines for commands, and handles the recordings that they make. Prints the messages. */
#include <string.h>
#include "cmd/words.h"
#include "cmdline/opts.h"
#include "cmdline/requestopts.h"
#include "engine/run/recnow.h"

int cmd_usage(const char *reason)
{
	if (strcmp(cmd_name(), "dtrace"))
		return cmd_wrong("%s; '%s help options' lists the options",
				 reason ? reason : "nothing to trace: give -n PROBE, -s FILE or -l", cmd_name());
	if (reason)
		cmd_msg("%s", reason);
	cmdline_usage(cmd_name(), stderr);
	return EXIT_USAGE;
}

/* e is what reading the options gave. */
static int read_options(int e, const struct optable *t, struct err *err)
{
	if (e != OPTABLE_HELP)
		return cmd_err(e, err);
	optable_help(t, cmd_name(), stdout);
	return -1;
}

int cmd_options(const struct optable *t, void *command, int argc, char **argv)
{
	struct err err = { 0 };

	return read_options(optable_read(t, command, argc, argv, cmd_name(), &err), t, &err);
}

int cmd_words(const struct optable *t, const char *unexpected, const char *missing)
{
	struct err err = { 0 };

	return cmd_err(optable_words(t, unexpected, missing, cmd_name(), &err), &err);
}

int cmd_split(const char *command, int *argc, char **argv, char *const **ret)
{
	struct err err = { 0 };

	return cmd_err(optable_command(command, argc, argv, ret, &err), &err);
}

bool cmd_wants_help(int argc, char **argv)
{
	return argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"));
}

void cmd_begin(struct request *c)
{
	cmdline_begin(c, cmd_name(), &cmd_listener);
}

int cmd_not_recorded(const struct optable *t, const struct optrow *o, const char *word)
{
	char name[OPTABLE_NAME];

	return cmd_wrong("%s: %s%s is not for recordings ('%s')", t->command, optable_name(o, name),
			 o->text ? o->text : "", word);
}

int cmd_live_options(struct recnow *l, const struct optable *t, void *command, int *argc, char **argv)
{
	struct err err = { 0 };

	return read_options(requestopts_record(l, t, command, argc, argv, cmd_name(), &err), t, &err);
}

int cmd_live(struct recnow *l)
{
	struct request c;
	int e, status = 0;

	cmd_begin(&c);
	e = recnow_run(l, &c, &status);
	return cmd_outcome(e, status);
}

int cmd_live_fail(const struct recnow *l, struct err *err)
{
	recnow_hide(l, err);
	return cmd_fail("%s", err->msg);
}
