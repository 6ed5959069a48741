/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which task or event ended a wait. A futex: the call that woke that many of its waiters, in their order. A
 * pipe, socketpair or eventfd: the task that wrote first since the wait began, or closed the last end. A child: it
 * ended. Else a time, or a signal.
 */
#include "retro/waits.h"
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include "retro/waits_int.h"

#define SENT 16u	  /* signals that are remembered */
#define RESTARTS_FROM 512 /* -ERESTARTSYS … */
#define RESTARTS_TO 516

/* A thread of the recording. */
struct thread {
	uint32_t task;
	struct doer who;
	uint32_t ppid;
	uint64_t nr, args[6], began;
	bool inside;	/* of a call */
	uint64_t futex; /* which it waits for now; 0: none */
	struct act cause;
	enum wait_end end; /* of cause; END_UNKNOWN: nothing yet */
	size_t last;	   /* index of its last wait, plus 1 */
};
struct sent {
	uint32_t signo, target; /* a thread or process */
	struct act a;
};
struct waits {
	struct calls *calls;
	struct fds fds;
	const struct wait_sink *sink; /* or NULL */
	VEC(struct thread *) threads;
	VEC(struct wait) found;
	uint64_t last; /* time of the last event */
	struct sent sent[SENT];
	size_t nsent;
	struct act ended; /* the last process that did */
	uint32_t ended_parent;
};

static enum wait_kind kind_of(uint64_t nr, const uint64_t *args)
{
	const unsigned op = (unsigned)args[1] & FUTEX_CMD_MASK;

	switch (nr) {
	case __NR_futex:
		return op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI || op == FUTEX_WAIT_REQUEUE_PI
			       ? WAITS_FUTEX
			       : WAITS_NOT;
	case __NR_read:
	case __NR_readv:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_accept:
	case __NR_accept4: return WAITS_READ;
	case __NR_write:
	case __NR_writev:
	case __NR_sendto:
	case __NR_sendmsg: return WAITS_WRITE;
	case __NR_poll:
	case __NR_ppoll: return WAITS_POLL;
	case __NR_select:
	case __NR_pselect6: return WAITS_SELECT;
	case __NR_epoll_wait:
	case __NR_epoll_pwait: return WAITS_EPOLL;
	case __NR_wait4:
	case __NR_waitid: return WAITS_CHILD;
	case __NR_nanosleep:
	case __NR_clock_nanosleep: return WAITS_SLEEP;
	case __NR_pause:
	case __NR_rt_sigsuspend:
	case __NR_rt_sigtimedwait: return WAITS_SIGNAL;
	case __NR_flock:
	case __NR_connect: return WAITS_OTHER;
	case __NR_fcntl: return args[1] == F_SETLKW || args[1] == F_OFD_SETLKW ? WAITS_OTHER : WAITS_NOT;
	default: return WAITS_NOT;
	}
}

static struct thread *find(const struct waits *w, uint32_t task)
{
	for (size_t i = w->threads.n; i--;)
		if (w->threads.v[i]->task == task)
			return w->threads.v[i];
	return NULL;
}

static bool is_known(const struct waits *w, uint32_t tgid)
{
	for (size_t i = w->threads.n; i--;)
		if (w->threads.v[i]->who.tgid == tgid)
			return true;
	return false;
}

static int tell_process(const struct waits *w, enum wait_process what, const struct doer *who, uint32_t parent,
			uint64_t ns)
{
	return w->sink ? w->sink->process(w->sink->ctx, what, who, parent, ns) : 0;
}

static struct doer doer_of(const struct ev_name *name)
{
	struct doer d = { .tgid = name->tgid, .tid = name->tid };

	memcpy(d.comm, name->comm, sizeof(d.comm));
	return d;
}

/* The thread, as it is called now. NULL: no memory. */
static struct thread *thread_of(struct waits *w, uint32_t task, const struct ev_name *name, uint64_t ns)
{
	const struct doer who = doer_of(name);
	struct thread *t = find(w, task);

	if (!t) {
		if (!is_known(w, name->tgid) && (fds_forked(&w->fds, name->ppid, name->tgid) < 0 ||
						 tell_process(w, PROCESS_FORKED, &who, name->ppid, ns) < 0))
			return NULL;
		t = calloc(1, sizeof(*t));
		if (t && vec_try_push(&w->threads, t) < 0) {
			free(t);
			return NULL;
		}
	}
	if (t) {
		t->task = task;
		t->ppid = name->ppid;
		t->who = who;
	}
	return t;
}

