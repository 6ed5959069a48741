/* SPDX-License-Identifier: Apache-2.0 */
/* Prints messages on standard error, each with the name by which the binary was called. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/plain.h"
#include "cmd/cmd.h"
#include "cmdline/opts.h"

#define EXIT_MASK 0xff /* what _exit(2) hands on of a status */

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
	if (e == CMDLINE_USAGE)
		e = cmd_usage(err->msg[0] ? err->msg : NULL);
	else if (e == -EINVAL)
		e = cmd_wrong("%s", err->msg);
	else
		e = cmd_failed(e, err);
	err_done(err);
	return e;
}

int cmd_failed(int e, struct err *err)
{
	if (e < 0)
		e = err->msg[0] ? cmd_fail("%s", err->msg) : EXIT_ERROR;
	err_done(err);
	return e;
}

int cmd_outcome(int e, int status)
{
	return e == LISTENER_WRONG ? EXIT_USAGE : e < 0 ? EXIT_ERROR : status & EXIT_MASK;
}

int cmd_ran(int e, int status)
{
	int code = cmd_outcome(e, status);

	if (fflush(stdout) != 0 && code == EXIT_OK)
		return cmd_written(errno ? -errno : -EIO);
	return code;
}

int cmd_ended(int e, const struct err *err)
{
	return e > 0 ? e : e < 0 && err->msg[0] ? cmd_fail("%s", err->msg) : cmd_written(e);
}
