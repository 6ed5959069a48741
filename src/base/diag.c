/* SPDX-License-Identifier: Apache-2.0 */
/* User diagnostics: collecting them, and their text. */
#include "base/diag.h"
#include <string.h>

#define LINE_SHOWN 120 /* bytes of a source line that are shown around the place */
#define LINE_BEFORE 80 /* the most of them before the place */

void diags_init(struct diags *d, struct arena *a)
{
	*d = (struct diags){ .arena = a };
}

static struct diag *find_same(const struct diags *d, const struct diag *g)
{
	struct diag *k = d->first;

	while (k && (k->sev != g->sev || k->at.src != g->at.src || k->at.off != g->at.off || !k->at.src ||
		     strcmp(k->msg, g->msg) != 0))
		k = k->next;
	return k;
}

static struct diag *add(struct diags *d, enum severity sev, struct span at, const char *tag, const char *fmt,
			va_list ap)
{
	struct diag *g = arena_new_obj(d->arena, struct diag), *same;

	*g = (struct diag){ .tag = tag, .sev = sev, .at = at, .msg = arena_vprintf(d->arena, fmt, ap) };
	same = find_same(d, g);
	d->latest = same ? same : g;
	if (same) {
		d->nerrors += sev == SEV_ERROR;
		d->nsame += sev == SEV_ERROR;
		return same;
	}
	if (sev == SEV_ERROR && d->nerrors++ - d->nsame >= DIAG_MAX_ERRORS)
		return g;
	if (sev == SEV_WARNING && d->nwarnings++ >= DIAG_MAX_ERRORS)
		return g;
	if (d->last)
		d->last->next = g;
	else
		d->first = g;
	d->last = g;
	return g;
}

struct diag *diag_error(struct diags *d, struct span at, const char *tag, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = add(d, SEV_ERROR, at, tag, fmt, ap);
	va_end(ap);
	return g;
}

struct diag *diag_warn(struct diags *d, struct span at, const char *tag, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = add(d, SEV_WARNING, at, tag, fmt, ap);
	va_end(ap);
	return g;
}

void diags_put_first(struct diags *d, struct diags *front)
{
	if (!front->first)
		return;
	front->last->next = d->first;
	d->first = front->first;
	if (!d->last)
		d->last = front->last;
	d->nerrors += front->nerrors;
	d->nwarnings += front->nwarnings;
	d->nsame += front->nsame;
	*front = (struct diags){ .arena = front->arena };
}

void diag_hint(struct diags *d, struct diag *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	g->hint = arena_vprintf(d->arena, fmt, ap);
	va_end(ap);
}

void diag_choice(struct diags *d, struct diag *g, const char *name, const char *type)
{
	struct diag_choice *c = arena_new_obj(d->arena, struct diag_choice);

	*c = (struct diag_choice){ name, type, g->choices };
	g->choices = c;
}

/* Bytes inside a UTF-8 character take no column of their own. */
static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

/* The source line and a caret under the span; a very long line is shown around the span only. */
static void format_line(struct strb *out, const struct position *pos, uint32_t span_len)
{
	size_t at = pos->col - 1, from = 0, to = pos->line_len, marks;

	if (at > LINE_BEFORE)
		from = at - LINE_BEFORE;
	while (from > 0 && is_continuation(pos->line_text[from]))
		from--;
	if (to - from > LINE_SHOWN)
		to = from + LINE_SHOWN;
	while (to < pos->line_len && is_continuation(pos->line_text[to]))
		to++;
	for (size_t i = from; i < to; i++) /* control bytes must not reach a terminal */
		strb_addc(out, is_control(pos->line_text[i]) ? '?' : pos->line_text[i]);
	strb_addc(out, '\n');
	for (size_t i = from; i < at; i++)
		if (!is_continuation(pos->line_text[i]))
			strb_addc(out, pos->line_text[i] == '\t' ? '\t' : ' ');
	strb_addc(out, '^');
	marks = at + span_len < to ? at + span_len : to;
	for (size_t i = at + 1; i < marks; i++)
		if (!is_continuation(pos->line_text[i]))
			strb_addc(out, '~');
	strb_addc(out, '\n');
}

void diag_format_place(struct strb *out, struct span at)
{
	struct position pos;

	if (!at.src)
		return;
	pos = source_position(at.src, at.off);
	if (pos.line_len)
		format_line(out, &pos, at.len);
}

void diag_format(struct strb *out, const struct diag *g, bool tags)
{
	const struct source *src = g->at.src;
	struct position pos = { 0 };

	if (tags)
		strb_printf(out, "[%s] ", g->tag);
	if (src) {
		pos = source_position(src, g->read_to ? g->read_to : g->at.read_to ? g->at.read_to : g->at.off);
		if (pos.file != src->name) /* another file's text, included by cpp */
			strb_printf(out, "\"%.*s\", ", (int)pos.file_len, pos.file);
		strb_printf(out, "line %u: ", pos.line);
	}
	if (g->sev == SEV_WARNING)
		strb_adds(out, "warning: ");
	strb_adds(out, g->msg);
	strb_addc(out, '\n');
	diag_format_place(out, g->at);
	if (g->hint)
		strb_printf(out, "hint: %s\n", g->hint);
}