static bool is_same_futex(const struct thread *a, const struct thread *t, uint64_t addr, bool private)
{
	return a->futex == addr && a->end == END_UNKNOWN && (!private || a->who.tgid == t->who.tgid);
}

/* Up to n threads that wait for this futex, those first that have waited longest, are told which task woke them; the
 * next `moved` ones wait for another futex. */
static void wake(struct waits *w, const struct thread *t, uint64_t addr, bool private, uint64_t n, uint64_t moved,
		 uint64_t to)
{
	for (uint64_t k = 0; k < n + moved; k++) {
		struct thread *first = NULL;

		for (size_t i = 0; i < w->threads.n; i++) {
			struct thread *a = w->threads.v[i];

			if (is_same_futex(a, t, addr, private) && (!first || a->began < first->began))
				first = a;
		}
		if (!first)
			return;
		if (k >= n) {
			first->futex = to;
			continue;
		}
		first->cause = (struct act){ t->began, t->who };
		first->end = END_WAKE;
	}
}

static void futex_done(struct waits *w, const struct thread *t, const struct calls_event *e)
{
	const unsigned op = (unsigned)e->args[1];
	const uint64_t ret = e->ret > 0 ? (uint64_t)e->ret : 0, most = (uint32_t)e->args[2];
	const uint64_t woken = ret < most ? ret : most;
	const bool private = op & FUTEX_PRIVATE_FLAG;

	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET: wake(w, t, e->args[0], private, ret, 0, 0); break;
	case FUTEX_UNLOCK_PI: wake(w, t, e->args[0], private, e->ret == 0, 0, 0); break;
	case FUTEX_REQUEUE: wake(w, t, e->args[0], private, ret, (uint32_t)e->args[3], e->args[4]); break;
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI: wake(w, t, e->args[0], private, woken, ret - woken, e->args[4]); break;
	case FUTEX_WAKE_OP:
		wake(w, t, e->args[0], private, woken, 0, 0);
		wake(w, t, e->args[4], private, ret - woken, 0, 0);
		break;
	default: break;
	}
}

static void sent(struct waits *w, const struct thread *t, const struct calls_event *e)
{
	struct sent *s = &w->sent[w->nsent % SENT];
	const bool thread = e->nr == __NR_tgkill;

	if (e->ret < 0)
		return;
	*s = (struct sent){ (uint32_t)e->args[thread ? 2 : 1], (uint32_t)e->args[thread], { t->began, t->who } };
	w->nsent++;
}

static const struct act *who_sent(const struct waits *w, const struct thread *t, uint32_t signo)
{
	for (size_t i = 0; i < SENT && i < w->nsent; i++) {
		const struct sent *s = &w->sent[(w->nsent - 1 - i) % SENT];

		if (s->signo == signo && (s->target == t->who.tid || s->target == t->who.tgid) && s->a.ns >= t->began)
			return &s->a;
	}
	return NULL;
}

static enum wait_on on_of(const struct chan *c)
{
	static const enum wait_on on[] = {
		[CHAN_PIPE] = ON_PIPE, [CHAN_SOCKET] = ON_SOCKET, [CHAN_EVENT] = ON_EVENT, [CHAN_TIMER] = ON_TIMER
	};

	return c->kind == CHAN_EPOLL ? ON_NOTHING : on[c->kind];
}

/* A task that is in a call that writes there, and will return later. */
static const struct thread *writes_now(const struct waits *w, const struct thread *t, const struct chan *c)
{
	for (size_t i = 0; i < w->threads.n; i++) {
		const struct thread *a = w->threads.v[i];
		const struct fdent *e;

		if (a == t || !a->inside || kind_of(a->nr, a->args) != WAITS_WRITE)
			continue;
		e = fds_find(&w->fds, a->who.tgid, (int)a->args[0]);
		if (e && e->out == c)
			return a;
	}
	return NULL;
}

static void take(struct wait *x, enum wait_end end, const struct act *a)
{
	x->end = end;
	x->by = a->by;
}

