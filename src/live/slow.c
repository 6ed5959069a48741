/* SPDX-License-Identifier: Apache-2.0 */
#include "live/slow.h"
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "engine/front/wanted.h"
#include "latency/cause/trackers.h"
#include "load/cpus.h"
#include "run/os/signals.h"
#include "run/session.h"

#define REQUESTS_NESTED "8" /* within each other, with ,nested */
#define CONTROL 1024	    /* one of this many ordinary events is kept */
#define CONTROL_NOT_GIVEN (-1)
#define FILTERED_LIMIT 5000 /* slow events of a tracker in a second */

/* -- the run -- */

/* As they are now: they may adapt, or be changed by dwell ctl. */
static void note_thresholds(struct live_slow *l)
{
	uint64_t ns;

	for (uint32_t i = 0; l->session && i < l->show.schema->ntrackers; i++)
		if (session_get(l->session, l->show.schema->trackers[i].name, "threshold", &ns) == 0)
			latencysum_threshold(l->show.sum, i, ns);
}

static int summary(struct live_slow *l, uint64_t now, bool final)
{
	note_thresholds(l);
	return slowshow_summary(&l->show, now, final);
}

static bool wants(void *filter, const struct slow_event *e)
{
	return slowfilter_matches(filter, e);
}

static bool wants_flight(void *ctx, const struct slow_event *e)
{
	return slowshow_wants(&((struct live_slow *)ctx)->show, e);
}

