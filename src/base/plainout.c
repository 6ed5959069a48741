/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a stream that keeps control characters out of terminals. Source: fopencookie(3). */
#include "base/plainout.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/plain.h"

struct plainout {
	FILE *to;
	struct strb raw, text; /* not yet taken; as it is shown */
};

static int pass_on(struct plainout *o, bool last)
{
	size_t n;

	strb_reset(&o->text);
	n = plain_part(&o->text, strb_str(&o->raw), o->raw.n, true, last);
	if (o->raw.failed || o->text.failed)
		return -1;
	if (n)
		memmove(o->raw.s, o->raw.s + n, o->raw.n - n);
	o->raw.n -= n;
	return fwrite(strb_str(&o->text), 1, o->text.n, o->to) == o->text.n && fflush(o->to) == 0 ? 0 : -1;
}

static ssize_t on_write(void *cookie, const char *s, size_t n)
{
	struct plainout *o = cookie;

	strb_add(&o->raw, s, n);
	return pass_on(o, false) < 0 ? 0 : (ssize_t)n;
}

static int on_close(void *cookie)
{
	struct plainout *o = cookie;
	int r = pass_on(o, true);

	if (fclose(o->to) != 0)
		r = -1;
	strb_free(&o->raw);
	strb_free(&o->text);
	free(o);
	return r;
}

FILE *plainout_open(FILE *to)
{
	static const cookie_io_functions_t ops = { .write = on_write, .close = on_close };
	struct plainout *o = calloc(1, sizeof(*o));
	FILE *f = o ? fopencookie(o, "w", ops) : NULL;

	if (!f) {
		free(o);
		return NULL;
	}
	o->to = to;
	setvbuf(f, NULL, _IOLBF, BUFSIZ); /* as a terminal has it */
	return f;
}

void plainout_stdout(void)
{
	FILE *f = isatty(STDOUT_FILENO) ? plainout_open(stdout) : NULL;

	if (f)
		stdout = f;
}
