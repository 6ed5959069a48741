/* SPDX-License-Identifier: Apache-2.0 */
/* Makes, runs and frees a session: see run/session.h for the order. */
#include "run/session.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "load/bpf_sys.h"
#include "load/kprobe.h"
#include "load/cpus.h"
#include "run/follow/history.h"
#include "run/os/priority.h"
#include "run/os/privs.h"
#include "run/session/int.h"
#include "run/os/signals.h"

static int read_fmts(struct session *s)
{
	const struct image *img = s->c.img;

	s->fmt_flags = calloc(img->nfmts + 1, 1);
	if (!s->fmt_flags)
		return -ENOMEM;
	for (uint32_t i = 0; i < img->nfmts; i++) {
		const struct recfmt *f = img->fmts[i];

		if (specs_changes(f))
			s->fmt_flags[i] |= FMT_SPEC;
		if (f->has_exit)
			s->fmt_flags[i] |= FMT_EXIT;
		if (session_shows_aggs(f))
			s->fmt_flags[i] |= FMT_NEEDS_AGG;
		for (size_t k = 0; k < f->nacts; k++)
			if (f->acts[k].kind == ACT_SLOW)
				s->fmt_flags[i] |= FMT_SLOW;
	}
	return 0;
}

/* Bytes of the largest record that a program may write. */
static uint32_t largest_record(const struct session *s)
{
	uint32_t n = sizeof(struct rec_fault);

	for (uint32_t i = 0; i < s->c.img->nfmts; i++)
		n = s->c.img->fmts[i]->size > n ? s->c.img->fmts[i]->size : n;
	return n;
}

