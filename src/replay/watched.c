/* SPDX-License-Identifier: Apache-2.0 */
/* What a replay does for those who look at it: files that are mapped themselves, breakpoints. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/breaks.h"
#include "replay/replay_int.h"

#define PAGE 4096ull
#define PIECE 65536u

int watched_tell(struct replay *r, enum watch_when when)
{
	return r->watch && r->watch->group ? r->watch->group(r->watch->ctx, r, when) : 0;
}

/* Are these bytes of the file still those that were recorded? */
static bool is_same(const struct replay *r, int fd, const struct ev_file *f)
{
	static uint8_t then[PIECE], now[PIECE];

	for (uint64_t at = 0; at < f->size;) {
		size_t n = f->size - at < PIECE ? (size_t)(f->size - at) : PIECE;

		if (pread(fd, now, n, (off_t)(f->off + at)) != (ssize_t)n ||
		    pread(r->arena, then, n, (off_t)(f->at + at)) != (ssize_t)n || memcmp(then, now, n) != 0)
			return false;
		at += n;
	}
	return true;
}

static void look(struct replay *r, const char *path, struct rfile *f)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !is_same(r, fd, &f->f))
		return;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->path = strdup(path);
}

int watched_files(struct replay *r)
{
	int e = 0;

	for (size_t i = 0; r->watch && i < r->g.files.n && e == 0; i++) {
		struct rfile f = { .f = r->g.files.v[i].f };

		look(r, (const char *)r->g.bytes.v + r->g.files.v[i].path, &f);
		e = vec_try_push(&r->files, f);
		if (e < 0)
			free(f.path);
	}
	return e < 0 ? replay_broken(r, e) : 0;
}

void watched_done(struct replay *r)
{
	for (size_t i = 0; i < r->files.n; i++)
		free(r->files.v[i].path);
	vec_free(&r->files);
}

const struct rfile *watched_file(const struct replay *r, uint64_t arena, uint64_t *ret_off)
{
	for (size_t i = r->files.n; r->watch && i--;) {
		const struct rfile *f = &r->files.v[i];

		if (arena < f->f.at || arena - f->f.at >= ROUND_UP(f->f.size, PAGE))
			continue;
		*ret_off = f->f.off + (arena - f->f.at);
		return f->path ? f : NULL;
	}
	return NULL;
}

int watched_code(struct replay *r, uint64_t arena, uint64_t start, uint64_t end)
{
	struct watch_code c = { .start = start, .end = end };
	const struct rfile *f = watched_file(r, arena, &c.off);

	if (!f || !r->watch->code)
		return 0;
	c.dev = f->dev;
	c.ino = f->ino;
	return r->watch->code(r->watch->ctx, r, &c);
}

/* A fault of a displaced instruction is one of the instruction. */
static int undo_place(struct replay *r, struct user_regs_struct *regs)
{
	uint64_t place = breaks_place(r->k->t.breaks, regs->rip);

	if (place == regs->rip)
		return 0;
	regs->rip = place;
	return tracee_set_regs(&r->k->t, regs);
}

int watched_stop(struct replay *r, int *status, bool *again)
{
	struct user_regs_struct regs;
	bool stepped = false;
	int e, next = 0;

	if (!r->k->t.pid || WSTOPSIG(*status) == SYSCALL_STOP)
		return 0;
	e = tracee_regs(&r->k->t, &regs);
	if (e < 0)
		return replay_broken(r, e);
	if (WSTOPSIG(*status) != SIGTRAP || !breaks_at(r->k->t.breaks, regs.rip - 1)) {
		e = undo_place(r, &regs);
		return e < 0 ? replay_broken(r, e) : 0;
	}
	regs.rip--;
	e = r->watch->hit(r->watch->ctx, r, &regs, breaks_tag(r->k->t.breaks, regs.rip));
	if (e)
		return e < 0 ? e : -ECANCELED;
	if (regs.rip == r->spot)
		return 0; /* it has the registers of any stop there */
	e = breaks_pass(r->k->t.breaks, &r->k->t, &regs, &next, &stepped);
	if (e < 0)
		return replay_broken(r, e);
	if (next)
		*status = next;
	*again = !next;
	return 0;
}

/* Of a call that was logged: it stops as any other does, since the log that the task has is empty. */
static int logged_call(struct replay *r, const struct stub_call *c)
{
	struct user_regs_struct regs;
	struct stub_data d;
	int status = replay_go(r), e;

	if (status < 0)
		return status;
	if (!r->k->t.pid || WSTOPSIG(status) != SYSCALL_STOP)
		return replay_differs(r, status, "a call that was logged");
	e = tracee_regs(&r->k->t, &regs);
	if (e == 0 &&
	    (regs.orig_rax != c->nr || regs.rdi != c->args[0] || regs.rsi != c->args[1] || regs.rdx != c->args[2]))
		return replay_differs(r, status, "another call, or other arguments");
	if (e == 0)
		e = watched_tell(r, WATCH_LOG_CALL);
	if (e)
		return e < 0 ? replay_broken(r, e) : e;
	stub_data(c, &d);
	if (d.n)
		e = tracee_write(&r->k->t, d.addr, c + 1, d.n);
	regs.rax = (unsigned long long)c->ret;
	regs.orig_rax = ~0ull;
	if (e == 0)
		e = tracee_set_regs(&r->k->t, &regs);
	r->result.calls++;
	return e < 0 ? replay_broken(r, e) : watched_tell(r, WATCH_LOG_DONE);
}

int watched_log(struct replay *r)
{
	int e = 0;

	for (size_t at = 0; at < r->g.log.n && e == 0;) {
		const struct stub_call *c = (const struct stub_call *)(const void *)(r->g.log.v + at);

		at += c->size;
		e = logged_call(r, c);
	}
	r->g.log.n = r->g.logged = 0;
	return e;
}

pid_t watch_pid(const struct replay *r)
{
	return r->k ? r->k->t.pid : 0;
}

uint32_t watch_task(const struct replay *r)
{
	return r->g.task;
}

uint64_t watch_ran_ns(const struct replay *r)
{
	return r->ran;
}

size_t watch_read(struct replay *r, uint64_t addr, void *buf, size_t n)
{
	return r->k && r->k->t.pid ? tracee_read(&r->k->t, addr, buf, n) : 0;
}

int watch_registers(struct replay *r, struct user_regs_struct *ret)
{
	return tracee_regs(&r->k->t, ret);
}

int watch_break(struct replay *r, uint64_t addr, uint64_t tag)
{
	return breaks_add(r->k->t.breaks, &r->k->t, addr, tag);
}
