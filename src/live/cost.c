/* SPDX-License-Identifier: Apache-2.0 */
#include "live/cost.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strb.h"
#include "base/units.h"
#include "engine/run/run.h"
#include "latency/cause/trackers.h"

#define FEW 8		 /* one thread in this number, before trackers are left out */
#define MOST 64		 /* and at most */
#define MARGIN (2.0 / 3) /* what follows took 1.2 to 1.4 times what the second said, of a load that varies */

/* The cost of a switch with its wake-up, in ns, PostgreSQL under sysbench (doc/measured.md). A machine that is cold or
 * busy takes several times as much. Only the proportions count here: the cost of a thread that is not looked at, and
 * the additional cost of one that is. */
#define LEFT_NS 172.0
#define LOOKED_NS 228.0
/* The same of `latency why`, in proportion: perf bench sched messaging took 6.4 % of the CPUs with all threads, 4.0
 * with one in 2, 1.2 with one in 8, 0.65 with one in 64. */
#define WHY_LEFT 9.0
#define WHY_LOOKED 91.0
int live_cost_take(void *cost, const struct optrow *o, const char *arg, struct err *err)
{
	struct live_cost *c = cost;
	char *end;

	*c = (struct live_cost){ .why = c->why };
	if (!strncmp(arg, "1/", 2)) {
		unsigned long n = strtoul(arg + 2, &end, 10);

		if (arg[2] < '1' || arg[2] > '9' || *end || n > MOST || (n & (n - 1)))
			return err_set(err, -EINVAL, "--%s: '%s': one thread in 1, 2, 4, 8, 16, 32 or 64", o->name,
				       arg);
		c->one_in = (unsigned)n;
		return 0;
	}
	c->percent = strtod(arg, &end);
	if (arg[0] < '0' || arg[0] > '9' || end == arg || strcmp(end, "%") != 0 || c->percent <= 0 || c->percent > 100)
		return err_set(err, -EINVAL,
			       "--%s is a share of the CPUs such as 1%%, or of the threads such as 1/8; not '%s'",
			       o->name, arg);
	c->one_in = 1;
	return 0;
}

static double ns_of(const struct live_cost *c, unsigned one_in, unsigned dropped, bool default_set)
{
	double ns = c->why ? WHY_LEFT + WHY_LOOKED / one_in : LEFT_NS + LOOKED_NS / one_in;
	const struct tracker_facts *t;

	for (unsigned i = dropped; default_set && (t = trackers_left_out(i)); i++)
		ns += t->cost_ns;
	return ns;
}

double live_cost_plan(struct live_cost *c, double all, bool default_set)
{
	const double each = all / ns_of(c, 1, 0, default_set);
	double takes;

	c->one_in = 1;
	c->dropped = 0;
	while ((takes = each * ns_of(c, c->one_in, c->dropped, default_set)) > c->percent * MARGIN) {
		bool droppable = default_set && trackers_left_out(c->dropped);

		if (c->one_in < FEW || (c->one_in < MOST && !droppable))
			c->one_in *= 2;
		else if (droppable)
			c->dropped++;
		else
			break;
	}
	return takes;
}

bool live_cost_drops(const struct live_cost *c, const char *tracker)
{
	for (unsigned i = 0; i < c->dropped; i++)
		if (!strcmp(tracker, trackers_left_out(i)->name))
			return true;
	return false;
}

/* -- a run of one second that measures what all costs -- */

struct measured {
	uint64_t run_ns; /* of dwell's own programs, on all CPUs together */
	uint64_t begun, ns;
};

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	(void)ctx;
	(void)schema;
	(void)sym;
	(void)why;
	(void)out;
	(void)err;
	return 0;
}

static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct measured *m = ctx;

	(void)s;
	(void)target;
	(void)err;
	m->begun = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct measured *m = ctx;
	struct rec_cost c;

	(void)ret_text;
	if (row->kind == ROW_COST && row->len >= sizeof(c)) {
		memcpy(&c, row->data, sizeof(c));
		m->run_ns += c.run_ns;
	}
	return 0;
}

static int on_finish(void *ctx)
{
	struct measured *m = ctx;

	m->ns = clock_ns(CLOCK_MONOTONIC) - m->begun;
	return 0;
}

/* Messages are dropped: the run that follows tells what cannot be measured. */
static void on_message(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

static void add_programs(struct request *r, bool why, bool default_set)
{
	const struct tracker_facts *t;
	const char *file;

	if (why) {
		request_shipped(r, "latency/why");
		return;
	}
	r->opts.zdepends = true;
	for (size_t i = 0; (file = trackers_file(i)); i++) {
		t = trackers_facts(file);
		if (default_set ? t->is_default : t->sampled)
			request_shipped(r, arena_printf(r->arena, "latency/%s", file));
	}
}

/* In the measuring process. */
static struct measured run_all(bool why, bool default_set)
{
	const struct listener silent = { .message = on_message, .text = on_message };
	struct measured m = { 0 };
	const struct run_observer show = {
		.ctx = &m, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready, .apart = true
	};
	struct request r;
	int e;

	request_init(&r, "latency", &silent);
	r.opts.quiet = r.opts.cost = true;
	r.for_ns = NSEC_PER_SEC;
	add_programs(&r, why, default_set);
	e = request_run(&r, &show, NULL);
	request_done(&r);
	return e < 0 ? (struct measured){ 0 } : m;
}

/* Percent of the time of all CPUs that its probes took; < 0: not known. A run gives its rights away when it is
 * attached, so this one has a process of its own. */
static double measure(bool why, bool default_set)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct measured m = { 0 };
	int out[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		m = run_all(why, default_set);
		_exit(write(out[1], &m, sizeof(m)) == sizeof(m) ? 0 : 1);
	}
	close(out[1]);
	if (pid > 0 && read(out[0], &m, sizeof(m)) != sizeof(m))
		m = (struct measured){ 0 };
	close(out[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!m.run_ns || !m.ns)
		return -1;
	return 100.0 * (double)m.run_ns / (double)m.ns / (double)(cpus > 0 ? cpus : 1);
}

static void say(struct live_cost *c, double all, double takes)
{
	_cleanup_(strb_free) struct strb left_out = { 0 };

	for (unsigned i = 0; i < c->dropped; i++)
		strb_printf(&left_out, " %s", trackers_left_out(i)->name);
	snprintf(c->text, sizeof(c->text), "all takes %.2g %% of the CPUs now; one thread in %u%s%s about %.2g %%%s",
		 all, c->one_in, c->dropped ? " without the trackers" : "", strb_str(&left_out), takes,
		 takes > c->percent ? ", which is the least" : "");
}

void live_cost_choose(struct live_cost *c, bool default_set)
{
	double all;

	if (c->percent <= 0)
		return;
	all = measure(c->why, default_set);
	if (all < 0) {
		c->one_in = FEW;
		snprintf(c->text, sizeof(c->text), "the cost of all threads could not be measured: one thread in %u",
			 FEW);
		return;
	}
	say(c, all, live_cost_plan(c, all, default_set));
}
