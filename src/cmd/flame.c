/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell flame`: pictures of stacks. */
#include <string.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strb.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/picopts.h"
#include "engine/why.h"
#include "view/form/amount.h"
#include "view/picture/flame.h"
#include "view/stack/stackxform.h"

struct flame {
	struct flame_opts opts;
	struct stacksrc_opts src, before; /* before: of the first of two files */
	struct picopts pic;
	const char *sandwich, *unit;
	bool reverse;
	const char *files[2]; /* of a differential: before, after */
	int nfiles;
	bool idle;	    /* idle waits, too */
	struct dopts rules; /* for why */
	struct why why;
	bool own_times; /* of a differential: times between the two files are those of the second */
	struct reclive live;
	struct stacktree *tree, *callers;
	struct stacksrc info[2];
	struct strb notes, title;
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

/* --from, --to: those behind the first of two files are of the second. */
static int take_time(void *command, const struct optrow *o, const char *arg, struct err *err)
{
	struct flame *f = command;

	if (f->nfiles == 1 && !f->own_times) {
		f->own_times = true;
		f->src.from_ns = f->src.to_ns = 0;
	}
	return optable_time(o->name, arg, 0, o->value ? &f->src.to_ns : &f->src.from_ns, err);
}

#define LIVE(option, program_name, text_help) \
	{ \
		.name = option, .kind = OPT_SET, .at = offsetof(struct flame, live.program), .text = program_name, \
		.help = text_help \
	}
static const struct optrow rows[] = {
	PICOPT_ROWS(struct flame, pic),
	PICOPT_ROWS_STACKS(struct flame, src),
	{ .name = "from",
	  .kind = OPT_CALL,
	  .take = take_time,
	  .value = 0,
	  .arg = "TIME",
	  .help = "only what was recorded from so long after the beginning on (10s, 500ms)" },
	{ .name = "to", .kind = OPT_CALL, .take = take_time, .value = 1, .arg = "TIME", .help = "… and up to there" },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct flame, idle),
	  .help = "of waits: sleeps and waits for something to do, too" },
	{ .name = "unit",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct flame, unit),
	  .arg = "UNIT",
	  .help = "of the weights: samples, ns, us, ms, bytes, …" },
	{ .name = "inverted",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct flame, opts.inverted),
	  .help = "the root on top" },
	{ .name = "reverse",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct flame, reverse),
	  .help = "from the leaves: functions together wherever they were called from" },
	{ .name = "sandwich",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct flame, sandwich),
	  .arg = "NAME",
	  .help = "what calls this function, and what it calls" },
	{ .name = "differential",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct flame, opts.diff),
	  .help = "what is different in AFTER" },
	{ .name = "min-width",
	  .kind = OPT_CALL,
	  .at = offsetof(struct flame, opts.min_width),
	  .take = take_width,
	  .arg = "PX",
	  .help = "leave out what is narrower (0.1)" },
	LIVE("on-cpu", "flame/on-cpu", "record now: what runs on the CPUs"),
	LIVE("off-cpu", "flame/off-cpu", "record now: where threads wait, and how long"),
	LIVE("wakeup", "flame/wakeup", "record now: where threads sleep, and who wakes them"),
	PICOPT_ROWS_LIVE_TREE(struct flame, live),
	PICOPT_ROWS_WHOSE(struct flame, live),
};
#undef LIVE
static int take_file(void *command, char *path, struct err *err);
static const struct optable options = {
	.command = "flame",
	.synopsis = "flame [options] [FILE|-]\nflame --differential [options] BEFORE [--from T] [--to T] AFTER\n"
		    "flame [--on-cpu|--off-cpu|--wakeup] [-c COMMAND|-p PID] [--for TIME] [options] [-- COMMAND...]",
	.notes = "\tFILE is a recording (--record), folded stacks, or the output of perf script",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.word = take_file,
};

static int take_file(void *command, char *path, struct err *err)
{
	struct flame *f = command;

	if (f->nfiles == 2)
		return optable_words(&options, path, NULL, cmd_name(), err);
	if (f->nfiles == 0)
		f->before = f->src;
	f->files[f->nfiles++] = path;
	return 0;
}

static int take_words(struct flame *f, int argc, char **argv)
{
	int e = reclive_options(&f->live, &options, f, &argc, argv);

	if (e == 0 && f->nfiles == 1 && f->own_times) { /* one file: wherever they stand */
		f->own_times = false;
		f->src.from_ns = f->src.from_ns ? f->src.from_ns : f->before.from_ns;
		f->src.to_ns = f->src.to_ns ? f->src.to_ns : f->before.to_ns;
	}
	if (e == 0)
		e = picopts_check_times(f->src.from_ns, f->src.to_ns);
	return e == 0 && f->own_times ? picopts_check_times(f->before.from_ns, f->before.to_ns) : e;
}

static int check_files(const struct flame *f)
{
	int want = f->live.program ? 0 : f->opts.diff ? 2 : 1;

	if (f->live.program && f->opts.diff)
		return cmd_wrong("flame: --differential compares what has been recorded: two files");
	if (f->nfiles == want)
		return 0;
	return cmd_words(&options, f->nfiles > want ? f->files[want] : NULL,
			 f->nfiles ? "--differential needs two files"
				   : "a file is missing, or what to record: --on-cpu, --off-cpu or --wakeup");
}

/* EXIT_* > 0 after a message; < 0: done. */
static int take_options(struct flame *f, int argc, char **argv)
{
	int r = take_words(f, argc, argv);

	if (r)
		return r;
	if (reclive_asked(&f->live))
		f->live.program = f->live.program ? f->live.program : "flame/on-cpu";
	f->opts.title = f->pic.title;
	r = check_files(f);
	if (r)
		return r;
	if (f->reverse && f->sandwich)
		return cmd_wrong("--reverse and --sandwich are two ways to look from a function: choose one");
	r = picopts_choose(&f->pic, PIC_NONE);
	if (r == 0 && f->pic.picture != PIC_SVG && f->sandwich)
		return cmd_wrong("--sandwich is for SVG: in the page, it is a click away");
	return r;
}

/* How much of the waits was idle. */
static const char *idle_amount(const struct stacksrc *s, char text[AMOUNT_MAX])
{
	amount_str(text, s->in.idle_left, s->unit);
	return text;
}

static struct causes *idle_rules(void *command)
{
	struct flame *f = command;

	return why_causes(&f->why);
}

/* What a reader should know of the input. */
static void note_input(struct flame *f, const struct stacksrc *s, const char *path)
{
	const char *which = f->nfiles < 2 ? "" : s == &f->info[0] ? "before: " : "after: ";
	char n[AMOUNT_MAX];

	if (s->in.bad) {
		cmd_msg("%s: %llu line%s left out, the first is line %llu", path, (unsigned long long)s->in.bad,
			s->in.bad == 1 ? " was" : "s were", (unsigned long long)s->in.first_bad);
		amount_number(n, s->in.bad);
		strb_printf(&f->notes, "%s%s%s lines not understood", f->notes.n ? " · " : "", which, n);
	}
	if (s->since_ns) {
		cmd_msg("%s: stacks since %.1f s after the beginning: the limits of the recording have taken older ones away",
			path, (double)s->since_ns / NSEC_PER_SEC);
		strb_printf(&f->notes, "%s%sstacks since %.1f s after the beginning", f->notes.n ? " · " : "", which,
			    (double)s->since_ns / NSEC_PER_SEC);
	}
	if (s->in.due && !strcmp(s->unit, "samples"))
		strb_printf(&f->notes, "%s%sCPUs %.0f %% idle", f->notes.n ? " · " : "", which,
			    100.0 * (double)s->in.idle / (double)s->in.due);
	if (s->in.idle_left)
		strb_printf(&f->notes, "%s%sidle waits left out: %s", f->notes.n ? " · " : "", which,
			    idle_amount(s, n));
	if (s->in.lost) {
		amount_number(n, s->in.lost);
		strb_printf(&f->notes, "%s%s%s lost while recording", f->notes.n ? " · " : "", which, n);
	}
	if (s->in.rounded) {
		amount_number(n, s->in.rounded);
		strb_printf(&f->notes, "%s%s%s fractions rounded", f->notes.n ? " · " : "", which, n);
	}
	if (s->in.other && s->in.event[0]) {
		amount_number(n, s->in.other);
		strb_printf(&f->notes, "%s%s%s samples of other events or times left out", f->notes.n ? " · " : "",
			    which, n);
	}
}

/* Nothing fell into a run: of each program when that is, and what helps. */
static int fail_empty(const struct flame *f)
{
	static const struct {
		const char *program, *why;
	} empty[] = {
		{ "flame/on-cpu",
		  "no samples: nothing ran on a CPU when one was taken, 199 times a second; let it run longer, or see with --off-cpu where it waits" },
		{ "flame/off-cpu",
		  "no samples: no thread has waited and gone on; let it run longer, or see with --on-cpu what it computes" },
		{ "flame/wakeup",
		  "no samples: no thread was woken up; let it run longer, or see with --on-cpu what it computes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(empty); i++)
		if (!strcmp(empty[i].program, f->live.program))
			return cmd_fail("%s", empty[i].why);
	return cmd_fail("no samples");
}

/* Nothing is left to be drawn. */
static int fail_idle(const struct stacksrc *s)
{
	char text[AMOUNT_MAX];

	return cmd_fail("all waits were idle (sleeps, and waits for something to do): %s; --idle draws them",
			idle_amount(s, text));
}

static int read_files(struct flame *f)
{
	struct err err = { 0 };
	int e;

	if (stacktree_new(2, &f->tree) < 0)
		return cmd_fail("out of memory");
	if (!f->idle) {
		f->src.causes = f->before.causes = idle_rules;
		f->src.causes_arg = f->before.causes_arg = f;
	}
	for (int i = 0; i < f->nfiles; i++) {
		struct stacksrc_opts o = f->src;

		if (i == 0 && f->own_times) {
			o.from_ns = f->before.from_ns;
			o.to_ns = f->before.to_ns;
		}
		e = stacksrc_read(f->files[i], &o, f->tree, (unsigned)i, &f->info[i], &err);
		if (e == -ENODATA && f->info[i].in.idle_left)
			return fail_idle(&f->info[i]);
		if (e < 0)
			return f->live.program && e == -ENODATA ? fail_empty(f) : reclive_fail(&f->live, err.msg);
		if (f->info[i].in.two && f->nfiles == 2)
			return cmd_fail("%s is a differential already: its lines have two weights", f->files[i]);
		note_input(f, &f->info[i], f->files[i]);
	}
	f->opts.diff |= f->info[0].in.two;
	if (stacktree_ncut(f->tree)) {
		strb_printf(&f->notes, "%sdeep stacks or long names cut", f->notes.n ? " · " : "");
		cmd_msg("%llu stacks or names were too long and are cut", (unsigned long long)stacktree_ncut(f->tree));
	}
	return 0;
}

static int transform(struct flame *f)
{
	struct stacktree *to = NULL;
	int e = 0;

	if (f->reverse) {
		e = stackxform_reverse(f->tree, &to);
	} else if (f->sandwich) {
		e = stackxform_sandwich(f->tree, f->sandwich, &f->callers, &to);
		if (e == -ENOENT)
			return cmd_fail("no stack has a function '%s'", f->sandwich);
	}
	if (e < 0)
		return cmd_fail("the stacks cannot be turned round: %s", strerror(-e));
	if (to) {
		stacktree_free(f->tree);
		f->tree = to;
	}
	return 0;
}

static const char *live_title(const char *program)
{
	return !strcmp(program, "flame/on-cpu")	   ? "On CPU"
	       : !strcmp(program, "flame/off-cpu") ? "Off CPU"
						   : "Sleep and wake-up";
}

static void name_picture(struct flame *f)
{
	const struct stacksrc *s = &f->info[0];
	const char *base = strrchr(f->files[0], '/');

	f->opts.unit = f->unit ? f->unit : s->unit;
	f->opts.before = "before";
	f->opts.after = "after";
	f->opts.significance = !strcmp(f->opts.unit, "samples") || !strcmp(f->opts.unit, "events");
	f->opts.notes = strb_str(&f->notes);
	if (f->opts.title)
		return;
	if (f->sandwich)
		strb_printf(&f->title, "Around %s", f->sandwich);
	else
		strb_printf(&f->title, "%s",
			    f->live.program ? live_title(f->live.program)
			    : f->opts.diff  ? "Difference"
			    : f->reverse    ? "Stacks from their leaves"
					    : "Stacks");
	if (s->title[0] && !f->live.program)
		strb_printf(&f->title, " · %s", s->title);
	if (f->live.command || f->live.pid)
		strb_printf(&f->title, " · %s%s", f->live.command ? "" : "process ",
			    f->live.command ? f->live.command : f->live.pid);
	if (!f->live.program && strcmp(f->files[0], "-") != 0)
		strb_printf(&f->title, " · %s", base ? base + 1 : f->files[0]);
	if (f->nfiles == 2 && strcmp(f->files[0], f->files[1]) != 0) {
		base = strrchr(f->files[1], '/');
		strb_printf(&f->title, " → %s", base ? base + 1 : f->files[1]);
	}
	f->opts.title = strb_str(&f->title);
}

static int draw(const struct flame *f, FILE *out)
{
	if (f->pic.picture == PIC_JSON)
		return flame_json(f->tree, &f->opts, out);
	return f->pic.picture == PIC_HTML ? flame_html(f->tree, &f->opts, out)
					  : flame_svg(f->tree, f->callers, &f->opts, out);
}

static int flame(int argc, char **argv)
{
	struct flame f = { .opts = { .min_width = FLAME_MIN_WIDTH } };
	struct outfile out = { 0 };
	struct arena *rules;
	int e = take_options(&f, argc, argv);

	if (e)
		return e < 0 ? EXIT_OK : e;
	rules = arena_new(ARENA_DEFAULT_LIMIT);
	dopts_init(&f.rules, rules);
	(void)why_open(&f.why, &f.rules, &cmd_listener);
	if (f.live.program) {
		e = reclive_run(&f.live);
		f.files[f.nfiles++] = f.live.path;
	}
	if (e == 0)
		e = read_files(&f);
	if (e == 0)
		e = transform(&f);
	if (e == 0) {
		name_picture(&f);
		e = outfile_open(&out, f.pic.output);
		if (e == 0)
			e = outfile_close(&out, draw(&f, out.f));
	}
	stacktree_free(f.tree);
	stacktree_free(f.callers);
	reclive_done(&f.live);
	why_done(&f.why);
	arena_free(rules);
	strb_free(&f.notes);
	strb_free(&f.title);
	return e;
}

const struct command cmd_flame = { "flame", "draws stacks", flame };
