/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell -n …`, `dtrace …`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmdline/opts.h"
#include "usdt/usdtfile.h"
#include "engine/run/run.h"

int cmd_request(struct request *c, const struct run_observer *show)
{
	int e = request_run(c, show);

	request_done(c);
	return cmd_written_after(e);
}

int cmd_parse(struct request *c, int argc, char **argv)
{
	struct err err = { 0 };
	int e = cmdline_parse(c, argc, argv, &err);

	if (e != CMDLINE_DONE)
		return cmd_err(e, &err);
	if (c->help)
		e = params_help(c, stdout);
	else if (c->version)
		printf("%s: dwell %s, D 2.0\n", cmd_name(), DWELL_VERSION); /* scripts take the last word */
	return c->help && e ? e : -1;
}

int cmd_dtrace_run(struct request *c, int argc, char **argv)
{
	int e = cmd_parse(c, argc, argv);

	if (e == 0)
		e = c->header || c->link ? usdtfile(c) : request_run(c, NULL);
	request_done(c);
	return e < 0 ? EXIT_OK : cmd_written_after(e);
}

int cmd_dtrace(int argc, char **argv)
{
	struct request c;

	cmd_begin(&c);
	return cmd_dtrace_run(&c, argc, argv);
}
