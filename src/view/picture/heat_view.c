/* SPDX-License-Identifier: Apache-2.0 */
/* The view "heat": parses its options, reads recordings and draws heat maps. */
#include <errno.h>
#include "base/cleanup.h"
#include "view/picture/flame.h"
#include "view/picture/heat.h"
#include "view/view.h"

struct heat_view {
	struct heat_opts opts;
	struct heat *heat;
};

static int take_key(void *opts, const struct optrow *o, const char *arg, struct err *err)
{
	struct heat_opts *h = opts;

	if (h->nchosen == HEAT_MAX_KEYS)
		return err_set(err, -EINVAL, "--%s: these are more than %u keys", o->name, HEAT_MAX_KEYS);
	if (h->select != HEAT_ALL_KEYS && h->select != (enum heat_select)o->value)
		return err_set(err, -EINVAL, "--isolate, --exclude and --highlight are different: choose one");
	h->select = (enum heat_select)o->value;
	h->chosen[h->nchosen++] = arg;
	return 0;
}

#define KEYS(option, what, text) \
	{ \
		.name = option, .kind = OPT_CALL, .at = offsetof(struct heat_view, opts), .value = what, \
		.take = take_key, .arg = "KEY", .help = text \
	}
static const struct optrow options[] = {
	{ .name = "by",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct heat_view, opts.by),
	  .asked = true,
	  .arg = "NAME",
	  .help = "which tracker or aggregation (@name); of --offset: a lane of span(), or 'CPU 0'" },
	KEYS("isolate", HEAT_ISOLATE, "only this key; may be given several times, as the next two"),
	KEYS("exclude", HEAT_EXCLUDE, "all but this key"),
	KEYS("highlight", HEAT_HIGHLIGHT, "this key in a colour of its own, the rest grey"),
	{ .name = "by-key",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct heat_view, opts.by_key),
	  .help = "each key in a colour of its own" },
	{ .name = "linear",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct heat_view, opts.linear),
	  .help = "values from 0 in equal steps, not by powers of two" },
	{ .name = "step",
	  .kind = OPT_TIME,
	  .at = offsetof(struct heat_view, opts.step_ns),
	  .asked = true,
	  .arg = "TIME",
	  .help = "length of a column" },
	{ .name = "offset",
	  .kind = OPT_TIME,
	  .at = offsetof(struct heat_view, opts.period_ns),
	  .arg = "PERIOD",
	  .help = "when in each period (1s, 10ms, 1m, 1h, 24h) events were" },
	{ .name = "rows",
	  .kind = OPT_NUMBER,
	  .value = HEAT_MAX_ROWS,
	  .at = offsetof(struct heat_view, opts.rows),
	  .asked = true,
	  .arg = "N",
	  .help = "of --offset or --linear (100)" },
	VIEW_OPTIONS_TIMES(struct heat_view, opts.from_ns, opts.to_ns),
};
#undef KEYS

static int check(void *state, const struct view_job *job, struct err *err)
{
	const struct heat_opts *o = &((struct heat_view *)state)->opts;

	(void)job;
	if (o->period_ns && o->linear)
		return err_set(err, -EINVAL, "--offset shows the times of events: --linear is for values");
	if (o->period_ns && o->step_ns % o->period_ns)
		return err_set(err, -EINVAL, "--step must be one or several whole periods of --offset");
	return view_check_times(o->from_ns, o->to_ns, err);
}

static int make(void *state, const struct view_job *job, struct err *err)
{
	struct heat_view *h = state;
	int e;

	if (!h->opts.by && !h->opts.period_ns) /* with a period it names a lane */
		h->opts.by = job->by;
	e = heat_make(job->source[0].file, &h->opts, &h->heat, err);

	if (e < 0)
		err_prefix(err, "%s: ", job->source[0].path);
	return e;
}

static void title(const void *state, const struct view_job *job, struct strb *ret)
{
	const struct heat_view *h = state;

	strb_adds(ret, job->head ? job->head : h->heat->title);
}

static void done(void *state)
{
	struct heat_view *h = state;

	heat_free(h->heat);
}

#define DRAW(form) \
	static int draw_##form(const void *state, const struct view_job *job, FILE *out, struct err *err) \
	{ \
		(void)err; \
		return heat_##form(((const struct heat_view *)state)->heat, job->heading, out); \
	}
DRAW(html)
DRAW(svg)
DRAW(json)
#undef DRAW

static const struct view_form forms[] = { VIEW_FORMS_PICTURE("heat", draw_html, draw_svg, draw_json), {} };

const struct view view_heat = {
	.name = "heat",
	.words = { "heat" },
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.forms = forms,
	.max_sources = 1,
	.opens = true,
	.size = sizeof(struct heat_view),
	.check = check,
	.read = make,
	.title = title,
	.done = done,
};
