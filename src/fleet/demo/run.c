/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the parts of `dwell fleet demo` in order, tells where they are, and waits for the end. */
#include "fleet/demo/run.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "fleet/demo/sim.h"

const struct optrow demorun_rows[DEMORUN_NROWS] = {
	{ .name = "count",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct demo_run, hosts),
	  .arg = "N",
	  .help = "simulated hosts (20)",
	  .value = SIM_HOSTS_MAX },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct demo_run, for_ns),
	  .arg = "TIME",
	  .help = "end after this; else by Ctrl-C",
	  .value = 1 },
};

#define SELF "/proc/self/exe"

/* A part that is dwell itself: words end with NULL. */
static int start_own(struct demo *d, const char *name, const char *const *words, int out, struct err *err)
{
	char *argv[DEMO_ARGS_MAX + 2] = { (char[]){ SELF } };

	for (size_t i = 0; words[i] && i < DEMO_ARGS_MAX; i++)
		argv[i + 1] = (char *)(uintptr_t)words[i];
	return demo_start(d, name, argv, out, err);
}

static int start_real(struct demo_run *c, const char *state, struct err *err)
{
	const char *const daemon[] = { "latency", "--daemon", "--state", state, NULL };
	const char *const host[] = { "fleet", "host",	 "--fleet",   c->d.bus, "--state",
				     state,   "--label", "role=real", NULL };
	int e = start_own(&c->d, "daemon", daemon, -1, err);

	return e ? e : start_own(&c->d, "host", host, -1, err);
}

static int start_simulated(struct demo_run *c, const char *state, struct err *err)
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
		listener_msg(c->to, "recording this machine for %u seconds", DEMO_RECORD_S);
		e = demo_watch(&c->d, DEMO_RECORD_S, err);
	}
	return e || c->d.stop(c->d.ctx) ? e : start_own(&c->d, "simulate", argv, -1, err);
}

/* Its address comes through a pipe, since it has the token. */
static int start_page(struct demo_run *c, struct err *err)
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

static void tell(const struct demo_run *c, FILE *out)
{
	char name[32];

	fprintf(out, "%s", c->page);
	fprintf(out, "export DWELL_FLEET=%s DWELL_FLEET_STORE=%s\n", c->d.bus, c->d.store);
	for (size_t i = 0; i < SIM_NFAULTS; i++) {
		sim_name(sim_faults[i].host, name);
		if (sim_faults[i].host < c->hosts)
			fprintf(out, "planted: %s, %s %g times as slow%s%s\n", name, sim_faults[i].series,
				sim_faults[i].factor, *sim_faults[i].key ? ", disk " : "", sim_faults[i].key);
	}
	fflush(out);
}

int demorun_parts(struct demo_run *c, FILE *out, struct err *err)
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
		tell(c, out);
		e = demo_watch(&c->d, (unsigned)((c->for_ns + 999999999) / 1000000000), err);
	}
	return e;
}