static void on_flight(void *ctx, const struct row *row)
{
	slowshow_flight(&((struct live_slow *)ctx)->show, row);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_slow *l = ctx;
	int e;

	l->show.last = clock_ns(CLOCK_MONOTONIC);
	l->show.to_wall = (int64_t)(clock_ns(CLOCK_REALTIME) - l->show.last);
	l->show.sym = sym;
	l->show.out = out;
	e = why_read(why, &l->show.causes, err);
	if (e < 0)
		return e;
	if (daemon_schema(l->daemon, schema, sym, l->show.causes) < 0 || slowshow_begin(&l->show, schema) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* On a terminal a line shows at once that dwell measures, before the first slow event. */
static void say_begin(const struct live_slow *l)
{
	char every[UNITS_EXACT_LEN];
	size_t n = l->show.schema->ntrackers;

	if (l->show.json || l->daemon || !isatty(fileno(l->show.out) < 0 ? STDOUT_FILENO : fileno(l->show.out)))
		return;
	fprintf(l->show.out, "%zu tracker%s: slow events %s, a summary every %s; Ctrl-C ends\n", n, n == 1 ? "" : "s",
		l->show.worst ? "with the summary" : "as they happen", units_exact_ns(l->every_ns, every));
	fflush(l->show.out);
}

static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct live_slow *l = ctx;
	int opened;

	l->filter.root = (uint32_t)target;
	l->show.filters = slowfilter_any(&l->filter);
	opened = slowfilter_open(&l->filter, &l->request.to, err);
	if (opened < 0)
		return opened;
	l->session = s;
	for (size_t i = 0; i < l->show.schema->ntrackers; i++) {
		const char *name = l->show.schema->trackers[i].name;
		int e = l->show.over_ns ? session_set(s, name, "threshold", l->show.over_ns) : 0;

		/* The limit counts events of others as well, and the worst may come last: here most are left out. */
		if (e == 0 && (slowfilter_any(&l->filter) || l->show.worst))
			e = session_set(s, name, "limit", FILTERED_LIMIT);
		if (e == 0 && l->rate)
			e = session_set(s, name, "rate", l->rate);
		if (e < 0)
			return err_set(err, e, "tracker %s: cannot be set: %s", name, strerror(-e));
	}
	say_begin(l);
	l->show.last = clock_ns(CLOCK_MONOTONIC);
	latencysum_begin(l->show.sum, l->show.last);
	return 0;
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct live_slow *l = ctx;
	int r = 0;

	daemon_row(l->daemon, row);
	if (slowfilter_row(&l->filter, l->show.schema, row))
		return 0;
	if (l->daemon && !l->show.json) { /* losses are among the metrics; notes are for its administrator */
		*ret_text = row->kind == ROW_NOTE || row->kind == ROW_FAULT;
		return 0;
	}
	switch (row->kind) {
	case ROW_EVENT:
		r = slowshow_event(&l->show, row, ret_text);
		l->show.has_flight = false;
		break;
	case ROW_FLIGHT: break;
	case ROW_DROPS: *ret_text = l->show.json || !latencysum_limited(l->show.sum, row); break;
	case ROW_NOTE:
	case ROW_FAULT: *ret_text = true; break;
	default: r = latencysum_add(l->show.sum, row);
	}
	return r;
}

/* A group ends at its time, whether or not a slow event came since. */
static int on_taken(void *ctx)
{
	struct live_slow *l = ctx;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	slowshow_put_groups(&l->show, now + (uint64_t)l->show.to_wall);
	return (l->daemon && !l->show.json) || now - l->show.last < l->every_ns ? 0 : summary(l, now, false);
}

static int on_finish(void *ctx)
{
	struct live_slow *l = ctx;

	daemon_stopping(l->daemon);
	return l->daemon && !l->show.json ? 0 : summary(l, clock_ns(CLOCK_MONOTONIC), true);
}

static void on_tick(void *ctx, struct recorder *recorder, bool hangup)
{
	struct live_slow *l = ctx;

	daemon_tick(l->daemon, recorder, hangup);
}

/* -- what is asked for -- */

/* Beside its slow events a recording has some that are not: what the slow ones have in common says little alone. */
static void add_control(struct live_slow *l)
{
	struct dopts *o = &l->request.opts;

	if (o->control == CONTROL_NOT_GIVEN)
		o->control = (l->record && !l->slow_only) || l->daemon ? CONTROL : 0;
}

/* Adds the program of latency/FOLDER that runs with this tracker: one made of its head, or one written by hand. */
static void add_joined(struct request *c, const char *folder, const char *name)
{
	const char *path = arena_printf(c->arena, "latency/%s/%s", folder, name);
	const char *text = trackers_joined(folder, name);

	if (!text && !request_has_shipped(c, path))
		return;
	request_shipped(c, path);
	if (text) {
		c->progs.v[c->progs.n - 1].text = text;
		c->progs.v[c->progs.n - 1].size = strlen(text);
	}
}

/* A recording can be asked whose delays they were, too. */
static void add_tracker(struct live_slow *l, const char *name)
{
	struct request *c = &l->request;
	const char *programs = arena_printf(c->arena, "latency/programs/%s",
					    name); /* what takes too much memory for a daemon */

	request_shipped(c, arena_printf(c->arena, "latency/%s", name));
	if (trackers_facts(name)->sampled)
		vec_push(&l->sampled, trackers_facts(name)->name);
	if (!l->as_daemon && request_has_shipped(c, programs)) {
		request_shipped(c, programs);
		request_param(c, "programs", "1");
	}
	if (l->record && !l->slow_only)
		add_joined(c, "by_key", name);
	if (l->show.by || l->show.wanted_only)
		add_joined(c, "by_group", name);
}

int live_slow_group(struct live_slow *l, struct err *err)
{
	struct request *c = &l->request;
	_cleanup_(strb_free) struct strb b = { 0 };
	const char *reason = NULL;
	bool filters = slowfilter_any(&l->filter);

	if (l->show.by)
		request_option(c, "by", l->show.by);
	if (l->as_daemon || (!filters && !c->pids.n && !c->commands.n && !c->words))
		return 0;
	slowfilter_options(&l->filter, c);
	l->show.wanted_only = wanted_text(c->arena, &c->opts, &b, &reason) == 0;
	l->filter.told = l->show.wanted_only && (l->filter.unit || l->filter.container) && reason;
	if (l->show.wanted_only)
		return 0;
	if (l->show.by)
		return err_set(err, -EINVAL, "--by with this filter: %s", reason);
	request_option(c, "comm", ""); /* one that is not there yet: slow events are chosen by name when there is one */
	request_option(c, "cgroup", "");
	request_option(c, "container", "");
	request_option(c, "unit", "");
	return 0;
}

int live_slow_add(struct live_slow *l, const char *name)
{
	const struct request *c = &l->request;

	if (trackers_of_process(name) && !c->pids.n && !c->commands.n && !c->words)
		return -EINVAL;
	if (!trackers_has_file(name))
		return -ENOENT;
	add_tracker(l, name);
	return 0;
}

void live_slow_add_default(struct live_slow *l)
{
	const char *file;

	l->request.opts.zdepends = true; /* those that this kernel has the probes for */
	for (size_t i = 0; (file = trackers_default(i)); i++)
		if (!live_cost_drops(&l->cost, file))
			add_tracker(l, file);
}

static bool named_before(char *const *names, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(names[k], names[i]))
			return true;
	return false;
}

int live_slow_add_all(struct live_slow *l, char *const *names, size_t n, const char **ret_wrong)
{
	int e = 0;

	live_cost_choose(&l->cost, !n && !l->requests);
	if (!n && !l->requests)
		live_slow_add_default(l);
	for (size_t i = 0; i < n && e == 0; i++) {
		*ret_wrong = names[i];
		e = named_before(names, i) ? 0 : live_slow_add(l, names[i]);
	}
	return e;
}

int live_slow_requests(struct live_slow *l, const char *arg, struct err *err)
{
	struct request *c = &l->request;
	const char *end = strchr(arg, ','), *by = end ? strchr(end + 1, ',') : NULL;
	bool numbered = by && !strncmp(by, ",arg0", 5), nested = by && !strcmp(by + (numbered ? 5 : 0), ",nested");

	if (!end || l->requests || (by && !nested && strcmp(by, ",arg0") != 0))
		return err_set(err, -EINVAL, "--request: %s%s",
			       l->requests ? "may be given once" : "wants two probes: BEGIN,END[,arg0][,nested]; not ",
			       l->requests ? "" : arg);
	l->requests = true;
	request_shipped(c, "latency/usdt");
	request_param(c, "begin", arena_strndup(c->arena, arg, (size_t)(end - arg)));
	request_param(c, "end", arena_strndup(c->arena, end + 1, by ? (size_t)(by - end - 1) : strlen(end + 1)));
	request_param(c, "by", numbered ? "1" : "0");
	request_param(c, "nested", nested ? REQUESTS_NESTED : "1");
	return 0;
}

