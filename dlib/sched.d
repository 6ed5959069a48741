/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU that a probe fires on, and what describes a CPU to the probes of sched. */
typedef id_t chipid_t;
typedef id_t lgrp_id_t;

/* The type of Solaris' sys/processor.h. */
inline int P_ONLINE = 2;
typedef struct processor_info {
	int pi_state;		/* P_ONLINE: others run nothing */
	string pi_processor_type; /* "x86_64", "aarch64" */
	string pi_fputypes;	/* "" */
	int pi_clock;		/* MHz: 0, not known */
} processor_info_t;

typedef struct cpuinfo {
	processorid_t cpu_id;	/* its number */
	psetid_t cpu_pset;	/* Linux has no processor sets: 0 */
	chipid_t cpu_chip;	/* package (socket) */
	lgrp_id_t cpu_lgrp;	/* NUMA node */
	processor_info_t cpu_info; /* what processor_info(2) of Solaris tells */
} cpuinfo_t;
typedef cpuinfo_t *cpuinfo_t_p;

translator processor_info_t < int C > {
	pi_state = P_ONLINE;
	pi_processor_type = curthread->nsproxy != NULL ? stringof(curthread->nsproxy->uts_ns->name.machine) : "";
	pi_fputypes = "";
	pi_clock = 0;
};

/* dwell adds cpu_chip_of[] and cpu_lgrp_of[], the tables of this machine. */
translator cpuinfo_t < int C > {
	cpu_id = C;
	cpu_pset = 0;
	cpu_chip = cpu_chip_of[C];
	cpu_lgrp = cpu_lgrp_of[C];
	cpu_info = xlate <processor_info_t> (C);
};

/* Does the thread end since its whole process does, and is it not the first one? Source: SIGNAL_GROUP_EXIT,
 * include/linux/sched/signal.h. */
inline int ends_with_process = tid != pid && (curthread->signal->flags & 4) != 0;

/* Does a thread that goes on pass a tracepoint of its own, with its whole stack (Linux 6.16)? */
inline int sched_has_exit = sizeof (btf_trace_sched_exit_tp) != 0;
inline int sched_has_exit = 0;

/* The function of a timer that wakes a thread up: sleeps, waits with a timeout. 0: the kernel's symbols do not tell. */
inline uintptr_t hrtimer_waker = (uintptr_t)&`hrtimer_wakeup;
inline uintptr_t hrtimer_waker = 0;
/* The thread that the timer wakes up; T: args[0] of sdt:timer::hrtimer_expire_entry. NULL: nobody, it is another
 * function. */
inline struct task_struct *hrtimer_sleeps[struct hrtimer *T] =
	(uintptr_t)T->function == hrtimer_waker ? ((struct hrtimer_sleeper *)T)->task : NULL;

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);
#pragma D attributes Stable/Stable/Common curcpu
/* A variable cannot keep curcpu, which has no address. It keeps the number of the CPU plus 1, so that NULL is no
 * CPU. */
inline cpuinfo_t *curcpu_kept = (cpuinfo_t *)(uintptr_t)(cpu + 1);
inline cpuinfo_t *curcpu_again[cpuinfo_t *P] = xlate <cpuinfo_t *> (P != NULL ? (int)(uintptr_t)P - 1 : *(int *)0);
inline psetid_t pset = 0;
#pragma D attributes Stable/Stable/Common pset
inline chipid_t chip = cpu_chip_of[cpu];
#pragma D attributes Stable/Stable/Common chip
inline lgrp_id_t lgrp = cpu_lgrp_of[cpu];
#pragma D attributes Stable/Stable/Common lgrp
