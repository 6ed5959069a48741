/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency stuck`: who is blocked right now, since when, on what, and who has it. The program that looks
 * is dlib/latency/stuck.d, once. */
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmdline/optable.h"
#include "cmdline/opts.h"
#include "engine/run/run.h"
#include "view/text/stuckprint.h"

#define DEFAULT_OVER_NS 100000000ull
#define CGROUP_ROOT "/sys/fs/cgroup"
#define MAX_PID (1u << 22) /* PID_MAX_LIMIT */

struct stuck_run {
	struct stuck_print print;
	struct request request;
	struct stuck *threads;
	const struct rec_schema *schema;
};

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct stuck_run *r = ctx;
	struct causes *c = why_causes(why);

	r->schema = schema;
	r->print.sym = sym;
	r->print.out = out;
	if (!c)
		return EXIT_ERROR;
	return stuck_new(c, sym, &r->threads) < 0 ? cmd_fail("out of memory") : 0;
}

static int on_row(void *ctx, const struct row *row)
{
	struct stuck_run *r = ctx;
	const struct recfmt *f = row->id >= 1 && row->id <= r->schema->nfmts ? r->schema->fmts[row->id - 1] : NULL;
	int e;

	if (row->kind == ROW_DROPS || row->kind == ROW_NOTE || row->kind == ROW_FAULT)
		return 0;
	if (row->kind != ROW_EVENT || !f)
		return 1;
	e = stuck_add(r->threads, f, row->data);
	return e < 0 ? e : 1;
}

static int on_finish(void *ctx)
{
	struct stuck_run *r = ctx;

	return stuckprint(&r->print, r->threads);
}

/* A cgroup's number is that of its folder. */
static int take_cgroup(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	uint64_t *ret = member;
	char path[4096];
	struct stat st;

	(void)o;
	if (num_parse_u64(arg, ret) == 0 && *ret)
		return 0;
	snprintf(path, sizeof(path), "%s%s%s", strncmp(arg, CGROUP_ROOT, strlen(CGROUP_ROOT)) ? CGROUP_ROOT : "",
		 arg[0] == '/' ? "" : "/", arg);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return err_set(err, -EINVAL, "--cgroup: there is no cgroup '%s' (%s)", arg, path);
	*ret = st.st_ino;
	return 0;
}

static const struct optrow rows[] = {
	{ .letter = 'p',
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct stuck_run, print.pid),
	  .value = MAX_PID,
	  .arg = "PID",
	  .help = "this process only; and its threads that only sleep, too" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct stuck_run, print.comm),
	  .arg = "NAME",
	  .help = "threads and processes of this name, likewise" },
	{ .name = "cgroup",
	  .kind = OPT_CALL,
	  .at = offsetof(struct stuck_run, print.cgroup),
	  .take = take_cgroup,
	  .arg = "PATH",
	  .help = "those of this cgroup (version 2), likewise; or its number" },
	{ .name = "container",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct stuck_run, print.container),
	  .arg = "ID",
	  .help = "those of this container, likewise; or the beginning of its id" },
	{ .name = "over",
	  .kind = OPT_TIME,
	  .at = offsetof(struct stuck_run, print.over_ns),
	  .value = 1,
	  .arg = "TIME",
	  .help = "those that have not run for this long (100ms)" },
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct stuck_run, print.all),
	  .help = "threads that only sleep, too" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct stuck_run, print.json), .help = "JSON Lines" },
	{ .letter = 'x',
	  LATENCY_PASS(struct stuck_run, request),
	  .arg = "OPTION[=VALUE]",
	  .help = "as of dwell: causes=FILE for rules of your own" },
};
static const struct optable options = {
	.command = "latency stuck", .synopsis = "latency stuck [options]", .rows = rows, .n = ARRAY_SIZE(rows)
};

static int stuck_main(int argc, char **argv)
{
	struct stuck_run r = { .print = { .over_ns = DEFAULT_OVER_NS, .columns = latency_columns() } };
	const struct run_observer show = { .ctx = &r, .open = on_open, .row = on_row, .finish = on_finish };
	struct stuck_print *p = &r.print;
	int e;

	cmd_begin(&r.request);
	e = cmd_options(&options, &r, argc, argv);
	p->all |= p->pid || p->comm || p->container || p->cgroup; /* who asks for somebody wants to see him */
	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	if (e == 0) {
		if (p->json)
			request_option(&r.request, "oformat", "json");
		/* All threads: those that are not shown may have what others wait for. */
		request_param(&r.request, "every", "1");
		request_param(&r.request, "raw", "1");
		request_shipped(&r.request, "latency/stuck");
		e = cmd_request(&r.request, &show);
	} else {
		request_done(&r.request);
	}
	stuck_free(r.threads);
	return e < 0 ? EXIT_OK : e;
}

const struct latency_command latency_stuck = { "stuck", "who is blocked right now, since when, on what, held by whom",
					       stuck_main };
