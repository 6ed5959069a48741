/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell heat`: heat maps of recordings. */
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/picopts.h"
#include "view/picture/heat.h"

struct heat_cmd {
	struct heat_opts opts;
	struct picopts pic;
	const char *file;
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
		.name = option, .kind = OPT_CALL, .at = offsetof(struct heat_cmd, opts), .value = what, \
		.take = take_key, .arg = "KEY", .help = text \
	}
static const struct optrow rows[] = {
	PICOPT_ROWS(struct heat_cmd, pic),
	{ .name = "by",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct heat_cmd, opts.by),
	  .arg = "NAME",
	  .help = "which tracker or aggregation (@name); of --offset: a lane of span(), or 'CPU 0'" },
	KEYS("isolate", HEAT_ISOLATE, "only this key; may be given several times, as the next two"),
	KEYS("exclude", HEAT_EXCLUDE, "all but this key"),
	KEYS("highlight", HEAT_HIGHLIGHT, "this key in a colour of its own, the rest grey"),
	{ .name = "by-key",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct heat_cmd, opts.by_key),
	  .help = "each key in a colour of its own" },
	{ .name = "linear",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct heat_cmd, opts.linear),
	  .help = "values from 0 in equal steps, not by powers of two" },
	{ .name = "step",
	  .kind = OPT_TIME,
	  .at = offsetof(struct heat_cmd, opts.step_ns),
	  .arg = "TIME",
	  .help = "length of a column" },
	{ .name = "offset",
	  .kind = OPT_TIME,
	  .at = offsetof(struct heat_cmd, opts.period_ns),
	  .arg = "PERIOD",
	  .help = "when in each period (1s, 10ms, 1m, 1h, 24h) events were" },
	{ .name = "rows",
	  .kind = OPT_NUMBER,
	  .value = HEAT_MAX_ROWS,
	  .at = offsetof(struct heat_cmd, opts.rows),
	  .arg = "N",
	  .help = "of --offset or --linear (100)" },
	PICOPT_ROWS_TIMES(struct heat_cmd, opts.from_ns, opts.to_ns),
};
#undef KEYS
static const struct optable options = {
	.command = "heat", .synopsis = "heat [options] RECORDING", .rows = rows, .n = ARRAY_SIZE(rows)
};

static int take_options(struct heat_cmd *h, int argc, char **argv)
{
	struct heat_opts *o = &h->opts;
	int e = cmd_options(&options, h, argc, argv);

	if (e)
		return e;
	if (optind + 1 != argc)
		return cmd_words(&options, optind < argc ? argv[optind + 1] : NULL, "a recording is missing");
	h->file = argv[optind];
	if (o->period_ns && o->linear)
		return cmd_wrong("--offset shows the times of events: --linear is for values");
	if (o->period_ns && o->step_ns % o->period_ns)
		return cmd_wrong("--step must be one or several whole periods of --offset");
	e = picopts_check_times(o->from_ns, o->to_ns);
	return e ? e : picopts_choose(&h->pic, PIC_NONE);
}

static int draw(const struct heat_cmd *c, const struct heat *h)
{
	const char *base = strrchr(c->file, '/');
	struct strb title = { 0 };
	struct outfile out;
	int e = outfile_open(&out, c->pic.output);

	strb_printf(&title, "%s · %s", h->title, base ? base + 1 : c->file);
	if (e == 0)
		e = outfile_close(&out, (c->pic.picture == PIC_JSON ? heat_json
					 : c->pic.picture == PIC_HTML
						 ? heat_html
						 : heat_svg)(h, c->pic.title ? c->pic.title : strb_str(&title), out.f));
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
