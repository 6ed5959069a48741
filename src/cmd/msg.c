/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on stderr, beginning with the name the binary was called by. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/plain.h"
#include "cmd/cmd.h"
#include "cmdline/optable.h"
#include "cmdline/opts.h"

static const char *program = "dwell";

void cmd_set_name(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	if (slash)
		program = slash + 1;
	else if (argv0 && argv0[0])
		program = argv0;
}

const char *cmd_name(void)
{
	return program;
}

__attribute__((format(printf, 1, 0))) static void message(const char *fmt, va_list ap)
{
	struct strb raw = { 0 }, text = { 0 }; /* names in it are those of strangers */

	fflush(stdout);
	strb_vprintf(&raw, fmt, ap);
	plain_part(&text, strb_str(&raw), raw.n, true, true);
	fprintf(stderr, "%s: %s\n", program, text.failed || raw.failed ? "out of memory" : strb_str(&text));
	strb_free(&raw);
	strb_free(&text);
}

void cmd_msg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
}

static void on_message(void *ctx, const char *text)
{
	(void)ctx;
	cmd_msg("%s", text);
}

static void on_text(void *ctx, const char *text)
{
	(void)ctx;
	fputs(text, stderr);
}

static void on_json(void *ctx, const char *line)
{
	(void)ctx;
	fputs(line, stdout);
}

const struct listener cmd_listener = { .message = on_message, .text = on_text, .json = on_json };

void cmd_left_out(const char *reason)
{
	cmd_msg("left out: %s", reason);
}

int cmd_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
	return EXIT_ERROR;
}

int cmd_written(int error)
{
	if (error == 0 && fflush(stdout) != 0)
		error = errno ? -errno : -EIO;
	if (error == 0)
		return EXIT_OK;
	return error == -EPIPE ? EXIT_ERROR : cmd_fail("failed to write to standard output: %s", strerror(-error));
}

int cmd_wrong(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
	return EXIT_USAGE;
}

int cmd_err(int e, struct err *err)
{
	if (e >= 0)
		return e;
	if (err->code == CMDLINE_USAGE)
		e = cmd_usage(err->msg[0] ? err->msg : NULL);
	else
		e = err->code == -EINVAL ? cmd_wrong("%s", err->msg) : cmd_fail("%s", err->msg);
	err_done(err);
	return e;
}

int cmd_usage(const char *reason)
{
	if (strcmp(program, "dtrace"))
		return cmd_wrong("%s; '%s help options' lists the options",
				 reason ? reason : "nothing to trace: give -n PROBE, -s FILE or -l", program);
	if (reason)
		cmd_msg("%s", reason);
	cmdline_usage(program, stderr);
	return EXIT_USAGE;
}

int cmd_options(const struct optable *t, void *command, int argc, char **argv)
{
	struct err err = { 0 };
	int e = optable_read(t, command, argc, argv, program, &err);

	if (e != OPTABLE_HELP)
		return cmd_err(e, &err);
	optable_help(t, program, stdout);
	return -1;
}

int cmd_words(const struct optable *t, const char *unexpected, const char *missing)
{
	struct err err = { 0 };

	return cmd_err(optable_words(t, unexpected, missing, program, &err), &err);
}

int cmd_split(const char *command, int *argc, char **argv, char *const **ret)
{
	struct err err = { 0 };

	return cmd_err(optable_command(command, argc, argv, ret, &err), &err);
}

void cmd_begin(struct request *c)
{
	cmdline_begin(c, program, &cmd_listener);
}
