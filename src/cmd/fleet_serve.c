/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell fleet serve`: the fleet's page. Two processes as of `dwell serve`; a child asks the store for each question.
 */
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "fleet/ask/line.h"
#include "fleet/ask/page.h"
#include "fleet/wire/tables.h"
#include "launcher/entrance.h"
#include "launcher/page.h"
#include "launcher/pair.h"

struct serve_cmd {
	struct click_options store;
	const char *tenant, *port, *unix_path;
};

static const struct optrow serve_rows[] = {
	FLEET_STORE_ROWS(struct serve_cmd, store),
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct serve_cmd, tenant),
	  .arg = "NAME",
	  .help = "(default)" },
	{ .name = "port",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct serve_cmd, port),
	  .arg = "NUMBER",
	  .help = "TCP port on 127.0.0.1 (any that is free)" },
	{ .name = "unix",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct serve_cmd, unix_path),
	  .arg = "PATH",
	  .help = "a unix socket instead, for nobody but this user" },
};
static const struct optable serve_options = {
	.command = "fleet serve",
	.synopsis = "fleet serve [options]",
	.notes = "The fleet in a browser. Prints an address with a token; everybody who has it may look.",
	.rows = serve_rows,
	.n = ARRAY_SIZE(serve_rows),
};

static int serve_page(const struct serve_cmd *o, struct arena *a)
{
	struct entrance n = { .unix_path = o->unix_path };
	struct serve_config c = { .fleet = true, .unprivileged = "this is a fleet's page" };
	char *const *line = NULL;
	struct err err = { 0 };
	int e;

	if (o->port && (num_parse_u64(o->port, &n.port) < 0 || n.port > UINT16_MAX))
		return cmd_wrong("fleet serve: --port %s: a number up to %d is wanted", o->port, UINT16_MAX);
	e = askline_make(a, &o->store, o->tenant, &line, &err);
	if (e < 0)
		return cmd_fail("%s", err.msg);
	pair_hold_signals();
	e = entrance_open(&n, a, &c, &cmd_listener);
	if (e < 0)
		return cmd_outcome(e, 0);
	c.nassets = page_assets(a, PAGE_FLEET, &c.assets, &cmd_listener);
	entrance_tell(&n, stdout);
	e = cmd_outcome(pair_run(&c, line, NULL, cmd_name(), &cmd_listener), 0);
	entrance_close(&n);
	return e;
}

static int run_serve(int argc, char **argv)
{
	struct serve_cmd o = { .store.database = TABLES_DATABASE, .tenant = "default" };
	struct arena *a;
	int e = cmd_options(&serve_options, &o, argc, argv);

	if (e == 0 && optind < argc)
		e = cmd_words(&serve_options, argv[optind], NULL);
	if (e == 0)
		e = fleet_store(&o.store);
	if (e)
		return e;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	e = serve_page(&o, a);
	arena_free(a);
	return e;
}

/* -- a question of the page -- */

static const struct optrow query_rows[] = {
	FLEET_STORE_ROWS(struct askpage, show.store),
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct askpage, show.what.tenant),
	  .arg = "NAME",
	  .help = "(default)" },
};
static const struct optable query_options = {
	.command = "fleet query",
	.synopsis = "fleet query [options] TEXT",
	.rows = query_rows,
	.n = ARRAY_SIZE(query_rows),
};

static int run_query(int argc, char **argv)
{
	struct askpage p = { 0 };
	struct click *c = NULL;
	struct err err = { 0 };
	int e;

	askshow_init(&p.show);
	e = cmd_options(&query_options, &p, argc, argv);
	if (e == 0 && optind + 1 != argc)
		e = cmd_words(&query_options, NULL, "a question: `dwell fleet serve` asks it");
	if (e == 0)
		e = fleet_store(&p.show.store);
	if (e)
		return e;
	e = askpage_read(&p, argv[optind], &err);
	if (e == 0)
		e = click_open(&p.show.store, &c, &err);
	if (e == 0)
		e = tables_check(c, &err);
	if (e == 0)
		e = askpage_answer(&p, c, &err);
	click_close(c);
	return cmd_ended(e, &err);
}

const struct command fleet_serve = { "serve", "the page: the fleet in a browser", run_serve,
				     .options = &serve_options };

const struct command fleet_query = { "query", NULL, run_query, .options = &query_options };
