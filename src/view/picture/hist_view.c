/* SPDX-License-Identifier: Apache-2.0 */
/* The view "hist": parses its options, reads the recordings and draws the distributions as text, HTML, SVG or JSON. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/picture/flame.h"
#include "view/picture/hist.h"
#include "view/view.h"

#define TEXT_ROWS 24u
#define LINEAR_ROWS 100u

_Static_assert(HIST_MAX_SERIES <= VIEW_MAX_SOURCES, "each recording is a series");

struct range {
	uint64_t from, to;
	const char *text; /* n bytes of it */
	int n;
};

struct hist_view {
	struct hist_opts opts;
	bool linear;
	struct range ranges[HIST_MAX_SERIES];
	size_t nranges;
	const char *names[HIST_MAX_SERIES]; /* of the files, in their order */
	size_t nnames;
	struct hist h;
};

/* "10s-20s", of which n bytes count. */
static int take_range(struct hist_view *c, const char *arg, size_t n, struct err *err)
{
	_cleanup_free_ char *from = strndup(arg, n);
	char *to = from ? strchr(from, '-') : NULL;
	struct range r = { .text = arg, .n = (int)n };
	int e;

	if (!to || c->nranges == HIST_MAX_SERIES)
		return err_set(err, -EINVAL, "--range: '%.*s' is no stretch like 10s-20s, or one of more than %u", r.n,
			       arg, HIST_MAX_SERIES);
	*to++ = '\0';
	e = strcmp(from, "0") != 0 ? optrow_time("range", from, 0, &r.from, err) : 0;
	if (e == 0)
		e = optrow_time("range", to, 0, &r.to, err);
	if (e == 0 && r.to <= r.from)
		e = err_set(err, -EINVAL, "--range: '%.*s' ends before it begins", r.n, arg);
	if (e == 0)
		c->ranges[c->nranges++] = r;
	return e;
}

/* Several with commas between them. */
static int take_ranges(void *state, const struct optrow *o, const char *arg, struct err *err)
{
	_cleanup_free_ char *copy = strdup(arg);
	char *rest = copy;
	int e = copy ? 0 : err_set(err, -ENOMEM, "out of memory");

	(void)o;
	for (char *one; e == 0 && (one = strsep(&rest, ","));)
		e = take_range(state, arg + (one - copy), strlen(one), err);
	return e;
}

static int take_name(void *state, const struct optrow *o, const char *arg, struct err *err)
{
	struct hist_view *c = state;

	(void)o;
	if (c->nnames == HIST_MAX_SERIES)
		return err_set(err, -EINVAL, "--name %s: %u recordings are the most that can be compared", arg,
			       HIST_MAX_SERIES);
	c->names[c->nnames++] = arg;
	return 0;
}

static const struct optrow options[] = {
	{ .name = "by",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hist_view, opts.by),
	  .asked = true,
	  .arg = "NAME",
	  .help = "which tracker or aggregation (@name)" },
	{ .name = "keys",
	  .kind = OPT_NUMBER,
	  .value = HIST_MAX_SERIES,
	  .at = offsetof(struct hist_view, opts.keys),
	  .asked = true,
	  .arg = "N",
	  .help = "the N keys with most values apart" },
	{ .name = "key",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hist_view, opts.key),
	  .asked = true,
	  .arg = "TEXT",
	  .help = "only values of this key" },
	VIEW_OPTIONS_TIMES(struct hist_view, opts.from_ns, opts.to_ns),
	{ .name = "range",
	  .kind = OPT_CALL,
	  .take = take_ranges,
	  .asked = true,
	  .arg = "T-T[,T-T]",
	  .help = "the same, several times: these stretches one over the other" },
	{ .name = "linear",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct hist_view, linear),
	  .help = "values from 0 in equal steps, not by powers of two" },
	{ .name = "name",
	  .kind = OPT_CALL,
	  .take = take_name,
	  .arg = "TEXT",
	  .help = "what the first recording is called, or the next" },
};

