/* SPDX-License-Identifier: Apache-2.0 */
/* Drives all views: chooses the form, opens the sources, reads the rows, draws, and closes. */
#include "view/view.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/outfile.h"

void view_init(const struct view *v, void *state)
{
	memset(state, 0, v->size);
	if (v->init)
		v->init(state);
}

/* Where --by is, as a text; NULL: there is no such option. */
static const char **by_of(const struct view *v, void *state)
{
	for (size_t i = 0; i < v->noptions; i++)
		if (v->options[i].name && !strcmp(v->options[i].name, "by") && v->options[i].kind == OPT_TEXT)
			return (const char **)((char *)state + v->options[i].at);
	return NULL;
}

void view_set_by(const struct view *v, void *state, const char *by)
{
	const char **text = by_of(v, state);

	if (by[0] && text && !*text)
		*text = by;
}

void view_done(const struct view *v, void *state, struct view_job *job)
{
	if (v->done)
		v->done(state);
	for (size_t i = 0; i < job->nsources; i++)
		recread_close(take_ptr(job->source[i].file));
	if (v->several)
		recset_close(&job->set);
}

const struct view_form *view_form(const struct view *v, const char *name)
{
	for (const struct view_form *f = v->forms; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct optrow *view_asked(const struct view *v, const char *name)
{
	for (size_t i = 0; i < v->noptions; i++)
		if (v->options[i].asked && v->options[i].name && !strcmp(v->options[i].name, name))
			return &v->options[i];
	return NULL;
}

/* The form that the output's name says; NULL: it says none. */
static const struct view_form *by_name(const struct view *v, const char *output)
{
	for (const struct view_form *f = v->forms; f->name; f++) {
		char suffix[16];

		snprintf(suffix, sizeof(suffix), ".%s", f->name);
		if (f->flags & VIEW_BY_NAME && outfile_is(output, suffix))
			return f;
	}
	return NULL;
}

enum view_output view_stdout(void)
{
	struct stat st;

	if (isatty(STDOUT_FILENO))
		return VIEW_TO_TERMINAL;
	return fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) ? VIEW_TO_PIPE
												: VIEW_TO_FILE;
}

int view_choose(const struct view *v, struct view_job *job, enum view_output out, struct err *err)
{
	bool to_terminal = out == VIEW_TO_TERMINAL && !job->output;
	const struct view_form *f = job->form;

	if (!f)
		f = by_name(v, job->output);
	if (!f && out != VIEW_TO_FILE && !job->output && v->at_reader)
		f = view_form(v, v->at_reader);
	if (!f)
		f = view_form(v, v->plain ? v->plain : "svg");
	job->form = f;
	if (f->built && !f->built())
		return err_set(err, -ENOTSUP,
			       "this dwell was built without pages, since esbuild was missing: --svg works");
	if (to_terminal && f->flags & VIEW_PICTURE)
		return err_set(err, -EINVAL, "the picture would go to the terminal: give -o FILE.%s", f->name);
	if (to_terminal && f->flags & VIEW_BYTES)
		return err_set(err, -EINVAL, "the bytes of %s would go to the terminal: give -o FILE", f->name);
	return 0;
}

const char *view_called(const struct view_source *s)
{
	const char *base = strrchr(s->path, '/');

	if (s->called)
		return s->called;
	return !strcmp(s->path, "-") ? "" : base ? base + 1 : s->path;
}

/* The view's own words, or job->head, and what the sources are called. */
static void put_heading(const struct view *v, const void *state, const struct view_job *job, struct strb *b)
{
	const struct view_source *s = job->source;
	const char *first = view_called(&s[0]), *second = job->nsources == 2 ? view_called(&s[1]) : "";

	v->title(state, job, b);
	if (job->nsources > 1 && v->compares != VIEW_BEFORE_AFTER)
		return; /* each has a name in the picture */
	if (*first)
		strb_printf(b, " · %s", first);
	if (*second && strcmp(s[0].path, s[1].path) != 0)
		strb_printf(b, " → %s", second);
}

bool view_is_json(const struct view_job *job)
{
	return !strcmp(job->form->name, "json");
}

int view_draw_beside(const void *state, const struct view_job *job, struct err *err)
{
	struct view_job other = *job;
	struct outfile out;
	int e = job->beside ? outfile_begin(&out, job->beside_output, err) : 0;

	other.form = job->beside;
	return e < 0 || !job->beside ? e : outfile_end(&out, job->beside->draw(state, &other, out.f, err), err);
}

int view_causes(const struct view_job *job, struct causes **ret, struct err *err)
{
	const struct view_env *env = job->env;

	*ret = env->causes ? env->causes(env->why_arg) : NULL;
	return *ret ? 0 : err_set(err, -EINVAL, "the rules for causes cannot be read");
}

/* Waits of the other threads are not in it: nobody should take that for quiet. */
static void note_part(const struct view_job *job, const struct recread *r, const char *name)
{
	const char *one_in = recread_meta(r, RECFILE_ONE_IN);

	if (one_in)
		view_note(job, "%s: one thread in %s was looked at (--cost); waits of the others are not in it", name,
			  one_in);
}

static int draw(const struct view *v, const void *state, struct view_job *job, struct err *err)
{
	_cleanup_(strb_free) struct strb heading = { 0 };
	struct outfile out;
	int e;

	if (!job->title && v->title)
		put_heading(v, state, job, &heading);
	job->heading = job->title ? job->title : strb_str(&heading);
	e = view_draw_beside(state, job, err);
	if (e == 0)
		e = outfile_begin(&out, job->output, err);
	if (e == 0)
		e = outfile_end(&out, job->form->draw(state, job, out.f, err), err);
	job->heading = NULL;
	return e;
}

/* The path of what is to be read of this one: its own, or that of a recording that is made of it. */
static int made_of(const struct view *v, void *state, struct view_job *job, const char **path, struct err *err)
{
	const char **by = by_of(v, state);
	const struct view_env *env = job->env;
	struct view_made made = { 0 };
	int e = env->recording ? env->recording(env->recording_arg, v->name, *path, &made, err) : 0;

	if (e == 0 && made.whole && by && *by)
		e = err_set(err, -EINVAL, "%s: %s", *path, made.whole);
	*path = made.path ? made.path : *path;
	job->head = made.head ? made.head : job->head;
	job->by = made.by ? made.by : job->by;
	return e;
}

static int open_source(const struct view *v, void *state, struct view_job *job, struct view_source *s, struct err *err)
{
	const char *path = s->path;
	int e = made_of(v, state, job, &path, err);

	if (e == 0 && v->opens)
		return recread_open(path, &s->file, err);
	if (path != s->path && !s->called)
		s->called = view_called(s);
	s->path = path;
	return e;
}

static int open_set(const struct view *v, void *state, struct view_job *job, struct err *err)
{
	_cleanup_free_ char **words = calloc(job->nwords + 1, sizeof(*words));
	int e = words ? 0 : err_set(err, -ENOMEM, "out of memory");

	for (size_t i = 0; i < job->nwords && e == 0; i++) {
		const char *path = job->words[i];

		e = made_of(v, state, job, &path, err);
		words[i] = (char *)(uintptr_t)path;
	}
	return e < 0 ? e : recset_open(&job->set, words, job->nwords, job->env->left_out, err);
}

int view_show(const struct view *v, void *state, struct view_job *job, struct err *err)
{
	int e = 0;

	for (size_t i = 0; i < job->nsources && e == 0; i++)
		e = open_source(v, state, job, &job->source[i], err);
	if (v->several)
		e = open_set(v, state, job, err);
	for (size_t i = 0; e == 0 && v->opens && i < job->nsources; i++)
		note_part(job, job->source[i].file, job->source[i].path);
	if (e == 0 && job->set.n)
		note_part(job, job->set.v[job->set.n - 1].r, job->words[0]);
	if (e == 0 && v->read)
		e = v->read(state, job, err);
	if (e == 0)
		e = draw(v, state, job, err);
	return e;
}

void view_note(const struct view_job *job, const char *fmt, ...)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strb_vprintf(&b, fmt, ap);
	va_end(ap);
	job->env->note(job->env->ctx, b.failed ? "out of memory" : strb_str(&b));
}

int view_check_times(uint64_t from_ns, uint64_t to_ns, struct err *err)
{
	return !to_ns || to_ns > from_ns
		       ? 0
		       : err_set(err, -EINVAL, "--to is not after --from: there is no time between them");
}
