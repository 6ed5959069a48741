/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell fleet`: daemons of many machines publish to NATS, and ClickHouse stores what they publish. */
#include "cmd/fleet.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/caught.h"
#include "cmd/cmd.h"
#include "engine/why.h"
#include "fleet/run/hostopts.h"
#include "fleet/wire/tables.h"

bool fleet_stop(void *unused)
{
	(void)unused;
	return caught;
}

/* -- addresses -- */

int fleet_bus(struct bus_options *o)
{
	if (!o->url)
		o->url = getenv("DWELL_FLEET");
	if (o->url && *o->url)
		return 0;
	return cmd_wrong("fleet: --fleet nats://HOST:PORT is missing (or DWELL_FLEET in the environment)");
}

int fleet_store(struct click_options *o)
{
	if (!o->url)
		o->url = getenv("DWELL_FLEET_STORE");
	if (o->url && *o->url)
		return 0;
	return cmd_wrong("fleet: --store http://HOST:PORT is missing (or DWELL_FLEET_STORE in the environment)");
}

/* -- host -- */

static const struct optable host_options = {
	.command = "fleet host",
	.synopsis = "fleet host [options]",
	.notes =
		"Sends what `dwell latency --daemon` records on this machine. Data that cannot be sent waits in the recordings.",
	.rows = hostopts_rows,
	.n = HOSTOPTS_NROWS,
};

/* Reads the options; nothing else is expected. store: NULL, it has none. */
static int read_options(const struct optable *t, void *command, int argc, char **argv, struct bus_options *bus,
			struct click_options *store)
{
	int e = cmd_options(t, command, argc, argv);

	if (e == 0 && optind < argc)
		e = cmd_words(t, argv[optind], NULL);
	if (e == 0)
		e = fleet_bus(bus);
	return e == 0 && store ? fleet_store(store) : e;
}

static int run_host(int argc, char **argv)
{
	struct hostopts h = {
		.o = { .state = HOSTOPTS_STATE, .tenant = "default", .site = "default", .stop = fleet_stop }
	};
	struct publish_sums s = { 0 };
	struct dopts opts = { 0 };
	struct why why = { 0 };
	struct causes *causes = NULL;
	struct arena *arena;
	struct err err = { 0 };
	pid_t programs = 0;
	int e = read_options(&host_options, &h, argc, argv, &h.o.bus, NULL);

	if (e)
		return e;
	caught_begin();
	arena = arena_new(SIZE_MAX);
	dopts_init(&opts, arena);
	e = hostopts_start(&h, &cmd_listener, &programs, &err);
	if (e == 0)
		e = why_open(&why, &opts, &cmd_listener, &err);
	if (e == 0)
		e = why_read(&why, &causes, &err);
	h.o.causes = causes;
	if (e == 0)
		e = publish_run(&h.o, &cmd_listener, &s, &err);
	e = e < 0 ? cmd_fail("%s", err.msg) : 0;
	runhost_end(programs);
	why_done(&why);
	arena_free(arena);
	if (e)
		return e;
	cmd_msg("sent %" PRIu64 " histograms and %" PRIu64 " slow events in %" PRIu64 " messages of %" PRIu64
		" bytes together",
		s.histograms, s.slow, s.messages, s.bytes);
	if (s.gaps)
		cmd_msg("%" PRIu64 " gaps: recordings went before they were sent", s.gaps);
	return EXIT_OK;
}

/* -- collect, init -- */

static const struct optable collect_options = {
	.command = "fleet collect",
	.synopsis = "fleet collect [options]",
	.notes =
		"Takes what hosts send from NATS to ClickHouse. As many may run as are needed; each may be killed at any time.",
	.rows = collectopts_rows,
	.n = COLLECTOPTS_NROWS,
};

static int run_collect(int argc, char **argv)
{
	struct collectopts c = { .o = { .store.database = TABLES_DATABASE, .stop = fleet_stop } };
	struct collect_sums s = { 0 };
	struct err err = { 0 };
	int e = read_options(&collect_options, &c, argc, argv, &c.o.bus, &c.o.store);

	if (e)
		return e;
	caught_begin();
	if (collect_run(&c.o, &cmd_listener, &s, &err) < 0)
		return cmd_fail("%s", err.msg);
	cmd_msg("stored %" PRIu64 " rows of %" PRIu64 " messages in %" PRIu64 " blocks; %" PRIu64
		" messages could not be read",
		s.rows, s.messages, s.blocks, s.refused);
	return EXIT_OK;
}

static const struct optable init_options = {
	.command = "fleet init",
	.synopsis = "fleet init [options]",
	.notes = "Makes the stream in NATS and the tables in ClickHouse. Existing ones stay.",
	.rows = initopts_rows,
	.n = INITOPTS_NROWS,
};

static int run_init(int argc, char **argv)
{
	struct collectopts c = { .o.store.database = TABLES_DATABASE, .replicas = 1, .again_ns = BUS_AGAIN_NS };
	struct err err = { 0 };
	struct bus *bus = NULL;
	int e = read_options(&init_options, &c, argc, argv, &c.o.bus, &c.o.store);

	if (e)
		return e;
	e = bus_connect(&c.o.bus, &bus, &err);
	if (e == 0)
		e = bus_init(bus, c.o.tenant, c.replicas, c.again_ns, &err);
	if (e == 0)
		e = tables_init(&c.o.store, &err);
	bus_close(bus);
	return e < 0 ? cmd_fail("%s", err.msg) : EXIT_OK;
}

/* -- dwell fleet -- */

static const struct command fleet_host = { "host", "sends what this machine's daemon records", run_host,
					   .options = &host_options },
			    fleet_collect = { "collect", "takes it from NATS to ClickHouse", run_collect,
					      .options = &collect_options },
			    fleet_init = { "init", "makes stream and tables", run_init, .options = &init_options };
static const struct command *const parts[] = { &fleet_host,
					       &fleet_collect,
					       &fleet_init,
					       &fleet_hosts,
					       &fleet_latency,
					       &fleet_why,
					       &fleet_flame,
					       &fleet_heat,
					       &fleet_hist,
					       &fleet_outliers,
					       &fleet_top,
					       &fleet_diff,
					       &fleet_program,
					       &fleet_programs,
					       &fleet_changes,
					       &fleet_key,
					       &fleet_access,
					       &fleet_watch,
					       &fleet_serve,
					       &fleet_query,
					       &fleet_simulate,
					       &fleet_demo,
					       NULL };

static void usage(const struct command *self, FILE *out)
{
	fprintf(out, "Usage: %s fleet COMMAND [options]\n\n", cmd_name());
	cmd_list_parts(self, out);
	fprintf(out, "\n'%s fleet COMMAND --help' shows its options; man dwell-fleet has the rest.\n", cmd_name());
}

static int fleet(int argc, char **argv)
{
	if (argc < 2)
		return usage(&cmd_fleet, stderr), EXIT_USAGE;
	if (cmd_wants_help(argc, argv))
		return usage(&cmd_fleet, stdout), EXIT_OK;
	return cmd_wrong("there is no command 'fleet %s'; 'dwell fleet --help' shows what there is", argv[1]);
}

const struct command cmd_fleet = { "fleet", "many machines: their daemons, one store, one picture", fleet,
				   .usage = usage, .parts = parts };
