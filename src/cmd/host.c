/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell --host ssh:NAME … -n …`: traces on other machines and shows the results here. */
#include <string.h>
#include "cmd/cmd.h"
#include "cmdline/opts.h"
#include "cmd/words.h"
#include "engine/textopts.h"
#include "hosts/hostline.h"

static int run(struct fleet_opts *o, const struct request *c)
{
	struct fleet_result result;
	int e;

	if (c->header || c->link)
		return cmd_wrong("-h and -G write files and trace nothing: they need no --host");
	if (o->separate && !c->output)
		return cmd_wrong("--separate gives each host an output of its own: -o FILE names it");
	o->output = c->output;
	o->record = c->opts.record[0] ? c->opts.record : NULL;
	o->json = !strcmp(c->opts.oformat, "json");
	textopts_fill(&o->text, &c->opts);
	e = fleet_run(o, &cmd_listener, &result);
	if (result.lost && result.status < EXIT_ERROR)
		return EXIT_ERROR;
	return result.status ? result.status : cmd_outcome(e, 0);
}

bool cmd_is_host(int argc, char **argv)
{
	return argc > 1 && hostline_is(argv[1]);
}

int cmd_host(int argc, char **argv)
{
	struct fleet_opts o = { .patience = FLEET_PATIENCE_NS };
	struct err err = { 0 };
	struct request c;
	int at, e = cmd_err(hostline_read(argc, argv, &o, &at, &err), &err);

	if (e)
		return e;
	if (!o.nplaces)
		return cmd_usage("no host is given: --host ssh:NAME");
	if (at < argc && (cmd_find(argv[at]) || cmd_is_tool(argv[at])))
		return cmd_wrong("--host runs programs of D there (-n, -s FILE.d), not '%s'", argv[at]);
	argv[--at] = argv[0];
	o.request.words = argv + at;
	o.request.nwords = (size_t)(argc - at);
	cmd_begin(&c);
	e = cmd_parse(&c, argc - at, argv + at);
	if (e == 0)
		e = cmd_outcome(hostline_texts(&c, &o.request), 0);
	if (e == 0)
		e = run(&o, &c);
	request_done(&c);
	return e < 0 ? EXIT_OK : e;
}
