/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the threads that are blocked, of a run and of a recording that dwell latency stuck -x record=FILE made. */
#include "view/summary/stuckview.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/recsym.h"
#include "view/view.h"

#define MAX_PID (1u << 22) /* PID_MAX_LIMIT */

static const struct optrow options[] = {
	{ .letter = 'p',
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct stuck_view, print.pid),
	  .value = MAX_PID,
	  .arg = "PID",
	  .help = "this process only, also its sleeping threads" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct stuck_view, print.comm),
	  .asked = true,
	  .arg = "NAME",
	  .help = "threads and processes of this name only, also sleeping ones" },
	{ .name = "container",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct stuck_view, print.container),
	  .asked = true,
	  .arg = "ID",
	  .help = "threads of this container only, also sleeping ones; the beginning of its id is enough" },
	{ .name = "over",
	  .kind = OPT_TIME,
	  .at = offsetof(struct stuck_view, print.over_ns),
	  .asked = true,
	  .value = 1,
	  .arg = "TIME",
	  .help = "threads that have not run for this long (100ms)" },
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct stuck_view, print.all),
	  .help = "sleeping threads, too" },
};

static void init(void *state)
{
	((struct stuck_view *)state)->print.over_ns = STUCK_VIEW_OVER_NS;
}

static int start(struct stuck_view *v, const struct rec_schema *schema, struct sym *sym, struct causes *causes,
		 struct err *err)
{
	struct stuck_print *p = &v->print;

	p->all |= p->pid || p->comm || p->container || p->cgroup ||
		  p->wants; /* a filter also shows threads that only sleep */
	p->sym = sym;
	v->schema = schema;
	return stuck_new(causes, sym, &v->threads) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

static int begin(void *state, const struct view_job *job, const struct view_run *run, struct err *err)
{
	(void)job;
	return start(state, run->schema, run->sym, run->causes, err);
}

static int row(void *state, const struct row *row, bool *ret_text)
{
	struct stuck_view *v = state;
	const struct recfmt *f = row->id >= 1 && row->id <= v->schema->nfmts ? v->schema->fmts[row->id - 1] : NULL;

	*ret_text = row->kind == ROW_DROPS || row->kind == ROW_NOTE || row->kind == ROW_FAULT;
	return row->kind == ROW_EVENT && f ? stuck_add(v->threads, f, row->data) : 0;
}

static int on_row(void *state, const struct row *r)
{
	bool text;

	return row(state, r, &text);
}

static int read_recording(void *state, const struct view_job *job, struct err *err)
{
	struct stuck_view *v = state;
	struct recread *r = job->source[0].file;
	struct causes *causes;
	size_t n = 0;
	int e = view_causes(job, &causes, err);

	if (e == 0)
		e = recsym_new(r, &v->recorded, err);
	if (e == 0)
		e = start(v, recread_schema(r), v->recorded, causes, err);
	if (e == 0)
		e = recread_rows(r, 1u << ROW_EVENT, REC_ALL_TIME, on_row, v, err);
	if (e < 0)
		return err->msg[0] ? e : err_set(err, e, "%s", strerror(-e));
	(void)stuck_list(v->threads, &n);
	return n ? 0
		 : err_set(err, -ENODATA,
			   "%s has no list of threads: record one with dwell latency stuck -x record=FILE",
			   job->source[0].path);
}

static void done(void *state)
{
	struct stuck_view *v = state;

	stuck_free(v->threads);
	sym_free(v->recorded);
}

static int draw(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct stuck_view *v = state;
	struct stuck_print p = v->print;

	(void)err;
	p.out = out;
	p.json = view_is_json(job);
	p.columns = (int)job->env->columns;
	return stuckprint(&p, v->threads);
}

static const struct view_form forms[] = {
	{ .name = "text", .draw = draw },
	{ .name = "json", .help = "JSON Lines", .served = "stuck.json", .type = "application/x-ndjson", .draw = draw },
	{}
};

const struct view view_stuck = { .name = "stuck",
				 .words = { "latency", "stuck" },
				 .options = options,
				 .noptions = ARRAY_SIZE(options),
				 .forms = forms,
				 .plain = "text",
				 .max_sources = 1,
				 .opens = true,
				 .size = sizeof(struct stuck_view),
				 .init = init,
				 .read = read_recording,
				 .begin = begin,
				 .row = row,
				 .done = done };
