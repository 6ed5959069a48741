/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell sql FILE 'select …'`: SQL over a recording, which it can read and nothing else. */
#include <errno.h>
#include <unistd.h>
#include "base/caught.h"
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/words.h"
#include "engine/why.h"
#include "retro/picture.h"
#include "view/summary/sqltext.h"
#include "view/summary/sqlwords.h"

#define SIGNALLED 128 /* exit status: this and the signal's number, as of a shell */

struct sql_cmd {
	const char *file, *text_file, *output;
	bool csv, json, views;
	struct strb text;
	struct why_rules rules;
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
	.notes = "Questions to a recording in SQL, or to a trace of dwell rec. It is read, and never changed.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static bool stop(void *ctx)
{
	(void)ctx;
	return caught;
}

static int take_options(struct sql_cmd *c, int argc, char **argv)
{
	struct err err = { 0 };
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
		return n > 1 ? cmd_words(&options, argv[optind + 1], NULL)
			     : cmd_failed(sqltext_read(c->text_file, &c->text, &err), &err);
	if (n == 1)
		return cmd_words(&options, NULL, "a statement is missing, or -f with a file of them, or --views");
	if (n > 2)
		return cmd_words(&options, argv[optind + 2], NULL);
	strb_adds(&c->text, argv[optind + 1]);
	return 0;
}

static enum sqlout_form form(const struct sql_cmd *c)
{
	return c->json ? SQLOUT_JSON : c->csv ? SQLOUT_CSV : SQLOUT_TABLE;
}

static int explain(const struct sql_cmd *c, size_t at, struct err *err)
{
	_cleanup_(strb_free) struct strb mark = { 0 };

	sqltext_place(strb_str(&c->text), c->text.n, at, c->text_file, err, &mark);
	cmd_msg("%s", err->msg);
	fputs(strb_str(&mark), stderr);
	return EXIT_ERROR;
}

static int run(struct sql_cmd *c, struct recsql *s, struct sqlout *o, FILE *out, int *ret_written)
{
	struct recsql_sink sink = sqlout_sink(o);
	struct err err = { 0 };
	size_t at = 0;
	int e = c->views ? sqltext_views(form(c), &sink, out) : recsql_run(s, strb_str(&c->text), &sink, &at, &err);

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
	o = sqlout_new(out.f, form(c), columns);
	e = o ? run(c, s, o, out.f, &written) : cmd_fail("out of memory");
	sqlout_free(o);
	closed = outfile_close(&out, e && c->output ? OUTFILE_GIVE_UP : written);
	return e ? e : closed;
}

static int sql(int argc, char **argv)
{
	struct sql_cmd c = { 0 };
	struct retro_pictures made = { .begin = cmd_begin };
	struct recsql *s = NULL;
	struct sqlwords *w = NULL;
	struct err err = { 0 };
	int e = take_options(&c, argc, argv);

	if (!e && c.file)
		e = cmd_failed(retro_picture_path(&made, "sql", &c.file, &err), &err);
	if (e)
		goto done;
	caught_begin(); /* a statement ends in order, so that what it has given so far is written */
	(void)why_rules_open(&c.rules, NULL, &cmd_listener, NULL); /* without a file it cannot fail */
	if (c.file &&
	    (recsql_open(c.file, &s, &err) < 0 || sqlwords_new(s, why_words, &c.rules.why, stop, &w, &err) < 0))
		e = cmd_fail("%s", err.msg);
	else
		e = open_and_run(&c, s);
	sqlwords_free(w);
	recsql_close(s);
	why_rules_done(&c.rules);
done:
	retro_pictures_done(&made);
	strb_free(&c.text);
	return e;
}

const struct command cmd_sql = { "sql", "asks a recording questions in SQL", sql, .options = &options };
