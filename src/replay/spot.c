/* SPDX-License-Identifier: Apache-2.0 */
/* A replayed task runs to the place where it waits in a loop without system calls: a breakpoint, and each time it is
 * hit the registers, and then the memory, are compared with the recorded ones. */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "replay/breaks.h"
#include "replay/memory.h"
#include "replay/replay_int.h"

#define SUMS_MAX 1000u /* memory is compared so often; then it is another one than recorded */

/* At the breakpoint, with rip before it. 1: this is the place; 0: not yet. */
static int is_there(struct replay *r, const struct user_regs_struct *regs, unsigned *sums)
{
	const struct ev_spot *spot = &r->g.spot;
	uint64_t sum = 0;
	int e;

	if (!tracee_same_regs(regs, &spot->regs))
		return 0;
	e = memory_sum(&r->k->t, &sum);
	if (e < 0)
		return replay_broken(r, e);
	if (sum != spot->sum && ++*sums == SUMS_MAX)
		return err_set(
			r->e, -EBADE,
			"the program does not do what it did behind system call %llu: it waits in a loop at 0x%llx, as "
			"recorded, but its memory is another one",
			(unsigned long long)r->result.calls, (unsigned long long)spot->regs.rip);
	return sum == spot->sum;
}

/* The instruction under the breakpoint. */
static int step_over(struct replay *r, uint64_t rip, uint8_t code)
{
	static const uint8_t trap = 0xcc;
	int e = tracee_poke(&r->k->t, rip, &code, 1), status;

	if (e == 0)
		e = tracee_go(&r->k->t, PTRACE_SINGLESTEP, 0);
	status = e == 0 ? tracee_wait(&r->k->t) : e;
	if (status < 0)
		return replay_broken(r, status);
	if (!r->k->t.pid || WSTOPSIG(status) != SIGTRAP)
		return replay_differs(r, status, "a loop without system calls");
	e = tracee_poke(&r->k->t, rip, &trap, 1);
	return e < 0 ? replay_broken(r, e) : 0;
}

/* One hit of the breakpoint: 1 if it is the last. */
static int hit(struct replay *r, uint8_t code, unsigned *sums)
{
	const uint64_t rip = r->g.spot.regs.rip;
	struct user_regs_struct regs;
	int status = replay_go(r), e;

	if (status < 0)
		return status;
	e = r->k->t.pid ? tracee_regs(&r->k->t, &regs) : 0;
	if (e < 0)
		return replay_broken(r, e);
	if (!r->k->t.pid || WSTOPSIG(status) != SIGTRAP || regs.rip != rip + 1)
		return replay_differs(r, status, "a loop without system calls");
	regs.rip = rip;
	e = tracee_set_regs(&r->k->t, &regs);
	if (e == 0)
		e = tracee_poke(&r->k->t, rip, &code, 1);
	if (e < 0)
		return replay_broken(r, e);
	e = is_there(r, &regs, sums);
	return e != 0 ? e : step_over(r, rip, code);
}

int spot_run(struct replay *r)
{
	static const uint8_t trap = 0xcc;
	const uint64_t rip = r->g.spot.regs.rip;
	unsigned sums = 0;
	uint8_t code = 0;
	int e = build_log(r);

	if (e)
		return e < 0 && !r->watch ? replay_broken(r, e) : e;
	if (tracee_read(&r->k->t, rip, &code, 1) != 1)
		return err_set(r->e, -EBADMSG, "the trace waits where there is no program");
	e = tracee_poke(&r->k->t, rip, &trap, 1);
	if (e < 0)
		return replay_broken(r, e);
	r->spot = rip;
	while ((e = hit(r, code, &sums)) == 0)
		;
	r->spot = 0;
	if (e >= 0 && breaks_at(r->k->t.breaks, rip))
		e = tracee_poke(&r->k->t, rip, &trap, 1);
	e = e < 0 ? e : replay_check_log(r, 0);
	return e < 0 ? e : 0;
}
