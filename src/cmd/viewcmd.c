/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/viewcmd.h"
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/outfile.h"
#include "engine/why.h"

struct run {
	const struct viewcmd *c;
	struct arena *a;
	struct view_job job;
	size_t nwords; /* sources that were named, also those beyond view.max_sources */
	char *extra;   /* the first of these */
	struct reclive live;
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

static void make_rows(const struct viewcmd *c, struct rows *rows)
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
	const struct view *v = c->view;

	add_rows(rows, &output, 1, 0);
	add_forms(rows, v, true);
	if (v->title)
		add_rows(rows, &title, 1, 0);
	add_forms(rows, v, false);
	add_rows(rows, v->options, v->noptions, offsetof(struct run, state));
	if (c->live)
		add_rows(rows, c->live->rows, c->live->nrows, offsetof(struct run, live));
}

/* -- what is shown -- */

/* What was recorded: the command, the process, the file that is kept. */
static void add_live(struct run *r)
{
	struct reclive *l = &r->live;
	struct view_source *s = &r->job.source[r->job.nsources++];

	s->path = l->path;
	s->called = l->command ? l->command : l->pid ? arena_printf(r->a, "process %s", l->pid) : l->record ? NULL : "";
	r->job.head = r->c->live->head ? r->c->live->head(l) : NULL;
}

static int check_words(const struct run *r, const struct optable *t, bool record)
{
	unsigned most = record ? 0 : r->c->view->max_sources;

	if (record && r->nwords)
		return cmd_words(t, r->job.source[0].path, NULL);
	if (r->nwords > most && most > 2)
		return cmd_wrong("%s: %zu recordings are too many: %u at most", t->command, r->nwords, most);
	if (r->nwords > most)
		return cmd_words(t, r->extra, NULL);
	return !record && !r->nwords ? cmd_words(t, NULL, r->c->missing) : 0;
}

/* 0; EXIT_* > 0 after a message; < 0: done (--help). */
static int take_options(struct run *r, int argc, char **argv, bool *ret_record)
{
	const struct viewcmd *c = r->c;
	struct rows rows = { 0 };
	struct err err = { 0 };
	const struct optable t = {
		.command = c->view->name, .synopsis = c->synopsis, .notes = c->notes, .rows = rows.v, .word = take_word
	};
	struct optable table;
	int e;

	make_rows(c, &rows);
	table = t;
	table.n = rows.n;
	e = c->live ? reclive_options(&r->live, &table, r, &argc, argv) : cmd_options(&table, r, argc, argv);
	if (e)
		return e;
	if (c->live)
		e = cmd_err(c->live->choose(&r->live, ret_record, &err), &err);
	return e ? e : check_words(r, &table, *ret_record);
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

static int show(struct run *r)
{
	const struct view *v = r->c->view;
	struct err err = { 0 };
	struct dopts opts;
	struct why why;
	const struct view_env env = { .note = on_note,
				      .why = why_words,
				      .causes = rules,
				      .why_arg = &why,
				      .columns = (unsigned)latency_columns(),
				      .utf8 = can_utf8() };
	int e;

	dopts_init(&opts, r->a);
	e = why_open(&why, &opts, &cmd_listener);
	if (e)
		return e;
	r->job.env = &env;
	e = view_show(v, r->state, &r->job, &err);
	if (e == 0)
		outfile_tell(r->job.output);
	else if (e == -ENODATA && r->live.path && r->c->live->empty)
		e = cmd_fail("%s", r->c->live->empty(&r->live));
	else
		e = err.msg[0] ? reclive_fail(&r->live, err.msg) : EXIT_ERROR;
	view_done(v, r->state, &r->job);
	why_done(&why);
	err_done(&err);
	return e;
}

static int run(struct run *r, int argc, char **argv)
{
	const struct view *v = r->c->view;
	struct err err = { 0 };
	bool record = false;
	int e = take_options(r, argc, argv, &record);

	if (e == 0)
		e = cmd_err(view_choose(v, &r->job, isatty(STDOUT_FILENO), &err), &err);
	if (e == 0 && record) { /* what does not go together is said before anything is recorded */
		add_live(r);
		e = cmd_err(v->check ? v->check(r->state, &r->job, &err) : 0, &err);
		if (e == 0)
			e = reclive_run(&r->live);
		r->job.source[0].path = r->live.path;
	} else if (e == 0 && v->check) {
		e = cmd_err(v->check(r->state, &r->job, &err), &err);
	}
	return e ? e : show(r);
}

int viewcmd(const struct viewcmd *c, int argc, char **argv)
{
	struct run *r = calloc(1, sizeof(*r) + c->view->size);
	int e;

	if (!r)
		return cmd_fail("out of memory");
	r->c = c;
	r->a = arena_new(ARENA_DEFAULT_LIMIT);
	view_init(c->view, r->state);
	e = run(r, argc, argv);
	reclive_done(&r->live);
	arena_free(r->a);
	free(r);
	return e < 0 ? EXIT_OK : e;
}
