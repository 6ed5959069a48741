/* SPDX-License-Identifier: Apache-2.0 */
#include "retro/waitfds.h"
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

static void drop_chan(struct chan *c)
{
	if (!c || --c->refs)
		return;
	for (size_t i = 0; i < c->watched.n; i++)
		drop_chan(c->watched.v[i]);
	vec_free(&c->watched);
	free(c);
}

static struct chan *hold(struct chan *c)
{
	if (c)
		c->refs++;
	return c;
}

void chan_note(struct chan *c, enum chan_act kind, const struct act *a)
{
	c->acts[kind][c->n[kind]++ % CHAN_ACTS] = *a;
}

const struct act *chan_since(const struct chan *c, enum chan_act kind, uint64_t ns)
{
	const size_t n = c->n[kind];

	for (size_t i = n > CHAN_ACTS ? n - CHAN_ACTS : 0; i < n; i++)
		if (c->acts[kind][i % CHAN_ACTS].ns >= ns)
			return &c->acts[kind][i % CHAN_ACTS];
	return NULL;
}

static struct fdproc *proc_of(const struct fds *f, uint32_t tgid)
{
	for (size_t i = 0; i < f->procs.n; i++)
		if (f->procs.v[i].tgid == tgid)
			return &f->procs.v[i];
	return NULL;
}

static struct fdent *find(const struct fdproc *p, int fd)
{
	for (size_t i = 0; p && i < p->v.n; i++)
		if (p->v.v[i].fd == fd)
			return &p->v.v[i];
	return NULL;
}

const struct fdent *fds_find(const struct fds *f, uint32_t tgid, int fd)
{
	return find(proc_of(f, tgid), fd);
}

/* The close of the last end that could write ends the waits of readers. */
static void drop(struct fdproc *p, struct fdent *e, const struct act *a)
{
	if (e->out && --e->out->writers == 0 && e->out != e->in)
		chan_note(e->out, CHAN_CLOSED, a);
	drop_chan(e->out);
	drop_chan(e->in);
	*e = p->v.v[--p->v.n];
}

/* From here on fd is that. */
static int put(struct fds *f, const struct act *a, struct fdent e)
{
	struct fdproc *p = proc_of(f, a->by.tgid);
	struct fdent *there = find(p, e.fd);

	if (there)
		drop(p, there, a);
	if (!p) {
		if (vec_try_push(&f->procs, ((struct fdproc){ .tgid = a->by.tgid })) < 0)
			return -ENOMEM;
		p = &f->procs.v[f->procs.n - 1];
	}
	if (vec_try_push(&p->v, e) < 0)
		return -ENOMEM;
	hold(e.in);
	hold(e.out);
	if (e.out)
		e.out->writers++;
	return 0;
}

static struct chan *chan_new(enum chan_kind kind)
{
	struct chan *c = calloc(1, sizeof(*c));

	if (c)
		c->kind = kind;
	return c;
}

/* Two descriptors: of a pipe, or of two directions. */
static int put_pair(struct fds *f, struct calls *c, uint64_t addr, enum chan_kind kind, bool cloexec,
		    const struct act *a)
{
	struct chan *x, *y = NULL;
	int32_t fd[2], r = 0;

	if (calls_read(c, addr, fd, sizeof(fd)) != sizeof(fd))
		return 0;
	x = hold(chan_new(kind));
	if (kind == CHAN_SOCKET)
		y = hold(chan_new(kind));
	if (!x || (kind == CHAN_SOCKET && !y))
		r = -ENOMEM;
	if (r == 0)
		r = put(f, a, (struct fdent){ .fd = fd[0], .cloexec = cloexec, .in = x, .out = y });
	if (r == 0)
		r = put(f, a, (struct fdent){ .fd = fd[1], .cloexec = cloexec, .in = y, .out = x });
	drop_chan(x);
	drop_chan(y);
	return r;
}

static int put_one(struct fds *f, int fd, enum chan_kind kind, bool cloexec, const struct act *a)
{
	struct chan *c = hold(chan_new(kind));
	int r = c ? put(f, a,
			(struct fdent){ .fd = fd, .cloexec = cloexec, .in = c, .out = kind == CHAN_EVENT ? c : NULL })
		  : -ENOMEM;

	drop_chan(c);
	return r;
}

static int copy(struct fds *f, int from, int to, bool cloexec, const struct act *a)
{
	struct fdproc *p = proc_of(f, a->by.tgid);
	struct fdent *e = find(p, from), *there = find(p, to), as;

	if (e && from != to) {
		as = *e;
		as.fd = to;
		as.cloexec = cloexec;
		return put(f, a, as);
	}
	if (there && from != to)
		drop(p, there, a);
	return 0;
}

static void close_some(struct fds *f, unsigned first, unsigned last, const struct act *a)
{
	struct fdproc *p = proc_of(f, a->by.tgid);

	for (size_t i = p ? p->v.n : 0; i--;)
		if ((unsigned)p->v.v[i].fd >= first && (unsigned)p->v.v[i].fd <= last)
			drop(p, &p->v.v[i], a);
}

static void set_cloexec(struct fds *f, unsigned first, unsigned last, bool on, const struct act *a)
{
	struct fdproc *p = proc_of(f, a->by.tgid);

	for (size_t i = p ? p->v.n : 0; i--;)
		if ((unsigned)p->v.v[i].fd >= first && (unsigned)p->v.v[i].fd <= last)
			p->v.v[i].cloexec = on;
}

