/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell export`: recordings and stacks for other programs. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmdline/optable.h"
#include "engine/why.h"
#include "view/export/export.h"
#include "view/form/recsym.h"
#include "view/stack/stacksrc.h"

struct export
{
	const char *format, *output, *file;
	struct stacksrc_opts src;
};

static const struct optrow options_rows[] = {
	{ .name = "format",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct export, format),
	  .arg = "FORMAT",
	  .help = "folded: stacks, a line each\n"
		  "pprof: stacks, as Go's pprof reads them\n"
		  "speedscope: stacks\n"
		  "chrome: recording: trace events in JSON (Perfetto, speedscope, Firefox Profiler)\n"
		  "perfetto: recording: a trace of Perfetto's own format (ui.perfetto.dev)\n"
		  "csv: recording: an aggregation or the events as a table\n"
		  "recording: a copy of a recording, which may still be being written" },
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct export, output),
	  .arg = "FILE",
	  .help = "write here, not to standard output" },
	STACKSRC_OPTIONS(struct export, src),
	VIEW_OPTIONS_TIMES(struct export, src.from_ns, src.to_ns),
};
static const struct optable options = { .command = "export",
					.synopsis = "export --format FORMAT [options] FILE|-",
					.rows = options_rows,
					.n = ARRAY_SIZE(options_rows) };

static int write_stacks(const struct export *x, const struct stacktree *t, const struct stacksrc *s, FILE *out)
{
	struct export_stacks e = { .title = s->title[0] ? s->title : x->file,
				   .nweights = 1,
				   .unit = { s->unit, "events" },
				   .per_thread = x->src.per_thread,
				   .begun_ns = s->begun_realtime_ns };
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
	struct stacksrc_opts src = x->src;
	struct stacktree *t = NULL;
	struct stacksrc s;
	struct outfile out;
	struct err err = { 0 };
	int e;

	src.lines = strcmp(x->format, "folded") != 0; /* in folded stacks there is no place for them */
	if (stacktree_new(2, &t) < 0)
		return cmd_fail("out of memory");
	if (stacksrc_read(x->file, &src, t, 0, &s, &err) < 0)
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

static int write_csv(const struct export *x, struct recread *f, FILE *out, struct err *err)
{
	struct sym *sym = NULL;
	int e = recsym_new(f, &sym, err);

	if (e == 0)
		e = export_csv(f, sym, x->src.by, out, err);
	sym_free(sym);
	return e;
}

typedef int trace_fn(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, FILE *out, struct err *err);

static int write_trace(trace_fn *write, struct recread *f, FILE *out, struct err *err)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct sym *sym = NULL;
	struct dopts opts;
	struct why why;
	int e = recsym_new(f, &sym, err);

	dopts_init(&opts, a);
	if (why_open(&why, &opts, &cmd_listener) == 0 && e == 0)
		e = write(f, sym, why_words, &why, out, err);
	why_done(&why);
	sym_free(sym);
	arena_free(a);
	return e;
}

static int write_chrome(const struct export *x, struct recread *f, FILE *out, struct err *err)
{
	(void)x;
	return write_trace(export_chrome, f, out, err);
}

static int write_perfetto(const struct export *x, struct recread *f, FILE *out, struct err *err)
{
	(void)x;
	return write_trace(export_perfetto, f, out, err);
}

/* SQLite reads back what it has written. */
static int write_copy(const struct export *x, struct recread *f, FILE *out, struct err *err)
{
	int flags = fcntl(fileno(out), F_GETFL);

	(void)x;
	return flags >= 0 && (flags & O_ACCMODE) == O_RDWR
		       ? recread_copy(f, fileno(out), err)
		       : err_set(err, -EINVAL, "a copy is wanted in a file: give -o FILE");
}

typedef int write_fn(const struct export *x, struct recread *f, FILE *out, struct err *err);

static int recording(const struct export *x, write_fn *write)
{
	struct recread *f = NULL;
	struct outfile out;
	struct err err = { 0 };
	int e, w;

	if (recread_open(x->file, &f, &err) < 0)
		return cmd_fail("%s", err.msg);
	e = outfile_open(&out, x->output);
	if (e == 0) {
		w = write(x, f, out.f, &err);
		if (w < 0 && err.msg[0])
			cmd_msg("%s: %s", x->file, err.msg);
		e = outfile_close(&out, w < 0 && err.msg[0] ? OUTFILE_GIVE_UP : w);
	}
	recread_close(f);
	return e;
}

static int check(const struct export *x, bool of_stacks)
{
	struct err err = { 0 };

	if (!of_stacks &&
	    (x->src.from_ns || x->src.to_ns || x->src.per_thread || x->src.addresses || x->src.no_inlined))
		return cmd_wrong("--from, --to, --per-thread, --addresses and --no-inlined are for stacks");
	if ((!strcmp(x->format, "pprof") || !strcmp(x->format, "perfetto")) && !x->output && isatty(STDOUT_FILENO))
		return cmd_wrong("the bytes of %s would go to the terminal: give -o FILE", x->format);
	return cmd_err(view_check_times(x->src.from_ns, x->src.to_ns, &err), &err);
}

static int export(int argc, char **argv)
{
	static const struct {
		const char *name;
		write_fn *write; /* NULL: stacks */
	} formats[] = {
		{ "folded", NULL },
		{ "pprof", NULL },
		{ "speedscope", NULL },
		{ "chrome", write_chrome },
		{ "perfetto", write_perfetto },
		{ "csv", write_csv },
		{ "recording", write_copy },
	};
	struct export x = { .src.counts = true };
	int e = cmd_options(&options, &x, argc, argv);

	if (e)
		return e < 0 ? EXIT_OK : e;
	if (optind + 1 != argc || !x.format)
		return cmd_words(&options, optind + 1 < argc ? argv[optind + 1] : NULL,
				 x.format ? "a file is missing" : "--format is missing");
	x.file = argv[optind];
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(formats[i].name, x.format) != 0)
			continue;
		e = check(&x, !formats[i].write);
		return e ? e : formats[i].write ? recording(&x, formats[i].write) : stacks(&x);
	}
	return cmd_wrong("there is no format '%s': folded, pprof, speedscope, chrome, perfetto, csv, recording",
			 x.format);
}

const struct command cmd_export = { "export", "for other programs", export };
