/* SPDX-License-Identifier: Apache-2.0 */
/* The view "flame": parses its options, reads stacks, notes losses of the input, and draws the forms. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "view/form/amount.h"
#include "view/picture/flame.h"
#include "view/stack/stacksrc.h"
#include "view/stack/stackxform.h"
#include "view/view.h"

struct flame_view {
	struct flame_opts opts;
	struct stacksrc_opts src, before; /* before: of the first of two files */
	const char *sandwich, *unit;
	bool reverse;
	bool idle;	/* idle waits, too */
	size_t given;	/* files */
	bool own_times; /* of a differential: times between the two files are those of the second */
	struct stacktree *tree, *callers;
	struct stacksrc info[2];
	struct strb notes;
};

static int take_width(void *width, const struct optrow *o, const char *value, struct err *err)
{
	char *end;
	double v = strtod(value, &end);

	if (end == value || *end || !(v >= 0 && v <= FLAME_SVG_WIDTH))
		return err_set(err, -EINVAL, "--%s: '%s' is no width in pixels, up to %u", o->name, value,
			       FLAME_SVG_WIDTH);
	*(double *)width = v;
	return 0;
}

/* --from, --to: those after the first of two files are of the second. */
static int take_time(void *state, const struct optrow *o, const char *arg, struct err *err)
{
	struct flame_view *f = state;

	if (f->given == 1 && !f->own_times) {
		f->own_times = true;
		f->src.from_ns = f->src.to_ns = 0;
	}
	return optrow_time(o->name, arg, 0, o->value ? &f->src.to_ns : &f->src.from_ns, err);
}

static const struct optrow options[] = {
	STACKSRC_OPTIONS(struct flame_view, src),
	{ .name = "from",
	  .kind = OPT_CALL,
	  .take = take_time,
	  .value = 0,
	  .asked = true,
	  .arg = "TIME",
	  .help = VIEW_FROM_HELP },
	{ .name = "to",
	  .kind = OPT_CALL,
	  .take = take_time,
	  .value = 1,
	  .asked = true,
	  .arg = "TIME",
	  .help = VIEW_TO_HELP },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct flame_view, idle),
	  .help = "of waits: sleeps and waits for something to do, too" },
	{ .name = "weights",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct flame_view, unit),
	  .arg = "UNIT",
	  .help = "of the weights: samples, ns, us, ms, bytes, …" },
	{ .name = "inverted",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct flame_view, opts.inverted),
	  .help = "the root on top" },
	{ .name = "reverse",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct flame_view, reverse),
	  .help = "from the leaves: functions together wherever they were called from" },
	{ .name = "sandwich",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct flame_view, sandwich),
	  .arg = "NAME",
	  .help = "what calls this function, and what it calls" },
	{ .name = "differential",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct flame_view, opts.diff),
	  .help = "the differences of AFTER" },
	{ .name = "min-width",
	  .kind = OPT_CALL,
	  .at = offsetof(struct flame_view, opts.min_width),
	  .take = take_width,
	  .arg = "PX",
	  .help = "leave out frames that are narrower (0.1)" },
};

static void init(void *state)
{
	struct flame_view *f = state;

	f->opts.min_width = FLAME_MIN_WIDTH;
}

static void given(void *state)
{
	struct flame_view *f = state;

	if (f->given++ == 0)
		f->before = f->src;
}

static int check_times(struct flame_view *f, const struct view_job *job, struct err *err)
{
	int e;

	if (job->nsources < 2 && f->own_times) { /* one file: wherever they stand */
		f->own_times = false;
		f->src.from_ns = f->src.from_ns ? f->src.from_ns : f->before.from_ns;
		f->src.to_ns = f->src.to_ns ? f->src.to_ns : f->before.to_ns;
	}
	e = view_check_times(f->src.from_ns, f->src.to_ns, err);
	return e == 0 && f->own_times ? view_check_times(f->before.from_ns, f->before.to_ns, err) : e;
}

