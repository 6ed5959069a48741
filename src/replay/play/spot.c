/* SPDX-License-Identifier: Apache-2.0 */
/* A replayed task runs to the place where it waits in a loop without system calls. There is a breakpoint at this place.
 * At each hit the registers, and then the memory, are compared with the recorded ones. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/step.h"
#include "load/debugreg.h"
#include "replay/tracee/breaks.h"
#include "replay/tracee/memory.h"
#include "replay/play/int.h"

#define REG 3				  /* the debug register that is used */
#define REG_ON (1u << 6)		  /* in register 7: execution of one byte */
#define REG_ALL (3ull << 6 | 15ull << 28) /* what register 7 has of it */
#define AGAIN_NS 20000000u		  /* between looks at the breakpoint */
#define SUMS_MAX 1000u			  /* memory is compared so often; then it is another one than recorded */

static const uint8_t trap = 0xcc;

struct place {
	uint64_t rip;
	unsigned sums; /* of the memory */
};

/* At the breakpoint, with rip before it. There is more: this is not yet the place. */
static struct step look(struct replay *r, const struct user_regs_struct *regs, unsigned *sums)
{
	const struct ev_spot *spot = &r->g.spot;
	uint64_t sum = 0;
	int e;

	if (!tracee_same_regs(regs, &spot->regs))
		return step_more();
	e = pages_off(r->k);
	if (e == 0)
		e = memory_sum(&r->k->t, &sum);
	if (e < 0)
		return step_failed(replay_broken(r, e));
	if (sum != spot->sum && ++*sums == SUMS_MAX)
		return step_failed(err_set(
			r->e, -EBADE,
			"the program does not do what it did after system call %llu: it waits in a loop at 0x%llx, as "
			"recorded, but its memory is another one",
			(unsigned long long)r->result.calls, (unsigned long long)spot->regs.rip));
	return sum == spot->sum ? step_end() : step_more();
}

static int debug_register(struct replay *r, unsigned n, uint64_t value)
{
	return ptrace(PTRACE_POKEUSER, r->k->t.pid, offsetof(struct user, u_debugreg) + n * sizeof(value), value) < 0
		       ? -errno
		       : 0;
}

/* A debug register, since the program may write its code on the way to there, as JIT compilers do. Without one,
 * spot_wait() looks whether the breakpoint is still there. */
static int set_break(struct replay *r, struct place *p)
{
	int e;

	if (tracee_read(&r->k->t, p->rip, &r->spot_code, 1) != 1)
		return err_set(r->e, -EBADMSG, "the trace waits where there is no program");
	r->exact = !(r->seven & REG_ALL) && !debugreg_silent() && debug_register(r, REG, p->rip) == 0 &&
		   debug_register(r, 7, r->seven | REG_ON) == 0;
	r->spot = p->rip;
	if (r->exact)
		return 0;
	e = tracee_poke(&r->k->t, p->rip, &trap, 1);
	return e < 0 ? replay_broken(r, e) : 0;
}

static int remove_break(struct replay *r, const struct place *p)
{
	int e = 0;

	r->spot = 0;
	if (r->exact)
		e = debug_register(r, 7, r->seven);
	else if (breaks_at(r->k->t.breaks, p->rip))
		e = tracee_poke(&r->k->t, p->rip, &trap, 1);
	return e < 0 ? replay_broken(r, e) : 0;
}

/* The instruction under the breakpoint. The kernel lets it pass one of a debug register. */
static int step_over(struct replay *r, const struct place *p)
{
	int e, status;

	if (r->exact)
		return 0;
	e = tracee_poke(&r->k->t, p->rip, &r->spot_code, 1);
	if (e == 0)
		e = tracee_go(&r->k->t, PTRACE_SINGLESTEP, 0);
	status = e == 0 ? tracee_wait(&r->k->t) : e;
	if (status < 0)
		return replay_broken(r, status);
	if (!r->k->t.pid || WSTOPSIG(status) != SIGTRAP)
		return replay_differs(r, status, "a loop without system calls");
	e = tracee_poke(&r->k->t, p->rip, &trap, 1);
	return e < 0 ? replay_broken(r, e) : 0;
}

/* Before the instruction at the breakpoint again. */
static int go_back(struct replay *r, const struct place *p, struct user_regs_struct *regs)
{
	int e;

	if (r->exact)
		return 0;
	regs->rip = p->rip;
	e = tracee_set_regs(&r->k->t, regs);
	return e < 0 ? e : tracee_poke(&r->k->t, p->rip, &r->spot_code, 1);
}

/* One hit of the breakpoint. There is more: it is not the last. */
static struct step hit(struct replay *r, struct place *p)
{
	struct user_regs_struct regs;
	int status = replay_go(r), e;
	struct step s;

	if (status < 0)
		return step_failed(status);
	e = r->k->t.pid ? tracee_regs(&r->k->t, &regs) : 0;
	if (e < 0)
		return step_failed(replay_broken(r, e));
	if (!r->k->t.pid || WSTOPSIG(status) != SIGTRAP || regs.rip != p->rip + !r->exact)
		return step_failed(replay_differs(r, status, "a loop without system calls"));
	e = go_back(r, p, &regs);
	if (e < 0)
		return step_failed(replay_broken(r, e));
	s = look(r, &regs, &p->sums);
	return s.more ? step_taken(step_over(r, p)) : s;
}

/* The program may have written its code since, and the breakpoint away. */
static int arm_again(struct replay *r)
{
	uint8_t now;

	if (tracee_peek(&r->k->t, r->spot, &now, 1) != 1 || now == trap)
		return 0;
	r->spot_code = now;
	return tracee_poke(&r->k->t, r->spot, &trap, 1);
}

int spot_wait(struct replay *r)
{
	struct tracee *t = &r->k->t;
	int status, e = 0;

	tracee_timer(AGAIN_NS, AGAIN_NS);
	while (e == 0) {
		if (waitpid(t->pid, &status, __WALL) < 0) {
			e = errno == EINTR ? 0 : -errno;
			t->poked = t->poked || (e == 0 && syscall(SYS_tkill, t->pid, SIGSTOP) == 0);
			continue;
		}
		if (!tracee_is_poke(t, status))
			break;
		t->poked = false;
		e = arm_again(r);
		e = e == 0 ? tracee_go(t, t->request, 0) : e;
	}
	tracee_timer(0, 0);
	return e < 0 ? e : tracee_waited(t, status);
}

int spot_run(struct replay *r)
{
	struct place p = { .rip = r->g.spot.regs.rip };
	int e = build_log(r), x;
	struct step s;

	if (e)
		return r->watch ? e : replay_broken(r, e);
	s = step_taken(set_break(r, &p));
	while (s.more)
		s = hit(r, &p);
	if (s.error || !r->k->t.pid)
		return s.error;
	x = remove_break(r, &p);
	x = x < 0 ? x : replay_check_log(r, 0);
	return x < 0 ? x : 0;
}
