/* SPDX-License-Identifier: Apache-2.0 */
#include "live/cost.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"

#define FEW 8	/* one thread in this number, before trackers are left out */
#define MOST 64 /* and at most */
#define OUTPUT (1 << 20)
#define MARGIN (2.0 / 3) /* what follows took 1.2 to 1.4 times what the second said, of a load that varies */

/* What a switch takes with its wake-up, in ns, PostgreSQL under sysbench (doc/measured.md). A machine that is cold or
 * busy takes several times as much; what counts here are the proportions: of a thread that is not looked at, and what
 * comes on top of one that is. */
#define LEFT_NS 172.0
#define LOOKED_NS 228.0
/* The same of `latency why`, in proportion: perf bench sched messaging took 6.4 % of the CPUs with all threads, 4.0
 * with one in 2, 1.2 with one in 8, 0.65 with one in 64. */
#define WHY_LEFT 9.0
#define WHY_LOOKED 91.0
/* What other trackers take, of a switch: the first goes first. */
static const struct {
	const char *names[2];
	double ns;
} others[] = { { { "softirq", "irq" }, 42 }, { { "lock", "" }, 21 }, { { "block", "" }, 39 } };

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

	for (unsigned i = dropped; default_set && i < ARRAY_SIZE(others); i++)
		ns += others[i].ns;
	return ns;
}

double live_cost_plan(struct live_cost *c, double all, bool default_set)
{
	const double each = all / ns_of(c, 1, 0, default_set);
	double takes;

	c->one_in = 1;
	c->dropped = 0;
	while ((takes = each * ns_of(c, c->one_in, c->dropped, default_set)) > c->percent * MARGIN) {
		if (c->one_in < FEW || (c->one_in < MOST && (!default_set || c->dropped == ARRAY_SIZE(others))))
			c->one_in *= 2;
		else if (default_set && c->dropped < ARRAY_SIZE(others))
			c->dropped++;
		else
			break;
	}
	return takes;
}

bool live_cost_drops(const struct live_cost *c, const char *tracker)
{
	for (unsigned i = 0; i < c->dropped; i++)
		if (tracker[0] && (!strcmp(tracker, others[i].names[0]) || !strcmp(tracker, others[i].names[1])))
			return true;
	return false;
}

/* What another dwell prints as JSON that measures all threads for a second; NULL: it could not be run. */
static char *run_all(bool why, bool default_set)
{
	char *whys[] = { "dwell", "latency", "why", "--json", "-x", "cost", "--for", "1s", NULL };
	char *argv[] = { "dwell",  "latency", "-v", "--json", "--for", "1s", default_set ? NULL : "wakeup",
			 "offcpu", NULL };
	_cleanup_free_ char *text = malloc(OUTPUT + 1);
	int out[2], status = -1;
	size_t n = 0;
	ssize_t r;
	pid_t pid;

	if (!text || pipe2(out, O_CLOEXEC) < 0)
		return NULL;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (null >= 0 && dup2(null, 0) >= 0 && dup2(out[1], 1) >= 0 && dup2(null, 2) >= 0)
			execv("/proc/self/exe", why ? whys : argv);
		_exit(127);
	}
	close(out[1]);
	while (pid > 0 && n < OUTPUT && (r = read(out[0], text + n, OUTPUT - n)) != 0)
		if (r > 0)
			n += (size_t)r;
		else if (errno != EINTR)
			break;
	close(out[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	text[n] = '\0';
	return pid > 0 && status == 0 ? take_ptr(text) : NULL;
}

/* Percent of the time of all CPUs that its probes took; < 0: not known. */
static double measure(bool why, bool default_set)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	_cleanup_free_ char *text = run_all(why, default_set);
	double ns = 0, took = 0;

	for (char *line = text, *next; line && *line; line = next) {
		json_t *o = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);

		if (why && json_is_true(json_object_get(o, "final"))) {
			ns = json_number_value(json_object_get(o, "run_ns"));
			took = json_number_value(json_object_get(o, "interval_ns"));
		}
		if (o && json_object_get(o, "trackers")) {
			ns += json_number_value(json_object_get(json_object_get(o, "cost"), "run_ns"));
			took += json_number_value(json_object_get(o, "interval_ns"));
		}
		json_decref(o);
		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
	}
	return ns > 0 && took > 0 ? 100 * ns / took / (double)(cpus > 0 ? cpus : 1) : -1;
}

static void say(struct live_cost *c, double all, double takes)
{
	char left_out[64] = "";
	size_t n = 0;

	for (unsigned i = 0; i < c->dropped; i++)
		n += (size_t)snprintf(left_out + n, sizeof(left_out) - n, " %s%s%s", others[i].names[0],
				      others[i].names[1][0] ? " " : "", others[i].names[1]);
	snprintf(c->text, sizeof(c->text), "all takes %.2g %% of the CPUs now; one thread in %u%s%s about %.2g %%%s",
		 all, c->one_in, c->dropped ? " without the trackers" : "", left_out, takes,
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
		snprintf(c->text, sizeof(c->text), "what all takes could not be measured: one thread in %u", FEW);
		return;
	}
	say(c, all, live_cost_plan(c, all, default_set));
}
