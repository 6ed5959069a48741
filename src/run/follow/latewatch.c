/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the thread that waits for new executable mappings and stops the thread that made one. */
#include "run/follow/latewatch.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash_try.h"
#include "base/wake.h"
#include "run/follow/pause.h"
#include "run/os/privs.h"

/* Out of memory while a table grows: the element is then not in the table. */
#include <utlist.h>

#define PAUSED_LOOK_MS 1 /* until the next look at threads that stop late */
#define STACK_SIZE ((size_t)256 << 10)
#define PRIORITY 1 /* the lowest of the real-time ones */

struct seen {
	uint64_t key[3]; /* device, inode, generation */
	UT_hash_handle hh;
};

struct queue {
	struct latefile *first, **last;
};

struct latewatch {
	const char *const *provs;
	size_t nprovs;
	struct sideband *side;
	int ready, wake; /* eventfds: for the session, for the thread */
	pthread_t thread;
	bool started;
	unsigned flags;
	pthread_mutex_t lock; /* of these: */
	struct queue files, done;
	bool stop;
	/* The thread's own, and the session's after its end: */
	struct seen *seen;
	struct pauses pauses;
	struct latefile *outs; /* files that the session has or may take */
	unsigned out;
	uint64_t second; /* when it began: what is counted is of it */
	unsigned looks, wakes;
	struct latewatch_losses losses;
};

static void queue_add(struct queue *q, struct latefile *f)
{
	f->next = NULL;
	*q->last = f;
	q->last = &f->next;
}

static struct latefile *queue_take(struct queue *q)
{
	struct latefile *f = q->first;

	if (f)
		q->first = f->next;
	if (!q->first)
		q->last = &q->first;
	return f;
}

int latewatch_new(const char *const *provs, size_t n, struct latewatch **ret)
{
	struct latewatch *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->provs = provs;
	w->nprovs = n;
	w->files.last = &w->files.first;
	w->done.last = &w->done.first;
	pthread_mutex_init(&w->lock, NULL);
	w->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = w->ready < 0 || w->wake < 0 ? -errno : sideband_open(SIDEBAND_MAPPINGS, &w->side);
	if (r < 0) {
		latewatch_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

static void forget_seen(struct latewatch *w)
{
	struct seen *e, *next;

	HASH_ITER (hh, w->seen, e, next) {
		HASH_DEL(w->seen, e);
		free(e);
	}
}

void latewatch_free(struct latewatch *w)
{
	struct latefile *f;

	if (!w)
		return;
	latewatch_stop(w);
	while ((f = queue_take(&w->files)) || (f = queue_take(&w->done)))
		free(f);
	sideband_close(w->side);
	forget_seen(w);
	closep(&w->ready);
	closep(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* -- the thread -- */

bool latewatch_is_named(const struct latewatch *w, uint32_t tgid)
{
	char digits[16];
	size_t n, k = (size_t)snprintf(digits, sizeof(digits), "%u", tgid);

	for (size_t i = 0; i < w->nprovs; i++)
		if ((n = strlen(w->provs[i])) > k && !strcmp(w->provs[i] + n - k, digits))
			return true;
	return false;
}

static bool was_seen(struct latewatch *w, const struct side_event *e)
{
	uint64_t key[3] = { e->dev, e->ino, e->gen };
	struct seen *f;

	HASH_FIND(hh, w->seen, key, sizeof(key), f);
	return f != NULL;
}

static void note_seen(struct latewatch *w, const struct side_event *e)
{
	struct seen *f;

	if (was_seen(w, e))
		return;
	if (HASH_COUNT(w->seen) >= LATEWATCH_SEEN)
		forget_seen(w);
	f = calloc(1, sizeof(*f));
	if (!f)
		return;
	f->key[0] = e->dev;
	f->key[1] = e->ino;
	f->key[2] = e->gen;
	HASH_ADD(hh, w->seen, key, sizeof(f->key), f);
	if (!f->hh.tbl)
		free(f);
}

/* Source: proc(5), stat, field 4. */
static bool is_our_child(pid_t pid)
{
	char path[32], buf[512], *s;
	_cleanup_fclose_ FILE *f = NULL;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	s = f && fgets(buf, sizeof(buf), f) ? strrchr(buf, ')') : NULL; /* the name may have anything in it */
	return s && sscanf(s, ") %*c %d", &parent) == 1 && parent == getpid();
}

static bool stop_thread(struct latewatch *w, const struct side_event *e)
{
	if (e->len > LATEWATCH_PAUSE_BYTES || ((w->flags & LATEWATCH_SPARE_CHILDREN) && is_our_child((pid_t)e->tgid)))
		return false;
	return pause_thread(&w->pauses, (pid_t)e->tid) == 0;
}

/* The thread that maps the file is stopped first: there is no time to lose. */
static void hand_over(struct latewatch *w, const struct side_event *e)
{
	bool paused = stop_thread(w, e);
	struct latefile *f = calloc(1, sizeof(*f) + strlen(e->path) + 1);

	if (!f) {
		w->losses.skipped++;
		if (paused)
			pause_end(&w->pauses, (pid_t)e->tid, false);
		return;
	}
	f->e = *e;
	f->paused = paused;
	f->since = clock_ns(CLOCK_BOOTTIME); /* the clock of the side band */
	f->late = !paused || f->since - e->time > LATEWATCH_LATE_NS;
	strcpy(f->path, e->path);
	f->e.path = f->path;
	DL_APPEND2(w->outs, f, prev_out, next_out);
	w->out++;
	w->looks++;
	pthread_mutex_lock(&w->lock);
	queue_add(&w->files, f);
	pthread_mutex_unlock(&w->lock);
	wake_set(w->ready);
}

static void on_mapping(void *ctx, const struct side_event *e)
{
	struct latewatch *w = ctx;

	if (e->kind != SIDE_MMAP || e->path[0] != '/' || !e->ino || e->tgid == (uint32_t)getpid())
		return;
	if (was_seen(w, e) && !latewatch_is_named(w, e->tgid))
		return;
	if (w->looks >= LATEWATCH_LOOKS || w->out >= LATEWATCH_QUEUE)
		w->losses.skipped++;
	else
		hand_over(w, e);
}

/* Lets those go on whose files have been looked at. True: all is to end. */
static bool take_back(struct latewatch *w)
{
	struct latefile *f;
	bool stop;

	do {
		pthread_mutex_lock(&w->lock);
		f = queue_take(&w->done);
		stop = w->stop;
		pthread_mutex_unlock(&w->lock);
		if (!f)
			break;
		if (f->paused)
			pause_end(&w->pauses, (pid_t)f->e.tid, f->wanted && !f->late);
		w->losses.unpaused += f->wanted && f->late;
		if (!f->again && !latewatch_is_named(w, f->e.tgid))
			note_seen(w, &f->e);
		DL_DELETE2(w->outs, f, prev_out, next_out);
		w->out--;
		free(f);
	} while (f);
	pauses_tick(&w->pauses);
	return stop;
}

/* Lets those go on that the session takes too long for. They are in the order of their times. */
static void let_go_old(struct latewatch *w)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME);
	struct latefile *f;

	DL_FOREACH2(w->outs, f, next_out)
	{
		if (now - f->since < LATEWATCH_HOLD_MS * 1000000ull)
			return;
		if (f->paused)
			pause_end(&w->pauses, (pid_t)f->e.tid, false);
		f->late |= f->paused;
		f->paused = false;
	}
}

static void new_second(struct latewatch *w)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME);

	if (now - w->second < NSEC_PER_SEC)
		return;
	w->second = now;
	w->looks = w->wakes = 0;
}

