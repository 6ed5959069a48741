/* SPDX-License-Identifier: Apache-2.0 */
/* System calls as they are recorded: registers and what is read at the beginning, result and what was written at the
 * end. */
#include <asm/unistd.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include "base/clock.h"
#include "replay/tracee/memory.h"
#include "replay/record/int.h"

#define CS_64 0x33	/* the code segment of 64-bit programs */
#define NO_CALL (~0ull) /* in orig_rax: the kernel skips it */
#define NR_RESTART __NR_restart_syscall

static bool ends(uint64_t nr)
{
	return nr == __NR_exit || nr == __NR_exit_group;
}

static int skip(struct rec *r, struct user_regs_struct *regs)
{
	int e;

	regs->orig_rax = NO_CALL;
	e = tracee_set_regs(&r->k->t, regs);
	return e < 0 ? rec_broken(r, e) : 0;
}

/* Decides how the call is recorded. */
static int judge(struct rec *r)
{
	uint64_t nr = r->k->call.regs[R_NR];
	char buf[32];
	int e = 0;

	r->k->policy = policy_of(nr);
	r->k->desc = policy_call(nr);
	switch (r->k->policy.act) {
	case POLICY_STOP: return rec_stop(r, "the system call %s cannot be recorded", policy_name(nr, buf));
	case POLICY_DENY: r->k->deny = -r->k->policy.error; break;
	case POLICY_OWN: e = rec_own(r); break;
	case POLICY_MAP: e = rec_map_entry(r); break;
	case POLICY_TASK: e = task_fork_entry(r); break;
	case POLICY_NONE:
	case POLICY_RESULT: break;
	}
	return e;
}

/* Paths, for later questions. */
static int put_texts(struct rec *r)
{
	const struct task *k = r->k;
	char text[ARGS_TEXT_MAX + 1];
	int e = 0;

	for (unsigned i = 0; i < k->desc->nargs && e == 0; i++) {
		const struct ev_mem m = { k->call.regs[R_A0 + i] };
		size_t n;

		if (!args_is_text(k->desc, i) || tracee_read(&r->k->t, m.addr, text, 1) != 1)
			continue;
		n = args_text(&r->k->t, m.addr, text);
		text[n] = 0;
		e = rec_event(r, EV_TEXT, &m, sizeof(m), text, n + 1);
	}
	return e;
}

/* --check: of all that the program has computed until now. */
static int put_sum(struct rec *r)
{
	struct ev_sum s;
	int e;

	if (!r->o->check || r->begun++ % r->o->check)
		return 0;
	e = memory_sum(&r->k->t, &s.sum);
	return e < 0 ? rec_broken(r, e) : rec_event(r, EV_SUM, &s, sizeof(s), NULL, 0);
}

int rec_entry(struct rec *r)
{
	struct user_regs_struct regs;
	bool moved = false;
	int e = tracee_regs(&r->k->t, &regs);

	if (e < 0)
		return rec_broken(r, e);
	r->k->inside = true;
	r->k->at_exit = r->k->skipped = false;
	r->k->deny = 0;
	if (regs.orig_rax != __NR_rt_sigreturn)
		r->k->spin.delays = 0;
	if (regs.cs != CS_64 || regs.rcx != regs.rip)
		return rec_stop(r, "a system call of 32-bit code (number %lld) cannot be recorded",
				(long long)regs.orig_rax);
	r->k->call = (struct ev_call){ .ns = clock_ns(CLOCK_MONOTONIC) - r->head.mono_ns, .arena = ARENA_NONE };
	e = buf_entry(r, &regs, &moved);
	tracee_call_regs(&regs, r->k->call.regs);
	if (e == 0)
		e = judge(r);
	if (e == 0)
		e = buf_site(r);
	if (e < 0)
		return e;
	r->k->call.in_crc = args_read(&r->k->t, r->k->desc, &r->k->call.regs[R_A0]);
	e = put_texts(r);
	if (e == 0)
		e = put_sum(r);
	if (e < 0)
		return e;
	self_call(r, true);
	if (ends(regs.orig_rax))
		return task_exits(r);
	if (regs.orig_rax != __NR_rt_sigreturn && (int)regs.orig_rax != -1 && rec_due(r)) { /* -1 is never restarted */
		r->k->skipped = true;
		return skip(r, &regs);
	}
	if (r->k->deny)
		return skip(r, &regs);
	e = moved ? tracee_set_regs(&r->k->t, &regs) : 0;
	return e < 0 ? rec_broken(r, e) : 0;
}

int rec_put_enter(struct rec *r)
{
	struct ev_call *c = &r->k->call;

	if (!r->k->inside || c->entered || c->how == HOW_KINDS || c->how == HOW_ENTRY)
		return 0;
	c->entered = 1;
	return rec_event(r, EV_ENTER, c, sizeof(*c), NULL, 0);
}

static bool restarts(int64_t ret)
{
	return ret == -ERR_RESTARTSYS || ret == -ERR_RESTARTNOINTR || ret == -ERR_RESTARTNOHAND ||
	       ret == -ERR_RESTART_BLOCK;
}