static void executed(struct fds *f, const struct act *a)
{
	struct fdproc *p = proc_of(f, a->by.tgid);

	for (size_t i = p ? p->v.n : 0; i--;)
		if (p->v.v[i].cloexec)
			drop(p, &p->v.v[i], a);
}

static int watch(struct fds *f, int epoll, int fd, const struct act *a)
{
	const struct fdent *e = fds_find(f, a->by.tgid, epoll), *x = fds_find(f, a->by.tgid, fd);
	struct chan *c = x ? x->in : NULL;

	if (!e || !e->in || !c || e->in->kind != CHAN_EPOLL || c->kind == CHAN_EPOLL)
		return 0;
	for (size_t i = 0; i < e->in->watched.n; i++)
		if (e->in->watched.v[i] == c)
			return 0;
	return vec_try_push(&e->in->watched, hold(c));
}

static int fcntl_done(struct fds *f, const struct calls_event *e, const struct act *a)
{
	const unsigned fd = (unsigned)e->args[0];

	if (e->args[1] == F_DUPFD || e->args[1] == F_DUPFD_CLOEXEC)
		return copy(f, (int)fd, (int)e->ret, e->args[1] == F_DUPFD_CLOEXEC, a);
	if (e->args[1] == F_SETFD)
		set_cloexec(f, fd, fd, e->args[2] & FD_CLOEXEC, a);
	return 0;
}

static void note_data(struct fds *f, int fd, bool writes, const struct act *a)
{
	const struct fdent *e = fds_find(f, a->by.tgid, fd);
	struct chan *c = e ? (writes ? e->out : e->in) : NULL;

	if (c)
		chan_note(c, writes ? CHAN_WRITTEN : CHAN_READ, a);
}

int fds_returned(struct fds *f, struct calls *c, const struct calls_event *e, const struct doer *by)
{
	const struct act a = { e->ns, *by };
	const int fd = (int)e->args[0];

	if (e->ret < 0)
		return 0;
	switch (e->nr) {
	case __NR_pipe: return put_pair(f, c, e->args[0], CHAN_PIPE, false, &a);
	case __NR_pipe2: return put_pair(f, c, e->args[0], CHAN_PIPE, e->args[1] & O_CLOEXEC, &a);
	case __NR_socketpair: return put_pair(f, c, e->args[3], CHAN_SOCKET, e->args[1] & O_CLOEXEC, &a);
	case __NR_eventfd: return put_one(f, (int)e->ret, CHAN_EVENT, false, &a);
	case __NR_eventfd2: return put_one(f, (int)e->ret, CHAN_EVENT, e->args[1] & O_CLOEXEC, &a);
	case __NR_timerfd_create: return put_one(f, (int)e->ret, CHAN_TIMER, e->args[1] & O_CLOEXEC, &a);
	case __NR_epoll_create: return put_one(f, (int)e->ret, CHAN_EPOLL, false, &a);
	case __NR_epoll_create1: return put_one(f, (int)e->ret, CHAN_EPOLL, e->args[0] & O_CLOEXEC, &a);
	case __NR_epoll_ctl: return e->args[1] == EPOLL_CTL_ADD ? watch(f, fd, (int)e->args[2], &a) : 0;
	case __NR_dup:
	case __NR_dup2: return copy(f, fd, (int)e->ret, false, &a);
	case __NR_dup3: return copy(f, fd, (int)e->ret, e->args[2] & O_CLOEXEC, &a);
	case __NR_fcntl: return fcntl_done(f, e, &a);
	case __NR_close: close_some(f, (unsigned)fd, (unsigned)fd, &a); return 0;
	case __NR_close_range:
		if (e->args[2] & CLOSE_RANGE_CLOEXEC)
			set_cloexec(f, (unsigned)fd, (unsigned)e->args[1], true, &a);
		else
			close_some(f, (unsigned)fd, (unsigned)e->args[1], &a);
		return 0;
	case __NR_execve: executed(f, &a); return 0;
	case __NR_read:
	case __NR_readv:
	case __NR_recvfrom:
	case __NR_recvmsg: note_data(f, fd, false, &a); return 0;
	case __NR_write:
	case __NR_writev:
	case __NR_sendto:
	case __NR_sendmsg: note_data(f, fd, true, &a); return 0;
	default: return 0;
	}
}

int fds_forked(struct fds *f, uint32_t parent, uint32_t child)
{
	struct act a = { .by = { .tgid = child } };
	int r = 0;

	for (size_t i = 0; r == 0; i++) {
		const struct fdproc *p = proc_of(f, parent); /* may have moved */

		if (!p || i >= p->v.n)
			break;
		r = put(f, &a, p->v.v[i]);
	}
	return r;
}

void fds_ended(struct fds *f, const struct act *a)
{
	struct fdproc *p = proc_of(f, a->by.tgid);

	if (!p)
		return;
	while (p->v.n)
		drop(p, &p->v.v[p->v.n - 1], a);
	vec_free(&p->v);
	*p = f->procs.v[--f->procs.n];
}

void fds_free(struct fds *f)
{
	const struct act a = { 0 };

	for (size_t i = 0; i < f->procs.n; i++) {
		while (f->procs.v[i].v.n)
			drop(&f->procs.v[i], &f->procs.v[i].v.v[f->procs.v[i].v.n - 1], &a);
		vec_free(&f->procs.v[i].v);
	}
	vec_free(&f->procs);
}
