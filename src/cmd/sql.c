/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell sql FILE 'select …'`: questions to a recording in SQL, which can read it and do nothing else. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/caught.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/outfile.h"
#include "cmd/words.h"
#include "engine/why.h"
#include "store/recsql.h"
#include "view/text/sqlout.h"
#include "view/text/sqlwords.h"

#define SIGNALLED 128 /* exit status: this and the signal's number, as of a shell */

struct sql_cmd {
	const char *file, *text_file, *output;
	bool csv, json, views;
	struct strb text;
	struct arena *arena;
	struct dopts opts;
	struct why why;
};

static const struct optrow rows[] = {
	{ .letter = 'f',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct sql_cmd, text_file),
	  .arg = "FILE",
	  .help = "statements from this file; -: from standard input" },
	{ .name = "views",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct sql_cmd, views),
	  .help = "list the views with their columns" },
	{ .name = "csv",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct sql_cmd, csv),
	  .help = "comma-separated values, names in the first line" },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct sql_cmd, json),
	  .help = "JSON Lines: an object a row" },
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct sql_cmd, output),
	  .arg = "FILE",
	  .help = "write here, not to standard output" },
};
static const struct optable options = {
	.command = "sql",
	.synopsis = "sql [options] RECORDING 'SELECT …; …'\nsql [options] RECORDING -f FILE\nsql --views [RECORDING]",
	.notes = "Questions to a recording in SQL. It is read, and never changed.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static bool stop(void *ctx)
{
	(void)ctx;
	return caught;
}

static int read_text(struct sql_cmd *c)
{
	bool in = !strcmp(c->text_file, "-");
	FILE *f = in ? stdin : fopen(c->text_file, "re");
	char buf[4096];
	size_t n;
	int e = 0;

	if (!f)
		return cmd_fail("cannot open %s: %s", c->text_file, strerror(errno));
	while (c->text.n <= RECSQL_MAX_TEXT && (n = fread(buf, 1, sizeof(buf), f)) > 0)
		strb_add(&c->text, buf, n);
	if (ferror(f))
		e = cmd_fail("cannot read %s: %s", c->text_file, strerror(errno));
	else if (c->text.n > RECSQL_MAX_TEXT)
		e = cmd_fail("%s: more than %u bytes of SQL", c->text_file, RECSQL_MAX_TEXT);
	else if (c->text.n && memchr(c->text.s, '\0', c->text.n))
		e = cmd_fail("%s is no text: it has a NUL", c->text_file);
	if (!in)
		fclose(f);
	return e;
}

static int take_options(struct sql_cmd *c, int argc, char **argv)
{
	int e = cmd_options(&options, c, argc, argv), n = argc - optind;

	if (e)
		return e;
	if (c->csv && c->json)
		return cmd_wrong("sql: --csv and --json: choose one");
	c->file = n > 0 ? argv[optind] : NULL;
	if (c->views)
		return n > 1 ? cmd_words(&options, argv[optind + 1], NULL) : 0;
	if (!n)
		return cmd_words(&options, NULL, "a recording is missing");
	if (c->text_file)
		return n > 1 ? cmd_words(&options, argv[optind + 1], NULL) : read_text(c);
	if (n == 1)
		return cmd_words(&options, NULL, "a statement is missing, or -f with a file of them, or --views");
	if (n > 2)
		return cmd_words(&options, argv[optind + 2], NULL);
	strb_adds(&c->text, argv[optind + 1]);
	return 0;
}

/* -- output -- */

static int put_view(struct recsql_sink *sink, const struct recsql_view *v)
{
	const char *const texts[] = { v->name, v->what, v->columns };
	struct recsql_value values[ARRAY_SIZE(texts)];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		values[i] = (struct recsql_value){ .kind = RECSQL_TEXT, .p = texts[i], .n = strlen(texts[i]) };
	return sink->row(sink->ctx, values, ARRAY_SIZE(values));
}

/* The list of views: of people's form by paragraphs, since columns are many. */
static int list_views(const struct sql_cmd *c, struct recsql_sink *sink, FILE *out)
{
	static const char *const names[] = { "view", "what", "columns" };
	const struct recsql_view *v;
	int e = 0;

	if (!c->csv && !c->json) {
		for (size_t i = 0; (v = recsql_view(i)); i++)
			fprintf(out, "%s%s: %s\n\t%s\n", i ? "\n" : "", v->name, v->what, v->columns);
		return fflush(out) || ferror(out) ? -errno : 0;
	}
	e = sink->head(sink->ctx, names, ARRAY_SIZE(names));
	for (size_t i = 0; e == 0 && (v = recsql_view(i)); i++)
		e = put_view(sink, v);
	return e ? e : sink->end(sink->ctx);
}

/* "line 1, column 15: …", the line, and a mark below. */
static int explain(const struct sql_cmd *c, size_t at, const struct err *err)
{
	const char *text = strb_str(&c->text), *line = text, *end;
	unsigned number = 1;
	int column;

	at = at < c->text.n ? at : c->text.n;
	while (at < c->text.n && strchr(" \t\n", text[at]))
		at++; /* a statement begins behind the blanks */
	while (at == c->text.n && at && text[at - 1] == '\n')
		at--; /* it ended too early: behind its last word */
	for (const char *s = text; s < text + at; s++)
		if (*s == '\n') {
			line = s + 1;
			number++;
		}
	end = line + strcspn(line, "\n");
	column = (int)(text + at - line);
	cmd_msg("%s%sline %u, column %d: %s", c->text_file ? c->text_file : "", c->text_file ? ": " : "", number,
		column + 1, err->msg);
	if (end - line < 200)
		fprintf(stderr, "  %.*s\n  %*s^\n", (int)(end - line), line, column, "");
	return EXIT_ERROR;
}

static int run(struct sql_cmd *c, struct recsql *s, struct sqlout *o, FILE *out, int *ret_written)
{
	struct recsql_sink sink = sqlout_sink(o);
	struct err err = { 0 };
	size_t at = 0;
	int e = c->views ? list_views(c, &sink, out) : recsql_run(s, strb_str(&c->text), &sink, &at, &err);

	*ret_written = 0;
	if (e == -EINTR && caught)
		return SIGNALLED + caught;
	if (e < 0 && (c->views || ferror(out))) {
		*ret_written = e;
		return 0;
	}
	return e < 0 ? explain(c, at, &err) : 0;
}

static int open_and_run(struct sql_cmd *c, struct recsql *s)
{
	unsigned columns = !c->output && isatty(STDOUT_FILENO) ? (unsigned)columns_of_stdout() : 0;
	struct outfile out;
	struct sqlout *o;
	int e = outfile_open(&out, c->output), written = 0, closed;

	if (e)
		return e;
	o = sqlout_new(out.f, c->json ? SQLOUT_JSON : c->csv ? SQLOUT_CSV : SQLOUT_TABLE, columns);
	e = o ? run(c, s, o, out.f, &written) : cmd_fail("out of memory");
	sqlout_free(o);
	closed = outfile_close(&out, e && c->output ? OUTFILE_GIVE_UP : written);
	return e ? e : closed;
}

static int sql(int argc, char **argv)
{
	struct sql_cmd c = { 0 };
	struct recsql *s = NULL;
	struct sqlwords *w = NULL;
	struct err err = { 0 };
	int e = take_options(&c, argc, argv);

	if (e)
		goto done;
	caught_begin(); /* a statement ends in order, so that what it has given so far is written */
	c.arena = arena_new(SIZE_MAX);
	dopts_init(&c.opts, c.arena);
	why_open(&c.why, &c.opts, &cmd_listener);
	if (c.file && (recsql_open(c.file, &s, &err) < 0 || sqlwords_new(s, why_words, &c.why, stop, &w, &err) < 0))
		e = cmd_fail("%s", err.msg);
	else
		e = open_and_run(&c, s);
	sqlwords_free(w);
	recsql_close(s);
	why_done(&c.why);
	arena_free(c.arena);
done:
	strb_free(&c.text);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_sql = { "sql", "asks a recording questions in SQL", sql };
