/* SPDX-License-Identifier: Apache-2.0 */
/* Formats that other programs open, as views: stacks, traces, tables of values, a copy. They share one state, so that
 * one command can choose among them by the format. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/export/export.h"
#include "view/form/recsym.h"
#include "view/stack/stacksrc.h"
#include "view/view.h"

struct export_view {
	struct stacksrc_opts src;
	struct stacktree *tree;
	struct stacksrc info;
};

static const struct optrow options[] = {
	STACKSRC_OPTIONS(struct export_view, src),
	VIEW_OPTIONS_TIMES(struct export_view, src.from_ns, src.to_ns),
};
static const struct optrow values_options[] = {
	{ .name = "by", .kind = OPT_TEXT, .at = offsetof(struct export_view, src.by), .asked = true, .arg = "NAME" },
};

static void init(void *state)
{
	((struct export_view *)state)->src.counts = true;
}

/* -- stacks -- */

static int check_stacks(void *state, const struct view_job *job, struct err *err)
{
	const struct stacksrc_opts *o = &((struct export_view *)state)->src;

	(void)job;
	return view_check_times(o->from_ns, o->to_ns, err);
}

static int make_stacks(void *state, const struct view_job *job, struct err *err)
{
	struct export_view *x = state;
	const char *path = job->source[0].path;
	int e = stacktree_new(2, &x->tree);

	if (e < 0)
		return err_set(err, e, "out of memory");
	x->src.lines = strcmp(job->form->name, "folded") != 0; /* in folded stacks there is no place for them */
	e = stacksrc_read(path, &x->src, x->tree, 0, &x->info, err);
	if (e == 0 && x->info.in.bad)
		view_note(job, "%s: %llu lines were left out, the first is line %llu", path,
			  (unsigned long long)x->info.in.bad, (unsigned long long)x->info.in.first_bad);
	if (e == 0 && x->info.in.lost)
		view_note(job, "%s: %llu were lost while recording", path, (unsigned long long)x->info.in.lost);
	return e;
}

static struct export_stacks weights(const struct export_view *x, const struct view_job *job)
{
	const struct stacksrc *s = &x->info;
	struct export_stacks e = { .title = s->title[0] ? s->title : job->source[0].path,
				   .nweights = s->counts && !s->in.two ? 2 : 1,
				   .unit = { s->unit, "events" },
				   .per_thread = x->src.per_thread,
				   .begun_ns = s->begun_realtime_ns };

	if (s->in.last_ns > s->in.first_ns)
		e.duration_ns = s->in.last_ns - s->in.first_ns;
	return e;
}

static int draw_folded(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct export_view *x = state;
	struct stackorder o;
	int e;

	(void)job;
	(void)err;
	if (stackorder_make(x->tree, &o) < 0)
		return -ENOMEM;
	e = fold_write(x->tree, &o, 0, out);
	stackorder_done(&o);
	return e;
}

static int draw_pprof(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct export_view *x = state;
	const struct export_stacks e = weights(x, job);

	(void)err;
	return export_pprof(x->tree, &e, out);
}

static int draw_speedscope(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct export_view *x = state;
	const struct export_stacks e = weights(x, job);

	(void)err;
	return export_speedscope(x->tree, &e, out);
}

static void done_stacks(void *state)
{
	stacktree_free(((struct export_view *)state)->tree);
}

/* -- of a recording, not of its stacks -- */

static int check_other(void *state, const struct view_job *job, struct err *err)
{
	const struct stacksrc_opts *o = &((struct export_view *)state)->src;

	(void)job;
	return o->from_ns || o->to_ns || o->per_thread || o->addresses || o->no_inlined
		       ? err_set(err, -EINVAL,
				 "--from, --to, --per-thread, --addresses and --no-inlined are for stacks")
		       : 0;
}

/* Puts the name of the file into the error. */
static int told(int e, const struct view_job *job, struct err *err)
{
	if (e < 0 && err->msg[0])
		err_prefix(err, "%s: ", job->source[0].path);
	return e;
}

typedef int trace_fn(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, FILE *out, struct err *err);

