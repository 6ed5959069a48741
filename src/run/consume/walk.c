/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the threads that walk over tasks and over open keys of trackers with BPF iterators. */
#include "run/consume/walk.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "load/bpf_sys.h"
#include "run/os/priority.h"
#include "run/os/privs.h"

#define STACK_SIZE (256 << 10)

/* The walks of one period, or of one tracker's open keys: made by one thread. */
struct job {
	struct walker *w;
	uint64_t period_ns;    /* 0: a tracker's */
	struct img_scan *scan; /* in the session's state; NULL: of a period */
	uint32_t *progs;       /* in the order of the image */
	uint32_t nprogs;
	pthread_t thread;
	bool started, ended;
};

struct walker {
	const struct loaded *l; /* not touched once stop is set */
	int cpu;
	struct job *jobs;
	uint32_t njobs;
	bool drop;	      /* privileges */
	int *links;	      /* own descriptors by program; -1: not walked */
	pthread_mutex_t lock; /* of what follows, and of links */
	pthread_cond_t cond;
	bool stop;
	int error;
	bool asks;	/* programs ask the session for something */
	uint64_t looks; /* of the session */
};

/* Sleeps until that time; false: all is to end. */
static bool sleep_until(struct walker *w, uint64_t at)
{
	struct timespec ts = clock_timespec(at);
	bool stop;
	int r = 0;

	pthread_mutex_lock(&w->lock);
	while (!w->stop && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&w->cond, &w->lock, &ts);
	stop = w->stop;
	pthread_mutex_unlock(&w->lock);
	return !stop;
}

/* Waits until the session has looked twice more (the first may be under way already); false as above. */
static bool wait_for_look(struct walker *w, uint64_t seen)
{
	struct timespec ts = clock_timespec(clock_ns(CLOCK_MONOTONIC) + WALK_LOOK_NS);
	bool stop;
	int r = 0;

	pthread_mutex_lock(&w->lock);
	while (!w->stop && w->asks && w->looks < seen + 2 && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&w->cond, &w->lock, &ts);
	stop = w->stop;
	pthread_mutex_unlock(&w->lock);
	return !stop;
}

static uint64_t looks(struct walker *w)
{
	uint64_t n;

	pthread_mutex_lock(&w->lock);
	n = w->looks;
	pthread_mutex_unlock(&w->lock);
	return n;
}

static void note_error(struct walker *w, int r)
{
	pthread_mutex_lock(&w->lock);
	if (r < 0 && !w->error)
		w->error = r;
	pthread_mutex_unlock(&w->lock);
}

/* One walk by a program. False: all is to end. */
static bool walk(struct walker *w, uint32_t prog)
{
	_cleanup_close_ int fd = -1;
	int r = 0;

	pthread_mutex_lock(&w->lock);
	if (!w->stop && w->links[prog] >= 0) {
		fd = bpfsys_iter_create(w->links[prog]);
		r = fd < 0 ? fd : 0;
	}
	pthread_mutex_unlock(&w->lock);
	if (fd >= 0)
		r = link_iter_read(fd);
	note_error(w, r);
	pthread_mutex_lock(&w->lock);
	bool stop = w->stop;

	pthread_mutex_unlock(&w->lock);
	return !stop;
}

/* The programs of a job; those that only run when it is done come last. */
static bool walk_all(struct job *j, enum entry_kind kind)
{
	for (uint32_t i = 0; i < j->nprogs; i++) {
		const struct img_prog *p = &j->w->l->img->progs[j->progs[i]];

		if (p->entry.kind != kind)
			continue;
		if (kind == ENTRY_TEST_RUN)
			note_error(j->w, bpfsys_test_run(j->w->l->progs[j->progs[i]], j->w->cpu, NULL));
		else if (!walk(j->w, j->progs[i]))
			return false;
	}
	return true;
}

