/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a run by a view (view/view.h). It hands the rows of the run to the view's begin() and row(), and draws one of
 * its forms when the run ends. The same view shows recordings. */
#ifndef DWELL_LIVE_VIEWRUN_H
#define DWELL_LIVE_VIEWRUN_H
#include "engine/run/run.h"
#include "view/view.h"

struct viewrun {
	const struct view *view; /* with begin() and row() */
	void *state;		 /* of the view, with the options set; not owned */
	struct view_job job;	 /* form, title, beside */
	struct view_env env;
	FILE *out;  /* of the run */
	int failed; /* what viewrun_finish() could not draw, and told: -errno; or 0 */
};

/* Begins a run that `form` of the view shows (NULL: its plain form). left_out: of recordings that it compares with. */
void viewrun_begin(struct viewrun *r, const struct view *v, void *state, const char *form, recset_note_fn *left_out);
bool viewrun_json(const struct viewrun *r);
/* As open() of struct run_observer. */
int viewrun_open(struct viewrun *r, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		 struct err *err);
int viewrun_row(struct viewrun *r, const struct row *row, bool *ret_text);
/* Draws the form, and job.beside to its file. A picture that cannot be drawn is told, and kept in `failed`. 0, or
 * -errno: the output of the run cannot be written. */
int viewrun_finish(struct viewrun *r, const struct listener *to);
#endif