/* Finds the write or close that readers of c waited for; false: there is none. The earliest of several counts. */
static bool ended_by(const struct waits *w, const struct thread *t, const struct chan *c, bool data, struct wait *x,
		     uint64_t *at)
{
	const struct act *a = chan_since(c, data ? CHAN_WRITTEN : CHAN_CLOSED, t->began);
	const struct thread *now;

	if (c->kind == CHAN_TIMER) {
		if (x->end == END_UNKNOWN)
			x->on = ON_TIMER, x->end = END_TIME;
		return x->end == END_TIME;
	}
	if (a && a->ns < *at) {
		*at = a->ns;
		x->on = on_of(c);
		take(x, data ? END_WRITE : END_CLOSE, a);
		return true;
	}
	now = a || !data ? NULL : writes_now(w, t, c);
	if (!now)
		return a;
	x->on = on_of(c);
	take(x, END_WRITE, &(struct act){ now->began, now->who });
	return true;
}

static void read_done(const struct waits *w, const struct thread *t, int64_t ret, struct wait *x, uint64_t *at)
{
	const struct fdent *e = fds_find(&w->fds, t->who.tgid, (int)t->args[0]);

	if (e && e->in) {
		x->on = on_of(e->in);
		ended_by(w, t, e->in, ret > 0, x, at);
	}
}

static void write_done(const struct waits *w, const struct thread *t, struct wait *x, uint64_t *at)
{
	const struct fdent *e = fds_find(&w->fds, t->who.tgid, (int)t->args[0]);
	const struct act *a = e && e->out ? chan_since(e->out, CHAN_READ, t->began) : NULL;

	if (!e || !e->out)
		return;
	x->on = on_of(e->out);
	if (!a)
		return;
	*at = a->ns;
	take(x, END_READ, a);
}

/* A descriptor is ready. */
static void ready(const struct waits *w, const struct thread *t, int fd, bool writable, struct wait *x, uint64_t *at)
{
	const struct fdent *e = fds_find(&w->fds, t->who.tgid, fd);

	if (e && e->in && !writable && !ended_by(w, t, e->in, true, x, at))
		ended_by(w, t, e->in, false, x, at);
}

static void poll_done(struct waits *w, const struct thread *t, struct wait *x, uint64_t *at)
{
	struct pollfd p;

	for (uint64_t i = 0; i < t->args[1]; i++) {
		if (calls_read(w->calls, t->args[0] + i * sizeof(p), &p, sizeof(p)) != sizeof(p))
			break;
		if (p.revents)
			ready(w, t, p.fd, !(p.revents & (POLLIN | POLLHUP)), x, at);
	}
}

static void select_done(struct waits *w, const struct thread *t, struct wait *x, uint64_t *at)
{
	fd_set set;

	if (!t->args[1] || calls_read(w->calls, t->args[1], &set, sizeof(set)) != sizeof(set))
		return;
	for (int fd = 0; fd < (int)t->args[0] && fd < FD_SETSIZE; fd++)
		if (FD_ISSET(fd, &set))
			ready(w, t, fd, false, x, at);
}

static void epoll_done(const struct waits *w, const struct thread *t, struct wait *x, uint64_t *at)
{
	const struct fdent *e = fds_find(&w->fds, t->who.tgid, (int)t->args[0]);

	for (size_t i = 0; e && e->in && i < e->in->watched.n; i++) {
		const struct chan *c = e->in->watched.v[i];

		if (c->kind != CHAN_TIMER && !ended_by(w, t, c, true, x, at))
			ended_by(w, t, c, false, x, at);
	}
	for (size_t i = 0; e && e->in && i < e->in->watched.n && x->end == END_UNKNOWN; i++)
		if (e->in->watched.v[i]->kind == CHAN_TIMER)
			ended_by(w, t, e->in->watched.v[i], true, x, at);
}

/* pthread_join(3) waits for the number of a thread to go, which is there no longer while that thread is in exit(2). */
static void join_done(const struct waits *w, const struct thread *t, struct wait *x, uint64_t *at)
{
	for (size_t i = 0; i < w->threads.n; i++) {
		const struct thread *a = w->threads.v[i];

		if (a->who.tgid != t->who.tgid || a->who.tid != (uint32_t)t->args[2] || !a->inside ||
		    a->nr != __NR_exit)
			continue;
		*at = a->began;
		take(x, END_EXIT, &(struct act){ a->began, a->who });
	}
}