static void *run_periodic(void *arg)
{
	struct job *j = arg;
	uint64_t next = clock_ns(CLOCK_MONOTONIC), now, seen;

	if (j->w->drop)
		privs_drop(false);
	do {
		if (!walk_all(j, ENTRY_ITER_TASK) || !walk_all(j, ENTRY_TEST_RUN))
			break;
		seen = looks(j->w);
		next += j->period_ns;
		now = clock_ns(CLOCK_MONOTONIC);
		if (next < now) /* late: no walks to make up for it */
			next = now;
	} while (sleep_until(j->w, next) && wait_for_look(j->w, seen));
	__atomic_store_n(&j->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* When to look for due keys again: at the earliest deadline, that of keys opened since included. took: CPU time of the
 * walk. */
static uint64_t next_scan(const struct img_scan *s, uint64_t timeout, uint64_t start, uint64_t took)
{
	uint64_t next = s->taken < s->listed ? 0 : s->due, end = clock_ns(CLOCK_MONOTONIC);
	uint64_t pause = took * WALK_PAUSE_FACTOR;

	if (pause > WALK_PAUSE_LONG_NS)
		pause = took > WALK_PAUSE_LONG_NS ? took : WALK_PAUSE_LONG_NS;
	if (pause < WALK_PAUSE_MIN_NS || s->fired * WALK_FIRED_NS >= took)
		pause = WALK_PAUSE_MIN_NS;
	if (timeout && start + timeout < next)
		next = start + timeout;
	return next < end + pause ? end + pause : next;
}

/* Sleeps until then, or until another timeout is set; false as above. */
static bool wait_for_scan(struct job *j, uint64_t timeout, uint64_t next)
{
	uint64_t at;

	do {
		at = clock_ns(CLOCK_MONOTONIC) + WALK_PAUSE_MAX_NS;
		if (!sleep_until(j->w, next < at ? next : at))
			return false;
	} while (next > at && __atomic_load_n(&j->scan->timeout, __ATOMIC_RELAXED) == timeout);
	return true;
}

static void *run_scan(void *arg)
{
	struct job *j = arg;
	struct img_scan *s = j->scan;
	uint64_t start, timeout, cpu;

	priority_raise();
	if (j->w->drop)
		privs_drop(false);
	do {
		start = clock_ns(CLOCK_MONOTONIC);
		cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		timeout = __atomic_load_n(&s->timeout, __ATOMIC_RELAXED);
		s->due = UINT64_MAX;
		s->listed = s->taken = s->fired = 0;
		if (timeout && !walk_all(j, ENTRY_ITER_MAP))
			break;
		if (s->listed && !walk_all(j, ENTRY_ITER_TASK))
			break;
	} while (wait_for_scan(j, timeout, next_scan(s, timeout, start, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu)));
	__atomic_store_n(&j->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Whether a program is part of walks. */
static bool is_walk(const struct entry *e)
{
	return e->kind == ENTRY_ITER_TASK || e->kind == ENTRY_ITER_MAP ||
	       (e->kind == ENTRY_TEST_RUN && !strcmp(e->target, ENTRY_WALK_DONE));
}

static struct job *find_job(struct walker *w, const struct entry *e, uint64_t period_ns)
{
	const struct img_scan_ref *ref = e->scan ? &w->l->img->scans[e->scan - 1] : NULL;
	struct img_scan *scan = ref ? (void *)((char *)w->l->state + ref->state_off) : NULL;
	uint64_t period = scan ? 0 : e->period_ns ? e->period_ns : period_ns;

	for (uint32_t i = 0; i < w->njobs; i++)
		if (w->jobs[i].scan == scan && w->jobs[i].period_ns == period)
			return &w->jobs[i];
	w->jobs[w->njobs] = (struct job){ .w = w, .period_ns = period, .scan = scan };
	return &w->jobs[w->njobs++];
}

static int fill_jobs(struct walker *w, uint64_t period_ns)
{
	const struct image *img = w->l->img;

	for (uint32_t i = 0; i < img->nprogs; i++) {
		struct job *j;

		if (!is_walk(&img->progs[i].entry))
			continue;
		j = find_job(w, &img->progs[i].entry, period_ns);
		if (!j->progs)
			j->progs = calloc(img->nprogs, sizeof(*j->progs));
		if (!j->progs)
			return -ENOMEM;
		j->progs[j->nprogs++] = i;
	}
	return 0;
}

static void init_lock(struct walker *w)
{
	pthread_condattr_t a;

	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&w->cond, &a);
	pthread_condattr_destroy(&a);
	pthread_mutex_init(&w->lock, NULL);
}

int walker_new(const struct loaded *l, uint64_t period_ns, int cpu, bool asks, struct walker **ret)
{
	uint32_t n = 0;
	struct walker *w;

	*ret = NULL;
	for (uint32_t i = 0; i < l->img->nprogs; i++)
		n += is_walk(&l->img->progs[i].entry);
	if (!n)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->l = l;
	w->cpu = cpu;
	w->asks = asks;
	init_lock(w);
	w->jobs = calloc(n, sizeof(*w->jobs));
	w->links = calloc(l->room, sizeof(*w->links));
	for (uint32_t i = 0; w->links && i < l->room; i++)
		w->links[i] = -1;
	if (!w->jobs || !w->links || fill_jobs(w, period_ns) < 0) {
		walker_free(w);
		return -ENOMEM;
	}
	*ret = w;
	return 0;
}

int walker_add(struct walker *w, uint32_t prog, const struct link *l)
{
	int fd = link_dup_fd(l);

	if (fd < 0)
		return fd;
	pthread_mutex_lock(&w->lock);
	w->links[prog] = fd;
	pthread_mutex_unlock(&w->lock);
	return 0;
}

static int start_job(struct job *j)
{
	pthread_attr_t a;
	int r;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, STACK_SIZE);
	r = pthread_create(&j->thread, &a, j->scan ? run_scan : run_periodic, j);
	pthread_attr_destroy(&a);
	j->started = r == 0;
	return -r;
}

int walker_start(struct walker *w, bool drop)
{
	sigset_t all, old;
	int r = 0;

	w->drop = drop;
	/* Signals are the session's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t i = 0; i < w->njobs && r == 0; i++)
		r = start_job(&w->jobs[i]);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}

void walker_drop(struct walker *w, uint32_t prog)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	closep(&w->links[prog]);
	w->links[prog] = -1;
	pthread_mutex_unlock(&w->lock);
}

/* Waits for the thread of a job until that time (CLOCK_MONOTONIC). */
static bool join_job(struct job *j, uint64_t until)
{
	const struct timespec pause = { .tv_nsec = WALK_PAUSE_MIN_NS };

	while (!__atomic_load_n(&j->ended, __ATOMIC_ACQUIRE)) {
		if (clock_ns(CLOCK_MONOTONIC) >= until)
			return false;
		nanosleep(&pause, NULL);
	}
	pthread_join(j->thread, NULL);
	j->started = false;
	return true;
}

bool walker_stop(struct walker *w)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + WALK_STOP_NS;
	bool all = true;

	if (!w)
		return true;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->cond);
	pthread_mutex_unlock(&w->lock);
	for (uint32_t i = 0; i < w->njobs; i++)
		if (w->jobs[i].started)
			all &= join_job(&w->jobs[i], until);
	return all;
}

void walker_looked(struct walker *w)
{
	pthread_mutex_lock(&w->lock);
	w->looks++;
	pthread_cond_broadcast(&w->cond);
	pthread_mutex_unlock(&w->lock);
}

int walker_error(struct walker *w)
{
	int r;

	pthread_mutex_lock(&w->lock);
	r = w->error;
	w->error = 0;
	pthread_mutex_unlock(&w->lock);
	return r;
}

void walker_free(struct walker *w)
{
	if (!w || !walker_stop(w))
		return; /* left to the thread that does not end: it still looks at it */
	for (uint32_t i = 0; w->links && i < w->l->img->nprogs; i++)
		closep(&w->links[i]);
	for (uint32_t i = 0; i < w->njobs; i++)
		free(w->jobs[i].progs);
	pthread_cond_destroy(&w->cond);
	pthread_mutex_destroy(&w->lock);
	free(w->jobs);
	free(w->links);
	free(w);
}
