/* SPDX-License-Identifier: Apache-2.0 */
/* Replays a program for a D program with probes of functions: sets breakpoints at the probes, and reads memory and
 * stacks of the replayed processes. The trace is read a second time in parallel, for system calls, names and times.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <asm/unistd.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "replay/trace/stub.h"
#include "replay/watch.h"
#include "retro/retro_int.h"

static struct live *find_tgid(struct rerun *n, uint32_t tgid)
{
	for (size_t i = n->live.n; i--;)
		if (n->live.v[i].tgid == tgid)
			return &n->live.v[i];
	return NULL;
}

/* The leader's process in this replay stands for all of its threads, which share its memory. */
static int note_process(struct rerun *n, struct replay *p)
{
	const struct ev_name *name = calls_name(n->r->calls);
	struct live *l = name->tgid ? find_tgid(n, name->tgid) : NULL;
	const pid_t pid = watch_pid(p);

	n->now = p;
	if (!name->tgid || !pid)
		return 0;
	if (l && name->tid != name->tgid)
		return 0;
	if (!l)
		return vec_try_push(&n->live, ((struct live){ name->tgid, pid }));
	l->pid = pid;
	return 0;
}

/* Threads are processes of their own here; names and mappings are looked up in one of them. */
pid_t rerun_leader(struct rerun *n)
{
	const struct live *l = find_tgid(n, calls_name(n->r->calls)->tgid);

	return l ? l->pid : watch_pid(n->now);
}

int rerun_host(void *ctx, int pid)
{
	const struct live *l = find_tgid(ctx, (uint32_t)pid);

	return l ? l->pid : 0;
}

int rerun_each(void *ctx, size_t i)
{
	const struct rerun *n = ctx;

	return i < n->live.n ? (int)n->live.v[i].tgid : 0;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->at.ino != y->at.ino)
		return x->at.ino < y->at.ino ? -1 : 1;
	if (x->at.dev != y->at.dev)
		return x->at.dev < y->at.dev ? -1 : 1;
	if (x->at.off != y->at.off)
		return x->at.off < y->at.off ? -1 : 1;
	return x->prog != y->prog ? (x->prog < y->prog ? -1 : 1) : 0;
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->at.ino == b->at.ino && a->at.dev == b->at.dev && a->at.off == b->at.off;
}

int rerun_places(struct rerun *n)
{
	const struct image *img = n->r->w.image;
	int e = 0;

	for (uint32_t i = 0; i < img->nprogs; i++)
		for (uint32_t k = 0; img->progs[i].entry.kind == ENTRY_UPROBE && k < img->progs[i].nprobes; k++) {
			struct place p = { .prog = i, .cookie = ENTRY_COOKIE(k, img->progs[i].probes[k]->id) };

			for (size_t j = 0; e == 0 && registry_place(img->progs[i].probes[k], j, &p.at); j++) {
				n->hidden += p.at.counted;
				e = vec_try_push(&n->places, p);
			}
		}
	if (n->places.n)
		qsort(n->places.v, n->places.n, sizeof(*n->places.v), by_place);
	return e;
}

static int on_code(void *ctx, struct replay *p, const struct watch_code *c)
{
	struct rerun *n = ctx;
	int e = 0;

	n->now = p;
	stacks_changed(n->stacks, (uint32_t)rerun_leader(n));
	for (size_t i = 0; i < n->places.n && e == 0; i++) {
		const struct place *k = &n->places.v[i];

		if (k->at.ino != c->ino || k->at.dev != c->dev || k->at.off < c->off ||
		    k->at.off - c->off >= c->end - c->start || (i && same_place(k, k - 1)))
			continue;
		e = watch_break(p, c->start + (k->at.off - c->off), i + 1);
	}
	return e;
}

/* Between two stamps of the recording by how long it runs now, at most up to the later one. */
static uint64_t time_now(struct rerun *n)
{
	const uint64_t since = calls_told_ns(n->r->calls), next = calls_next_ns(n->r->calls);
	uint64_t at = since + (watch_ran_ns(n->now) - n->ran_at);

	if (next > since && at > next)
		at = next;
	n->last = at > n->last ? at : n->last;
	return n->last;
}

static bool is_asked(const struct rerun *n, const struct place *p)
{
	return p->at.everyone || p->tgid == calls_name(n->r->calls)->tgid;
}

static int fire_place(struct rerun *n, const struct place *p, const struct user_regs_struct *regs)
{
	n->fired++;
	return retro_fire_place(n->r, p->prog, p->cookie, regs, time_now(n));
}

static int enter(struct rerun *n, struct replay *p, size_t place, const struct user_regs_struct *regs)
{
	struct frame f = { .task = watch_task(p), .sp = regs->rsp + sizeof(uint64_t), .place = place };
	int e;

	if (watch_read(p, regs->rsp, &f.ret, sizeof(f.ret)) != sizeof(f.ret))
		return 0;
	e = watch_break(p, f.ret, 0);
	if (e == -EFAULT)
		return 0;
	return e < 0 ? e : vec_try_push(&n->frames, f);
}