static int check(void *state, const struct view_job *job, struct err *err)
{
	struct flame_view *f = state;
	int e = check_times(f, job, err);

	if (e < 0)
		return e;
	if (job->nsources == 1 && f->opts.diff)
		return err_set(err, -ENODATA, "--differential %s",
			       job->head ? "compares what has been recorded: two files" : "needs two files");
	if (job->nsources == 2 && !f->opts.diff)
		return err_set(err, -EINVAL, "flame: '%s' is not expected", job->source[1].path);
	if (f->reverse && f->sandwich)
		return err_set(err, -EINVAL,
			       "--reverse and --sandwich are two ways to look from a function: choose one");
	if (f->sandwich && strcmp(job->form->name, "svg") != 0)
		return err_set(err, -EINVAL, "--sandwich is for SVG: in the page, it is a click away");
	return 0;
}

/* -- reading -- */

/* A sentence of the line below the picture. */
__attribute__((format(printf, 3, 4))) static void add_note(struct flame_view *f, const char *which, const char *fmt,
							   ...)
{
	va_list ap;

	strb_printf(&f->notes, "%s%s", f->notes.n ? " · " : "", which);
	va_start(ap, fmt);
	strb_vprintf(&f->notes, fmt, ap);
	va_end(ap);
}

static const char *number(uint64_t v, char text[AMOUNT_MAX])
{
	amount_number(text, v);
	return text;
}

/* How much of the waits was idle. */
static const char *idle_amount(const struct stacksrc *s, char text[AMOUNT_MAX])
{
	amount_str(text, s->in.idle_left, s->unit);
	return text;
}

/* Notes facts about the input that the reader should know. */
static void note_input(struct flame_view *f, const struct view_job *job, size_t i)
{
	const char *which = job->nsources < 2 ? "" : i == 0 ? "before: " : "after: ", *path = job->source[i].path;
	const struct stacksrc *s = &f->info[i];
	char n[AMOUNT_MAX];

	if (s->in.bad) {
		view_note(job, "%s: %llu line%s left out, the first is line %llu", path, (unsigned long long)s->in.bad,
			  s->in.bad == 1 ? " was" : "s were", (unsigned long long)s->in.first_bad);
		add_note(f, which, "%s lines not understood", number(s->in.bad, n));
	}
	if (s->since_ns) {
		double since = (double)s->since_ns / NSEC_PER_SEC;

		view_note(
			job,
			"%s: stacks since %.1f s after the beginning: the limits of the recording have taken older ones away",
			path, since);
		add_note(f, which, "stacks since %.1f s after the beginning", since);
	}
	if (s->in.due && !strcmp(s->unit, "samples"))
		add_note(f, which, "CPUs %.0f %% idle", 100.0 * (double)s->in.idle / (double)s->in.due);
	if (s->in.idle_left)
		add_note(f, which, "idle waits left out: %s", idle_amount(s, n));
	if (s->in.lost)
		add_note(f, which, "%s lost while recording", number(s->in.lost, n));
	if (s->in.rounded)
		add_note(f, which, "%s fractions rounded", number(s->in.rounded, n));
	if (s->in.other && s->in.event[0])
		add_note(f, which, "%s samples of other events or times left out", number(s->in.other, n));
}

static int read_file(struct flame_view *f, const struct view_job *job, size_t i, struct err *err)
{
	struct stacksrc_opts o = f->src;
	struct stacksrc *s = &f->info[i];
	const char *path = job->source[i].path;
	char text[AMOUNT_MAX];
	int e;

	if (i == 0 && f->own_times) {
		o.from_ns = f->before.from_ns;
		o.to_ns = f->before.to_ns;
	}
	if (!f->idle) {
		o.causes = job->env->causes;
		o.causes_arg = job->env->why_arg;
	}
	e = stacksrc_read(path, &o, f->tree, (unsigned)i, s, err);
	if (e == -ENODATA && s->in.idle_left)
		return err_set(err, -EINVAL,
			       "all waits were idle (sleeps, and waits for something to do): %s; --idle draws them",
			       idle_amount(s, text));
	if (e < 0)
		return e;
	if (s->in.two && job->nsources == 2)
		return err_set(err, -EINVAL, "%s is a differential already: its lines have two weights", path);
	note_input(f, job, i);
	return 0;
}