static int write_trace(trace_fn *write, const struct view_job *job, FILE *out, struct err *err)
{
	struct sym *sym = NULL;
	int e = recsym_new(job->source[0].file, &sym, err);

	if (e == 0)
		e = write(job->source[0].file, sym, job->env->why, job->env->why_arg, out, err);
	sym_free(sym);
	return told(e, job, err);
}

static int draw_chrome(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	(void)state;
	return write_trace(export_chrome, job, out, err);
}

static int draw_perfetto(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	(void)state;
	return write_trace(export_perfetto, job, out, err);
}

static int draw_csv(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct export_view *x = state;
	struct sym *sym = NULL;
	int e = recsym_new(job->source[0].file, &sym, err);

	if (e == 0)
		e = export_csv(job->source[0].file, sym, x->src.by, out, err);
	sym_free(sym);
	return told(e, job, err);
}

/* SQLite reads back what it has written. */
static int draw_copy(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	int flags = fcntl(fileno(out), F_GETFL);

	(void)state;
	return told(flags >= 0 && (flags & O_ACCMODE) == O_RDWR
			    ? recread_copy(job->source[0].file, fileno(out), err)
			    : err_set(err, -EINVAL, "a copy is wanted in a file: give -o FILE"),
		    job, err);
}

/* -- rows -- */

static const struct view_form stacks_forms[] = { { .name = "folded",
						   .help = "stacks, a line each",
						   .served = "stacks.folded",
						   .type = "text/plain; charset=utf-8",
						   .flags = VIEW_SAVED,
						   .draw = draw_folded },
						 { .name = "pprof",
						   .help = "stacks, as Go's pprof reads them",
						   .served = "stacks.pb.gz",
						   .type = "application/octet-stream",
						   .flags = VIEW_SAVED | VIEW_BYTES,
						   .draw = draw_pprof },
						 { .name = "speedscope", .help = "stacks", .draw = draw_speedscope },
						 {} };
static const struct view_form trace_forms[] = {
	{ .name = "chrome",
	  .help = "recording: trace events in JSON (Perfetto, speedscope, Firefox Profiler)",
	  .served = "trace.json",
	  .type = "application/json",
	  .flags = VIEW_SAVED,
	  .draw = draw_chrome },
	{ .name = "perfetto",
	  .help = "recording: a trace of Perfetto's own format (ui.perfetto.dev)",
	  .flags = VIEW_BYTES,
	  .draw = draw_perfetto },
	{}
};
static const struct view_form values_forms[] = { { .name = "csv",
						   .help = "recording: an aggregation or the events as a table",
						   .served = "values.csv",
						   .type = "text/csv; charset=utf-8",
						   .flags = VIEW_SAVED,
						   .draw = draw_csv },
						 {} };
/* `dwell serve` sends the file itself. The command makes a copy, if the file is being written. */
static const struct view_form copy_forms[] = { { .name = "recording",
						 .help = "a copy of a recording, which may still be being written",
						 .served = VIEW_FILE,
						 .type = "application/octet-stream",
						 .flags = VIEW_SAVED,
						 .draw = draw_copy },
					       {} };

#define EXPORT \
	.words = { "export" }, .formats = true, .max_sources = 1, .size = sizeof(struct export_view), .init = init
const struct view view_stacks = { .name = "stacks",
				  EXPORT,
				  .options = options,
				  .noptions = ARRAY_SIZE(options),
				  .forms = stacks_forms,
				  .plain = "folded",
				  .check = check_stacks,
				  .read = make_stacks,
				  .done = done_stacks };
const struct view view_trace = {
	.name = "trace", EXPORT, .forms = trace_forms, .plain = "chrome", .opens = true, .check = check_other
};
const struct view view_values = { .name = "values",
				  EXPORT,
				  .options = values_options,
				  .noptions = ARRAY_SIZE(values_options),
				  .forms = values_forms,
				  .plain = "csv",
				  .opens = true,
				  .check = check_other };
const struct view view_copy = {
	.name = "copy", EXPORT, .forms = copy_forms, .plain = "recording", .opens = true, .check = check_other
};