/* Returns that are due here; those of calls that were left otherwise are dropped. */
static int leave(struct rerun *n, struct replay *p, const struct user_regs_struct *regs)
{
	int e = 0;

	for (size_t i = n->frames.n; i-- && e == 0;) {
		const struct frame f = n->frames.v[i];

		if (f.task != watch_task(p) || f.sp != regs->rsp || f.ret != regs->rip)
			continue;
		for (size_t k = n->frames.n; k-- > i;)
			if (n->frames.v[k].task == f.task && n->frames.v[k].sp <= f.sp) {
				memmove(&n->frames.v[k], &n->frames.v[k + 1], (n->frames.n - k - 1) * sizeof(f));
				n->frames.n--;
			}
		e = fire_place(n, &n->places.v[f.place], regs);
		i = i > n->frames.n ? n->frames.n : i;
	}
	return e;
}

static int on_hit(void *ctx, struct replay *p, const struct user_regs_struct *regs, uint64_t tag)
{
	struct rerun *n = ctx;
	int e;

	n->regs = regs;
	e = leave(n, p, regs);
	for (size_t i = tag ? tag - 1 : n->places.n; i < n->places.n && e == 0; i++) {
		const struct place *k = &n->places.v[i];

		if (!same_place(k, &n->places.v[tag - 1]))
			break;
		if (is_asked(n, k))
			e = k->at.ret ? enter(n, p, i, regs) : fire_place(n, k, regs);
	}
	n->regs = NULL;
	return e;
}

static int on_sample(void *ctx, struct replay *p, const struct user_regs_struct *regs)
{
	struct rerun *n = ctx;
	int e;

	n->now = p;
	n->regs = regs;
	n->sampled++;
	e = retro_fire_sample(n->r, regs, time_now(n), watch_ran_ns(p));
	n->regs = NULL;
	return e;
}

static int on_group(void *ctx, struct replay *p, enum watch_when when)
{
	struct rerun *n = ctx;
	struct calls *c = n->r->calls;
	int e = 0;

	if (when == WATCH_GROUP) {
		struct step s = calls_next(c);

		e = s.error ? s.error : s.more ? note_process(n, p) : -EBADMSG;
	} else if (when == WATCH_LOG_CALL) {
		e = calls_log_begin(c);
	} else if (when == WATCH_LOG_DONE) {
		e = calls_log_end(c);
	} else if (when == WATCH_CALL) {
		e = n->arrived ? n->arrived(n, p) : 0;
		e = e ? e : calls_begin(c);
	} else if (when == WATCH_DONE) {
		e = calls_end(c);
	}
	n->ran_at = watch_ran_ns(p);
	return e;
}

/* The first pass ends where the command's process does: all that it has mapped is there. */
static int at_exit(struct rerun *n, struct replay *p)
{
	struct user_regs_struct regs;

	if (watch_task(p) != 0 || watch_registers(p, &regs) < 0 || regs.orig_rax != __NR_exit_group)
		return 0;
	n->code = n->compile(n->r);
	n->compiled = true;
	return WALK_END;
}

static int pass(struct rerun *n, FILE *f, calls_fn *fn)
{
	const struct replay_watch w = { .ctx = n,
					.group = on_group,
					.code = on_code,
					.hit = on_hit,
					.sample_ns = n->sample_ns,
					.sample = on_sample };
	struct replay_result result;
	int e;

	calls_told_to(n->r->calls, fn, n->r);
	e = replay_watched(f, &w, &result, &n->r->err);
	n->now = NULL;
	return e;
}

static int ignore(void *ctx, const struct calls_event *e)
{
	(void)ctx;
	(void)e;
	return 0;
}

int rerun_compile(struct rerun *n, FILE *f, int (*compile)(struct retro *r))
{
	int e;

	n->compile = compile;
	n->arrived = at_exit;
	e = pass(n, f, ignore);
	n->arrived = NULL;
	if (n->compiled || e < 0)
		return n->compiled ? n->code : e;
	return err_set(&n->r->err, -ENODATA,
		       "the recording has no end of the command's process: what it has mapped is not known");
}

int rerun_go(struct rerun *n, FILE *f, calls_fn *fn)
{
	for (size_t i = 0; i < n->places.n; i++)
		for (size_t k = 0; k < n->live.n; k++)
			if (n->live.v[k].pid == (pid_t)n->places.v[i].at.pid)
				n->places.v[i].tgid = n->live.v[k].tgid;
	n->live.n = 0;
	return pass(n, f, fn);
}

size_t rerun_read(struct rerun *n, uint64_t addr, void *buf, size_t len)
{
	return n->now ? watch_read(n->now, addr, buf, len) : 0;
}

bool rerun_registers(struct rerun *n, struct user_regs_struct *ret)
{
	if (n->now && n->regs)
		*ret = *n->regs;
	else if (!n->now || !watch_pid(n->now) || watch_registers(n->now, ret) < 0)
		return false;
	if (ret->rip >= STUB_SITES && ret->rip < STUB_STATE) /* as if the call were made at its place */
		watch_read(n->now, ret->rip - STUB_DONE + offsetof(struct stub_site, back), &ret->rip,
			   sizeof(ret->rip));
	return true;
}

size_t rerun_stack(struct rerun *n, uint64_t *frames, size_t max)
{
	struct user_regs_struct regs;

	if (!rerun_registers(n, &regs))
		return 0;
	return stacks_walk(n->stacks, n->now, rerun_leader(n), &regs, frames, NULL, max);
}

void rerun_done(struct rerun *n)
{
	vec_free(&n->live);
	vec_free(&n->places);
	vec_free(&n->frames);
}