static int open_rings(struct session *s, struct err *err)
{
	const struct load_map *m = load_find_map(s->l, IMG_MAP_RINGS, 0, 0);
	uint32_t largest = largest_record(s);

	s->rings = calloc((m ? m->nrings : 0) + 1, sizeof(*s->rings));
	if (!s->rings)
		return err_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; m && i < m->nrings; i++) {
		int r = ring_open(&s->rings[i], m->rings[i], m->ring_sizes[i], largest, err);

		if (r < 0)
			return r;
		s->nrings = i + 1;
	}
	if (order_new(s->rings, s->nrings, &s->order) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int note_rings(struct session *s)
{
	const struct load_map *m = load_find_map(s->l, IMG_MAP_RINGS, 0, 0);
	uint64_t asked = m ? s->l->img->maps[m - s->l->maps].inner_size : 0;

	if (!m || m->ring_size >= asked)
		return 0;
	return session_note(s, "buffer size lowered to %uk: there is no memory for %lluk on each CPU",
			    m->ring_size >> 10, (unsigned long long)asked >> 10);
}

static void on_side_event(void *ctx, const struct side_event *e)
{
	struct session *s = ctx;

	if (s->unwind)
		unwind_event(s->unwind, e);
	if (s->c.history && s->side_error == 0)
		s->side_error = history_event(s->c.rec, s->history_clock, e);
}

static int make_parts(struct session *s, struct err *err)
{
	const struct dopts *o = s->c.prog->opts;
	uint32_t n = s->l->room;
	int r = read_fmts(s);

	s->links = calloc(n + 1, sizeof(*s->links));
	s->live = calloc(n + 1, sizeof(*s->live));
	s->costly = calloc(n + 1, sizeof(*s->costly));
	if (s->c.img->uses_ustack && s->c.sym)
		s->procs = calloc(PROC_CACHE, sizeof(*s->procs));
	s->decoder.schema = s->schema;
	s->poll_ns = POLL_MAX_NS;
	if (r == 0 && (s->procs || s->c.history))
		r = follow_new(s->procs ? s->c.sym : NULL, &s->follow);
	if (r == 0)
		r = unwind_new(s->l, s->c.sym, &s->unwind);
	if (r == 0)
		r = walker_new(s->l, o->iterrate, (int)o->cpu, s->unwind != NULL, &s->walker);
	if (r == 0 && s->follow)
		follow_watch(s->follow, on_side_event, s);
	if (r == 0)
		r = dynprobes_new(s, &s->dynprobes);
	if (r < 0 || !s->links || !s->live || !s->costly || (s->c.img->uses_ustack && s->c.sym && !s->procs) ||
	    agg_reader_new(s->l, s->schema, o->aggpercpu, &s->agg) < 0 || counters_new(s->l, &s->counters) < 0 ||
	    trackers_new(s->l, clock_ns(CLOCK_MONOTONIC), &s->trackers) < 0 ||
	    hits_new(s->l, s->links, s->c.reg, &s->hits) < 0 ||
	    flight_new(s->l, o->flight, clock_ns(CLOCK_MONOTONIC), &s->flight) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	if (o->bufpolicy && strcmp(o->bufpolicy, "switch") != 0 &&
	    retention_new((unsigned)sysconf(_SC_NPROCESSORS_CONF), o->bufsize, !strcmp(o->bufpolicy, "ring"),
			  &s->retention) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	r = specs_load(s->l, &s->specs);
	if (r < 0)
		return err_set(err, r, "cannot prepare speculations: %s", strerror(-r));
	if (o->cost && (r = cost_new(s->l, clock_ns(CLOCK_MONOTONIC), &s->cost, err)) < 0)
		return r;
	return governor_new(s->l, s->c.caps->online_cpus, o->maxcpu, &s->governor, err);
}

void session_set_loads(struct session *s)
{
	struct sysinfo info;

	if (!s->l->state || sysinfo(&info) < 0)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(info.loads); i++)
		if (s->c.img->load_off[i])
			__atomic_store_n((uint64_t *)((char *)s->l->state + s->c.img->load_off[i]), info.loads[i],
					 __ATOMIC_RELAXED);
}

int session_new(const struct session_config *config, struct session **ret, struct err *err)
{
	struct load_opts opts = { .log = config->prog->opts->bpflog ? config->log : NULL,
				  .log_ctx = config->ctx,
				  .log_size = config->prog->opts->bpflogsize,
				  .rings_exact = !strcmp(config->prog->opts->bufresize, "manual") };
	struct session *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->c = *config;
	s->schema = recording_schema(config->rec);
	r = load_image(config->img, config->ts, config->caps, &opts, &s->l, err);
	if (r == 0)
		r = make_parts(s, err);
	if (r == 0)
		r = open_rings(s, err);
	if (r < 0) {
		session_free(s);
		return r;
	}
	if (s->l->state)
		s->l->state->wall_off = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	session_set_loads(s);
	load_warm(s->l);
	s->history_clock = history_clock();
	*ret = s;
	return 0;
}

int session_set(struct session *s, const char *tracker, const char *setting, uint64_t value)
{
	return s->trackers ? trackers_set(s->trackers, tracker, setting, value) : -ENOENT;
}

int session_get(const struct session *s, const char *tracker, const char *setting, uint64_t *ret)
{
	return s->trackers ? trackers_get(s->trackers, tracker, setting, ret) : -ENOENT;
}

void session_detach(struct session *s, uint32_t i)
{
	if (!s->links[i])
		return;
	walker_drop(s->walker, i);
	link_free(s->links[i]);
	s->links[i] = NULL;
	s->nlinks--;
}

static void detach_all(struct session *s)
{
	uint32_t n = s->links ? s->c.img->nprogs : 0;

	for (uint32_t i = 0; i < n; i++)
		link_free_last(s->links[i]);
	for (uint32_t i = 0; i < n; i++)
		session_detach(s, i);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	if (s->signals)
		signals_restore();
	detach_all(s);
	walker_free(s->walker);
	for (unsigned i = 0; i < s->nrings; i++)
		ring_close(&s->rings[i]);
	order_free(s->order);
	agg_reader_free(s->agg);
	counters_free(s->counters);
	ctl_close(s->ctl);
	hits_free(s->hits);
	trackers_free(s->trackers);
	flight_free(s->flight);
	retention_free(s->retention);
	specs_free(s->specs);
	governor_free(s->governor);
	cost_free(s->cost);
	follow_free(s->follow);
	unwind_free(s->unwind);
	dynprobes_free(s->dynprobes);
	cpulist_done(&s->cpus);
	if (s->c.host && s->l)
		load_end_filler(s->l);
	load_free(s->l);
	free(s->rings);
	free(s->links);
	free(s->live);
	free(s->costly);
	free(s->procs);
	free(s->fmt_flags);
	free(s);
}

int session_test_run(struct session *s, const char *target)
{
	for (uint32_t i = 0; i < s->c.img->nprogs; i++) {
		const struct img_prog *p = &s->c.img->progs[i];
		int r;

		if (p->entry.kind != ENTRY_TEST_RUN || strcmp(p->entry.target, target) != 0)
			continue;
		r = bpfsys_test_run(s->l->progs[i], (int)s->c.prog->opts->cpu, NULL);
		if (r < 0)
			return err_set(s->err, r, "cannot run the %s clauses: %s", target, strerror(-r));
	}
	return 0;
}

/* Walks are made by the walker, once all is attached. */
static int attach_walk(struct session *s, uint32_t i)
{
	const struct entry *e = &s->c.img->progs[i].entry;
	int map = e->kind == ENTRY_ITER_MAP ? s->l->maps[s->c.img->scans[e->scan - 1].map].fd : -1;
	int r = link_attach_iter(s->l->progs[i], map, &s->links[i], s->err);

	if (r < 0)
		return r;
	r = walker_add(s->walker, i, s->links[i]);
	return r < 0 ? err_set(s->err, r, "cannot keep an iterator: %s", strerror(-r)) : 0;
}

int session_attach(struct session *s, uint32_t i)
{
	const struct img_prog *p = &s->c.img->progs[i];
	const struct probe *first = p->nprobes ? p->probes[0] : NULL;
	struct entry e = p->entry;
	int r;

	if (e.kind == ENTRY_TEST_RUN || e.kind == ENTRY_NONE || !first)
		return 0;
	if (s->l->joined[i] && s->l->progs[i] < 0)
		return 0; /* the other one serves its probes, too */
	e.kprobe_session = s->l->joined[i];
	if (e.kind == ENTRY_PERF_EVENT && s->c.prog->opts->cpu >= 0)
		e.cpu = (int)s->c.prog->opts->cpu;
	if (e.kind == ENTRY_PERF_EVENT && e.cpu < 0 && !s->cpus.n)
		(void)cpulist_online(&s->cpus); /* none: nobody looks */
	if (e.kind == ENTRY_ITER_TASK || e.kind == ENTRY_ITER_MAP)
		r = attach_walk(s, i);
	else
		r = registry_attach(s->c.reg, (const struct probe *const *)p->probes, p->nprobes, &e, s->l->progs[i],
				    &s->links[i], s->err);
	if (r == -EINTR && signals_pending()) /* the loop ends at once */
		return 0;
	if (r < 0) {
		err_prefix(s->err, "cannot enable %s:%s:%s:%s: ", first->prov, first->mod, first->func, first->name);
		return r;
	}
	s->nlinks++;
	if (s->err->msg[0]) {
		r = session_note(s, "%s", s->err->msg);
		s->err->msg[0] = '\0';
	}
	return r;
}

/* A pattern that fits nearly everything may be a mistake: a message tells before how long it will take. */
static int announce(struct session *s)
{
	uint64_t n = 0;
	int r;

	for (uint32_t i = 0; i < s->c.img->nprogs; i++)
		if (s->c.img->progs[i].entry.kind == ENTRY_KPROBE)
			n += s->c.img->progs[i].nprobes;
	if (n < KPROBE_MANY)
		return 0;
	r = session_note(
		s,
		"%llu probes of functions of the kernel are being attached: this takes about %llu s, and detaching "
		"as long; Ctrl-C ends it",
		(unsigned long long)n, (unsigned long long)(n + KPROBE_PER_SEC - 1) / KPROBE_PER_SEC);
	session_consume(s);
	return r;
}

static int attach_all(struct session *s)
{
	int r = announce(s);

	registry_stop_when(s->c.reg, signals_pending);
	for (uint32_t i = 0; i < s->c.img->nprogs && r == 0 && !signals_pending(); i++)
		r = session_attach(s, i);
	return r;
}

static bool exit_called(const struct session *s)
{
	return s->l->state && __atomic_load_n(&s->l->state->activity, __ATOMIC_ACQUIRE) == IMG_DRAINING;
}

static void set_activity(struct session *s, uint32_t activity)
{
	if (s->l->state)
		__atomic_store_n(&s->l->state->activity, activity, __ATOMIC_RELEASE);
}

/* -x cpu names a CPU that runs. */
static int check_cpu(struct session *s)
{
	int64_t cpu = s->c.prog->opts->cpu;
	struct cpulist l = { 0 };
	bool found = false;
	int r;

	if (cpu < 0)
		return 0;
	r = cpulist_online(&l);
	for (size_t i = 0; r >= 0 && i < l.n; i++)
		found |= l.v[i] == cpu;
	cpulist_done(&l);
	if (r < 0 || found)
		return r < 0 ? r : 0;
	return err_set(s->err, -ENODEV, "could not enable tracing: CPU %lld is not online", (long long)cpu);
}

/* Targets get their tables before anything is attached. */
static void see_targets(struct session *s)
{
	if (!s->unwind)
		return;
	unwind_see_self(s->unwind);
	for (size_t i = 0; i < s->c.ntargets; i++) {
		uint32_t tgid = (uint32_t)target_pid(s->c.targets[i]);

		unwind_see(s->unwind, tgid, 0);
		if (target_waits(s->c.targets[i]))
			unwind_see_libs(s->unwind, tgid);
	}
}

/* Steps 3-6. */
static int start_and_loop(struct session *s, int signal_fd)
{
	int r = check_cpu(s);

	if (r == 0)
		r = session_test_run(s, "BEGIN");
	if (r < 0)
		return r;
	s->res.began = true;
	if (exit_called(s)) {
		s->res.stop = SESSION_EXIT;
		s->res.started = true;
		return 0;
	}
	priority_raise();
	see_targets(s);
	ctl_open(s->trackers, s->hits, &s->ctl); /* without it settings stay as they are, and nobody asks */
	if (s->c.history)
		r = history_alive(s->c.rec, s->history_clock);
	if (r == 0)
		r = note_rings(s);
	set_activity(s, IMG_WARMUP);
	if (r == 0)
		r = attach_all(s);
	if (r == 0 && s->dynprobes)
		r = dynprobes_start(s->dynprobes);
	counters_note_links(s->counters, s->links);
	set_activity(s, IMG_ACTIVE);
	for (size_t i = 0; i < s->c.ntargets && r == 0; i++) {
		/* The side band tells of later mappings only; the program's own was made by its exec. */
		if (s->follow)
			follow_see(s->follow, (uint32_t)target_pid(s->c.targets[i]), 0);
		r = target_go(s->c.targets[i], s->err);
	}
	/* system() and freopen() of destructive programs run with the user's own rights */
	if (r == 0 && s->walker) {
		r = walker_start(s->walker, !s->c.prog->opts->destructive);
		if (r < 0)
			err_set(s->err, r, "cannot start a thread: %s", strerror(-r));
	}
	if (r == 0 && !s->c.prog->opts->destructive &&
	    privs_drop(s->dynprobes && dynprobes_module_fd(s->dynprobes) >= 0) < 0)
		r = session_note(s, "some privileges could not be given up");
	if (r < 0)
		return r;
	s->res.started = true;
	if (s->c.host)
		s->c.host->started(s->c.ctx);
	return session_loop(s, signal_fd);
}

/* Notes the tables and mappings that found no room in the maps by which stacks are walked. */
static int note_unwind(struct session *s)
{
	uint64_t tables, procs, unknown;
	const char *reason = unwind_unknown(s->unwind, &unknown);
	int r = 0;

	unwind_lost(s->unwind, &tables, &procs);
	if (tables)
		r = session_note(s,
				 "no room for the unwinding tables of %llu files: user stacks are cut in "
				 "them (-x unwindsize)",
				 (unsigned long long)tables);
	if (r == 0 && procs)
		r = session_note(s,
				 "no room for the mappings of %llu processes: their user stacks follow "
				 "frame pointers",
				 (unsigned long long)procs);
	if (r == 0 && unknown)
		r = session_note(s, "goid is -1 in %llu processes of Go: %s", (unsigned long long)unknown, reason);
	return r;
}

/* Notes records that could not be shown in order or at all. */
static int note_damage(struct session *s)
{
	uint64_t damaged = s->damaged + order_damaged(s->order);
	int r = 0;

	if (order_nmisordered(s->order))
		r = session_note(s, "%llu records are shown later than younger ones",
				 (unsigned long long)order_nmisordered(s->order));
	if (r == 0 && s->follow && follow_lost(s->follow))
		r = session_note(s,
				 "%llu events of processes were lost: some user addresses have no "
				 "symbols",
				 (unsigned long long)follow_lost(s->follow));
	if (r == 0 && s->unwind)
		r = note_unwind(s);
	if (r == 0 && s->dynprobes)
		r = dynprobes_note_losses(s->dynprobes);
	if (r == 0 && damaged)
		r = session_note(s, "%llu damaged records are not shown", (unsigned long long)damaged);
	return r;
}

/* The status of exit(), if it was called. END may call it anew: the last status counts, as in DTrace. */
static void take_exit_status(struct session *s)
{
	if (!exit_called(s))
		return;
	s->res.exit_status = (int)s->l->state->exit_status;
	set_activity(s, IMG_ACTIVE);
}

/* Steps 7-9. */
static int finish(struct session *s)
{
	struct row end = { .kind = ROW_END,
			   .ts = clock_ns(CLOCK_MONOTONIC) }; /* what follows may take seconds, and is not measured */
	bool barrier = s->nlinks > 0, stuck;
	int r;

	if (s->c.stopping)
		s->c.stopping(s->c.ctx, s->res.stop);
	stuck = !walker_stop(s->walker);
	if (s->dynprobes)
		dynprobes_stop(s->dynprobes);
	counters_note_links(s->counters, s->links);
	detach_all(s);
	if (barrier)
		link_barrier();
	s->phase = PHASE_STILL;
	r = session_drain(s);
	if (s->exit_ts && s->exit_ts < end.ts)
		end.ts = s->exit_ts; /* nothing fired after it, however long it took to get here */
	if (r == 0 && s->retention)
		r = session_flush_retained(s);
	if (r == 0 && stuck)
		r = session_note(s, "a walk over the threads has not ended: it waits for the memory of one");
	take_exit_status(s);
	if (r == 0 && s->res.began)
		r = session_test_run(s, "END");
	s->phase = PHASE_END;
	if (r == 0)
		r = session_drain(s);
	if (r == 0)
		r = session_snapshot(s);
	if (r == 0)
		r = counters_report(s->counters, clock_ns(CLOCK_MONOTONIC), true, s->c.rec);
	if (r == 0 && s->trackers)
		r = trackers_tick(s->trackers, clock_ns(CLOCK_MONOTONIC), true, s->c.rec);
	if (r == 0 && s->flight)
		r = flight_report(s->flight, clock_ns(CLOCK_MONOTONIC), s->c.rec);
	if (r == 0)
		r = cost_report(s->cost, clock_ns(CLOCK_MONOTONIC), s->c.rec);
	if (r == 0)
		r = note_damage(s);
	if (r == 0)
		r = recording_append(s->c.rec, &end);
	session_consume(s);
	return r;
}

int session_run(struct session *s, struct session_result *ret, struct err *err)
{
	struct err local = { 0 };
	int signal_fd = s->c.host ? s->c.host->fd : -1, r, q = 0;

	s->err = err ? err : &local;
	s->err->code = 0;
	r = s->c.host ? 0 : signals_install(!s->c.hangup, &signal_fd);
	if (r < 0)
		err_set(s->err, r, "cannot handle signals: %s", strerror(-r));
	if (r == 0) {
		s->signals = !s->c.host;
		r = start_and_loop(s, signal_fd);
		if (r < 0)
			s->res.stop = SESSION_ERROR;
		else
			q = finish(s);
	}
	if (r == 0 && q < 0) {
		r = s->err->code ? q : err_set(s->err, q, "%s", strerror(-q));
		s->res.stop = SESSION_ERROR;
	}
	take_exit_status(s);
	*ret = s->res;
	err_done(&local);
	return r;
}