static bool is_interrupted(int64_t ret)
{
	return ret == -EINTR || (ret <= -RESTARTS_FROM && ret >= -RESTARTS_TO);
}

/* It gave up, or slept as long as it wanted to. */
static bool is_time(enum wait_kind k, int64_t ret)
{
	switch (k) {
	case WAITS_SLEEP: return ret == 0;
	case WAITS_FUTEX: return ret == -ETIMEDOUT;
	case WAITS_POLL:
	case WAITS_SELECT:
	case WAITS_EPOLL: return ret == 0;
	case WAITS_SIGNAL: return ret == -EAGAIN;
	default: return false;
	}
}

static void find_end(struct waits *w, struct thread *t, const struct calls_event *e, enum wait_kind k, struct wait *x)
{
	uint64_t at = UINT64_MAX;

	x->on = k == WAITS_FUTEX ? ON_FUTEX : k == WAITS_CHILD ? ON_CHILD : ON_NOTHING;
	if (is_interrupted(e->ret))
		x->end = END_SIGNAL;
	else if (is_time(k, e->ret))
		x->end = END_TIME;
	else if (t->end != END_UNKNOWN && e->ret >= 0) {
		take(x, t->end, &t->cause);
		at = t->cause.ns;
	} else if (k == WAITS_FUTEX && e->ret == 0)
		join_done(w, t, x, &at);
	else if (k == WAITS_READ)
		read_done(w, t, e->ret, x, &at);
	else if (k == WAITS_WRITE && e->ret > 0)
		write_done(w, t, x, &at);
	else if (k == WAITS_POLL && e->ret > 0)
		poll_done(w, t, x, &at);
	else if (k == WAITS_SELECT && e->ret > 0)
		select_done(w, t, x, &at);
	else if (k == WAITS_EPOLL && e->ret > 0)
		epoll_done(w, t, x, &at);
	if (at >= t->began && at < e->ns)
		x->late = e->ns - at;
}

static struct wait call_of(const struct thread *t, uint64_t ns)
{
	return (struct wait){ .who = t->who,
			      .nr = (uint32_t)t->nr,
			      .kind = kind_of(t->nr, t->args),
			      .began = t->began,
			      .took = ns - t->began };
}

/* A call has returned. */
static int add_call(struct waits *w, struct thread *t, const struct calls_event *e)
{
	struct wait x = call_of(t, e->ns);
	int r = w->sink ? w->sink->call(w->sink->ctx, &x) : 0;

	x.waited = x.kind != WAITS_NOT && e->ret != -EAGAIN && (e->waited || x.took >= WAIT_MIN_NS);
	t->last = 0;
	if (x.waited)
		find_end(w, t, e, x.kind, &x);
	if (r == 0 && (x.waited || (w->sink && x.took >= CALL_LONG_NS))) {
		r = vec_try_push(&w->found, x);
		t->last = x.waited ? w->found.n : 0;
	}
	t->futex = 0;
	return r;
}

/* The call in which a thread was when it ended, or the recording did; exit(2) never returns. */
static int add_open(struct waits *w, const struct thread *t, uint64_t ns)
{
	struct wait x = call_of(t, ns);

	if (!w->sink || !t->inside || t->nr == __NR_exit || t->nr == __NR_exit_group || x.took < WAIT_MIN_NS)
		return 0;
	x.end = END_OPEN;
	x.waited = x.kind != WAITS_NOT;
	x.on = x.kind == WAITS_FUTEX ? ON_FUTEX : x.kind == WAITS_CHILD ? ON_CHILD : ON_NOTHING;
	return vec_try_push(&w->found, x);
}

static void begin(struct thread *t, const struct calls_event *e)
{
	t->nr = e->nr;
	memcpy(t->args, e->args, sizeof(t->args));
	t->began = e->ns;
	t->inside = true;
	t->end = END_UNKNOWN;
	t->futex = kind_of(t->nr, t->args) == WAITS_FUTEX ? e->args[0] : 0;
}

