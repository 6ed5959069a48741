/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the thread that waits for JVMs that begin. Source: OpenJDK 17, runtime/thread.cpp, Threads::create_vm(): the
 * thread for periodic tasks begins after agents were told that the JVM is initialised, and before main(). Agents cannot
 * be loaded before. In JDK 25 it begins earlier. */
#include "run/follow/jvmwatch.h"
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/wake.h"
#include "run/follow/sideband.h"

#define LIBJVM "/libjvm.so"
#define LAST_THREAD "VM Periodic Tas" /* as much of its name as the kernel keeps */
#define STACK_SIZE ((size_t)512 << 10)

/* A JVM with its agent, or without. */
struct begun {
	int pid, fd; /* fd: -errno, with words in err */
	struct err err;
	struct begun *next;
};

struct candidate {
	int pid;
	unsigned tries;
	uint64_t since, next; /* CLOCK_MONOTONIC, ns: when it began, of the next try */
};

struct jvmwatch {
	jvm_connect *connect;
	struct sideband *side;
	int ready, wake; /* eventfds: for the session, for the thread */
	pthread_t thread;
	bool started;
	pthread_mutex_t lock; /* of these: */
	struct begun *first, **last;
	_Atomic bool stop; /* has none */
	/* The thread's own, and the session's before and after it: */
	struct candidate v[JVMWATCH_MAX];
	size_t n;
	uint64_t lost;
};

int jvmwatch_new(jvm_connect *connect, struct jvmwatch **ret)
{
	struct jvmwatch *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->connect = connect;
	w->last = &w->first;
	pthread_mutex_init(&w->lock, NULL);
	w->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = w->ready < 0 || w->wake < 0 ? -errno : sideband_open(SIDEBAND_MAPPINGS, &w->side);
	if (r < 0) {
		jvmwatch_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

void jvmwatch_free(struct jvmwatch *w)
{
	if (!w)
		return;
	jvmwatch_stop(w);
	for (struct begun *b = w->first, *next; b; b = next) {
		next = b->next;
		if (b->fd >= 0)
			close(b->fd);
		err_done(&b->err);
		free(b);
	}
	sideband_close(w->side);
	closep(&w->ready);
	closep(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void jvmwatch_add(struct jvmwatch *w, int pid)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].pid == pid)
			return;
	if (w->n == JVMWATCH_MAX)
		w->lost++;
	else
		w->v[w->n++] = (struct candidate){ .pid = pid, .since = clock_ns(CLOCK_MONOTONIC) };
}

/* -- the thread -- */

static void on_mapping(void *ctx, const struct side_event *e)
{
	size_t n = e->kind == SIDE_MMAP ? strlen(e->path) : 0;

	if (n >= sizeof(LIBJVM) - 1 && !strcmp(e->path + n - (sizeof(LIBJVM) - 1), LIBJVM))
		jvmwatch_add(ctx, (int)e->tgid);
}

/* Does a thread of the process have this name? */
static bool has_thread(int pid, const char *name)
{
	char path[64], comm[32];
	bool found = false;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir))) {
		if (e->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "/proc/%d/task/%.20s/comm", pid, e->d_name) >= (int)sizeof(path))
			continue;
		_cleanup_fclose_ FILE *f = fopen(path, "re");

		if (f && fgets(comm, sizeof(comm), f)) {
			comm[strcspn(comm, "\n")] = '\0';
			found = !strcmp(comm, name);
		}
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool has_ended(int pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

/* The agent is there, or will not be. */
static void hand_over(struct jvmwatch *w, struct begun *b)
{
	pthread_mutex_lock(&w->lock);
	*w->last = b;
	w->last = &b->next;
	pthread_mutex_unlock(&w->lock);
	wake_set(w->ready);
}

/* Newer JVMs begin that thread earlier, and then refuse the agent at first. False: to be tried again. */
static bool try_it(struct jvmwatch *w, struct candidate *c)
{
	struct begun *b = calloc(1, sizeof(*b));

	if (!b) {
		w->lost++;
		return true;
	}
	b->pid = c->pid;
	b->fd = w->connect(c->pid, &w->stop, &b->err);
	if (b->fd >= 0 || b->fd == -ETIMEDOUT || ++c->tries == JVMWATCH_TRIES) {
		hand_over(w, b);
		return true;
	}
	c->next = clock_ns(CLOCK_MONOTONIC) + JVMWATCH_AGAIN_MS * 1000000ull;
	err_done(&b->err);
	free(b);
	return false;
}

/* Is the JVM to be looked at no more? */
static bool look_at(struct jvmwatch *w, struct candidate *c)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), ms = (now - c->since) / 1000000u;

	if (has_ended(c->pid))
		return true;
	if (now < c->next || (!c->tries && ms < JVMWATCH_SURE_MS && !has_thread(c->pid, LAST_THREAD)))
		return false;
	return try_it(w, c);
}

static void watch(struct jvmwatch *w, struct pollfd *fds, size_t n)
{
	while (!w->stop) {
		for (size_t i = 0; i < n; i++) {
			bool bad = fds[i].revents & (POLLERR | POLLHUP | POLLNVAL); /* its CPU has gone */

			fds[i] = (struct pollfd){ w->n || bad ? -1 : sideband_fd(w->side, i), POLLIN, 0 };
		}
		fds[n] = (struct pollfd){ w->wake, POLLIN, 0 };
		poll(fds, n + 1, w->n ? JVMWATCH_LOOK_MS : -1);
		sideband_drain(w->side, on_mapping, w);
		for (size_t i = 0; i < w->n && !w->stop;)
			if (look_at(w, &w->v[i]))
				w->v[i] = w->v[--w->n];
			else
				i++;
	}
}

static void *run(void *arg)
{
	struct jvmwatch *w = arg;
	size_t n = sideband_nfds(w->side);
	struct pollfd *fds = calloc(n + 1, sizeof(*fds));

	pthread_setname_np(pthread_self(), "dwell-jvms");
	if (fds)
		watch(w, fds, n);
	free(fds);
	return NULL;
}

/* -- the session's side -- */

int jvmwatch_start(struct jvmwatch *w)
{
	sigset_t all, old;
	pthread_attr_t a;
	int r;

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

int jvmwatch_fd(const struct jvmwatch *w)
{
	return w->ready;
}

bool jvmwatch_next(struct jvmwatch *w, int *ret_pid, int *ret_fd, struct err *err)
{
	struct begun *b;

	pthread_mutex_lock(&w->lock);
	b = w->first;
	if (b)
		w->first = b->next;
	else
		wake_clear(w->ready);
	if (!w->first)
		w->last = &w->first;
	pthread_mutex_unlock(&w->lock);
	if (!b)
		return false;
	*ret_pid = b->pid;
	*ret_fd = b->fd;
	*err = b->err;
	free(b);
	return true;
}

void jvmwatch_stop(struct jvmwatch *w)
{
	if (!w->started)
		return;
	w->stop = true;
	wake_set(w->wake);
	pthread_join(w->thread, NULL);
	w->started = false;
}

uint64_t jvmwatch_lost(const struct jvmwatch *w)
{
	return w->lost + sideband_lost(w->side);
}
