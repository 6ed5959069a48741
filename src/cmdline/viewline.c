/* SPDX-License-Identifier: Apache-2.0 */
#include "cmdline/viewline.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/outfile.h"

struct viewline *viewline_new(const struct viewcmd *c)
{
	struct viewline *l = calloc(1, sizeof(*l) + c->view->size);

	if (!l)
		return NULL;
	l->c = c;
	l->view = c->view;
	l->a = arena_new(ARENA_DEFAULT_LIMIT);
	view_init(c->view, l->state);
	return l;
}

void viewline_free(struct viewline *l)
{
	recnow_done(&l->live);
	arena_free(l->a);
	free(l);
}

void viewline_source(struct viewline *l, char *path)
{
	const struct view *v = l->c->view;

	if (l->nwords++ < v->max_sources) {
		l->job.source[l->job.nsources++].path = path;
		if (v->given)
			v->given(l->state);
	} else if (!l->extra) {
		l->extra = path;
	}
}

/* -- the table of options -- */

static int take_form(void *line, const struct optrow *o, const char *arg, struct err *err)
{
	struct view_job *j = &((struct viewline *)line)->job;
	const struct view_form *f = &((struct viewline *)line)->c->view->forms[o->value];

	(void)arg;
	if (j->form && j->form != f)
		return err_set(err, -EINVAL, "--%s and --%s are different pictures: choose one", j->form->name,
			       f->name);
	j->form = f;
	return 0;
}

static int take_word(void *line, char *word, struct err *err)
{
	(void)err;
	viewline_source(line, word);
	return 0;
}

static void add_rows(struct viewrows *rows, const struct optrow *v, size_t n, size_t at)
{
	for (size_t i = 0; i < n && rows->n < OPTABLE_MAX; i++) {
		rows->v[rows->n] = v[i];
		rows->v[rows->n++].at += at;
	}
}

/* Forms that the page asks for are the common ones. */
static void add_forms(struct viewrows *rows, const struct view *v, bool common)
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

static void add_format(const struct viewcmd *c, struct arena *a, struct viewrows *rows)
{
	struct strb help = { 0 };
	struct optrow row = {
		.name = "format", .kind = OPT_TEXT, .at = offsetof(struct viewline, format), .arg = "FORMAT"
	};

	for (const struct view *const *v = c->family; *v; v++)
		for (const struct view_form *f = (*v)->forms; f->name; f++)
			strb_printf(&help, "%s%s: %s", help.n ? "\n" : "", f->name, f->help);
	row.help = arena_strdup(a, strb_str(&help));
	strb_free(&help);
	add_rows(rows, &row, 1, 0);
}

static bool has_row(const struct optable *t, const struct optrow *o)
{
	for (size_t i = 0; i < t->n; i++)
		if (o->name ? t->rows[i].name && !strcmp(t->rows[i].name, o->name) : t->rows[i].letter == o->letter)
			return true;
	return false;
}

static bool is_break(const struct optrow *o)
{
	return !o->name && !o->letter;
}

static void add_view(struct viewrows *rows, const struct viewjoined *j)
{
	const struct view *v = j->view;

	for (size_t i = 0; i < v->noptions; i++)
		if (!has_row(&j->table, &v->options[i]))
			add_rows(rows, &v->options[i], 1, j->state_at);
	for (const struct view_form *f = v->forms; f->name; f++) {
		const struct optrow row = {
			.name = f->name, .kind = OPT_SET, .at = j->form_at, .text = f->name, .help = f->help
		};

		if (f->help && !has_row(&j->table, &row))
			add_rows(rows, &row, 1, 0);
	}
}

struct optable viewline_join(const struct viewjoined *j, struct viewrows *rows)
{
	struct optable t = j->table;
	size_t first = 0;

	rows->n = 0;
	while (first < t.n && !is_break(&t.rows[first]))
		first++;
	add_rows(rows, t.rows, first, 0);
	add_view(rows, j);
	add_rows(rows, t.rows + first, t.n - first, 0);
	t.rows = rows->v;
	t.n = rows->n;
	return t;
}

void viewline_join_help(const struct viewjoined *j, const char *program, FILE *out)
{
	struct viewrows rows;
	const struct optable t = viewline_join(j, &rows);

	optable_help(&t, program, out);
}

/* Its help is in the arena. */
static struct optable make_table(const struct viewcmd *c, struct arena *a, struct viewrows *rows)
{
	static const struct optrow output = { .letter = 'o',
					      .kind = OPT_TEXT,
					      .at = offsetof(struct viewline, job.output),
					      .arg = "FILE",
					      .help = "write here, not to standard output" },
				   title = { .name = "title",
					     .kind = OPT_TEXT,
					     .at = offsetof(struct viewline, job.title),
					     .arg = "TEXT",
					     .help = "heading" };
	const struct view *v = c->view;