static void watch(struct latewatch *w, struct pollfd *fds, size_t n)
{
	for (;;) {
		bool calm = w->wakes < LATEWATCH_WAKES;

		for (size_t i = 0; i < n; i++) {
			bool bad = fds[i].revents & (POLLERR | POLLHUP | POLLNVAL); /* its CPU has gone */

			fds[i] = (struct pollfd){ calm && !bad ? sideband_fd(w->side, i) : -1, POLLIN, 0 };
		}
		fds[n] = (struct pollfd){ w->wake, POLLIN, 0 };
		poll(fds, n + 1, w->pauses.n ? PAUSED_LOOK_MS : calm && !w->out ? -1 : LATEWATCH_NAP_MS);
		new_second(w);
		w->wakes++;
		wake_clear(w->wake);
		if (take_back(w))
			return;
		let_go_old(w);
		sideband_drain(w->side, on_mapping, w);
	}
}

/* When this thread ends, the kernel detaches its tracees, and those that it had stopped go on. */
static void *run(void *arg)
{
	struct latewatch *w = arg;
	const struct sched_param p = { .sched_priority = PRIORITY };
	size_t n = sideband_nfds(w->side);
	struct pollfd *fds = calloc(n + 1, sizeof(*fds));

	pthread_setname_np(pthread_self(), "dwell-late");
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p); /* refused: it works nevertheless */
	if (w->flags & LATEWATCH_DROP)
		privs_drop(false);
	if (fds)
		watch(w, fds, n);
	free(fds);
	return NULL;
}

/* -- the session's side -- */

int latewatch_start(struct latewatch *w, unsigned flags)
{
	sigset_t all, old;
	pthread_attr_t a;
	int r;

	w->flags = flags;
	sigfillset(&all); /* signals are the session's */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, STACK_SIZE);
	r = pthread_create(&w->thread, &a, run, w);
	pthread_attr_destroy(&a);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	w->started = r == 0;
	return -r;
}

int latewatch_fd(const struct latewatch *w)
{
	return w->ready;
}

struct latefile *latewatch_next(struct latewatch *w)
{
	struct latefile *f;

	pthread_mutex_lock(&w->lock);
	f = queue_take(&w->files);
	if (!f)
		wake_clear(w->ready);
	pthread_mutex_unlock(&w->lock);
	return f;
}

void latewatch_done(struct latewatch *w, struct latefile *f)
{
	pthread_mutex_lock(&w->lock);
	queue_add(&w->done, f);
	pthread_mutex_unlock(&w->lock);
	wake_set(w->wake);
}

void latewatch_stop(struct latewatch *w)
{
	if (!w->started)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_mutex_unlock(&w->lock);
	wake_set(w->wake);
	pthread_join(w->thread, NULL);
	w->started = false;
}

struct latewatch_losses latewatch_losses(const struct latewatch *w)
{
	struct latewatch_losses l = w->losses;

	l.events = sideband_lost(w->side);
	l.unpaused += w->pauses.ended;
	return l;
}
