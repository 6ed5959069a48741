/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell hist`: distributions compared. */
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/strb.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/outfile.h"
#include "cmd/reclive.h"
#include "cmd/stackopts.h"
#include "view/flame.h"
#include "view/hist.h"

#define TEXT_ROWS   24u
#define LINEAR_ROWS 100u

struct range {
	uint64_t from, to;
	const char *text;
};

struct hist_cmd {
	struct hist_opts opts;
	struct reclive live;
	const char *output, *title;
	bool html, svg, text, linear, wants_text;
	struct range ranges[HIST_MAX_SERIES];
	size_t nranges;
	const char *files[HIST_MAX_SERIES];
	struct recread *read[HIST_MAX_SERIES];
	size_t nfiles;
	struct hist h;
};

enum { OPT_BY = 256, OPT_KEY, OPT_KEYS, OPT_FROM, OPT_TO, OPT_RANGE, OPT_LINEAR, OPT_TITLE, OPT_HTML, OPT_SVG, OPT_TEXT, OPT_FOR, OPT_RECORD, OPT_HELP };

static const struct option longs[] = {
	{ "by", required_argument, NULL, OPT_BY },	   { "key", required_argument, NULL, OPT_KEY },
	{ "keys", required_argument, NULL, OPT_KEYS },	   { "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },	   { "range", required_argument, NULL, OPT_RANGE },
	{ "linear", no_argument, NULL, OPT_LINEAR },	   { "title", required_argument, NULL, OPT_TITLE },
	{ "html", no_argument, NULL, OPT_HTML },	   { "svg", no_argument, NULL, OPT_SVG },
	{ "text", no_argument, NULL, OPT_TEXT },	   { "for", required_argument, NULL, OPT_FOR },
	{ "record", required_argument, NULL, OPT_RECORD }, { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static int usage(FILE *out)
{
	fprintf(out,
		"Usage: %s hist [options] RECORDING...\n"
		"       %s hist -n PROGRAM|-s FILE.d [-c COMMAND|-p PID] [--for TIME] [options]\n\n"
		"\t-o FILE           write the picture here, not to standard output\n"
		"\t--html, --svg     kind of picture; by itself: HTML if FILE ends with .html, SVG with .svg\n"
		"\t--text            a table with bars, what there is without -o\n"
		"\t--title TEXT      heading\n"
		"\t--by NAME         which tracker or aggregation (@name)\n"
		"\t--keys N          the N keys with most values apart\n"
		"\t--key TEXT        only values of this key\n"
		"\t--from T, --to T  only what was recorded so long after the beginning\n"
		"\t--range T-T       the same, several times: these stretches one over the other\n"
		"\t--linear          values from 0 in equal steps, not by powers of two\n"
		"\t-n PROGRAM        record now: this D program\n"
		"\t-s FILE.d         record now: the D program in this file\n"
		"\t-c COMMAND        while it runs\n"
		"\t-p PID            with this process as $target\n"
		"\t--for TIME        so long; else until the program, the command or Ctrl-C ends it\n"
		"\t--record FILE     keep the recording\n", cmd_name(), cmd_name());
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

static int take_keys(const char *arg, unsigned *ret)
{
	uint64_t n;

	if (num_parse_u64(arg, &n) < 0 || n < 1 || n > HIST_MAX_SERIES) {
		cmd_msg("--keys: '%s' is no number from 1 to %u", arg, HIST_MAX_SERIES);
		return EXIT_USAGE;
	}
	*ret = (unsigned)n;
	return 0;
}

/* "10s-20s". */
static int take_range(struct hist_cmd *c, const char *arg)
{
	_cleanup_free_ char *from = strdup(arg);
	char *to = from ? strchr(from, '-') : NULL;
	struct range r = { .text = arg };
	int e;

	if (!to || c->nranges == HIST_MAX_SERIES) {
		cmd_msg("--range: '%s' is no stretch like 10s-20s, or one of more than %u", arg, HIST_MAX_SERIES);
		return EXIT_USAGE;
	}
	*to++ = '\0';
	e = strcmp(from, "0") != 0 ? stackopts_time("range", from, &r.from) : 0;
	if (e == 0)
		e = stackopts_time("range", to, &r.to);
	if (e == 0 && r.to <= r.from) {
		cmd_msg("--range: '%s' ends before it begins", arg);
		e = EXIT_USAGE;
	}
	if (e == 0)
		c->ranges[c->nranges++] = r;
	return e;
}

/* What is to be recorded. False: none of these options. */
static bool take_live_option(struct reclive *l, int c)
{
	const char **where = c == 'n' ? &l->text : c == 's' ? &l->script : c == 'c' ? &l->command : c == 'p' ? &l->pid :
			     c == OPT_FOR ? &l->how_long : c == OPT_RECORD ? &l->record : NULL;

	if (where)
		*where = optarg;
	return where != NULL;
}

static int take_option(struct hist_cmd *h, int c)
{
	switch (c) {
	case 'o':
		h->output = optarg;
		return 0;
	case OPT_BY:
		h->opts.by = optarg;
		return 0;
	case OPT_KEY:
		h->opts.key = optarg;
		return 0;
	case OPT_KEYS:
		return take_keys(optarg, &h->opts.keys);
	case OPT_FROM:
		return stackopts_time("from", optarg, &h->opts.from_ns);
	case OPT_TO:
		return stackopts_time("to", optarg, &h->opts.to_ns);
	case OPT_RANGE:
		return take_range(h, optarg);
	case OPT_LINEAR:
		h->linear = true;
		return 0;
	case OPT_TITLE:
		h->title = optarg;
		return 0;
	case OPT_HTML:
		h->html = true;
		return 0;
	case OPT_SVG:
		h->svg = true;
		return 0;
	case OPT_TEXT:
		h->wants_text = true;
		return 0;
	case OPT_HELP:
		usage(stdout);
		return -1;
	default:
		return take_live_option(&h->live, c) ? 0 : usage(stderr);
	}
}

static int take_options(struct hist_cmd *h, int argc, char **argv)
{
	bool live;
	int c, e;

	while ((c = getopt_long(argc, argv, "o:n:s:c:p:", longs, NULL)) != -1)
		if ((e = take_option(h, c)))
			return e;
	for (; optind < argc && h->nfiles < HIST_MAX_SERIES; optind++)
		h->files[h->nfiles++] = argv[optind];
	live = h->live.text || h->live.script;
	if (optind < argc || (live ? h->nfiles != 0 || (h->live.text && h->live.script) : h->nfiles == 0) || h->html + h->svg + h->wants_text > 1 ||
	    (!live && (h->live.command || h->live.pid || h->live.how_long || h->live.record)))
		return usage(stderr);
	if ((h->opts.key && h->opts.keys) || (h->nranges && (h->opts.from_ns || h->opts.to_ns))) {
		cmd_msg(h->opts.key ? "--key and --keys: choose one" : "--range and --from or --to: choose one");
		return EXIT_USAGE;
	}
	h->html |= !h->svg && !h->wants_text && outfile_is(h->output, ".html");
	h->svg |= !h->html && !h->wants_text && outfile_is(h->output, ".svg");
	h->text = !h->html && !h->svg;
	if (h->html && !flame_has_html())
		return cmd_fail("this dwell was built without pages, since esbuild was missing: --svg and --text work");
	return 0;
}

/* Reads one file: all its ranges. */
static int read_file(struct hist_cmd *c, size_t i)
{
	const char *base = strrchr(c->files[i], '/');
	struct err err = { 0 };
	int e = 0;

	if (recread_open(c->files[i], &c->read[i], &err) < 0)
		return cmd_fail("%s", err.msg);
	for (size_t k = 0; k < (c->nranges ? c->nranges : 1) && e == 0; k++) {
		struct strb name = { 0 };

		if (c->nranges) {
			c->opts.from_ns = c->ranges[k].from;
			c->opts.to_ns = c->ranges[k].to;
		}
		if (c->nfiles > 1)
			strb_printf(&name, "%s%s", base ? base + 1 : c->files[i], c->nranges ? " · " : "");
		if (c->nranges)
			strb_adds(&name, c->ranges[k].text);
		if (hist_add(&c->h, c->read[i], &c->opts, strb_str(&name), &err) < 0)
			e = cmd_fail("%s: %s%s%s", c->files[i], c->nranges ? c->ranges[k].text : "", c->nranges ? ": " : "", err.msg);
		strb_free(&name);
	}
	return e;
}

/* Bars of eighths need UTF-8, and somebody who has nothing against it. */
static bool can_utf8(void)
{
	const char *no = getenv("NO_COLOR");

	setlocale(LC_CTYPE, "");
	return (!no || !*no) && !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static int draw(struct hist_cmd *c)
{
	const char *base = strrchr(c->files[0], '/');
	struct strb title = { 0 };
	struct outfile out;
	int e = outfile_open(&out, c->output);

	strb_adds(&title, c->title ? c->title : c->h.title);
	if (!c->title && c->nfiles == 1 && (!c->live.path || c->live.record))
		strb_printf(&title, " · %s", base ? base + 1 : c->files[0]);
	if (c->title)
		snprintf(c->h.title, sizeof(c->h.title), "%s", c->title);
	hist_lay_out(&c->h, c->linear, c->text ? TEXT_ROWS : c->linear ? LINEAR_ROWS : HEAT_MAX_ROWS);
	if (e == 0 && c->text)
		e = outfile_close(&out, hist_text(&c->h, (unsigned)latency_columns(), can_utf8(), out.f));
	else if (e == 0)
		e = outfile_close(&out, (c->html ? hist_html : hist_svg)(&c->h, strb_str(&title), out.f));
	strb_free(&title);
	return e;
}

static int hist(int argc, char **argv)
{
	struct hist_cmd c = { 0 };
	int e = take_options(&c, argc, argv);

	if (e == 0 && (c.live.text || c.live.script)) {
		e = reclive_run(&c.live);
		c.files[c.nfiles++] = c.live.path;
	}
	for (size_t i = 0; i < c.nfiles && e == 0; i++)
		e = read_file(&c, i);
	if (e == 0)
		e = draw(&c);
	hist_done(&c.h);
	for (size_t i = 0; i < c.nfiles; i++)
		recread_close(c.read[i]);
	reclive_done(&c.live);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_hist = { "hist", "compares distributions", hist };
