/* SPDX-License-Identifier: Apache-2.0 */
#include "view/summary/sqltext.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"

#define LINE_SHOWN 200 /* bytes of a line that is shown again */

int sqltext_read(const char *path, struct strb *ret, struct err *err)
{
	bool in = !strcmp(path, "-");
	FILE *f = in ? stdin : fopen(path, "re");
	char buf[4096];
	size_t n;
	int e = 0;

	if (!f)
		return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	while (ret->n <= RECSQL_MAX_TEXT && (n = fread(buf, 1, sizeof(buf), f)) > 0)
		strb_add(ret, buf, n);
	if (ferror(f))
		e = err_set(err, -EIO, "cannot read %s: %s", path, strerror(errno));
	else if (ret->n > RECSQL_MAX_TEXT)
		e = err_set(err, -E2BIG, "%s: more than %u bytes of SQL", path, RECSQL_MAX_TEXT);
	else if (ret->n && memchr(ret->s, '\0', ret->n))
		e = err_set(err, -EILSEQ, "%s is no text: it has a NUL", path);
	if (!in)
		fclose(f);
	return e;
}

void sqltext_place(const char *text, size_t n, size_t at, const char *file, struct err *err, struct strb *mark)
{
	const char *line = text, *end;
	unsigned number = 1;
	int column;

	at = at < n ? at : n;
	while (at < n && strchr(" \t\n", text[at]))
		at++; /* a statement begins after the blanks */
	while (at == n && at && text[at - 1] == '\n')
		at--; /* it ended too early: after its last word */
	for (const char *s = text; s < text + at; s++)
		if (*s == '\n') {
			line = s + 1;
			number++;
		}
	end = line + strcspn(line, "\n");
	column = (int)(text + at - line);
	err_prefix(err, "%s%sline %u, column %d: ", file ? file : "", file ? ": " : "", number, column + 1);
	if (end - line < LINE_SHOWN)
		strb_printf(mark, "  %.*s\n  %*s^\n", (int)(end - line), line, column, "");
}

static int put_view(struct recsql_sink *sink, const struct recsql_view *v)
{
	const char *const texts[] = { v->name, v->what, v->columns };
	struct recsql_value values[ARRAY_SIZE(texts)];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		values[i] = (struct recsql_value){ .kind = RECSQL_TEXT, .p = texts[i], .n = strlen(texts[i]) };
	return sink->row(sink->ctx, values, ARRAY_SIZE(values));
}

/* The list of views: of people's form by paragraphs, since columns are many. */
int sqltext_views(enum sqlout_form form, struct recsql_sink *sink, FILE *out)
{
	static const char *const names[] = { "view", "what", "columns" };
	const struct recsql_view *v;
	int e = 0;

	if (form == SQLOUT_TABLE) {
		for (size_t i = 0; (v = recsql_view(i)); i++)
			fprintf(out, "%s%s: %s\n\t%s\n", i ? "\n" : "", v->name, v->what, v->columns);
		return fflush(out) || ferror(out) ? -errno : 0;
	}
	e = sink->head(sink->ctx, names, ARRAY_SIZE(names));
	for (size_t i = 0; e == 0 && (v = recsql_view(i)); i++)
		e = put_view(sink, v);
	return e ? e : sink->end(sink->ctx);
}