static int transform(struct flame_view *f, struct err *err)
{
	struct stacktree *to = NULL;
	int e = 0;

	if (f->reverse) {
		e = stackxform_reverse(f->tree, &to);
	} else if (f->sandwich) {
		e = stackxform_sandwich(f->tree, f->sandwich, &f->callers, &to);
		if (e == -ENOENT)
			return err_set(err, e, "no stack has a function '%s'", f->sandwich);
	}
	if (e < 0)
		return err_set(err, e, "the stacks cannot be turned round: %s", strerror(-e));
	if (to) {
		stacktree_free(f->tree);
		f->tree = to;
	}
	return 0;
}

static int make(void *state, const struct view_job *job, struct err *err)
{
	struct flame_view *f = state;
	uint64_t cut;
	int e = stacktree_new(2, &f->tree);

	if (e < 0)
		return err_set(err, e, "out of memory");
	for (size_t i = 0; i < job->nsources && e == 0; i++)
		e = read_file(f, job, i, err);
	if (e < 0)
		return e;
	f->opts.diff |= f->info[0].in.two;
	cut = stacktree_ncut(f->tree);
	if (cut) {
		add_note(f, "", "deep stacks or long names cut");
		view_note(job, "%llu stacks or names were too long and are cut", (unsigned long long)cut);
	}
	f->opts.unit = f->unit ? f->unit : f->info[0].unit;
	f->opts.before = "before";
	f->opts.after = "after";
	f->opts.significance = !strcmp(f->opts.unit, "samples") || !strcmp(f->opts.unit, "events");
	f->opts.notes = strb_str(&f->notes);
	return transform(f, err);
}

/* -- drawing -- */

static void title(const void *state, const struct view_job *job, struct strb *ret)
{
	const struct flame_view *f = state;

	if (f->sandwich)
		strb_printf(ret, "Around %s", f->sandwich);
	else
		strb_adds(ret, job->head      ? job->head
			       : f->opts.diff ? "Difference"
			       : f->reverse   ? "Stacks from their leaves"
					      : "Stacks");
	if (f->info[0].title[0] && !job->head)
		strb_printf(ret, " · %s", f->info[0].title);
}

static struct flame_opts opts_of(const struct flame_view *f, const struct view_job *job)
{
	struct flame_opts o = f->opts;

	o.title = job->heading;
	return o;
}

static int draw_html(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct flame_view *f = state;
	const struct flame_opts o = opts_of(f, job);

	(void)err;
	return flame_html(f->tree, &o, out);
}

static int draw_svg(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct flame_view *f = state;
	const struct flame_opts o = opts_of(f, job);

	(void)err;
	return flame_svg(f->tree, f->callers, &o, out);
}

static int draw_json(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct flame_view *f = state;
	const struct flame_opts o = opts_of(f, job);

	(void)err;
	return flame_json(f->tree, &o, out);
}

static void done(void *state)
{
	struct flame_view *f = state;

	stacktree_free(f->tree);
	stacktree_free(f->callers);
	strb_free(&f->notes);
}

static const struct view_form forms[] = { VIEW_FORMS_PICTURE("flame", draw_html, draw_svg, draw_json), {} };

const struct view view_flame = {
	.name = "flame",
	.words = { "flame" },
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.forms = forms,
	.max_sources = 2,
	.compares = VIEW_BEFORE_AFTER,
	.compare_option = "--differential",
	.size = sizeof(struct flame_view),
	.init = init,
	.given = given,
	.check = check,
	.read = make,
	.title = title,
	.done = done,
};
