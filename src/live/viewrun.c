/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the rows of a run to a view (view/view.h), and draws one of the view's forms when the run ends. */
#include "live/viewrun.h"
#include <string.h>
#include "base/columns.h"

void viewrun_begin(struct viewrun *r, const struct view *v, void *state, const char *form, recset_note_fn *left_out)
{
	r->view = v;
	r->state = state;
	r->job.form = view_form(v, form ? form : v->plain);
	r->env.columns = (unsigned)columns_of_stdout();
	r->env.left_out = left_out;
	r->job.env = &r->env;
}

bool viewrun_json(const struct viewrun *r)
{
	return view_is_json(&r->job);
}

int viewrun_open(struct viewrun *r, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		 struct err *err)
{
	struct view_run run = { .schema = schema, .sym = sym, .out = out };
	int e = why_read(why, &run.causes, err);

	r->out = out;
	return e < 0 ? e : r->view->begin(r->state, &r->job, &run, err);
}

int viewrun_row(struct viewrun *r, const struct row *row, bool *ret_text)
{
	return r->view->row(r->state, row, ret_text);
}

int viewrun_finish(struct viewrun *r, const struct listener *to)
{
	struct err err = { 0 };
	int e = r->job.form->draw(r->state, &r->job, r->out, &err);

	if (e == 0)
		e = view_draw_beside(r->state, &r->job, &err);
	if (e < 0 && err.msg[0]) {
		r->failed = listener_fail(to, e, "%s", err.msg);
		e = 0;
	}
	err_done(&err);
	return e;
}
