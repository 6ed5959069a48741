/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell fleet simulate`, `dwell fleet demo`: a fleet to try. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/caught.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "engine/why.h"
#include "fleet/demo.h"
#include "fleet/sim.h"

#define DEMO_HOSTS 20u
#define SELF "/proc/self/exe"

/* -- simulate -- */

static const struct optrow simulate_rows[] = {
	FLEET_BUS_ROWS(struct sim_options, bus),
	{ .name = "count",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct sim_options, hosts),
	  .arg = "N",
	  .help = "hosts (20)",
	  .value = SIM_HOSTS_MAX },
	{ .name = "faults",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct sim_options, faults),
	  .arg = "N",
	  .help = "so many hosts get a slow disk, lock or CPU (0)",
	  .value = SIM_NFAULTS },
	{ .name = "back",
	  .kind = OPT_TIME,
	  .at = offsetof(struct sim_options, back_ns),
	  .arg = "TIME",
	  .help = "send so much of the past first (0)" },
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct sim_options, tenant),
	  .arg = "NAME",
	  .help = "(default)" },
	{ .name = "site",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct sim_options, site),
	  .arg = "NAME",
	  .help = "(default)" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct sim_options, for_ns),
	  .arg = "TIME",
	  .help = "end after this",
	  .value = 1 },
};
static const struct optable simulate_options = {
	.command = "fleet simulate",
	.synopsis = "fleet simulate [options] RECORDING|FOLDER",
	.notes = "Sends the seconds of a recording of trackers again and again, as if many hosts had them.",
	.rows = simulate_rows,
	.n = ARRAY_SIZE(simulate_rows),
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

struct demo_cmd {
	struct demo d;
	unsigned hosts;
	uint64_t for_ns;
	char page[200];	       /* a line with its address */
	const char *recording; /* or NULL: this machine's */
};

static const struct optrow demo_rows[] = {
	{ .name = "count",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct demo_cmd, hosts),
	  .arg = "N",
	  .help = "simulated hosts (20)",
	  .value = SIM_HOSTS_MAX },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct demo_cmd, for_ns),
	  .arg = "TIME",
	  .help = "end after this; else by Ctrl-C",
	  .value = 1 },
};
static const struct optable demo_options = {
	.command = "fleet demo",
	.synopsis = "fleet demo [options] [RECORDING]",
	.notes =
		"A fleet on this machine: NATS and ClickHouse on loopback, simulated hosts with three faults, this machine, and\n"
		"the page. As root this machine is recorded; RECORDING is sent by the simulated hosts instead. Nothing stays.",
	.rows = demo_rows,
	.n = ARRAY_SIZE(demo_rows),
};

/* A part that is dwell itself: words end with NULL. */
static int start_own(struct demo *d, const char *name, const char *const *words, int out, struct err *err)
{
	char *argv[DEMO_ARGS_MAX + 2] = { (char[]){ SELF } };

	for (size_t i = 0; words[i] && i < DEMO_ARGS_MAX; i++)
		argv[i + 1] = (char *)(uintptr_t)words[i];
	return demo_start(d, name, argv, out, err);
}

static int start_real(struct demo_cmd *c, const char *state, struct err *err)
{
	const char *const daemon[] = { "latency", "--daemon", "--state", state, NULL };
	const char *const host[] = { "fleet", "host",	 "--fleet",   c->d.bus, "--state",
				     state,   "--label", "role=real", NULL };
	int e = start_own(&c->d, "daemon", daemon, -1, err);

	return e ? e : start_own(&c->d, "host", host, -1, err);
}

static int start_simulated(struct demo_cmd *c, const char *state, struct err *err)
{
	char count[16];
	const char *const words[] = { "fleet",	  "simulate", "--fleet", "",   "--count", count,
				      "--faults", "3",	      "--back",	 "4m", "",	  NULL };
	const char *argv[ARRAY_SIZE(words)];
	int e = 0;

	memcpy(argv, words, sizeof(words));
	argv[3] = c->d.bus;
	argv[10] = c->recording ? c->recording : state;
	snprintf(count, sizeof(count), "%u", c->hosts);
	if (!c->recording) {
		cmd_msg("recording this machine for %u seconds", DEMO_RECORD_S);
		e = demo_watch(&c->d, DEMO_RECORD_S, err);
	}
	return e || c->d.stop(c->d.ctx) ? e : start_own(&c->d, "simulate", argv, -1, err);
}

/* Its address comes through a pipe, since it has the token. */
static int start_page(struct demo_cmd *c, struct err *err)
{
	const char *const words[] = { "fleet", "serve", "--store", c->d.store, NULL };
	int fds[2], e;
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(err, -errno, "%s", strerror(errno));
	e = start_own(&c->d, "serve", words, fds[1], err);
	close(fds[1]);
	n = e == 0 ? read(fds[0], c->page, sizeof(c->page) - 1) : 0;
	close(fds[0]);
	c->page[n > 0 ? n : 0] = '\0';
	return e;
}

static void tell(const struct demo_cmd *c)
{
	char name[32];

	printf("%s", c->page);
	printf("export DWELL_FLEET=%s DWELL_FLEET_STORE=%s\n", c->d.bus, c->d.store);
	for (size_t i = 0; i < SIM_NFAULTS; i++) {
		sim_name(sim_faults[i].host, name);
		if (sim_faults[i].host < c->hosts)
			printf("planted: %s, %s %g times as slow%s%s\n", name, sim_faults[i].series,
			       sim_faults[i].factor, *sim_faults[i].key ? ", disk " : "", sim_faults[i].key);
	}
	fflush(stdout);
}

static int run_parts(struct demo_cmd *c, struct err *err)
{
	char state[sizeof(c->d.folder) + 16];
	const char *const collect[] = { "fleet", "collect", "--fleet", c->d.bus, "--store", c->d.store, NULL };
	int e = demo_engines(&c->d, err);

	snprintf(state, sizeof(state), "%s/state", c->d.folder);
	if (e == 0)
		e = start_own(&c->d, "collect", collect, -1, err);
	if (e == 0 && geteuid() == 0)
		e = start_real(c, state, err);
	if (e == 0)
		e = start_simulated(c, state, err);
	if (e == 0 && !c->d.stop(c->d.ctx))
		e = start_page(c, err);
	if (e == 0 && !c->d.stop(c->d.ctx)) {
		tell(c);
		e = demo_watch(&c->d, (unsigned)((c->for_ns + 999999999) / 1000000000), err);
	}
	return e;
}

static int run_demo(int argc, char **argv)
{
	struct demo_cmd c = { .d.stop = fleet_stop, .hosts = DEMO_HOSTS };
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
		e = run_parts(&c, &err);
	demo_end(&c.d);
	return e < 0 && e != -EINTR ? cmd_fail("%s", err.msg) : EXIT_OK;
}

const struct command fleet_simulate = { "simulate", "sends a recording as if many hosts had it", run_simulate,
					.options = &simulate_options };

const struct command fleet_demo = { "demo", "a fleet on this machine, to try it", run_demo, .options = &demo_options };
