/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell flame`: pictures of stacks. */
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "cmd/cmd.h"
#include "cmd/reclive.h"
#include "cmd/outfile.h"
#include "cmd/stackopts.h"
#include "view/amount.h"
#include "view/flame.h"
#include "view/stackxform.h"

struct flame {
	struct flame_opts opts;
	struct stacksrc_opts src, before; /* before: of the first of two files */
	const char *output, *sandwich, *unit;
	bool reverse, html, svg, json;
	const char *files[2]; /* of a differential: before, after */
	int nfiles;
	bool own_times; /* of a differential: times between the two files are those of the second */
	struct reclive live;
	struct stacktree *tree, *callers;
	struct stacksrc info[2];
	struct strb notes, title;
};

enum { OPT_TITLE = 256, OPT_INVERTED, OPT_REVERSE, OPT_DIFF, OPT_SANDWICH, OPT_MIN_WIDTH, OPT_UNIT, OPT_HTML, OPT_SVG, OPT_JSON,
       OPT_ON_CPU, OPT_OFF_CPU, OPT_WAKEUP, OPT_FOR, OPT_RECORD };

static const struct option longs[] = {
	{ "title", required_argument, NULL, OPT_TITLE },       { "inverted", no_argument, NULL, OPT_INVERTED },
	{ "reverse", no_argument, NULL, OPT_REVERSE },	       { "differential", no_argument, NULL, OPT_DIFF },
	{ "sandwich", required_argument, NULL, OPT_SANDWICH }, { "min-width", required_argument, NULL, OPT_MIN_WIDTH },
	{ "unit", required_argument, NULL, OPT_UNIT },	       { "html", no_argument, NULL, OPT_HTML },
	{ "svg", no_argument, NULL, OPT_SVG },		       { "json", no_argument, NULL, OPT_JSON },
	STACKOPT_LONGS,
	{ "on-cpu", no_argument, NULL, OPT_ON_CPU },	       { "off-cpu", no_argument, NULL, OPT_OFF_CPU },
	{ "wakeup", no_argument, NULL, OPT_WAKEUP },	       { "for", required_argument, NULL, OPT_FOR },
	{ "record", required_argument, NULL, OPT_RECORD },     { NULL, 0, NULL, 0 },
};

static int usage(FILE *out)
{
	fprintf(out,
		"Usage: %s flame [options] [FILE|-]\n"
		"       %s flame --differential [options] BEFORE [--from T] [--to T] AFTER\n"
		"       %s flame [--on-cpu|--off-cpu|--wakeup] [-c COMMAND|-p PID] [--for TIME] [options]\n\n"
		"\tFILE is a recording (--record), folded stacks, or the output of perf script\n\n"
		"\t-o FILE           write the picture here, not to standard output\n"
		"\t--html, --svg     kind of picture; by itself: HTML if FILE ends with .html\n"
		"\t--json            what the page draws, as one JSON object\n"
		"\t--title TEXT      heading\n"
		STACKOPT_USAGE
		"\t--unit UNIT       of the weights: samples, ns, us, ms, bytes, …\n"
		"\t--inverted        the root on top\n"
		"\t--reverse         from the leaves: functions together wherever they were called from\n"
		"\t--sandwich NAME   what calls this function, and what it calls\n"
		"\t--differential    what is different in AFTER\n"
		"\t--min-width PX    leave out what is narrower (0.1)\n"
		"\t--on-cpu          record now: what runs on the CPUs\n"
		"\t--off-cpu         record now: where threads wait, and how long\n"
		"\t--wakeup          record now: where threads sleep, and who wakes them\n"
		"\t-c COMMAND        while it runs: of it and its descendants\n"
		"\t-p PID            of this process and its descendants\n"
		"\t--for TIME        so long; else until the command or process ends, or Ctrl-C\n"
		"\t--record FILE     keep the recording\n", cmd_name(), cmd_name(), cmd_name());
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

static int take_width(const char *value, double *ret)
{
	char *end;

	*ret = strtod(value, &end);
	if (end != value && !*end && *ret >= 0 && *ret <= FLAME_SVG_WIDTH)
		return 0;
	cmd_msg("--min-width: '%s' is no width in pixels, up to %u", value, FLAME_SVG_WIDTH);
	return EXIT_USAGE;
}

/* What is to be recorded. False: none of these options. */
static bool take_live_option(struct reclive *l, int c, const char *arg)
{
	switch (c) {
	case 'c':
		l->command = arg;
		return true;
	case 'p':
		l->pid = arg;
		return true;
	case OPT_FOR:
		l->how_long = arg;
		return true;
	case OPT_RECORD:
		l->record = arg;
		return true;
	case OPT_ON_CPU:
		l->program = "flame/on-cpu";
		return true;
	case OPT_OFF_CPU:
		l->program = "flame/off-cpu";
		return true;
	case OPT_WAKEUP:
		l->program = "flame/wakeup";
		return true;
	default:
		return false;
	}
}

static int take_option(struct flame *f, int c, const char *arg)
{
	int e;

	switch (c) {
	case 'o':
		f->output = arg;
		return 0;
	case OPT_TITLE:
		f->opts.title = arg;
		return 0;
	case OPT_INVERTED:
		f->opts.inverted = true;
		return 0;
	case OPT_REVERSE:
		f->reverse = true;
		return 0;
	case OPT_DIFF:
		f->opts.diff = true;
		return 0;
	case OPT_SANDWICH:
		f->sandwich = arg;
		return 0;
	case OPT_MIN_WIDTH:
		return take_width(arg, &f->opts.min_width);
	case OPT_UNIT:
		f->unit = arg;
		return 0;
	case OPT_HTML:
		f->html = true;
		return 0;
	case OPT_SVG:
		f->svg = true;
		return 0;
	case OPT_JSON:
		f->json = true;
		return 0;
	case STACKOPT_HELP:
		usage(stdout);
		return -1;
	default:
		if (take_live_option(&f->live, c, arg))
			return 0;
		if ((c == STACKOPT_FROM || c == STACKOPT_TO) && f->nfiles == 1 && !f->own_times) {
			f->own_times = true;
			f->src.from_ns = f->src.to_ns = 0;
		}
		e = stackopts_take(&f->src, c, arg);
		return e == -ENOENT ? usage(stderr) : e;
	}
}

static int take_file(struct flame *f, const char *path)
{
	if (f->nfiles == 2)
		return usage(stderr);
	if (f->nfiles == 0)
		f->before = f->src;
	f->files[f->nfiles++] = path;
	return 0;
}

static int take_words(struct flame *f, int argc, char **argv)
{
	int c, r = 0;

	while (r == 0 && (c = getopt_long(argc, argv, "-o:c:p:", longs, NULL)) != -1)
		r = c == 1 ? take_file(f, optarg) : take_option(f, c, optarg);
	for (; r == 0 && optind < argc; optind++)
		r = take_file(f, argv[optind]);
	if (f->nfiles == 1 && f->own_times) { /* one file: wherever they stand */
		f->own_times = false;
		f->src.from_ns = f->src.from_ns ? f->src.from_ns : f->before.from_ns;
		f->src.to_ns = f->src.to_ns ? f->src.to_ns : f->before.to_ns;
	}
	return r;
}

/* EXIT_* > 0 after a message; < 0: done. */
static int take_options(struct flame *f, int argc, char **argv)
{
	int r = take_words(f, argc, argv);

	if (r)
		return r;
	if (f->live.command || f->live.pid || f->live.how_long || f->live.record)
		f->live.program = f->live.program ? f->live.program : "flame/on-cpu";
	if (f->nfiles != (f->live.program ? 0 : f->opts.diff ? 2 : 1) || (f->live.program && f->opts.diff))
		return usage(stderr);
	if (f->reverse && f->sandwich) {
		cmd_msg("--reverse and --sandwich are two ways to look from a function: choose one");
		return EXIT_USAGE;
	}
	if (f->html + f->svg + f->json > 1) {
		cmd_msg("--html, --svg and --json are different pictures: choose one");
		return EXIT_USAGE;
	}
	f->html |= !f->svg && !f->json && outfile_is(f->output, ".html");
	if (f->html && !flame_has_html())
		return cmd_fail("this dwell was built without pages, since esbuild was missing: --svg works");
	if ((f->html || f->json) && f->sandwich) {
		cmd_msg("--sandwich is for SVG: in the page, it is a click away");
		return EXIT_USAGE;
	}
	if (!f->output && !f->json && isatty(STDOUT_FILENO)) {
		cmd_msg("the picture would go to the terminal: give -o FILE.svg");
		return EXIT_USAGE;
	}
	return 0;
}

/* What a reader should know of the input. */
static void note_input(struct flame *f, const struct stacksrc *s, const char *path)
{
	char n[AMOUNT_MAX];

	if (s->in.bad) {
		cmd_msg("%s: %llu line%s left out, the first is line %llu", path, (unsigned long long)s->in.bad,
			s->in.bad == 1 ? " was" : "s were", (unsigned long long)s->in.first_bad);
		amount_number(n, s->in.bad);
		strb_printf(&f->notes, "%s%s lines not understood", f->notes.n ? " · " : "", n);
	}
	if (s->in.lost) {
		amount_number(n, s->in.lost);
		strb_printf(&f->notes, "%s%s lost while recording", f->notes.n ? " · " : "", n);
	}
	if (s->in.rounded) {
		amount_number(n, s->in.rounded);
		strb_printf(&f->notes, "%s%s fractions rounded", f->notes.n ? " · " : "", n);
	}
	if (s->in.other && s->in.event[0]) {
		amount_number(n, s->in.other);
		strb_printf(&f->notes, "%s%s samples of other events or times left out", f->notes.n ? " · " : "", n);
	}
}

static int read_files(struct flame *f)
{
	struct err err = { 0 };

	if (stacktree_new(2, &f->tree) < 0)
		return cmd_fail("out of memory");
	for (int i = 0; i < f->nfiles; i++) {
		struct stacksrc_opts o = f->src;

		if (i == 0 && f->own_times) {
			o.from_ns = f->before.from_ns;
			o.to_ns = f->before.to_ns;
		}
		if (stacksrc_read(f->files[i], &o, f->tree, (unsigned)i, &f->info[i], &err) < 0)
			return cmd_fail("%s", err.msg);
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
	return !strcmp(program, "flame/on-cpu") ? "On CPU" : !strcmp(program, "flame/off-cpu") ? "Off CPU" : "Sleep and wake-up";
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
		strb_printf(&f->title, "%s", f->live.program ? live_title(f->live.program) : f->opts.diff ? "Difference" :
					     f->reverse ? "Stacks from their leaves" : "Stacks");
	if (s->title[0] && !f->live.program)
		strb_printf(&f->title, " · %s", s->title);
	if (f->live.command || f->live.pid)
		strb_printf(&f->title, " · %s%s", f->live.command ? "" : "process ", f->live.command ? f->live.command : f->live.pid);
	if (!f->live.program && strcmp(f->files[0], "-") != 0)
		strb_printf(&f->title, " · %s", base ? base + 1 : f->files[0]);
	f->opts.title = strb_str(&f->title);
}

static int draw(const struct flame *f, FILE *out)
{
	if (f->json)
		return flame_json(f->tree, &f->opts, out);
	return f->html ? flame_html(f->tree, &f->opts, out) : flame_svg(f->tree, f->callers, &f->opts, out);
}

static int flame(int argc, char **argv)
{
	struct flame f = { .opts = { .min_width = FLAME_MIN_WIDTH } };
	struct outfile out = { 0 };
	int e = take_options(&f, argc, argv);

	if (e)
		return e < 0 ? EXIT_OK : e;
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
		e = outfile_open(&out, f.output);
		if (e == 0)
			e = outfile_close(&out, draw(&f, out.f));
	}
	stacktree_free(f.tree);
	stacktree_free(f.callers);
	reclive_done(&f.live);
	strb_free(&f.notes);
	strb_free(&f.title);
	return e;
}

const struct command cmd_flame = { "flame", "draws stacks", flame };
