/* SPDX-License-Identifier: Apache-2.0 */
/* Makes options from the rows of a view, reads them, and draws the view. */
#include "cmd/viewcmd.h"
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/words.h"
#include "engine/why.h"
#include "retro/picture.h"

/* Bars are drawn in eighths of a column if the terminal has UTF-8 and NO_COLOR is not set. */
static bool can_utf8(void)
{
	const char *no = getenv("NO_COLOR");

	setlocale(LC_CTYPE, "");
	return (!no || !*no) && !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static void on_note(void *ctx, const char *text)
{
	(void)ctx;
	cmd_msg("%s", text);
}

static struct causes *rules(void *why)
{
	return why_causes(why);
}

/* Says why it cannot be shown. live: what was recorded for it; empty: why there may be nothing; or NULL. */
static int fail(int e, struct err *err, const struct recnow *live, const char *empty)
{
	if (e == -ENODATA && empty)
		return cmd_fail("%s", empty);
	if (!err->msg[0]) /* the message is printed already, or the reader of the pipe has gone */
		return EXIT_ERROR;
	return live ? cmd_live_fail(live, err) : cmd_fail("%s", err->msg);
}

/* causes: a file of rules, or NULL. live, empty: as of fail(). */
static int show(const struct view *v, void *state, struct view_job *job, const char *causes, const struct recnow *live,
		const char *empty)
{
	struct err err = { 0 };
	struct retro_pictures made = { .begin = cmd_begin };
	struct why_rules own = { 0 };
	const struct view_env env = { .note = on_note,
				      .left_out = cmd_left_out,
				      .why = why_words,
				      .causes = rules,
				      .why_arg = &own.why,
				      .recording = retro_picture,
				      .recording_arg = &made,
				      .columns = (unsigned)columns_of_stdout(),
				      .utf8 = can_utf8() };
	int e = why_rules_open(&own, causes, &cmd_listener, &err);

	job->env = &env;
	if (e == 0)
		e = view_show(v, state, job, &err);
	if (e == 0)
		outfile_report(job->output);
	else
		e = fail(e, &err, live, empty);
	view_done(v, state, job);
	retro_pictures_done(&made);
	why_rules_done(&own);
	err_done(&err);
	return e;
}

int viewcmd_show(const struct view *v, void *state, struct view_job *job)
{
	return show(v, state, job, NULL, NULL, NULL);
}

int viewcmd_recorded(const struct viewshow *s, const struct optable *t, char *const *words, size_t n)
{
	const struct view *v = s->view;
	struct view_job job = { .form = s->form ? view_form(v, s->form) : NULL };
	struct err err = { 0 };
	int e;

	if (!v->several && n > v->max_sources)
		return cmd_words(t, words[v->max_sources], NULL);
	if (v->several) {
		job.words = words;
		job.nwords = n;
	}
	for (; job.nsources < n && !v->several; job.nsources++)
		job.source[job.nsources].path = words[job.nsources];
	job.beside = s->beside ? view_form(v, "html") : NULL;
	job.beside_output = s->beside;
	e = view_choose(v, &job, view_stdout(), &err);
	if (e == 0 && v->check)
		e = v->check(s->state, &job, &err);
	return e < 0 ? cmd_err(e, &err) : show(v, s->state, &job, s->causes, NULL, NULL);
}

static int run(struct viewline *l, int argc, char **argv)
{
	const struct viewcmd *c = l->c;
	struct err err = { 0 };
	int e = viewline_read(l, argc, argv, view_stdout(), cmd_name(), &err);

	if (e == OPTABLE_HELP)
		return viewline_help(c, cmd_name(), stdout), EXIT_OK;
	e = cmd_err(e, &err);
	if (e == 0 && l->record) {
		e = cmd_live(&l->live);
		l->job.source[0].path = l->live.path;
		view_set_by(l->view, l->state, l->live.by);
	}
	return e ? e
		 : show(l->view, l->state, &l->job, NULL, &l->live,
			l->record && c->live->empty ? c->live->empty(&l->live) : NULL);
}

int viewcmd(const struct viewcmd *c, int argc, char **argv)
{
	return viewcmd_of(c, NULL, argc, argv);
}

int viewcmd_of(const struct viewcmd *c, char *source, int argc, char **argv)
{
	struct viewline *l = viewline_new(c);
	int e;

	if (!l)
		return cmd_fail("out of memory");
	if (source)
		viewline_source(l, source);
	e = run(l, argc, argv);
	viewline_free(l);
	return e;
}
