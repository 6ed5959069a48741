/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/viewcmd.h"
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "cmd/outfile.h"
#include "engine/why.h"

struct run {
	const struct viewcmd *c;
	const struct view *view; /* of the family */
	const char *format;	 /* --format, or NULL */
	struct arena *a;
	struct view_job job;
	size_t nwords; /* sources that were named, also those beyond view.max_sources */
	char *extra;   /* the first of these */
	struct recnow live;
	max_align_t state[]; /* of the view */
};

static int take_form(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct view_job *j = &((struct run *)run)->job;
	const struct view_form *f = &((struct run *)run)->c->view->forms[o->value];

	(void)arg;
	if (j->form && j->form != f)
		return err_set(err, -EINVAL, "--%s and --%s are different pictures: choose one", j->form->name,
			       f->name);
	j->form = f;
	return 0;
}

static int take_word(void *run, char *word, struct err *err)
{
	struct run *r = run;
	const struct view *v = r->c->view;

	(void)err;
	if (r->nwords++ < v->max_sources) {
		r->job.source[r->job.nsources++].path = word;
		if (v->given)
			v->given(r->state);
	} else if (!r->extra) {
		r->extra = word;
	}
	return 0;
}

/* -- the table of options -- */

struct rows {
	struct optrow v[OPTABLE_MAX];
	size_t n;
};

static void add_rows(struct rows *rows, const struct optrow *v, size_t n, size_t at)
{
	for (size_t i = 0; i < n && rows->n < OPTABLE_MAX; i++) {
		rows->v[rows->n] = v[i];
		rows->v[rows->n++].at += at;
	}
}

/* Forms that the page asks for are the common ones. */
static void add_forms(struct rows *rows, const struct view *v, bool common)
{
	for (const struct view_form *f = v->forms; f->name; f++) {
		const struct optrow row = { .name = f->name,
					    .kind = OPT_CALL,
					    .value = (int)(f - v->forms),
					    .take = take_form,
					    .help = f->help };

		if (f->help && common == !!f->served)
			add_rows(rows, &row, 1, 0);
	}
}

static void add_format(struct run *r, struct rows *rows)
{
	struct strb help = { 0 };
	struct optrow row = { .name = "format", .kind = OPT_TEXT, .at = offsetof(struct run, format), .arg = "FORMAT" };

	for (const struct view *const *v = r->c->family; *v; v++)
		for (const struct view_form *f = (*v)->forms; f->name; f++)
			strb_printf(&help, "%s%s: %s", help.n ? "\n" : "", f->name, f->help);
	row.help = arena_strdup(r->a, strb_str(&help));
	strb_free(&help);
	add_rows(rows, &row, 1, 0);
}

static void make_rows(struct run *r, struct rows *rows)
{
	static const struct optrow output = { .letter = 'o',
					      .kind = OPT_TEXT,
					      .at = offsetof(struct run, job.output),
					      .arg = "FILE",
					      .help = "write here, not to standard output" },
				   title = { .name = "title",
					     .kind = OPT_TEXT,
					     .at = offsetof(struct run, job.title),
					     .arg = "TEXT",
					     .help = "heading" };
	const struct viewcmd *c = r->c;
	const struct view *v = c->view;

	if (c->family)
		add_format(r, rows);
	if (!c->no_file)
		add_rows(rows, &output, 1, 0);
	if (!c->family)
		add_forms(rows, v, true);
	if (v->title)
		add_rows(rows, &title, 1, 0);
	if (!c->family)
		add_forms(rows, v, false);
	add_rows(rows, v->options, v->noptions, offsetof(struct run, state));
	if (c->live)
		add_rows(rows, c->live->rows, c->live->nrows, offsetof(struct run, live));
}

/* -- what is shown -- */

/* What was recorded: the command, the process, the file that is kept. */
static void add_live(struct run *r)
{
	struct recnow *l = &r->live;
	struct view_source *s = &r->job.source[r->job.nsources++];

	s->path = l->path;
	s->called = l->command	? l->command
		    : l->pid	? arena_printf(r->a, "process %ld", l->pid)
		    : l->record ? NULL
				: "";
	r->job.head = r->c->live->head ? r->c->live->head(l) : NULL;
}

static int check_words(const struct run *r, const struct optable *t, bool record)
{
	unsigned most = record ? 0 : r->c->view->max_sources;

	if (record && r->nwords)
		return cmd_words(t, r->job.source[0].path, NULL);
	if (r->c->view->several)
		return r->nwords ? 0 : cmd_words(t, NULL, r->c->missing);
	if (r->nwords > most && most > 2)
		return cmd_wrong("%s: %zu recordings are too many: %u at most", t->command, r->nwords, most);
	if (r->nwords > most)
		return cmd_words(t, r->extra, NULL);
	if (r->c->family && !r->format)
		return cmd_words(t, NULL, "--format is missing");
	return !record && !r->nwords ? cmd_words(t, NULL, r->c->missing) : 0;
}

