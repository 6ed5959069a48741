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
	int status, e = request_run(c, show, &status);

	request_done(c);
	return cmd_ran(e, status);
}

void cmd_version(void)
{
	printf("%s: dwell %s, D 2.0\n", cmd_name(), DWELL_VERSION); /* scripts take the last word */
}

int cmd_parse(struct request *c, int argc, char **argv)
{
	struct err err = { 0 };
	int e = cmdline_parse(c, argc, argv, &err);

	if (e != CMDLINE_DONE)
		return cmd_err(e, &err);
	if (c->help && params_help(c, stdout) < 0)
		return EXIT_ERROR;
	if (!c->help && c->version)
		cmd_version();
	return -1;
}

int cmd_dtrace_run(struct request *c, int argc, char **argv)
{
	int e = cmd_parse(c, argc, argv);

	if (e == 0 && !c->header && !c->link)
		return cmd_request(c, NULL);
	if (e == 0)
		e = cmd_ran(usdtfile(c), 0);
	request_done(c);
	return e < 0 ? EXIT_OK : e;
}

int cmd_dtrace(int argc, char **argv)
{
	struct request c;

	cmd_begin(&c);
	return cmd_dtrace_run(&c, argc, argv);
}
