/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell export`: recordings and stacks for other programs. */
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/stackopts.h"
#include "view/export.h"
#include "view/recsym.h"

struct export {
	const char *format, *output, *file;
	struct stacksrc_opts src;
};

static int usage(FILE *out)
{
	fprintf(out,
		"Usage: %s export --format FORMAT [options] FILE|-\n\n"
		"\t--format folded   stacks, a line each\n"
		"\t--format pprof    stacks, as Go's pprof reads them\n"
		"\t--format speedscope  stacks\n"
		"\t--format chrome   recording: trace events in JSON (Perfetto, speedscope, Firefox Profiler)\n"
		"\t--format csv      recording: an aggregation or the events as a table\n"
		"\t-o FILE           write here, not to standard output\n"
		STACKOPT_USAGE, cmd_name());
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

enum { OPT_FORMAT = 256 };

static const struct option longs[] = {
	{ "format", required_argument, NULL, OPT_FORMAT }, STACKOPT_LONGS, { NULL, 0, NULL, 0 },
};

/* EXIT_* > 0 after a message; < 0: done. */
static int take_option(struct export *x, int c)
{
	int e;

	switch (c) {
	case 'o':
		x->output = optarg;
		return 0;
	case OPT_FORMAT:
		x->format = optarg;
		return 0;
	case STACKOPT_HELP:
		usage(stdout);
		return -1;
	default:
		e = stackopts_take(&x->src, c, optarg);
		return e == -ENOENT ? usage(stderr) : e;
	}
}

static int write_stacks(const struct export *x, const struct stacktree *t, const struct stacksrc *s, FILE *out)
{
	struct export_stacks e = { .title = s->title[0] ? s->title : x->file, .nweights = 1, .unit = { s->unit, "events" },
				   .per_thread = x->src.per_thread, .begun_ns = s->begun_realtime_ns };
	struct stackorder o;
	int r;

	if (s->counts && !s->in.two)
		e.nweights = 2;
	if (s->in.last_ns > s->in.first_ns)
		e.duration_ns = s->in.last_ns - s->in.first_ns;
	if (!strcmp(x->format, "speedscope"))
		return export_speedscope(t, &e, out);
	if (!strcmp(x->format, "pprof"))
		return export_pprof(t, &e, out);
	if (stackorder_make(t, &o) < 0)
		return -ENOMEM;
	r = fold_write(t, &o, 0, out);
	stackorder_done(&o);
	return r;
}

static int stacks(const struct export *x)
{
	struct stacktree *t = NULL;
	struct stacksrc s;
	struct outfile out;
	struct err err = { 0 };
	int e;

	if (stacktree_new(2, &t) < 0)
		return cmd_fail("out of memory");
	if (stacksrc_read(x->file, &x->src, t, 0, &s, &err) < 0)
		e = cmd_fail("%s", err.msg);
	else
		e = outfile_open(&out, x->output);
	if (e == 0 && s.in.bad)
		cmd_msg("%s: %llu lines were left out, the first is line %llu", x->file, (unsigned long long)s.in.bad,
			(unsigned long long)s.in.first_bad);
	if (e == 0 && s.in.lost)
		cmd_msg("%s: %llu were lost while recording", x->file, (unsigned long long)s.in.lost);
	if (e == 0)
		e = outfile_close(&out, write_stacks(x, t, &s, out.f));
	stacktree_free(t);
	return e;
}

static int rows(const struct export *x)
{
	struct recread *f = NULL;
	struct sym *sym = NULL;
	struct outfile out;
	struct err err = { 0 };
	int e, w;

	if (recread_open(x->file, &f, &err) < 0)
		return cmd_fail("%s", err.msg);
	e = recsym_new(f, &sym, &err) < 0 ? cmd_fail("%s", err.msg) : outfile_open(&out, x->output);
	if (e == 0) {
		w = !strcmp(x->format, "csv") ? export_csv(f, sym, x->src.by, out.f, &err) : export_chrome(f, sym, out.f, &err);
		if (w < 0 && err.msg[0])
			cmd_msg("%s: %s", x->file, err.msg);
		e = outfile_close(&out, w < 0 && err.msg[0] ? OUTFILE_GIVE_UP : w);
	}
	sym_free(sym);
	recread_close(f);
	return e;
}

static int export(int argc, char **argv)
{
	static const struct { const char *name; int (*run)(const struct export *x); } formats[] = {
		{ "folded", stacks }, { "pprof", stacks }, { "speedscope", stacks }, { "chrome", rows }, { "csv", rows },
	};
	struct export x = { .src.counts = true };
	int c, e;

	while ((c = getopt_long(argc, argv, "o:", longs, NULL)) != -1)
		if ((e = take_option(&x, c)))
			return e < 0 ? EXIT_OK : e;
	if (optind + 1 != argc || !x.format)
		return usage(stderr);
	x.file = argv[optind];
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(formats[i].name, x.format) != 0)
			continue;
		if (formats[i].run == rows && (x.src.from_ns || x.src.to_ns || x.src.per_thread || x.src.addresses)) {
			cmd_msg("--from, --to, --per-thread and --addresses are for stacks");
			return EXIT_USAGE;
		}
		if (!strcmp(x.format, "pprof") && !x.output && isatty(STDOUT_FILENO)) {
			cmd_msg("pprof's bytes would go to the terminal: give -o FILE");
			return EXIT_USAGE;
		}
		return formats[i].run(&x);
	}
	cmd_msg("there is no format '%s': folded, pprof, speedscope, chrome, csv", x.format);
	return EXIT_USAGE;
}

const struct command cmd_export = { "export", "for other programs", export };