/* The call that wrote, and its arguments: of restart_syscall(2) the one that was interrupted, such as poll(2). */
static const struct call_desc *writer(struct task *k, const uint64_t **ret_args)
{
	const uint64_t *args = &k->call.regs[R_A0];

	*ret_args = args;
	if (k->call.regs[R_NR] != __NR_restart_syscall) {
		k->again.desc = k->call.ret == -ERR_RESTART_BLOCK ? k->desc : NULL;
		memcpy(k->again.args, args, sizeof(k->again.args));
	} else if (k->again.desc) {
		*ret_args = k->again.args;
		return k->again.desc;
	}
	return k->desc;
}

static int put_written(struct rec *r)
{
	struct spans s = { 0 };
	uint64_t all = 0;
	const uint64_t *args;
	const struct call_desc *c = writer(r->k, &args);
	char buf[32];
	int e = 0;

	args_written(&r->k->t, c, args, r->k->call.ret, &s);
	for (size_t i = 0; i < s.v.n && e == 0; i++) {
		all += s.v.v[i].size;
		e = all > GROUP_MAX ? rec_stop(r, "%s with more than %u bytes cannot be recorded",
					       policy_name(r->k->call.regs[R_NR], buf), GROUP_MAX)
				    : rec_put_mem(r, &s.v.v[i]);
	}
	if (s.failed)
		e = rec_broken(r, -ENOMEM);
	vec_free(&s.v);
	return e;
}

/* The call waits: the handler of a signal runs before it. */
static int exit_skipped(struct rec *r, struct user_regs_struct *regs)
{
	int e;

	regs->rax = (unsigned long long)-ERR_RESTARTNOINTR;
	regs->orig_rax = r->k->call.regs[R_NR];
	e = tracee_set_regs(&r->k->t, regs);
	if (e < 0)
		return rec_broken(r, e);
	r->k->call.how = HOW_RESTART;
	r->k->call.ret = -ERR_RESTARTNOINTR;
	e = rec_event(r, EV_CALL, &r->k->call, sizeof(r->k->call), NULL, 0);
	return e < 0 ? e : rec_deliver_queued(r);
}

static int exit_sigreturn(struct rec *r, const struct user_regs_struct *regs)
{
	const struct ev_state s = { .regs = *regs, .rip = r->k->call.regs[R_RIP] };
	int e = rec_event(r, EV_CALL, &r->k->call, sizeof(r->k->call), NULL, 0);

	return e < 0 ? e : rec_put_state(r, EV_STATE, &s);
}

/* Is the task called otherwise now? */
static bool renames(const struct ev_call *c)
{
	switch (c->regs[R_NR]) {
	case __NR_setuid:
	case __NR_setgid:
	case __NR_setreuid:
	case __NR_setregid:
	case __NR_setresuid:
	case __NR_setresgid: return c->ret == 0;
	default: return c->regs[R_NR] == __NR_prctl && c->regs[R_A0] == PR_SET_NAME;
	}
}

/* A call of the kernel that is newer than the table: it has done what nobody here knows. */
static int stop_new(struct rec *r)
{
	char buf[32];

	return rec_stop(r, "the system call %s, which this kernel has, cannot be recorded",
			policy_name(r->k->call.regs[R_NR], buf));
}

int rec_exit(struct rec *r)
{
	struct user_regs_struct regs;
	uint64_t nr = r->k->call.regs[R_NR];
	int e = tracee_regs(&r->k->t, &regs);

	if (e < 0)
		return rec_broken(r, e);
	self_call(r, false);
	r->k->inside = false;
	r->k->leaves = true;
	r->result.calls++;
	if (r->k->skipped)
		return exit_skipped(r, &regs);
	if (r->k->deny) {
		regs.rax = (unsigned long long)(long long)r->k->deny;
		e = tracee_set_regs(&r->k->t, &regs);
		if (e < 0)
			return rec_broken(r, e);
	}
	r->k->call.ret = (int64_t)regs.rax;
	if (r->k->policy.act == POLICY_NONE && r->k->call.ret != -ENOSYS)
		return stop_new(r);
	r->k->call.fs = regs.fs_base;
	r->k->call.gs = regs.gs_base;
	r->k->call.took = clock_ns(CLOCK_MONOTONIC) - r->head.mono_ns - r->k->call.ns;
	r->k->last = regs;
	r->k->at_exit = true;
	if (nr == __NR_rt_sigreturn)
		return exit_sigreturn(r, &regs);
	if (restarts(r->k->call.ret))
		r->k->call.how = HOW_RESTART;
	e = rec_output(r);
	if (e == 0)
		e = put_written(r);
	if (e == 0 && r->k->policy.act == POLICY_MAP)
		e = rec_map_exit(r);
	if (e == 0)
		e = rec_follow(r);
	task_follow(r->k);
	if (e == 0)
		e = buf_follow(r);
	if (e == 0 && renames(&r->k->call))
		e = rec_put_name(r);
	return e < 0 ? e : rec_event(r, EV_CALL, &r->k->call, sizeof(r->k->call), NULL, 0);
}
