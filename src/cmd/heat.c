/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell heat`: heat maps of recordings. */
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/strb.h"
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/stackopts.h"
#include "view/flame.h"
#include "view/heat.h"

struct heat_cmd {
	struct heat_opts opts;
	const char *output, *title, *file;
	bool html, svg, json;
};

enum { OPT_BY = 256, OPT_STEP, OPT_OFFSET, OPT_ROWS, OPT_LINEAR, OPT_FROM, OPT_TO, OPT_TITLE, OPT_HTML, OPT_SVG, OPT_JSON, OPT_HELP };

static const struct option longs[] = {
	{ "by", required_argument, NULL, OPT_BY },     { "step", required_argument, NULL, OPT_STEP },
	{ "offset", required_argument, NULL, OPT_OFFSET }, { "rows", required_argument, NULL, OPT_ROWS },
	{ "linear", no_argument, NULL, OPT_LINEAR },   { "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },     { "title", required_argument, NULL, OPT_TITLE },
	{ "html", no_argument, NULL, OPT_HTML },       { "svg", no_argument, NULL, OPT_SVG },
	{ "json", no_argument, NULL, OPT_JSON },       { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static int usage(FILE *out)
{
	fprintf(out,
		"Usage: %s heat [options] RECORDING\n\n"
		"\t-o FILE           write the picture here, not to standard output\n"
		"\t--html, --svg     kind of picture; by itself: HTML if FILE ends with .html\n"
		"\t--json            what the page draws, as one JSON object\n"
		"\t--title TEXT      heading\n"
		"\t--by NAME         which tracker or aggregation (@name)\n"
		"\t--linear          values from 0 in equal steps, not by powers of two\n"
		"\t--step TIME       length of a column\n"
		"\t--offset PERIOD   when in each period (1s, 10ms, 1m, 1h, 24h) events were\n"
		"\t--rows N          of --offset or --linear (100)\n"
		"\t--from T, --to T  only what was recorded so long after the beginning\n", cmd_name());
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

static int take_rows(const char *arg, unsigned *ret)
{
	uint64_t n;

	if (num_parse_u64(arg, &n) < 0 || n < 1 || n > HEAT_MAX_ROWS) {
		cmd_msg("--rows: '%s' is no number from 1 to %u", arg, HEAT_MAX_ROWS);
		return EXIT_USAGE;
	}
	*ret = (unsigned)n;
	return 0;
}

static int take_option(struct heat_cmd *h, int c)
{
	switch (c) {
	case 'o':
		h->output = optarg;
		return 0;
	case OPT_BY:
		h->opts.by = optarg;
		return 0;
	case OPT_STEP:
		return stackopts_time("step", optarg, &h->opts.step_ns);
	case OPT_OFFSET:
		return stackopts_time("offset", optarg, &h->opts.period_ns);
	case OPT_ROWS:
		return take_rows(optarg, &h->opts.rows);
	case OPT_LINEAR:
		h->opts.linear = true;
		return 0;
	case OPT_FROM:
		return stackopts_time("from", optarg, &h->opts.from_ns);
	case OPT_TO:
		return stackopts_time("to", optarg, &h->opts.to_ns);
	case OPT_TITLE:
		h->title = optarg;
		return 0;
	case OPT_HTML:
		h->html = true;
		return 0;
	case OPT_SVG:
		h->svg = true;
		return 0;
	case OPT_JSON:
		h->json = true;
		return 0;
	case OPT_HELP:
		usage(stdout);
		return -1;
	default:
		return usage(stderr);
	}
}

static int take_options(struct heat_cmd *h, int argc, char **argv)
{
	int c, e;

	while ((c = getopt_long(argc, argv, "o:", longs, NULL)) != -1)
		if ((e = take_option(h, c)))
			return e;
	if (optind + 1 != argc || h->html + h->svg + h->json > 1)
		return usage(stderr);
	h->file = argv[optind];
	if (h->opts.period_ns && (h->opts.by || h->opts.step_ns || h->opts.linear)) {
		cmd_msg("--offset shows the times of events: --by, --step and --linear are for values");
		return EXIT_USAGE;
	}
	h->html |= !h->svg && !h->json && outfile_is(h->output, ".html");
	if (h->html && !flame_has_html())
		return cmd_fail("this dwell was built without pages, since esbuild was missing: --svg works");
	if (!h->output && !h->json && isatty(STDOUT_FILENO)) {
		cmd_msg("the picture would go to the terminal: give -o FILE.svg");
		return EXIT_USAGE;
	}
	return 0;
}

static int draw(const struct heat_cmd *c, const struct heat *h)
{
	const char *base = strrchr(c->file, '/');
	struct strb title = { 0 };
	struct outfile out;
	int e = outfile_open(&out, c->output);

	strb_printf(&title, "%s · %s", h->title, base ? base + 1 : c->file);
	if (e == 0)
		e = outfile_close(&out, (c->json ? heat_json : c->html ? heat_html : heat_svg)(h, c->title ? c->title : strb_str(&title), out.f));
	strb_free(&title);
	return e;
}

static int heat(int argc, char **argv)
{
	struct heat_cmd c = { 0 };
	struct recread *f = NULL;
	struct heat *h = NULL;
	struct err err = { 0 };
	int e = take_options(&c, argc, argv);

	if (e)
		return e < 0 ? EXIT_OK : e;
	if (recread_open(c.file, &f, &err) < 0)
		return cmd_fail("%s", err.msg);
	if (heat_make(f, &c.opts, &h, &err) < 0)
		e = cmd_fail("%s: %s", c.file, err.msg);
	else
		e = draw(&c, h);
	heat_free(h);
	recread_close(f);
	return e;
}

const struct command cmd_heat = { "heat", "draws heat maps", heat };
