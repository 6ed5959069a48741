/* SPDX-License-Identifier: Apache-2.0 */
/* Provider sched: threads leave and take CPUs, become runnable, sleep.
 * off-cpu is the tracepoint sched_switch, which runs in the thread that leaves.
 * on-cpu is the bare tracepoint sched_exit_tp, which runs at the end of schedule() in the thread that
 * begins (Linux 6.16; a thread's very first run does not pass there). Kernels without it: sched_switch,
 * still in the thread that leaves, so that there is no user stack.
 * prev_state is the state in which a thread calls schedule(): 0 runnable, bits 1 and 2 asleep.
 * Source: kernel/sched/core.c, __schedule(), try_to_wake_up(); DTrace guide, "sched Provider". */
#include "base/cleanup.h"
#include "prov/stable/stable.h"
#include "prov/common/sysnr.h"

#define TASK(what) \
	{ \
		"struct task_struct *", what, what, false \
	}
#define CURRENT \
	{ \
		"struct task_struct *", "curthread", "curthread", false \
	}
#define CPU_OF(t) \
	{ \
		"int", t "->thread_info.cpu", "cpu", false \
	}
#define AT_HEAD(v) \
	{ \
		"int", v, "head", false \
	}
#define LWP_PS \
	{ "lwpsinfo_t *", 0, NULL }, \
	{ \
		"psinfo_t *", 0, NULL \
	}
#define QUEUE_X .xargs = { LWP_PS, { "cpuinfo_t *", 1, NULL }, { NULL, 2, NULL } }, .nxargs = 4
#define ASLEEP "!preempt && prev_state != 0"
#define NOT_IDLE "prev->pid != 0"
/* The periodic tick of a CPU is a timer with this function. */
#define TICK_BY(fn) "hrtimer->function == &`" fn
/* The priority that a thread inherits from those that wait for it, 0 (best) … 139. */
#define NEW_PRIO "(uintptr_t)pi_task != 0 && pi_task->prio < tsk->normal_prio ? pi_task->prio : tsk->normal_prio"
#define NO_SCHEDCTL "Linux has no scheduler hints of user programs (schedctl)"
#define NO_CPUCAPS "no tracepoint tells when the CPU quota of a cgroup stops or releases a thread"

static const struct stable_row sched_rows[] = {
	{ .name = "off-cpu",
	  .tp = "sched_switch",
	  .args = { TASK("next") },
	  .xargs = { LWP_PS },
	  .nxargs = 2,
	  .bare = true },
	{ .name = "on-cpu", .tp = "sched_exit_tp", .cond = "is_switch", .is_next = true },
	{ .name = "on-cpu", .tp = "sched_switch", .no_ustack = true, .bare = true },
	{ .name = "change-pri",
	  .tp = "sched_pi_setprio",
	  .args = { TASK("tsk"), { "int", NEW_PRIO, "pri", false } },
	  .xargs = { LWP_PS, { NULL, 1, NULL } },
	  .nxargs = 3 },
	{ .name = "cpucaps-sleep", .reason = NO_CPUCAPS },
	{ .name = "cpucaps-wakeup", .reason = NO_CPUCAPS },
	{ .name = "dequeue",
	  .tp = "sched_switch",
	  .cond = ASLEEP,
	  .args = { TASK("prev"), CPU_OF("prev"), AT_HEAD("0") },
	  QUEUE_X },
	{ .name = "enqueue", .tp = "sched_wakeup", .args = { TASK("p"), CPU_OF("p"), AT_HEAD("0") }, QUEUE_X },
	{ .name = "enqueue",
	  .tp = "sched_wakeup_new",
	  .args = { TASK("p"), CPU_OF("p"), AT_HEAD("0") },
	  QUEUE_X,
	  .also = true },
	{ .name = "preempt", .tp = "sched_switch", .cond = "(preempt || prev_state == 0) && " NOT_IDLE },
	{ .name = "remain-cpu", .tp = "sched_exit_tp", .cond = "!is_switch" },
	{ .name = "schedctl-nopreempt", .reason = NO_SCHEDCTL },
	{ .name = "schedctl-preempt", .reason = NO_SCHEDCTL },
	{ .name = "schedctl-yield", .reason = NO_SCHEDCTL },
	{ .name = "sleep", .tp = "sched_switch", .cond = ASLEEP " && (prev_state & 3) != 0" },
	{ .name = "surrender",
	  .tp = "sys_enter",
	  .cond = SYSNR_YIELD("id"),
	  .args = { CURRENT },
	  .xargs = { LWP_PS },
	  .nxargs = 2 },
	/* Renamed in Linux 6.9, to a name that another function had before. */
	{ .name = "tick",
	  .tp = "hrtimer_expire_entry",
	  .need = "func:tick_sched_timer",
	  .cond = TICK_BY("tick_sched_timer"),
	  .args = { CURRENT },
	  .xargs = { LWP_PS },
	  .nxargs = 2 },
	{ .name = "tick",
	  .tp = "hrtimer_expire_entry",
	  .need = "func:tick_nohz_handler",
	  .cond = TICK_BY("tick_nohz_handler"),
	  .args = { CURRENT },
	  .xargs = { LWP_PS },
	  .nxargs = 2 },
	{ .name = "wakeup", .tp = "sched_waking", .args = { TASK("p") }, .xargs = { LWP_PS }, .nxargs = 2 },
};

STABLE_PROVIDER(sched, SCHED);
