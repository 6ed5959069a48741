/* SPDX-License-Identifier: Apache-2.0 */
/* The text view's output: what all of its files print by. */
#include <errno.h>
#include <stdarg.h>
#include "view/text/int.h"

bool text_is_cut(const struct text_view *v)
{
	return v->opts.cut && v->opts.cut();
}

void text_printf(struct text_view *v, const char *fmt, ...)
{
	va_list ap;
	int r;

	if (v->error || text_is_cut(v))
		return;
	va_start(ap, fmt);
	errno = 0;
	r = vfprintf(v->out, fmt, ap);
	va_end(ap);
	if (r < 0)
		v->error = errno ? -errno : -EIO;
}

int text_view_flush(struct text_view *v)
{
	if (v->error)
		return v->error;
	errno = 0;
	if (fflush(v->out) != 0)
		v->error = errno ? -errno : -EIO;
	return v->error;
}

void text_view_end_line(struct text_view *v)
{
	if (!v->own_out || v->pcap_link < 0) /* a file of packets has no lines */
		fputc('\n', v->out);
}

static const struct rec_probe unknown_probe = { .prov = "", .mod = "", .func = "", .name = "?" };

const struct rec_probe *text_row_probe(const struct text_view *v, const struct row *row)
{
	const struct rec_probe *p = rec_schema_probe(v->schema, row->probe);

	return p ? p : &unknown_probe;
}
