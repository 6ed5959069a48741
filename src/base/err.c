/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time errors with their context. */
#include "base/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return code;
}

void err_prefix(struct err *e, const char *fmt, ...)
{
	char old[ERR_MSG_MAX];
	va_list ap;
	size_t n;
	int r;

	if (!e)
		return;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	r = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	if (r < 0)
		r = 0;
	n = (size_t)r < sizeof(e->msg) ? (size_t)r : sizeof(e->msg) - 1;
	/* The start of the text says where the error happened, so the end is cut. */
	r = (int)strnlen(old, sizeof(old) - 1 - n);
	memcpy(e->msg + n, old, (size_t)r);
	e->msg[n + (size_t)r] = '\0';
}

void err_done(struct err *e)
{
	if (!e)
		return;
	free(e->detail);
	e->detail = NULL;
	e->code = 0;
	e->msg[0] = '\0';
}
