/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the text view: a line of JSON, or the caller's. */
#include <stdarg.h>
#include <stdlib.h>
#include "view/text/json_int.h"

void text_msg(struct text_view *v, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) >= 0) {
		if (v->opts.json && !text_is_cut(v)) {
			json_message(v, s);
		} else {
			fflush(v->out);
			v->msg(v->msg_arg, s);
		}
		free(s);
	}
	va_end(ap);
}
