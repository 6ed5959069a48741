/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU that a probe fires on, and what describes a CPU to the probes of sched. */
typedef id_t chipid_t;
typedef id_t lgrp_id_t;

typedef struct cpuinfo {
	processorid_t cpu_id;	/* its number */
	psetid_t cpu_pset;	/* Linux has no processor sets: 0 */
	chipid_t cpu_chip;	/* package (socket) */
	lgrp_id_t cpu_lgrp;	/* NUMA node */
} cpuinfo_t;
typedef cpuinfo_t *cpuinfo_t_p;

/* dwell adds cpu_chip_of[] and cpu_lgrp_of[], the tables of this machine. */
translator cpuinfo_t < int C > {
	cpu_id = C;
	cpu_pset = 0;
	cpu_chip = cpu_chip_of[C];
	cpu_lgrp = cpu_lgrp_of[C];
};

/* Does a thread that goes on pass a tracepoint of its own, with its whole stack (Linux 6.16)? */
inline int sched_has_exit = sizeof (btf_trace_sched_exit_tp) != 0;
inline int sched_has_exit = 0;

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);
#pragma D attributes Stable/Stable/Common curcpu
inline psetid_t pset = 0;
#pragma D attributes Stable/Stable/Common pset
inline chipid_t chip = cpu_chip_of[cpu];
#pragma D attributes Stable/Stable/Common chip
inline lgrp_id_t lgrp = cpu_lgrp_of[cpu];
#pragma D attributes Stable/Stable/Common lgrp
