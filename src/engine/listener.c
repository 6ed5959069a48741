/* SPDX-License-Identifier: Apache-2.0 */
/* Passes texts of the engine to the caller's functions. */
#include "engine/listener.h"
#include <stdarg.h>
#include "base/strb.h"

__attribute__((format(printf, 2, 0))) static void tell(const struct listener *to, const char *fmt, va_list ap)
{
	struct strb b = { 0 };

	if (!to->message)
		return;
	strb_vprintf(&b, fmt, ap);
	to->message(to->ctx, b.failed ? "out of memory" : strb_str(&b));
	strb_free(&b);
}

void listener_msg(const struct listener *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(to, fmt, ap);
	va_end(ap);
}

int listener_fail(const struct listener *to, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(to, fmt, ap);
	va_end(ap);
	return error < 0 ? error : -EIO;
}
