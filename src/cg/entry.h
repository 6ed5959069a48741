/* SPDX-License-Identifier: Apache-2.0 */
/* Describes how the kernel enters a probe: plain data, which a provider gives to the code generator and the
 * loader. */
#ifndef DWELL_CG_ENTRY_H
#define DWELL_CG_ENTRY_H
#include <stdbool.h>
#include <stdint.h>
#include "types/typesrc.h"

enum entry_kind {
	ENTRY_TEST_RUN,	  /* raw_tp run by test-run in dwell's thread: BEGIN, END. ctx: u64 args[] */
	ENTRY_TP_BTF,	  /* BPF_PROG_TYPE_TRACING, typed tracepoint; ctx: u64 args[] */
	ENTRY_RAW_TP,	  /* raw tracepoint; ctx: u64 args[] */
	ENTRY_PERF_EVENT, /* ctx: struct bpf_perf_event_data (pt_regs first) */
	ENTRY_UPROBE,	  /* ctx: struct pt_regs; probes with the same clauses and places of arguments
			   * share a program, and the cookie tells them apart: see ENTRY_COOKIE */
	ENTRY_KPROBE,	  /* a function of the kernel; otherwise as ENTRY_UPROBE */
	/* Walks, made from user space (run/consume/walk.h); the program may be preempted, and runs in dwell's
	 * thread, but never twice at a time. */
	ENTRY_ITER_TASK, /* once per thread. ctx: struct bpf_iter__task. Built-in variables describe the walked
			  * thread: gen_task() and what uses it */
	ENTRY_ITER_MAP,	 /* once per element of the hash map of image.scans[scan - 1].
			  * ctx: struct bpf_iter__bpf_map_elem: meta, map, key, value, 8 bytes each */
	ENTRY_NONE,	 /* no program of its own: ERROR clauses, called from faults */
};

enum arg_loc_kind {
	ARG_NONE,	/* reads as 0 */
	ARG_CTX,	/* u64 at ctx + off (load width `size`, sign by the type) */
	ARG_REGS,	/* u64 at off in the pt_regs that *(u64 *)(ctx + regs_ctx_off) points to (kernel
			 * pointer: direct load in typed programs, probe read else) */
	ARG_CTX_REGS,	/* u64 at off in a pt_regs that is the ctx itself (perf event, uprobe) */
	ARG_CONST,	/* the value */
	ARG_USER_MEM,	/* in user memory at *(ctx + off) + *(ctx + index) * scale + value; 0 when it
			 * cannot be read */
	ARG_KERNEL_MEM, /* the same in the kernel's memory */
	ARG_PC_KERNEL,	/* perf event: instruction pointer if the sample hit the kernel, else 0 */
	ARG_PC_USER,	/* perf event: instruction pointer if the sample hit user code, else 0 */
	ARG_WATCH,	/* watchpoint, args[2]: size bytes at the address value; off: of img_state.watch */
	ARG_WATCH_OLD,	/* watchpoint, args[3]: the same at the firing before; value: at first */
	ARG_THREAD,	/* ENTRY_ITER_TASK: the walked thread */
	ARG_DERIVED,	/* the probe's off-th derived argument (lang/probeinfo.h) */
	ARG_ERROR,	/* ERROR probe: n-th argument of the fault (off = n) */
	ARG_EVENT,	/* latency probe: arg<off> of the event */
};

struct arg_loc {
	enum arg_loc_kind kind;
	uint32_t off;
	uint8_t size; /* bytes to load; 0 is 8 */
	bool is_signed;
	uint64_t value; /* ARG_CONST; ARG_USER_MEM: signed displacement */
	uint16_t index; /* ARG_USER_MEM: of a further register in ctx; scale 0: none */
	uint8_t scale;	/* 1, 2, 4, 8 */
	uint8_t shift;	/* ARG_CTX_REGS: %ah and the like: bits to shift right first */
};

#define ENTRY_MAX_ARGS 32
#define ENTRY_MAX_COMPAT 4

struct entry {
	enum entry_kind kind;
	/* Probes whose kind, target, period_ns, cpu and instance are equal share one program. */
	const char *target;   /* tracepoint name; "BEGIN"; uprobe: "entry", "return" … */
	bool uprobe_multi;    /* ENTRY_UPROBE: loaded for multi-uprobes */
	bool kprobe_multi;    /* ENTRY_KPROBE: loaded for multi-kprobes */
	bool kprobe_session;  /* … and entry and return are one program (load/join.c); the ids of returns are odd, one
			       * more than those of entries, and the cookie has the latter */
	struct tref btf_type; /* ENTRY_TP_BTF: the btf_trace_… typedef; ENTRY_ITER_*: the function
			       * bpf_iter_… (attach_btf_id) */
	uint64_t period_ns;   /* ENTRY_ITER_TASK: from one walk to the next, 0: option iterrate; ENTRY_TEST_RUN:
			       * after the walks of this period (with ENTRY_WALK_DONE);
			       * ENTRY_PERF_EVENT: sampling period; or */
	uint64_t freq;	      /* samples per second */
	int cpu;	      /* ENTRY_PERF_EVENT: -1 on every CPU, else on this one only (tick-n) */
	uint64_t instance;    /* tells programs apart that must not be shared */
	uint32_t scan;	      /* ENTRY_ITER_MAP, and the ENTRY_ITER_TASK that follow it: which of image.scans,
			       * from 1 on; 0: the walk has a period of its own */
	/* Tells which of the program's probes fires: a u64 of the ctx, which is compared with sel_value. */
	bool has_selector;
	struct arg_loc sel; /* where the number is */
	uint64_t sel_value; /* its value for this probe, < ENTRY_MAX_SELECTOR */
	/* When set: a non-zero u32 at thread_info.status & compat_mask means a 32-bit caller; such firings are
	 * counted (CNT_COMPAT) and left out. */
	bool skip_compat;
	/* The numbers that this call has for 32-bit callers: those firings are counted. */
	uint16_t compat[ENTRY_MAX_COMPAT];
	unsigned ncompat;
	uint32_t regs_ctx_off; /* for ARG_REGS */
	struct arg_loc args[ENTRY_MAX_ARGS];
	unsigned nargs;
	/* errno: non-zero when the probe is a system call's return: *errno* is -(s64)arg when in [-4095,-1] */
	bool has_errno;
	struct arg_loc errno_loc;
	bool current_is_next; /* sched_exit_tp: runs in the incoming task already */
	bool reads_thread;    /* ENTRY_ITER_TASK: the walked thread's memory can be read, by a sleepable program */
	bool no_user_stack;   /* ustack() is not possible here: REC_USTACK_NONE */
	bool is_return;	      /* for flowindent */
	bool of_interrupt; /* what happens is none of the thread's that is on the CPU: -x noself means nothing here */
};
/* The cookie tells which of the program's probes fires. */
static inline bool entry_by_cookie(const struct entry *e)
{
	return e->kind == ENTRY_UPROBE || e->kind == ENTRY_KPROBE;
}
/* Cookie of a site of an ENTRY_UPROBE or ENTRY_KPROBE: which of img_prog.probes, and its id. */
#define ENTRY_COOKIE(index, id) ((uint64_t)(index) << 32 | (id))
#define ENTRY_WALK_DONE "done"	/* target of the ENTRY_TEST_RUN that run after walks */
#define ENTRY_MAX_SELECTOR 1024 /* system call numbers */
#endif