/* Which of the family has the format. */
static int choose_format(struct run *r)
{
	_cleanup_(strb_free) struct strb known = { 0 };

	for (const struct view *const *v = r->c->family; *v; v++) {
		r->view = *v;
		r->job.form = view_form(*v, r->format);
		if (r->job.form)
			return 0;
		for (const struct view_form *f = (*v)->forms; f->name; f++)
			strb_printf(&known, "%s%s", known.n ? ", " : "", f->name);
	}
	return cmd_wrong("there is no format '%s': %s", r->format, strb_str(&known));
}

/* What goes together is known before anything is recorded. EXIT_* > 0 after a message. */
static int check(struct run *r, const struct optable *t)
{
	struct err err = { 0 };
	int e = view_choose(r->view, &r->job, isatty(STDOUT_FILENO), &err);

	if (e == 0 && r->view->check)
		e = r->view->check(r->state, &r->job, &err);
	return e == -ENODATA ? cmd_words(t, NULL, err.msg) : cmd_err(e, &err);
}

/* 0; EXIT_* > 0 after a message; < 0: done (--help). */
static int take_options(struct run *r, int argc, char **argv, bool *ret_record)
{
	const struct viewcmd *c = r->c;
	struct rows rows = { 0 };
	struct err err = { 0 };
	struct optable t = { .command = c->command,
			     .synopsis = c->synopsis,
			     .notes = c->notes,
			     .rows = rows.v,
			     .word = c->view->several ? NULL : take_word };
	int e;

	make_rows(r, &rows);
	t.n = rows.n;
	e = c->live ? cmd_live_options(&r->live, &t, r, &argc, argv) : cmd_options(&t, r, argc, argv);
	if (e)
		return e;
	if (c->view->several) {
		r->job.words = argv + optind;
		r->job.nwords = r->nwords = (size_t)(argc - optind);
	}
	if (c->live)
		e = cmd_err(c->live->choose(&r->live, ret_record, &err), &err);
	if (e == 0)
		e = check_words(r, &t, *ret_record);
	if (e == 0 && c->family)
		e = choose_format(r);
	if (e == 0 && *ret_record)
		add_live(r);
	return e ? e : check(r, &t);
}

/* Bars of eighths need UTF-8, and somebody who has nothing against it. */
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
	if (!err->msg[0])
		return EXIT_ERROR; /* nobody reads any more */
	return live ? cmd_live_fail(live, err) : cmd_fail("%s", err->msg);
}

static int show(const struct view *v, void *state, struct view_job *job, const struct recnow *live, const char *empty)
{
	struct err err = { 0 };
	struct why_rules own = { 0 };
	const struct view_env env = { .note = on_note,
				      .left_out = cmd_left_out,
				      .why = why_words,
				      .causes = rules,
				      .why_arg = &own.why,
				      .columns = (unsigned)columns_of_stdout(),
				      .utf8 = can_utf8() };
	int e;

	(void)why_rules_open(&own, NULL, &cmd_listener, NULL); /* without a file it cannot fail */
	job->env = &env;
	e = view_show(v, state, job, &err);
	if (e == 0)
		outfile_report(job->output);
	else
		e = fail(e, &err, live, empty);
	view_done(v, state, job);
	why_rules_done(&own);
	err_done(&err);
	return e;
}

int viewcmd_show(const struct view *v, void *state, struct view_job *job)
{
	return show(v, state, job, NULL, NULL);
}

static int run(struct run *r, int argc, char **argv)
{
	const struct viewcmd *c = r->c;
	const char *empty = NULL;
	bool record = false;
	int e = take_options(r, argc, argv, &record);

	if (e == 0 && record) {
		e = cmd_live(&r->live);
		r->job.source[0].path = r->live.path;
		empty = c->live->empty ? c->live->empty(&r->live) : NULL;
	}
	return e ? e : show(r->view, r->state, &r->job, &r->live, empty);
}

int viewcmd(const struct viewcmd *c, int argc, char **argv)
{
	return viewcmd_of(c, NULL, argc, argv);
}

int viewcmd_of(const struct viewcmd *c, char *source, int argc, char **argv)
{
	struct run *r = calloc(1, sizeof(*r) + c->view->size);
	int e;

	if (!r)
		return cmd_fail("out of memory");
	r->c = c;
	r->view = c->view;
	r->a = arena_new(ARENA_DEFAULT_LIMIT);
	view_init(c->view, r->state);
	if (source)
		take_word(r, source, NULL);
	e = run(r, argc, argv);
	recnow_done(&r->live);
	arena_free(r->a);
	free(r);
	return e < 0 ? EXIT_OK : e;
}