static int check(void *state, const struct view_job *job, struct err *err)
{
	const struct hist_view *c = state;

	(void)job;
	if (c->opts.key && c->opts.keys)
		return err_set(err, -EINVAL, "--key and --keys: choose one");
	if (c->nranges && (c->opts.from_ns || c->opts.to_ns))
		return err_set(err, -EINVAL, "--range and --from or --to: choose one");
	return view_check_times(c->opts.from_ns, c->opts.to_ns, err);
}

/* Reads one file: all its ranges. */
static int read_file(struct hist_view *c, const struct view_job *job, size_t i, struct err *err)
{
	const struct view_source *s = &job->source[i];
	const char *base = strrchr(s->path, '/'), *called = i < c->nnames ? c->names[i] : base ? base + 1 : s->path;
	int e = 0;

	for (size_t k = 0; k < (c->nranges ? c->nranges : 1) && e == 0; k++) {
		_cleanup_(strb_free) struct strb name = { 0 };

		if (c->nranges) {
			c->opts.from_ns = c->ranges[k].from;
			c->opts.to_ns = c->ranges[k].to;
		}
		if (job->nsources > 1)
			strb_printf(&name, "%s%s", called, c->nranges ? " · " : "");
		if (c->nranges)
			strb_printf(&name, "%.*s", c->ranges[k].n, c->ranges[k].text);
		e = hist_add(&c->h, s->file, &c->opts, strb_str(&name), err);
		if (e < 0)
			err_prefix(err, "%s: %.*s%s", i < c->nnames ? called : s->path, c->nranges ? c->ranges[k].n : 0,
				   c->nranges ? c->ranges[k].text : "", c->nranges ? ": " : "");
	}
	return e;
}

static int make(void *state, const struct view_job *job, struct err *err)
{
	struct hist_view *c = state;
	bool text = !strcmp(job->form->name, "text");
	int e = 0;

	if (!c->opts.by)
		c->opts.by = job->by;

	for (size_t i = 0; i < job->nsources && e == 0; i++)
		e = read_file(c, job, i, err);
	if (job->title || job->head) /* of a distribution that has no other name, too */
		snprintf(c->h.title, sizeof(c->h.title), "%s", job->title ? job->title : job->head);
	if (e == 0)
		hist_lay_out(&c->h, c->linear, text ? TEXT_ROWS : c->linear ? LINEAR_ROWS : HEAT_MAX_ROWS);
	return e;
}

static void title(const void *state, const struct view_job *job, struct strb *ret)
{
	const struct hist_view *c = state;

	(void)job;
	strb_adds(ret, c->h.title);
}

static void done(void *state)
{
	struct hist_view *c = state;

	hist_done(&c->h);
}

#define DRAW(form) \
	static int draw_##form(const void *state, const struct view_job *job, FILE *out, struct err *err) \
	{ \
		(void)err; \
		return hist_##form(&((const struct hist_view *)state)->h, job->heading, out); \
	}
DRAW(html)
DRAW(svg)
DRAW(json)
#undef DRAW

static int draw_text(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct hist_view *c = state;

	(void)err;
	return hist_text(&c->h, job->env->columns, job->env->utf8, out);
}

static const struct view_form forms[] = { VIEW_FORMS_PICTURE("hist", draw_html, draw_svg, draw_json),
					  { .name = "text",
					    .help = "a table with bars: what it is unless FILE ends with .html or .svg",
					    .draw = draw_text },
					  {} };

const struct view view_hist = {
	.name = "hist",
	.words = { "hist" },
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.forms = forms,
	.plain = "text",
	.max_sources = HIST_MAX_SERIES,
	.opens = true,
	.compares = VIEW_NAMED,
	.size = sizeof(struct hist_view),
	.check = check,
	.read = make,
	.title = title,
	.done = done,
};
