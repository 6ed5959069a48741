/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell fleet simulate`, `dwell fleet demo`: a fleet to try. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/caught.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "engine/why.h"
#include "fleet/demo/run.h"
#include "fleet/demo/sim.h"

#define DEMO_HOSTS 20u

/* -- simulate -- */

static const struct optable simulate_options = {
	.command = "fleet simulate",
	.synopsis = "fleet simulate [options] RECORDING|FOLDER",
	.notes = "Sends the seconds of a recording of trackers again and again, as if many hosts had them.",
	.rows = sim_rows,
	.n = SIM_NROWS,
};

static int run_simulate(int argc, char **argv)
{
	struct sim_options o = { .tenant = "default", .site = "default", .hosts = DEMO_HOSTS, .stop = fleet_stop };
	struct why_rules rules = { 0 };
	struct err err = { 0 };
	int e = cmd_options(&simulate_options, &o, argc, argv);

	if (e == 0 && optind + 1 != argc)
		e = cmd_words(&simulate_options, optind < argc ? argv[optind + 1] : NULL,
			      "a recording, or a daemon's folder");
	if (e == 0)
		e = fleet_bus(&o.bus);
	if (e)
		return e;
	o.recording = argv[optind];
	caught_begin();
	e = why_rules_open(&rules, NULL, &cmd_listener, &err);
	if (e == 0)
		e = why_read(&rules.why, &o.causes, &err);
	if (e == 0)
		e = sim_run(&o, &cmd_listener, &err);
	why_rules_done(&rules);
	return e < 0 ? cmd_fail("%s", err.msg) : EXIT_OK;
}

/* -- demo -- */

static const struct optable demo_options = {
	.command = "fleet demo",
	.synopsis = "fleet demo [options] [RECORDING]",
	.notes =
		"A fleet on this machine: NATS and ClickHouse on loopback, simulated hosts with three faults, this machine, and\n"
		"the page. As root this machine is recorded; RECORDING is sent by the simulated hosts instead. Nothing stays.",
	.rows = demorun_rows,
	.n = DEMORUN_NROWS,
};

static int run_demo(int argc, char **argv)
{
	struct demo_run c = { .d.stop = fleet_stop, .hosts = DEMO_HOSTS, .to = &cmd_listener };
	struct err err = { 0 };
	int e = cmd_options(&demo_options, &c, argc, argv);

	if (e == 0 && optind + 1 < argc)
		e = cmd_words(&demo_options, argv[optind + 1], NULL);
	if (e)
		return e;
	c.recording = argv[optind];
	if (c.recording && access(c.recording, R_OK) < 0)
		return cmd_fail("%s: %s", c.recording, strerror(errno));
	if (!c.recording && geteuid() != 0)
		return cmd_fail("fleet demo records this machine, which takes root; or name a recording of "
				"`dwell latency --record`, which simulated hosts then send");
	caught_begin();
	e = demo_begin(&c.d, &err);
	if (e == 0)
		e = demorun_parts(&c, stdout, &err);
	demo_end(&c.d);
	return e < 0 && e != -EINTR ? cmd_fail("%s", err.msg) : EXIT_OK;
}

const struct command fleet_simulate = { "simulate", "sends a recording as if many hosts had it", run_simulate,
					.options = &simulate_options };

const struct command fleet_demo = { "demo", "a fleet on this machine, to try it", run_demo, .options = &demo_options };
