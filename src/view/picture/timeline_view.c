/* SPDX-License-Identifier: Apache-2.0 */
/* The views of timelines, of threads and of processes: parse their options, read a recording and draw it. */
#include <errno.h>
#include "base/cleanup.h"
#include "view/picture/flame.h"
#include "view/picture/timeline.h"
#include "view/view.h"

struct timeline_view {
	struct tl_opts opts;
	struct timeline *t;
};

static const struct optrow options[] = {
	{ .name = "processes",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct timeline_view, opts.processes),
	  .help = "a tree of processes instead of threads" },
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct timeline_view, opts.all),
	  .help = "--processes: also those that were there and did nothing" },
	{ .name = "pid",
	  .kind = OPT_NUMBER,
	  .value = INT32_MAX,
	  .at = offsetof(struct timeline_view, opts.pid),
	  .asked = true,
	  .arg = "PID",
	  .help = "only this process (--processes: and its descendants)" },
	VIEW_OPTIONS_TIMES(struct timeline_view, opts.from_ns, opts.to_ns),
};

static int check(void *state, const struct view_job *job, struct err *err)
{
	const struct tl_opts *o = &((struct timeline_view *)state)->opts;

	(void)job;
	return view_check_times(o->from_ns, o->to_ns, err);
}

static int make(void *state, const struct view_job *job, struct err *err)
{
	struct timeline_view *v = state;
	int e;

	v->opts.why = job->env->why;
	v->opts.why_arg = job->env->why_arg;
	e = timeline_make(job->source[0].file, &v->opts, &v->t, err);
	if (e < 0) {
		err_prefix(err, "%s: ", job->source[0].path);
		return e;
	}
	if (v->t->left_out)
		view_note(job, "%llu intervals are left out: %u are drawn at most; take less with --from and --to",
			  (unsigned long long)v->t->left_out, TL_MAX_ITEMS);
	if (v->t->left_out_rows)
		view_note(job, "%llu rows are left out: %u are drawn at most; take less with --pid, --from and --to",
			  (unsigned long long)v->t->left_out_rows, TL_MAX_ROWS);
	return 0;
}

static void title(const void *state, const struct view_job *job, struct strb *ret)
{
	const struct timeline_view *v = state;

	(void)job;
	strb_adds(ret, v->t->processes ? "Processes" : "Threads");
}

static void done(void *state)
{
	struct timeline_view *v = state;

	timeline_free(v->t);
}

#define DRAW(form) \
	static int draw_##form(const void *state, const struct view_job *job, FILE *out, struct err *err) \
	{ \
		(void)err; \
		return timeline_##form(((const struct timeline_view *)state)->t, job->heading, out); \
	}
DRAW(html)
DRAW(svg)
DRAW(json)
#undef DRAW

static int draw_text(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct timeline_view *v = state;

	(void)err;
	return timeline_text(v->t, job->env->columns, out);
}

#define TEXT \
	{ \
		.name = "text", .help = "a table instead: the time of each thread by state", .draw = draw_text \
	}
static const struct view_form forms[] = { VIEW_FORMS_PICTURE("timeline", draw_html, draw_svg, draw_json), TEXT, {} },
			      processes_forms[] = { VIEW_FORMS_PICTURE("processes", draw_html, draw_svg, draw_json),
						    TEXT,
						    {} };
#undef TEXT

#define TIMELINE(name_text, form_rows, ...) \
	{ \
		.name = name_text, .words = { "timeline", __VA_ARGS__ }, .options = options, \
		.noptions = ARRAY_SIZE(options), .forms = form_rows, .at_reader = "text", .max_sources = 1, \
		.opens = true, .size = sizeof(struct timeline_view), .check = check, .read = make, .title = title, \
		.done = done \
	}
const struct view view_timeline = TIMELINE("timeline", forms);
const struct view view_processes = TIMELINE("processes", processes_forms, "--processes");
