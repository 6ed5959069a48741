/* SPDX-License-Identifier: Apache-2.0 */
/* Runs dtrace(1)'s command line: `dwell -n …`, `dtrace …`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmdline/opts.h"
#include "usdt/usdtfile.h"
#include "engine/run/run.h"
#include "ps/probestats.h"

int cmd_request(struct request *c, const struct run_observer *show)
{
	int status, e = request_run(c, show, &status);

	request_done(c);
	return cmd_ran(e, status);
}

void cmd_version(void)
{
	printf("%s: dwell %s, D 2.0\n", cmd_name(), DWELL_VERSION); /* scripts take the last word */
}

/* One script, which is a tool of dwell's and no file of this name here. */
static bool is_shipped(const struct request *c)
{
	const struct prog_text *p = c->progs.v;

	return !c->as_dtrace && c->progs.n == 1 && p->kind == PROG_SCRIPT && access(p->arg, F_OK) < 0 &&
	       cmd_is_tool(p->arg);
}

int cmd_parse(struct request *c, int argc, char **argv)
{
	struct err err = { 0 };
	int e = cmdline_parse(c, argc, argv, &err);

	if (e != CMDLINE_DONE)
		return cmd_err(e, &err);
	if (c->help && is_shipped(c) && cmd_show_tool(c->progs.v[0].arg) == 0)
		return -1;
	if (c->help && params_help(c, stdout) < 0)
		return EXIT_ERROR;
	if (!c->help && c->version)
		cmd_version();
	return -1;
}

static void say_line(void *unused, const char *text)
{
	(void)unused;
	cmd_msg("%s", text);
}

/* -l --stats */
static int stats(struct request *c)
{
	struct probestats s = { .json = !strcmp(c->opts.oformat, "json"),
				.pids = c->pids.v,
				.npids = c->pids.n,
				.words = c->argc > 0 ? c->argv + 1 : NULL,
				.nwords = c->argc > 0 ? (size_t)c->argc - 1 : 0,
				.ns = c->stats_ns ? c->stats_ns : PROBESTATS_NS,
				.a = c->arena,
				.out = stdout,
				.msg = say_line };
	int r = probestats_show(&s);

	return r == -ESRCH ? EXIT_ERROR : r < 0 ? cmd_fail("--stats: %s", strerror(-r)) : EXIT_OK;
}

int cmd_dtrace_run(struct request *c, int argc, char **argv)
{
	int e = cmd_parse(c, argc, argv);

	if (e == 0 && !c->stats && !c->header && !c->link)
		return cmd_request(c, NULL);
	if (e == 0)
		e = c->stats ? stats(c) : cmd_ran(usdtfile(c), 0);
	request_done(c);
	return e < 0 ? EXIT_OK : e;
}

int cmd_dtrace(int argc, char **argv)
{
	struct request c;

	cmd_begin(&c);
	return cmd_dtrace_run(&c, argc, argv);
}