/* Rings of 1 MB hold the slow events of seconds, at their limit: memory is for others. Many CPUs have as much together
 * as few, each at least what hundreds of slow events take. */
#define RING_KB_MOST 1024u
#define RING_KB_LEAST 32u
#define RING_CPUS 8u /* that have the most */

/* The kernel takes a table for as many elements as an associative array may have: the shipped trackers keep few in each
 * of many. */
#define DYNVARSIZE (4u << 20)

static uint64_t bufsize(void)
{
	struct cpulist online = { 0 };
	unsigned kb = RING_KB_MOST;

	if (cpulist_online(&online) < 0)
		kb = RING_KB_LEAST;
	for (unsigned n = RING_CPUS; n < online.n && kb > RING_KB_LEAST; n *= 2)
		kb /= 2;
	cpulist_done(&online);
	return (uint64_t)kb << 10;
}

void live_slow_begin(struct live_slow *l)
{
	struct dopts *o = &l->request.opts;

	l->every_ns = LIVE_SLOW_EVERY_NS;
	l->filter.arena = l->request.arena;
	l->daemon_opts = (struct daemon_opts)DAEMON_DEFAULT;
	o->quiet = true;
	o->bufsize = bufsize();
	o->dynvarsize = DYNVARSIZE;
	o->control = CONTROL_NOT_GIVEN;
}

/* Passes --cost to the programs: one thread in this number is looked at. */
static int add_cost(struct live_slow *l)
{
	struct request *c = &l->request;
	const char *in = arena_printf(c->arena, "%u", l->cost.one_in);

	if (!l->cost.one_in)
		return 0;
	if (!l->sampled.n)
		return listener_fail(&c->to, -EINVAL, "latency: --cost is about the trackers wakeup and offcpu");
	if (l->cost.text[0])
		listener_msg(&c->to, "%s", l->cost.text);
	for (size_t i = 0; i < l->sampled.n; i++)
		request_param(c, arena_printf(c->arena, "%s_one_in", l->sampled.v[i]), in);
	l->show.one_in = l->cost.one_in;
	return 0;
}

int live_slow_request(struct live_slow *l)
{
	struct request *c = &l->request;
	int e = add_cost(l);

	if (e < 0)
		return e;
	if (l->as_daemon && !(l->daemon = daemon_new(&l->daemon_opts, &c->to)))
		return listener_fail(&c->to, -ENOMEM, "out of memory");
	c->opts.cost |= l->show.cost;
	if (l->show.json)
		request_option(c, "oformat", "json");
	if (l->record)
		request_option(c, "record", l->record);
	slowfilter_program(&l->filter, c);
	add_control(l);
	return daemon_begin(l->daemon, c);
}

int live_slow_run(struct live_slow *l)
{
	const struct run_observer show = { .ctx = l,
					   .open = on_open,
					   .row = on_row,
					   .taken = on_taken,
					   .finish = on_finish,
					   .ready = on_ready,
					   .tick = l->as_daemon ? on_tick : NULL,
					   .lasting = l->as_daemon,
					   .flight = on_flight,
					   .wants_flight = wants_flight };
	int e;

	if (l->as_daemon)
		signals_early(false);
	e = live_slow_request(l);
	l->show.wants = wants;
	l->show.wants_ctx = &l->filter;
	if (e == 0 && slowshow_prepare(&l->show) < 0)
		e = listener_fail(&l->request.to, -ENOMEM, "out of memory");
	return e ? e : request_run(&l->request, &show, NULL);
}

void live_slow_done(struct live_slow *l)
{
	request_done(&l->request);
	vec_free(&l->sampled);
	slowshow_done(&l->show);
	slowfilter_done(&l->filter, &l->request.to);
	daemon_free(l->daemon);
}

int live_slow_recnow(struct recnow *l, struct err *err)
{
	if (!trackers_has_file(l->tracker))
		return err_set(err, -EINVAL, "--tracker: dwell latency has no '%s'", l->tracker);
	snprintf(l->named, sizeof(l->named), "latency/%s", l->tracker);
	l->program = l->named;
	if (!l->pid && !recnow_chooses(l))
		return 0;
	l->also_text = trackers_joined("by_group", l->tracker);
	if (!l->also_text)
		return err_set(err, -EINVAL, "what %s measures belongs to no process", l->tracker);
	snprintf(l->by, sizeof(l->by), "%s_group", l->tracker);
	snprintf(l->also_name, sizeof(l->also_name), "latency/by_group/%s", l->tracker);
	l->also = l->also_name;
	return 0;
}