	if (c->family)
		add_format(c, a, rows);
	if (!c->no_file)
		add_rows(rows, &output, 1, 0);
	if (!c->family)
		add_forms(rows, v, true);
	if (v->title)
		add_rows(rows, &title, 1, 0);
	if (!c->family)
		add_forms(rows, v, false);
	add_rows(rows, v->options, v->noptions, offsetof(struct viewline, state));
	if (c->live)
		add_rows(rows, c->live->rows, c->live->nrows, offsetof(struct viewline, live));
	return (struct optable){ .command = c->command,
				 .synopsis = c->synopsis,
				 .notes = c->notes,
				 .rows = rows->v,
				 .n = rows->n,
				 .word = v->several ? NULL : take_word };
}

void viewline_help(const struct viewcmd *c, const char *program, FILE *out)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct viewrows rows = { 0 };
	const struct optable t = make_table(c, a, &rows);

	optable_help(&t, program, out);
	arena_free(a);
}

/* -- what is shown -- */

/* Adds the recording that was just made as a source. Its title is the command, the process, or the file that is
 * kept. */
static void add_live(struct viewline *l)
{
	const struct recnow *live = &l->live;
	struct view_source *s = &l->job.source[l->job.nsources++];

	s->path = live->path;
	s->called = live->command  ? live->command
		    : live->pid	   ? arena_printf(l->a, "process %ld", live->pid)
		    : live->record ? NULL
				   : "";
	l->job.head = l->c->live->head ? l->c->live->head(live) : NULL;
}

/* An option that says what to record says of a recording what to show. */
static void choose_shown(struct viewline *l)
{
	const struct viewlive *live = l->c->live;
	const char *by = l->record && l->nwords && live->by && !recnow_asked(&l->live) ? live->by(&l->live) : NULL;

	if (by) {
		l->record = false;
		view_set_by(l->view, l->state, by);
	}
}

static int check_words(const struct viewline *l, const struct optable *t, const char *program, struct err *err)
{
	unsigned most = l->record ? 0 : l->c->view->max_sources;
	const char *unexpected = NULL, *missing = NULL;

	if (l->record && l->nwords)
		unexpected = l->job.source[0].path;
	else if (l->c->view->several && !l->nwords)
		missing = l->c->missing;
	else if (l->c->view->several)
		return 0;
	else if (l->nwords > most && most > 2)
		return err_set(err, -EINVAL, "%s: %zu recordings are too many: %u at most", t->command, l->nwords,
			       most);
	else if (l->nwords > most)
		unexpected = l->extra;
	else if (l->c->family && !l->format)
		missing = "--format is missing";
	else if (!l->record && !l->nwords)
		missing = l->c->missing;
	return unexpected || missing ? optable_words(t, unexpected, missing, program, err) : 0;
}

/* Chooses the view of the family that has the format. */
static int choose_format(struct viewline *l, struct err *err)
{
	_cleanup_(strb_free) struct strb known = { 0 };

	for (const struct view *const *v = l->c->family; *v; v++) {
		l->view = *v;
		l->job.form = view_form(*v, l->format);
		if (l->job.form)
			return 0;
		for (const struct view_form *f = (*v)->forms; f->name; f++)
			strb_printf(&known, "%s%s", known.n ? ", " : "", f->name);
	}
	return err_set(err, -EINVAL, "there is no format '%s': %s", l->format, strb_str(&known));
}

int viewline_read(struct viewline *l, int argc, char **argv, enum view_output out, const char *program, struct err *err)
{
	const struct viewcmd *c = l->c;
	struct viewrows rows = { 0 };
	const struct optable t = make_table(c, l->a, &rows);
	int e = c->live ? requestopts_record(&l->live, &t, l, &argc, argv, program, err)
			: optable_read(&t, l, argc, argv, program, err);

	if (e)
		return e;
	if (c->view->several) {
		l->job.words = argv + optind;
		l->job.nwords = l->nwords = (size_t)(argc - optind);
	}
	if (c->live)
		e = c->live->choose(&l->live, &l->record, err);
	if (e == 0 && c->live)
		choose_shown(l);
	if (e == 0)
		e = check_words(l, &t, program, err);
	if (e == 0 && c->family)
		e = choose_format(l, err);
	if (e == 0 && l->record)
		add_live(l);
	/* Options that exclude each other are reported before anything is recorded. */
	if (e == 0)
		e = view_choose(l->view, &l->job, out, err);
	if (e == 0 && l->view->check)
		e = l->view->check(l->state, &l->job, err);
	if (e == 0 && l->record)
		return outfile_try(l->job.output, err);
	if (e == -ENODATA) {
		const char *missing = arena_strdup(l->a, err->msg);

		return optable_words(&t, NULL, missing, program, err);
	}
	return e;
}
