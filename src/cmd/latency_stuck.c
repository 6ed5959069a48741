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
#include "cmd/optable.h"
#include "cmd/run.h"
#include "cmd/stuckprint.h"

#define DEFAULT_OVER_NS 100000000ull
#define CGROUP_ROOT "/sys/fs/cgroup"
#define MAX_PID (1u << 22) /* PID_MAX_LIMIT */

struct stuck_run {
	struct stuck_print print;
	struct stuck *threads;
	const struct rec_schema *schema;
};

enum { OPT_OVER = 256, OPT_COMM, OPT_CGROUP, OPT_CONTAINER, OPT_ALL, OPT_JSON, OPT_HELP };

static const struct option longs[] = {
	{ "over", required_argument, NULL, OPT_OVER },	   { "comm", required_argument, NULL, OPT_COMM },
	{ "cgroup", required_argument, NULL, OPT_CGROUP }, { "container", required_argument, NULL, OPT_CONTAINER },
	{ "all", no_argument, NULL, OPT_ALL },		   { "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, OPT_HELP },	   { NULL, 0, NULL, 0 },
};

static int usage(FILE *out)
{
	fprintf(out,
		"Usage: %s latency stuck [options]\n\n"
		"\t-p PID            this process only; and its threads that only sleep, too\n"
		"\t--comm NAME       threads and processes of this name, likewise\n"
		"\t--cgroup PATH     those of this cgroup (version 2), likewise; or its number\n"
		"\t--container ID    those of this container, likewise; or the beginning of its id\n"
		"\t--over TIME       those that have not run for this long (100ms)\n"
		"\t--all             threads that only sleep, too\n"
		"\t--json            JSON Lines\n"
		"\t-x OPTION[=VALUE] as of dwell: causes=FILE for rules of your own\n", cmd_name());
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

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
static int take_cgroup(const char *arg, uint64_t *ret)
{
	char path[4096];
	struct stat st;

	if (num_parse_u64(arg, ret) == 0 && *ret)
		return 0;
	snprintf(path, sizeof(path), "%s%s%s", strncmp(arg, CGROUP_ROOT, strlen(CGROUP_ROOT)) ? CGROUP_ROOT : "",
		 arg[0] == '/' ? "" : "/", arg);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		cmd_msg("--cgroup: there is no cgroup '%s' (%s)", arg, path);
		return EXIT_USAGE;
	}
	*ret = st.st_ino;
	return 0;
}

/* 0; EXIT_* > 0 after a message; < 0: done. */
static int take_option(struct latency_args *a, struct stuck_print *p, int c, const char *arg)
{
	uint64_t n = 0;
	int e = 0;

	switch (c) {
	case 'p':
		e = latency_number("-p", arg, MAX_PID, &n);
		p->pid = (uint32_t)n;
		break;
	case 'x':
		latency_args_add2(a, "-x", arg);
		return 0;
	case OPT_OVER:
		return optable_time("over", arg, 1, &p->over_ns);
	case OPT_COMM:
		p->comm = arg;
		break;
	case OPT_CONTAINER:
		p->container = arg;
		break;
	case OPT_CGROUP:
		e = take_cgroup(arg, &p->cgroup);
		break;
	case OPT_ALL:
		break;
	case OPT_JSON:
		p->json = true;
		latency_args_add(a, "--json");
		return 0;
	case OPT_HELP:
		usage(stdout);
		return -1;
	default:
		return usage(stderr);
	}
	p->all = true; /* who asks for somebody wants to see him */
	return e;
}

static int stuck_main(int argc, char **argv)
{
	struct stuck_run r = { .print = { .over_ns = DEFAULT_OVER_NS, .columns = latency_columns() } };
	const struct run_show show = { .ctx = &r, .open = on_open, .row = on_row, .finish = on_finish };
	struct latency_args a;
	int c, e = 0;

	latency_args_init(&a);
	while (e == 0 && (c = getopt_long(argc, argv, "p:x:", longs, NULL)) != -1)
		e = take_option(&a, &r.print, c, optarg);
	if (e == 0 && optind < argc) {
		cmd_msg("latency stuck: '%s' is not expected", argv[optind]);
		e = usage(stderr);
	}
	if (e == 0) {
		/* All threads: those that are not shown may have what others wait for. */
		latency_args_add2(&a, "--every", "1");
		latency_args_add2(&a, "--raw", "1");
		latency_args_program(&a, "stuck");
		optind = 1;
		e = run_and_show((int)a.v.n - 1, a.v.v, &show);
	}
	stuck_free(r.threads);
	latency_args_done(&a);
	return e < 0 ? EXIT_OK : e;
}

const struct latency_command latency_stuck = { "stuck", "who is blocked right now, since when, on what, held by whom",
					       stuck_main };
