/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell hist`: distributions compared. */
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/outfile.h"
#include "cmd/picopts.h"
#include "view/picture/hist.h"

#define TEXT_ROWS 24u
#define LINEAR_ROWS 100u

struct range {
	uint64_t from, to;
	const char *text; /* n bytes of it */
	int n;
};

struct hist_cmd {
	struct hist_opts opts;
	struct reclive live;
	struct picopts pic;
	bool linear;
	struct range ranges[HIST_MAX_SERIES];
	size_t nranges;
	const char *files[HIST_MAX_SERIES];
	struct recread *read[HIST_MAX_SERIES];
	size_t nfiles;
	const char *names[HIST_MAX_SERIES]; /* of the files, in their order */
	size_t nnames;
	struct hist h;
};

/* "10s-20s", of which n bytes count. */
static int take_range(struct hist_cmd *c, const char *arg, size_t n, struct err *err)
{
	_cleanup_free_ char *from = strndup(arg, n);
	char *to = from ? strchr(from, '-') : NULL;
	struct range r = { .text = arg, .n = (int)n };
	int e;

	if (!to || c->nranges == HIST_MAX_SERIES)
		return cmd_wrong("--range: '%.*s' is no stretch like 10s-20s, or one of more than %u", r.n, arg,
				 HIST_MAX_SERIES);
	*to++ = '\0';
	e = strcmp(from, "0") != 0 ? optable_time("range", from, 0, &r.from, err) : 0;
	if (e == 0)
		e = optable_time("range", to, 0, &r.to, err);
	if (e == 0 && r.to <= r.from) {
		cmd_msg("--range: '%.*s' ends before it begins", r.n, arg);
		e = EXIT_USAGE;
	}
	if (e == 0)
		c->ranges[c->nranges++] = r;
	return e;
}

/* Several with commas between them. */
static int take_ranges(void *command, const struct optrow *o, const char *arg, struct err *err)
{
	_cleanup_free_ char *copy = strdup(arg);
	char *rest = copy;
	int e = copy ? 0 : cmd_fail("out of memory");

	(void)o;
	for (char *one; e == 0 && (one = strsep(&rest, ","));)
		e = take_range(command, arg + (one - copy), strlen(one), err);
	return e;
}

static int take_name(void *command, const struct optrow *o, const char *arg, struct err *err)
{
	struct hist_cmd *c = command;

	(void)o;
	if (c->nnames == HIST_MAX_SERIES)
		return err_set(err, -EINVAL, "--name %s: %u recordings are the most that can be compared", arg,
			       HIST_MAX_SERIES);
	c->names[c->nnames++] = arg;
	return 0;
}

static const struct optrow rows[] = {
	PICOPT_ROWS(struct hist_cmd, pic),
	PICOPT_PICTURE(struct hist_cmd, pic, PIC_TEXT, "text",
		       "a table with bars: what it is unless FILE ends with .html or .svg"),
	{ .name = "by",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hist_cmd, opts.by),
	  .arg = "NAME",
	  .help = "which tracker or aggregation (@name)" },
	{ .name = "keys",
	  .kind = OPT_NUMBER,
	  .value = HIST_MAX_SERIES,
	  .at = offsetof(struct hist_cmd, opts.keys),
	  .arg = "N",
	  .help = "the N keys with most values apart" },
	{ .name = "key",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hist_cmd, opts.key),
	  .arg = "TEXT",
	  .help = "only values of this key" },
	PICOPT_ROWS_TIMES(struct hist_cmd, opts.from_ns, opts.to_ns),
	{ .name = "range",
	  .kind = OPT_CALL,
	  .take = take_ranges,
	  .arg = "T-T[,T-T]",
	  .help = "the same, several times: these stretches one over the other" },
	{ .name = "linear",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct hist_cmd, linear),
	  .help = "values from 0 in equal steps, not by powers of two" },
	{ .name = "name",
	  .kind = OPT_CALL,
	  .take = take_name,
	  .arg = "TEXT",
	  .help = "what the first recording is called, or the next" },
	{ .letter = 'n',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hist_cmd, live.text),
	  .arg = "PROGRAM",
	  .help = "record now: this D program" },
	{ .letter = 's',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hist_cmd, live.script),
	  .arg = "FILE.d",
	  .help = "record now: the D program in this file" },
	PICOPT_ROWS_LIVE(struct hist_cmd, live, "while it runs", "with this process as $target"),
};
static const struct optable options = {
	.command = "hist",
	.synopsis =
		"hist [options] RECORDING...\nhist -n PROGRAM|-s FILE.d [-c COMMAND|-p PID] [--for TIME] [options] [-- COMMAND...]",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static int take_files(struct hist_cmd *h, bool live, int n, char **files)
{
	if (live && n)
		return cmd_words(&options, files[0], NULL);
	if (!live && !n)
		return cmd_words(&options, NULL, "a recording is missing, or what to record: -n or -s");
	if (!live && (h->live.command || h->live.pid || h->live.for_ns || h->live.record))
		return cmd_wrong(
			"hist: -c, -p, --, --for and --record are for recording: give a program with -n or -s");
	if (n > (int)HIST_MAX_SERIES)
		return cmd_wrong("hist: %d recordings are too many: %u at most", n, HIST_MAX_SERIES);
	for (int i = 0; i < n; i++)
		h->files[h->nfiles++] = files[i];
	return 0;
}

static int take_options(struct hist_cmd *h, int argc, char **argv)
{
	int e = reclive_options(&h->live, &options, h, &argc, argv);

	if (e)
		return e;
	if ((e = take_files(h, h->live.text || h->live.script, argc - optind, argv + optind)))
		return e;
	if ((h->opts.key && h->opts.keys) || (h->live.text && h->live.script) ||
	    (h->nranges && (h->opts.from_ns || h->opts.to_ns)))
		return cmd_wrong("%s: choose one", h->live.text && h->live.script ? "-n and -s"
						   : h->opts.key && h->opts.keys  ? "--key and --keys"
										  : "--range and --from or --to");
	e = picopts_check_times(h->opts.from_ns, h->opts.to_ns);
	return e ? e : picopts_choose(&h->pic, PIC_TEXT);
}

/* Reads one file: all its ranges. */
static int read_file(struct hist_cmd *c, size_t i)
{
	const char *base = strrchr(c->files[i], '/'), *called = i < c->nnames ? c->names[i]
								: base	      ? base + 1
									      : c->files[i];
	struct err err = { 0 };
	int e = 0;

	if (recread_open(c->files[i], &c->read[i], &err) < 0)
		return reclive_fail(&c->live, err.msg);
	for (size_t k = 0; k < (c->nranges ? c->nranges : 1) && e == 0; k++) {
		struct strb name = { 0 };

		if (c->nranges) {
			c->opts.from_ns = c->ranges[k].from;
			c->opts.to_ns = c->ranges[k].to;
		}
		if (c->nfiles > 1)
			strb_printf(&name, "%s%s", called, c->nranges ? " · " : "");
		if (c->nranges)
			strb_printf(&name, "%.*s", c->ranges[k].n, c->ranges[k].text);
		if (hist_add(&c->h, c->read[i], &c->opts, strb_str(&name), &err) < 0) {
			err_prefix(&err, "%s: %.*s%s", i < c->nnames ? called : c->files[i],
				   c->nranges ? c->ranges[k].n : 0, c->nranges ? c->ranges[k].text : "",
				   c->nranges ? ": " : "");
			e = reclive_fail(&c->live, err.msg);
		}
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
	bool text = c->pic.picture == PIC_TEXT;
	struct strb title = { 0 };
	struct outfile out;
	int e = outfile_open(&out, c->pic.output);

	strb_adds(&title, c->pic.title ? c->pic.title : c->h.title);
	if (!c->pic.title && c->nfiles == 1 && (!c->live.path || c->live.record))
		strb_printf(&title, " · %s", base ? base + 1 : c->files[0]);
	if (c->pic.title)
		snprintf(c->h.title, sizeof(c->h.title), "%s", c->pic.title);
	hist_lay_out(&c->h, c->linear, text ? TEXT_ROWS : c->linear ? LINEAR_ROWS : HEAT_MAX_ROWS);
	if (e == 0 && text)
		e = outfile_close(&out, hist_text(&c->h, (unsigned)latency_columns(), can_utf8(), out.f));
	else if (e == 0)
		e = outfile_close(&out, (c->pic.picture == PIC_JSON   ? hist_json
					 : c->pic.picture == PIC_HTML ? hist_html
								      : hist_svg)(&c->h, strb_str(&title), out.f));
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
