/* SPDX-License-Identifier: Apache-2.0 */
#include "cmdline/coreopts.h"
#include <errno.h>
#include <stddef.h>
#include "base/cleanup.h"

static int add_command(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	struct core_opts *c = member;

	(void)o;
	if (c->n == COREOPTS_COMMANDS)
		return err_set(err, -E2BIG, "more than %u commands: give them by standard input", COREOPTS_COMMANDS);
	c->commands[c->n++] = arg;
	return 0;
}

static int add_module(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	struct core_opts *c = member;

	(void)o;
	if (c->nmodules == COREOPTS_MODULES)
		return err_set(err, -E2BIG, "more than %u modules", COREOPTS_MODULES);
	c->modules[c->nmodules++] = arg;
	return 0;
}

static const struct optrow rows[] = {
	{ .name = "pid",
	  .letter = 'p',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct core_opts, pid),
	  .arg = "PID",
	  .help = "look at a process that lives; its threads are stopped meanwhile" },
	{ .name = "kernel",
	  .letter = 'k',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct core_opts, kernel),
	  .help = "look at the running kernel" },
	{ .name = "no-stop",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct core_opts, no_stop),
	  .help = "let it run: there are no stacks, and memory may change while it is read" },
	{ .name = "stop",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct core_opts, stop),
	  .help = "keep it stopped until the end, instead of looking at a copy (as with -c)" },
	{ .name = "copy",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct core_opts, copy),
	  .help = "with -c: look at a copy of its memory; it is stopped only until that is made" },
	{ .name = "command",
	  .letter = 'c',
	  .kind = OPT_CALL,
	  .take = add_command,
	  .arg = "LINE",
	  .help = "a line of commands, and then the end; several are run in their order" },
	{ .name = "save",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct core_opts, save),
	  .arg = "PID|-",
	  .help = "write the core of a process, or the one from standard input, packed into the new file FILE" },
	{ .name = "redact",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct core_opts, redact),
	  .help = "with --save PID of Node: without the contents of its strings and buffers" },
	{ .name = "force",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct core_opts, force),
	  .help = "go on with a V8 that is not known, and where a check of its objects fails" },
	{ .name = "index", .kind = OPT_FLAG, .at = offsetof(struct core_opts, index), .help = "keep an index of FILE" },
	{ .name = "module",
	  .letter = 'm',
	  .kind = OPT_CALL,
	  .take = add_module,
	  .arg = "FILE",
	  .help = "take commands and walkers from FILE.so, FILE.d, or a folder of files of D" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct core_opts, json), .help = "JSON Lines" },
};

const struct optable coreopts = {
	.command = "core",
	.synopsis =
		"core [options] FILE [BINARY]\ncore [options] -p PID\ncore [options] -k\ncore --save PID|- [--redact] FILE",
	.notes =
		"\tShows what was in the memory of a process: of a core file, whose program is BINARY if it is not where it\n"
		"\twas, or of a process that lives. Commands come from -c, or line by line from standard input; ::help tells\n"
		"\tof them.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};
