/* SPDX-License-Identifier: Apache-2.0 */
/* Provider proc: processes and threads begin, exec, get signals and end.
 * Source: DTrace guide, "proc Provider"; kernel/fork.c, kernel/exit.c, kernel/signal.c,
 * include/trace/events/signal.h (results of signal_generate). */
#include "base/cleanup.h"
#include "prov/stable/stable.h"
#include "prov/common/sysnr.h"

#define TASK(what) \
	{ \
		"struct task_struct *", what, what, false \
	}
#define LWP_PS \
	{ "lwpsinfo_t *", 0, NULL }, \
	{ \
		"psinfo_t *", 0, NULL \
	}
#define NEW_CHILD "ret == 0 && " SYSNR_FORK(SYSNR_LEFT)
/* The cause of a thread's end: CLD_EXITED, CLD_DUMPED, CLD_KILLED. */
#define CLD_OF(code) "(" code " & 0x7f) == 0 ? 1 : " code " & 0x80 ? 3 : 2"
/* The last thread of its process; without the parameter the count of live threads is 0 already. */
#define LAST_THREAD "p->signal->live.counter == 0"
/* Signals that the kernel sends because of what the thread did: ILL, TRAP, BUS, FPE, SEGV with a code
 * of the kernel's. Special values of info are small numbers. */
#define INFO "((struct kernel_siginfo *)(uintptr_t)info)" /* no typed pointer: newer verifiers refuse it */
#define IS_FAULT \
	"(sig == 4 || sig == 5 || sig == 7 || sig == 8 || sig == 11) && (uintptr_t)info > 2 && " INFO "->si_code > 0"
/* As in <sys/fault.h>: ILL, BPT, ACCESS, BOUNDS, and of FPE: IZDIV, IOVF, FPE. */
#define FAULT_CODE \
	"sig == 4 ? 1 : sig == 5 ? 3 : sig == 7 ? 5 : sig == 11 ? 6 : " INFO "->si_code == 1 ? 8 : " INFO \
	"->si_code == 2 ? 7 : 9"

/* Results of signal_generate: 0 delivered, 1 ignored, 4 delivered with less information. */
static const struct stable_row proc_rows[] = {
	{ .name = "create",
	  .tp = "sched_process_fork",
	  .cond = "child->pid == child->tgid",
	  .args = { TASK("child") },
	  .xargs = { { "psinfo_t *", 0, NULL } },
	  .nxargs = 1 },
	{ .name = "exec",
	  .tp = "sys_enter",
	  .cond = SYSNR_EXEC("id"),
	  .args = { { "uintptr_t", SYSNR_EXECVEAT("id") " ? " SYSNR_ARG1 " : " SYSNR_ARG0, "path", true } } },
	{ .name = "exec-failure",
	  .tp = "sys_exit",
	  .cond = "ret < 0 && " SYSNR_EXEC(SYSNR_LEFT),
	  .args = { { "int", "-ret", "errno", false } } },
	{ .name = "exec-success", .tp = "sched_process_exec" },
	{ .name = "exit",
	  .tp = "sched_process_exit",
	  .need = "group_dead",
	  .cond = "group_dead",
	  .args = { { "int", CLD_OF("p->exit_code"), "why", false } } },
	{ .name = "exit",
	  .tp = "sched_process_exit",
	  .cond = LAST_THREAD,
	  .args = { { "int", CLD_OF("p->exit_code"), "why", false } } },
	{ .name = "fault",
	  .tp = "signal_generate",
	  .cond = IS_FAULT,
	  .args = { { "int", FAULT_CODE, "fault", false },
		    { "siginfo_t *", "(siginfo_t *)(uintptr_t)info", "info", false } } },
	{ .name = "lwp-create",
	  .tp = "sched_process_fork",
	  .args = { TASK("child") },
	  .xargs = { LWP_PS },
	  .nxargs = 2 },
	{ .name = "lwp-exit", .tp = "sched_process_exit" },
	{ .name = "lwp-start", .tp = "sys_exit", .cond = NEW_CHILD },
	{ .name = "signal-clear",
	  .tp = "sys_exit",
	  .cond = "ret > 0 && " SYSNR_SIGWAIT(SYSNR_LEFT),
	  .args = { { "int", "ret", "sig", false } } },
	{ .name = "signal-discard",
	  .tp = "signal_generate",
	  .cond = "result == 1",
	  .args = { TASK("task"), { "int", "sig", "sig", false } },
	  .xargs = { LWP_PS, { "int", 1, NULL } },
	  .nxargs = 3 },
	{ .name = "signal-handle",
	  .tp = "signal_deliver",
	  .args = { { "int", DELIVERED_SIG, "sig", false },
		    { "siginfo_t *", "info", "info", false },
		    { "uintptr_t", "(uintptr_t)ka->sa.sa_handler", "handler", false } } },
	{ .name = "signal-send",
	  .tp = "signal_generate",
	  .cond = "result == 0 || result == 4",
	  .args = { TASK("task"), { "int", "sig", "sig", false } },
	  .xargs = { LWP_PS, { "int", 1, NULL } },
	  .nxargs = 3 },
	{ .name = "start", .tp = "sys_exit", .cond = NEW_CHILD " && curthread->pid == curthread->tgid" },
};

STABLE_PROVIDER(proc, PROC);
