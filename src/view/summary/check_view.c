/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what is slow, for which processes, and why: judges the rows of recordings or of a run, and prints the findings
 * as text, JSON or a page. */
#include "view/summary/checkview.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/recsym.h"
#include "view/summary/checkprint.h"
#include "view/view.h"

#define KINDS (1u << ROW_EVENT | 1u << ROW_AGG | 1u << ROW_NOTE | 1u << ROW_DROPS)

static const struct optrow options[] = {
	{ .name = "against",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct check_view, against),
	  .arg = "FILE",
	  .help = "compare with this earlier recording" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct check_view, comm),
	  .arg = "NAME",
	  .help = "waits of threads of this name" },
};

/* -- recordings -- */

static int on_row(void *ctx, const struct row *row)
{
	return check_row(ctx, row);
}

static int on_cost(void *ctx, const struct rec_cost_row *x)
{
	const struct row row = { .kind = ROW_COST, .ts = x->ts, .data = &x->c, .len = sizeof(x->c) };

	return check_row(ctx, &row);
}

static int read_one(struct check *c, struct recread *r, struct err *err)
{
	struct sym *sym = NULL;
	int e = recsym_new(r, &sym, err);

	if (e == 0)
		e = check_begin(c, recread_schema(r), sym);
	if (e == 0)
		e = recread_rows(r, KINDS, REC_ALL_TIME, on_row, c, err);
	if (e == 0)
		e = recread_costs(r, REC_ALL_TIME, on_cost, c, err);
	check_end(c);
	sym_free(sym);
	return e;
}

/* Adds all rows of the recordings to a new *ret. */
static int read_set(const struct recset *s, struct causes *causes, const char *comm, struct check **ret,
		    struct err *err)
{
	uint64_t took = 0;
	int e = check_new(causes, NULL, NULL, ret);

	if (e == 0)
		check_only(*ret, comm);
	for (size_t i = 0; i < s->n && e == 0; i++) {
		struct rec_range all;

		if (recread_extent(s->v[i].r, &all))
			took += all.to - all.from;
		e = read_one(*ret, s->v[i].r, err);
	}
	if (e == 0)
		check_took(*ret, took);
	return e < 0 && !err->msg[0] ? err_set(err, e, "%s", strerror(-e)) : e;
}

static int read_before(struct check_view *v, const struct view_job *job, struct causes *causes, struct err *err)
{
	char *words[] = { (char *)(uintptr_t)v->against };
	struct recset set;
	int e;

	if (!v->against)
		return 0;
	e = recset_open(&set, words, 1, job->env->left_out, err);
	if (e == 0)
		e = read_set(&set, causes, v->comm, &v->before, err);
	recset_close(&set);
	return e;
}

static int read_recordings(void *state, const struct view_job *job, struct err *err)
{
	struct check_view *v = state;
	struct causes *causes;
	int e = view_causes(job, &causes, err);

	if (e == 0)
		e = read_before(v, job, causes, err);
	return e == 0 ? read_set(&job->set, causes, v->comm, &v->check, err) : e;
}

/* -- a run -- */

static int begin(void *state, const struct view_job *job, const struct view_run *run, struct err *err)
{
	struct check_view *v = state;
	int e = read_before(v, job, run->causes, err);

	if (e < 0)
		return e;
	if (check_new(run->causes, v->wants, v->wants_ctx, &v->check) < 0 ||
	    check_begin(v->check, run->schema, run->sym) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	check_only(v->check, v->comm);
	return 0;
}

static int row(void *state, const struct row *row, bool *ret_text)
{
	*ret_text = row->kind == ROW_NOTE && note_is_shown(row->id);
	return check_row(((struct check_view *)state)->check, row);
}

static void done(void *state)
{
	struct check_view *v = state;

	check_free(v->check);
	check_free(v->before);
}

/* -- what is shown -- */

typedef int print_fn(const struct check_report *r, const struct check_page *p, FILE *out);

static int put(const struct check_view *v, const struct view_job *job, print_fn *print, FILE *out, struct err *err)
{
	const struct check_page page = { .title = job->title   ? job->title
						  : job->words ? job->words[0]
							       : "this machine",
					 .columns = (int)job->env->columns };
	struct check_report report;
	int e = check_judge(v->check, v->before, &report) < 0 ? err_set(err, -ENOMEM, "out of memory")
							      : print(&report, &page, out);

	check_report_done(&report);
	return e;
}

static int draw_text(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	return put(state, job, checkprint_text, out, err);
}

static int draw_json(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	return put(state, job, checkprint_json, out, err);
}

static int draw_html(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	return put(state, job, checkprint_html, out, err);
}

static const struct view_form forms[] = { { .name = "text", .draw = draw_text },
					  { .name = "json",
					    .help = "one JSON object",
					    .served = "check.json",
					    .type = "application/json",
					    .draw = draw_json },
					  { .name = "html",
					    .help = "a page: one file that needs no others",
					    .flags = VIEW_BY_NAME | VIEW_PICTURE,
					    .draw = draw_html },
					  {} };

const struct view view_check = { .name = "check",
				 .words = { "check" },
				 .options = options,
				 .noptions = ARRAY_SIZE(options),
				 .forms = forms,
				 .plain = "text",
				 .several = true,
				 .size = sizeof(struct check_view),
				 .read = read_recordings,
				 .begin = begin,
				 .row = row,
				 .done = done };
