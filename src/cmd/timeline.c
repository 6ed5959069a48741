/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell timeline`: threads, or processes, over time. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/strb.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/outfile.h"
#include "cmd/reclive.h"
#include "cmd/stackopts.h"
#include "cmd/why.h"
#include "view/flame.h"
#include "view/timeline.h"

struct timeline_cmd {
	struct tl_opts opts;
	struct reclive live;
	const char *output, *title, *file;
	bool html, svg, text;
};

enum { OPT_PROCESSES = 256, OPT_ALL, OPT_PID, OPT_FROM, OPT_TO, OPT_TITLE, OPT_HTML, OPT_SVG, OPT_TEXT, OPT_FOR, OPT_RECORD, OPT_HELP };

static const struct option longs[] = {
	{ "processes", no_argument, NULL, OPT_PROCESSES }, { "all", no_argument, NULL, OPT_ALL },
	{ "pid", required_argument, NULL, OPT_PID },	   { "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },	   { "title", required_argument, NULL, OPT_TITLE },
	{ "html", no_argument, NULL, OPT_HTML },	   { "svg", no_argument, NULL, OPT_SVG },
	{ "text", no_argument, NULL, OPT_TEXT },	   { "for", required_argument, NULL, OPT_FOR },
	{ "record", required_argument, NULL, OPT_RECORD }, { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static int usage(FILE *out)
{
	fprintf(out,
		"Usage: %s timeline [options] RECORDING\n"
		"       %s timeline [-c COMMAND|-p PID] [--for TIME] [options] [-- COMMAND...]\n\n"
		"\t-o FILE           write the picture here, not to standard output\n"
		"\t--html, --svg     kind of picture; by itself: HTML if FILE ends with .html\n"
		"\t--text            a table instead: what the time of each thread went to\n"
		"\t--title TEXT      heading\n"
		"\t--processes       a tree of processes instead of threads\n"
		"\t--all             --processes: also those that were there and did nothing\n"
		"\t--pid PID         only this process (--processes: and its descendants)\n"
		"\t--from T, --to T  only what was recorded so long after the beginning\n"
		"\t-c COMMAND        record now, while it runs: it and its descendants\n"
		"\t-p PID            record now: this process and its descendants\n"
		"\t--for TIME        record now, so long; else until the command ends, or Ctrl-C\n"
		"\t--record FILE     keep the recording\n", cmd_name(), cmd_name());
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

static int take_pid(const char *arg, uint32_t *ret)
{
	uint64_t n;

	if (num_parse_u64(arg, &n) < 0 || n < 1 || n > INT32_MAX) {
		cmd_msg("--pid: '%s' is no process id", arg);
		return EXIT_USAGE;
	}
	*ret = (uint32_t)n;
	return 0;
}

static int take_option(struct timeline_cmd *t, int c)
{
	switch (c) {
	case 'o':
		t->output = optarg;
		return 0;
	case 'c':
		t->live.command = optarg;
		return 0;
	case 'p':
		t->live.pid = optarg;
		return 0;
	case OPT_FOR:
		t->live.how_long = optarg;
		return 0;
	case OPT_RECORD:
		t->live.record = optarg;
		return 0;
	case OPT_PROCESSES:
		t->opts.processes = true;
		return 0;
	case OPT_ALL:
		t->opts.all = true;
		return 0;
	case OPT_PID:
		return take_pid(optarg, &t->opts.pid);
	case OPT_FROM:
		return stackopts_time("from", optarg, &t->opts.from_ns);
	case OPT_TO:
		return stackopts_time("to", optarg, &t->opts.to_ns);
	case OPT_TITLE:
		t->title = optarg;
		return 0;
	case OPT_HTML:
		t->html = true;
		return 0;
	case OPT_SVG:
		t->svg = true;
		return 0;
	case OPT_TEXT:
		t->text = true;
		return 0;
	case OPT_HELP:
		usage(stdout);
		return -1;
	default:
		return usage(stderr);
	}
}

/* The words behind "--" as one, as -c takes a command: words with blanks are quoted. */
static int join_command(struct timeline_cmd *t, int argc, char **argv, struct strb *b)
{
	for (int i = 0; i < argc; i++) {
		if (!argv[i][0] || strpbrk(argv[i], " \t\n\"'\\")) {
			cmd_msg("-c and -- take a command of plain words: put '%s' into a script", argv[i]);
			return EXIT_USAGE;
		}
		strb_printf(b, "%s%s", i ? " " : "", argv[i]);
	}
	t->live.command = strb_str(b);
	return 0;
}

static int take_options(struct timeline_cmd *t, int argc, char **argv, struct strb *command)
{
	bool dashes;
	int c, e;

	while ((c = getopt_long(argc, argv, "o:c:p:", longs, NULL)) != -1)
		if ((e = take_option(t, c)))
			return e;
	dashes = optind > 1 && !strcmp(argv[optind - 1], "--");
	if (dashes && (t->live.command || t->live.pid || optind == argc))
		return usage(stderr);
	if (dashes && (e = join_command(t, argc - optind, argv + optind, command)))
		return e;
	if (dashes)
		optind = argc;
	if (t->live.command || t->live.pid || t->live.how_long || t->live.record)
		t->live.program = latency_has_exit_tp() ? "timeline/threads" : "timeline/threads-switch";
	if (argc - optind != (t->live.program ? 0 : 1) || t->html + t->svg + t->text > 1)
		return usage(stderr);
	t->file = argv[optind];
	t->html |= !t->svg && !t->text && outfile_is(t->output, ".html");
	t->text |= !t->html && !t->svg && !t->output && isatty(STDOUT_FILENO);
	if (t->html && !flame_has_html())
		return cmd_fail("this dwell was built without pages, since esbuild was missing: --svg works");
	return 0;
}

static int draw(const struct timeline_cmd *c, const struct timeline *t)
{
	const char *file = c->live.program && !c->live.record ? c->live.command : c->live.record ? c->live.record : c->file;
	const char *base = file && !c->live.command ? strrchr(file, '/') : NULL;
	struct strb title = { 0 };
	struct outfile out;
	int e = outfile_open(&out, c->output);

	strb_adds(&title, c->title ? c->title : t->processes ? "Processes" : "Threads");
	if (!c->title && (file || c->live.pid))
		strb_printf(&title, " · %s%s", file ? "" : "process ", file ? (base ? base + 1 : file) : c->live.pid);
	if (e == 0) {
		e = c->text ? timeline_text(t, (unsigned)latency_columns(), out.f) : (c->html ? timeline_html : timeline_svg)(t, strb_str(&title), out.f);
		e = outfile_close(&out, e);
	}
	strb_free(&title);
	return e;
}

static int show(struct timeline_cmd *c)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct timeline *t = NULL;
	struct recread *f = NULL;
	struct err err = { 0 };
	struct dopts opts;
	struct why why;
	int e;

	dopts_init(&opts, a);
	e = why_open(&why, &opts);
	c->opts.why = why_words;
	c->opts.why_arg = &why;
	if (e == 0 && recread_open(c->file, &f, &err) < 0)
		e = cmd_fail("%s", err.msg);
	if (e == 0 && timeline_make(f, &c->opts, &t, &err) < 0)
		e = cmd_fail("%s: %s", c->file, err.msg);
	if (e == 0 && t->left_out)
		cmd_msg("%llu intervals are left out: %u are drawn at most; take less with --from and --to", (unsigned long long)t->left_out, TL_MAX_ITEMS);
	if (e == 0)
		e = draw(c, t);
	timeline_free(t);
	recread_close(f);
	why_done(&why);
	arena_free(a);
	return e;
}

static int timeline(int argc, char **argv)
{
	struct timeline_cmd c = { 0 };
	struct strb command = { 0 };
	int e = take_options(&c, argc, argv, &command);

	if (e == 0 && c.live.program) {
		e = reclive_run(&c.live);
		c.file = c.live.path;
	}
	if (e == 0)
		e = show(&c);
	reclive_done(&c.live);
	strb_free(&command);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_timeline = { "timeline", "draws threads and processes over time", timeline };