static int on_call(void *ctx, const struct calls_event *e)
{
	struct waits *w = ctx;
	struct thread *t = thread_of(w, e->task, &e->name, e->ns);
	int r = 0;

	w->last = e->ns;
	if (!t)
		return -ENOMEM;
	if (e->entry) {
		begin(t, e);
		return 0;
	}
	if (t->inside)
		r = add_call(w, t, e);
	t->inside = false;
	if (r == 0 && e->ret == 0 && (e->nr == __NR_execve || e->nr == __NR_execveat))
		r = tell_process(w, PROCESS_EXECED, &t->who, t->ppid, e->ns);
	if (e->nr == __NR_futex)
		futex_done(w, t, e);
	else if (e->nr == __NR_kill || e->nr == __NR_tkill || e->nr == __NR_tgkill)
		sent(w, t, e);
	return r < 0 ? r : fds_returned(&w->fds, w->calls, e, &t->who);
}

/* Finds the threads that wait for the end of this one: pthread_join(3) by the futex that has its number, the parent by
 * wait(2). */
static void tell_end(struct waits *w, const struct thread *t, const struct act *a, bool process)
{
	for (size_t i = 0; i < w->threads.n; i++) {
		struct thread *x = w->threads.v[i];
		const enum wait_kind k = x->inside && x->end == END_UNKNOWN ? kind_of(x->nr, x->args) : WAITS_NOT;
		const int32_t child = (int32_t)x->args[0];

		if ((k == WAITS_FUTEX && x->who.tgid == t->who.tgid && (uint32_t)x->args[2] == t->who.tid) ||
		    (k == WAITS_CHILD && process && x->who.tgid == t->ppid &&
		     (x->nr != __NR_wait4 || child <= 0 || (uint32_t)child == t->who.tgid))) {
			x->cause = *a;
			x->end = END_EXIT;
		}
	}
}

static int end_thread(struct waits *w, struct thread *t, uint64_t ns)
{
	const struct act a = { ns, t->who };
	int r = add_open(w, t, ns);
	bool process;

	for (size_t i = 0; i < w->threads.n; i++)
		if (w->threads.v[i] == t)
			w->threads.v[i] = w->threads.v[--w->threads.n];
	process = !is_known(w, t->who.tgid);
	tell_end(w, t, &a, process);
	if (process) {
		fds_ended(&w->fds, &a);
		r = r < 0 ? r : tell_process(w, PROCESS_ENDED, &t->who, t->ppid, ns);
	}
	free(t);
	return r;
}

static int on_turn(void *ctx, const struct calls_turn *turn)
{
	struct waits *w = ctx;
	struct thread *t = find(w, turn->task);
	struct wait *x = t && t->last ? &w->found.v[t->last - 1] : NULL;
	const struct act *a;

	if (!t)
		return 0;
	w->last = turn->ns > w->last ? turn->ns : w->last;
	if (!turn->signo)
		return end_thread(w, t, turn->ns);
	if (x && x->end == END_SIGNAL && !x->signo) {
		x->signo = turn->signo;
		a = who_sent(w, t, turn->signo);
		if (a)
			x->by = a->by;
	}
	return 0;
}

int waits_find(FILE *f, const struct wait_sink *sink, struct waits_found *ret, struct err *e)
{
	struct waits w = { .sink = sink };
	int r = calls_open(f, &w.calls, e);

	if (r < 0)
		return r;
	calls_turns_told_to(w.calls, on_turn);
	r = calls_walk(w.calls, on_call, &w, e);
	for (size_t i = 0; i < w.threads.n && r == 0; i++)
		r = add_open(&w, w.threads.v[i], w.last);
	if (r < 0 && !e->code)
		err_set(e, r, "%s", strerror(-r));
	ret->v.v = w.found.v;
	ret->v.n = w.found.n;
	ret->v.cap = w.found.cap;
	ret->cut = w.threads.n != 0;
	for (size_t i = 0; i < w.threads.n; i++)
		free(w.threads.v[i]);
	vec_free(&w.threads);
	fds_free(&w.fds);
	calls_close(w.calls);
	return r;
}

int waits_run(FILE *f, bool json, FILE *out, struct err *e)
{
	struct waits_found found = { 0 };
	int r = waits_find(f, NULL, &found, e);

	if (r == 0)
		r = waits_show(found.v.v, found.v.n, json, out);
	if (r < 0 && !e->code)
		err_set(e, r, "%s", strerror(-r));
	vec_free(&found.v);
	return r;
}
