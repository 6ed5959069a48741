/* SPDX-License-Identifier: Apache-2.0 */
/* Compares counters of the kernel from before and after a run: what was used, and what failed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "latency/check/int.h"

const struct check_counter *check_find_counter(const struct check *c, const char *name)
{
	for (size_t i = 0; i < c->counters.n; i++)
		if (!strcmp(c->counters.v[i].name, name))
			return &c->counters.v[i];
	return NULL;
}

double check_counter(const struct check *c, const char *name)
{
	const struct check_counter *x = check_find_counter(c, name);

	return x && x->ended && x->last > x->first ? x->last - x->first : 0;
}

static int add_first(struct check *c, const char *name, double value)
{
	struct check_counter x = { .name = strdup(name), .first = value, .last = value };

	if (x.name && c->counters.n < CHECK_MAX_COUNTERS && vec_try_push(&c->counters, x) == 0)
		return 0;
	free(x.name);
	return c->counters.n < CHECK_MAX_COUNTERS ? -ENOMEM : 0;
}

static bool set_last(struct check *c, const char *name, double value)
{
	for (size_t i = 0; i < c->counters.n; i++)
		if (!strcmp(c->counters.v[i].name, name)) {
			c->counters.v[i].last = value;
			c->counters.v[i].ended = true;
			return true;
		}
	return false;
}

/* A control group that came after the beginning began with 0. */
static int add_last(struct check *c, const char *name, double value)
{
	int e = 0;

	if (!set_last(c, name, value) && !strncmp(name, "refaults.", strlen("refaults."))) {
		e = add_first(c, name, 0);
		set_last(c, name, value);
	}
	return e;
}

int check_counters(struct check *c, uint64_t ts, const char *text, size_t len)
{
	_cleanup_free_ char *copy = strndup(text, len);
	char *rest = copy;
	bool first = !c->begun;
	int e = copy ? 0 : -ENOMEM;

	for (char *line; e == 0 && (line = strsep(&rest, "\n"));) {
		char *space = strchr(line, ' ');

		if (!space)
			continue;
		*space = '\0';
		if (first)
			e = add_first(c, line, strtod(space + 1, NULL));
		else
			e = add_last(c, line, strtod(space + 1, NULL));
	}
	if (first)
		c->begun = ts;
	else
		c->ended = ts;
	return e;
}

double check_seconds(const struct check *c)
{
	uint64_t ns = c->begun && c->ended > c->begun ? c->ended - c->begun : c->took;

	return ns ? (double)ns / NSEC_PER_SEC : 1;
}

double check_busy(const struct check *c, int cpu)
{
	char busy[32], idle[32];
	double b, i;

	snprintf(busy, sizeof(busy), cpu < 0 ? "cpu.busy" : "cpu%d.busy", cpu);
	snprintf(idle, sizeof(idle), cpu < 0 ? "cpu.idle" : "cpu%d.idle", cpu);
	if (!check_find_counter(c, busy) || !check_find_counter(c, busy)->ended)
		return -1;
	b = check_counter(c, busy);
	i = check_counter(c, idle);
	return b + i > 0 ? b / (b + i) : 0;
}

static struct check_used *use(struct check_report *r, enum check_area area, const char *name)
{
	struct check_used *u = &r->used[r->nused < CHECK_MAX_USED ? r->nused++ : CHECK_MAX_USED - 1];

	u->area = area;
	snprintf(u->name, sizeof(u->name), "%s", name);
	return u;
}

static void use_pressure(const struct check *c, struct check_report *r, enum check_area area, const char *what)
{
	char name[48];

	snprintf(name, sizeof(name), "psi.%s.some", what);
	if (!check_find_counter(c, name) || !check_find_counter(c, name)->ended)
		return;
	snprintf(use(r, area, "pressure")->text, sizeof(r->used[0].text), "somebody waits %.1f %% of the time (PSI)",
		 check_counter(c, name) / 1e4 / check_seconds(c));
}

/* Notes how busy each disk is, and how much it moved. */
static void use_disks(const struct check *c, struct check_report *r)
{
	for (size_t i = 0; i < c->counters.n; i++) {
		const char *name = c->counters.v[i].name, *dot = strrchr(name, '.');
		char bytes[64];

		if (strncmp(name, "disk.", 5) != 0 || strcmp(dot, ".busy_ms") != 0 || check_counter(c, name) <= 0)
			continue;
		snprintf(bytes, sizeof(bytes), "%.*s.sectors", (int)(dot - name), name);
		snprintf(use(r, CHECK_DISK, "")->text, sizeof(r->used[0].text), "busy %.0f %% of the time, %.1f MB/s",
			 check_counter(c, name) / 10 / check_seconds(c),
			 check_counter(c, bytes) * 512 / 1e6 / check_seconds(c));
		snprintf(r->used[r->nused - 1].name, sizeof(r->used[0].name), "%.*s", (int)(dot - name - 5), name + 5);
	}
}

static void use_rate(const struct check *c, struct check_report *r, enum check_area area, const char *counter,
		     const char *name, const char *unit, double scale)
{
	if (check_find_counter(c, counter) && check_find_counter(c, counter)->ended)
		snprintf(use(r, area, name)->text, sizeof(r->used[0].text), "%.*f %s", scale < 1 ? 1 : 0,
			 check_counter(c, counter) * scale / check_seconds(c), unit);
}

void check_fill_used(const struct check *c, struct check_report *r)
{
	const struct check_counter *total = check_find_counter(c, "mem.MemTotal"),
				   *left = check_find_counter(c, "mem.MemAvailable");

	if (check_busy(c, -1) >= 0)
		snprintf(use(r, CHECK_CPU, "CPUs")->text, sizeof(r->used[0].text), "%.0f %% busy (%u CPUs)",
			 100 * check_busy(c, -1), c->ncpus);
	use_rate(c, r, CHECK_CPU, "cpu.steal", "stolen", "ms/s (by the hypervisor)", 10);
	use_rate(c, r, CHECK_CPU, "stat.ctxt", "switches", "/s", 1);
	use_pressure(c, r, CHECK_CPU, "cpu");
	if (total && left && total->last > 0)
		snprintf(use(r, CHECK_MEMORY, "memory")->text, sizeof(r->used[0].text), "%.0f %% of %.1f GB in use",
			 100 - 100 * left->last / total->last, total->last / 1e6);
	use_rate(c, r, CHECK_MEMORY, "vm.pswpin", "swap in", "pages/s", 1);
	use_rate(c, r, CHECK_MEMORY, "vm.pgfault", "page faults", "/s", 1);
	use_pressure(c, r, CHECK_MEMORY, "memory");
	use_disks(c, r);
	use_pressure(c, r, CHECK_DISK, "io");
	use_rate(c, r, CHECK_NET, "if.rx_bytes", "received", "MB/s", 1e-6);
	use_rate(c, r, CHECK_NET, "if.tx_bytes", "sent", "MB/s", 1e-6);
	use_rate(c, r, CHECK_NET, "net.Tcp.OutSegs", "TCP segments", "/s", 1);
	use_rate(c, r, CHECK_PROCESS, "stat.processes", "new", "processes and threads/s", 1);
}
