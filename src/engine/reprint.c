/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of a recording and prints them as the live run did. */
#include "engine/reprint.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "engine/textopts.h"
#include "engine/views.h"
#include "engine/why.h"
#include "view/form/recsym.h"
#include "view/summary/reportview.h"

struct reprint {
	struct recread *file;
	const struct listener *to;
	struct arena *arena;
	struct dopts opts; /* what setopt() changes */
	struct why why;
	struct sym *sym;
	struct text_view *view;
	bool ended, costs; /* ROW_END was there; costs were shown */
};

static const char *on_setopt(void *arg, const char *name, const char *value)
{
	struct reprint *r = arg;

	if (!textopts_dynamic(name))
		return "Operation illegal when tracing is active";
	if (dopts_set(&r->opts, name, value, NULL) < 0)
		return "Invalid value for specified option";
	textopts_fill(text_view_opts(r->view), &r->opts);
	return NULL;
}

/* The options that the run had. Values that no run can have had are left out. */
static void take_options(struct reprint *r, struct text_opts *t)
{
	for (const struct recfile_pair *p = recread_options(r->file); p->name; p++) {
		if (!strcmp(p->name, "verbose"))
			t->verbose = !strcmp(p->value, "set");
		for (size_t i = 0; textopts_names[i]; i++)
			if (!strcmp(p->name, textopts_names[i]))
				dopts_set(&r->opts, p->name, p->value, NULL);
	}
	textopts_fill(t, &r->opts);
	t->destructive = false; /* what it ran then is not run again */
}

static void show_msg(void *arg, const char *text)
{
	const struct reprint *r = arg;

	listener_msg(r->to, "%s", text);
}

int reprint_open(struct recread *file, const struct reprint_opts *opts, const struct listener *to, FILE *out,
		 struct reprint **ret)
{
	struct reprint *r = calloc(1, sizeof(*r));
	struct text_opts t = { 0 };
	struct err err = { 0 };

	if (!r)
		return -ENOMEM;
	*r = (struct reprint){ .file = file, .to = to, .arena = arena_new(ARENA_DEFAULT_LIMIT) };
	dopts_init(&r->opts, r->arena);
	take_options(r, &t);
	t.json = opts->json;
	t.replayed = true;
	t.why = why_words;
	t.why_arg = &r->why;
	if (why_open(&r->why, &r->opts, to, &err) < 0)
		listener_msg(to, "%s", err.msg);
	if (opts->json)
		dopts_set(&r->opts, "oformat", "json", NULL);
	t.quiet |= opts->quiet;
	t.flowindent |= opts->flowindent;
	t.verbose |= opts->verbose;
	if (recsym_new(file, &r->sym, &err) < 0 ||
	    text_view_new(recread_schema(file), r->sym, &t, out, show_msg, r, &r->view) < 0) {
		err_done(&err);
		reprint_free(r);
		return -ENOMEM;
	}
	text_view_on_setopt(r->view, on_setopt, r);
	*ret = r;
	return 0;
}

static int show_cost(void *ctx, const struct rec_cost_row *c)
{
	const struct row row = {
		.kind = ROW_COST, .id = c->program, .probe = c->probe, .data = &c->c, .len = sizeof(c->c)
	};

	return text_view_row(ctx, &row);
}

struct step reprint_next(struct reprint *r, struct row *ret, struct err *err)
{
	struct step s = recread_next(r->file, ret, err);
	int e;

	if (s.more) {
		r->ended = ret->kind == ROW_END;
		return step_taken(text_view_row(r->view, ret));
	}
	if (s.error || r->costs)
		return s;
	r->costs = true;
	e = recread_costs(r->file, REC_ALL_TIME, show_cost, r->view, err);
	return e < 0 ? step_failed(e) : step_end();
}

int reprint_finish(struct reprint *r)
{
	return text_view_finish(r->view);
}

bool reprint_ended(const struct reprint *r)
{
	return r->ended;
}

struct text_view *reprint_view(struct reprint *r)
{
	return r->view;
}

void reprint_free(struct reprint *r)
{
	if (!r)
		return;
	text_view_free(r->view);
	why_done(&r->why);
	sym_free(r->sym);
	arena_free(r->arena);
	free(r);
}

/* -- the view -- */

static void pass_on(void *ctx, const char *text)
{
	const struct view_env *env = ctx;

	env->note(env->ctx, text);
}

static int put_rows(struct reprint *r, bool json, FILE *out, struct err *err)
{
	struct row row = { 0 };
	struct step s;
	int w;

	while ((s = reprint_next(r, &row, err)).more)
		;
	if (s.error && !err->msg[0])
		return s.error;
	if (!json)
		fputc('\n', out);
	w = reprint_finish(r);
	if (w == 0 && fflush(out) != 0)
		w = -errno;
	return w < 0 ? w : s.error;
}

static int draw(const struct report_view *v, const struct view_job *job, bool json, FILE *out, struct err *err)
{
	const struct reprint_opts opts = { json, v->quiet, v->flowindent, v->verbose };
	struct view_env env = *job->env;
	const struct listener to = { .ctx = &env, .message = pass_on };
	struct reprint *r = NULL;
	int e = reprint_open(job->source[0].file, &opts, &to, out, &r);

	if (e < 0)
		return err_set(err, e, "out of memory");
	e = put_rows(r, json, out, err);
	if (e == 0 && !reprint_ended(r))
		view_note(job, "the recording was not ended: its last second may be missing");
	reprint_free(r);
	return e;
}

static int draw_text(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	return draw(state, job, false, out, err);
}

static int draw_json(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	return draw(state, job, true, out, err);
}

static const struct view_form forms[] = {
	{ .name = "text", .served = "report.txt", .type = "text/plain; charset=utf-8", .draw = draw_text },
	{ .name = "json",
	  .help = "output as JSON Lines",
	  .served = "report.json",
	  .type = "application/x-ndjson",
	  .flags = VIEW_SAVED,
	  .draw = draw_json },
	{}
};

const struct view view_report = { .name = "report",
				  .words = { "report" },
				  .forms = forms,
				  .plain = "text",
				  .max_sources = 1,
				  .opens = true,
				  .size = sizeof(struct report_view) };
