/* SPDX-License-Identifier: Apache-2.0 */
/* Positions in D texts: lines are counted only when a message is printed. */
#include "base/source.h"
#include <stdbool.h>
#include <string.h>

#define LINE_DIGITS_MAX 9 /* longer numbers are no line directive */

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* "# 12 "file"" or "#line 12 "file"" in [p, end): the number of the next line, and the file's name
 * when there is one. */
static bool line_directive(const char *p, const char *end, struct position *pos)
{
	uint32_t line = 0;
	int digits = 0;

	p = skip_blanks(p, end);
	if (p == end || *p++ != '#')
		return false;
	p = skip_blanks(p, end);
	if (end - p > 4 && !memcmp(p, "line", 4) && (p[4] == ' ' || p[4] == '\t'))
		p = skip_blanks(p + 4, end);
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (++digits > LINE_DIGITS_MAX)
			return false;
		line = line * 10 + (uint32_t)(*p - '0');
	}
	if (!digits)
		return false;
	pos->line = line;
	p = skip_blanks(p, end);
	if (p < end && *p == '"') {
		const char *quote = memchr(p + 1, '"', (size_t)(end - p - 1));

		if (quote) {
			pos->file = p + 1;
			pos->file_len = (size_t)(quote - p - 1);
		}
	}
	return true;
}

/* cpp reads the script from its standard input. */
static bool is_itself(const struct position *pos)
{
	static const char *const names[] = { "<stdin>", "/dev/stdin" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (pos->file_len == strlen(names[i]) && !memcmp(pos->file, names[i], pos->file_len))
			return true;
	return false;
}

struct position source_position(const struct source *src, uint32_t off)
{
	struct position pos = { .file = src->name, .file_len = strlen(src->name), .line = 1 };
	const char *p = src->text, *end = src->text + src->len, *at;

	at = src->text + (off < src->len ? off : src->len);
	for (;;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *eol = nl ? nl : end;

		if (at <= eol) {
			if (is_itself(&pos)) {
				pos.file = src->name;
				pos.file_len = strlen(src->name);
			}
			pos.line_text = p;
			pos.line_len = (size_t)(eol - p);
			pos.col = (uint32_t)(at - p) + 1;
			return pos;
		}
		if (!line_directive(p, eol, &pos))
			pos.line++;
		p = eol + 1; /* at > eol, so eol is a newline */
	}
}

struct span span_join(struct span a, struct span b)
{
	uint32_t end_a = a.off + a.len, end_b = b.off + b.len;
	struct span s = a;

	if (!a.src || a.src != b.src)
		return a;
	s.off = a.off < b.off ? a.off : b.off;
	s.len = (end_a > end_b ? end_a : end_b) - s.off;
	return s;
}
