/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a trace. A group belongs to one stop of a task. It has any number of EV_BLOB, EV_MAP, EV_MEM, EV_LOG,
 * EV_NAME, EV_TEXT, EV_FILE, EV_SUM and EV_SWITCH. Then comes one of the others, which uses them. A group counts only
 * as a whole. */
#ifndef DWELL_REPLAY_TRACE_EVENT_H
#define DWELL_REPLAY_TRACE_EVENT_H
#include <stdint.h>
#include <sys/user.h>

enum event_kind {
	EV_BLOB = 1, /* contents of files: struct ev_blob, bytes */
	EV_MAP,	     /* a mapping of a new program, or a part of the one that mmap(2) made: struct ev_map */
	EV_MEM,	     /* what the kernel wrote into the program: struct ev_mem, bytes */
	EV_CALL,     /* a system call: struct ev_call */
	EV_STATE,    /* a signal's handler began, or ended, or the task was interrupted: struct ev_state, the vector
		      * registers */
	EV_EXEC,     /* a new program, whose mappings are the EV_MAPs before: struct ev_state, the vector registers */
	EV_TSC,	     /* the program read the time-stamp counter: struct ev_tsc */
	EV_END,	     /* the task ended: struct ev_end */
	EV_SWITCH,   /* what follows is of another task: struct ev_switch */
	EV_ENTER,    /* a system call begins, and others run before its EV_CALL: struct ev_call */
	EV_FORK,     /* within a system call the task makes another: struct ev_fork */
	EV_LOG,	     /* calls that the task did and logged itself, before its next event: struct stub_call, … */
	EV_SPOT,     /* the task waits in a loop without system calls: struct ev_spot */
	EV_NAME, /* the task's name from now on: struct ev_name. For programs over recordings; a replay does not need it
		  */
	EV_TEXT, /* a path or another text that the call reads: struct ev_mem, bytes with the NUL. As EV_NAME */
	EV_FILE, /* which file a part of the arena is of: struct ev_file, its path with the NUL. As EV_NAME */
	EV_SUM,	 /* --check: of the memory when the call of this group begins: struct ev_sum */
	EV_KINDS
};

#define ARENA_NONE UINT64_MAX
#define ARENA_MAX (1ull << 36)	      /* bytes of all blobs */
#define ARENA_NOTHING ARENA_MAX	      /* of an EV_MAP: pages after the end of a file */
#define TRACE_STACK_MAX (64ull << 20) /* bytes of the stack in the replay where it is not limited */
#define GROUP_MAX (1u << 28)	      /* bytes of the EV_MEMs of a group */
#define GROUP_MAPS_MAX 4096u	      /* EV_MAPs of a group */

/* Blobs make up one arena, in which mappings of files find their contents. */
struct ev_blob {
	uint64_t at; /* in the arena */
};
struct ev_file {
	uint64_t at, size; /* in the arena */
	uint64_t off;	   /* in the file */
};
struct ev_sum {
	uint64_t sum; /* memory_sum() */
};
struct ev_map {
	uint64_t start, end;
	uint64_t arena; /* ARENA_NONE: zeros */
	uint32_t prot;	/* PROT_* */
	uint32_t spare;
};
struct ev_mem {
	uint64_t addr;
};

/* Registers that are compared at each system call. */
enum call_reg {
	R_NR,
	R_A0,
	R_A1,
	R_A2,
	R_A3,
	R_A4,
	R_A5,
	R_RIP,
	R_RSP,
	R_RBX,
	R_RBP,
	R_R12,
	R_R13,
	R_R14,
	R_R15,
	R_FLAGS,
	R_FS,
	R_GS,
	CALL_REGS
};

enum call_how {
	HOW_RESULT,  /* the replay gives the program the result and the EV_MEMs */
	HOW_MAP,     /* it changes mappings: the replay makes it again */
	HOW_RESTART, /* it was interrupted and begins anew, nothing having been done */
	HOW_ENTRY,   /* it does not return: exit, execve */
	HOW_KINDS
};
struct ev_call {
	uint64_t ns, took; /* when it began since head.mono_ns, how long it took */
	uint64_t regs[CALL_REGS];
	int64_t ret;
	uint64_t fs, gs; /* bases of segments afterwards */
	uint64_t arena;	 /* mmap of a file: its contents */
	uint32_t in_crc; /* of what its arguments point to */
	uint16_t how;	 /* enum call_how */
	uint8_t out;	 /* its data went to standard output (1) or standard error (2) */
	uint8_t entered; /* EV_ENTER was before */
};
struct ev_state {
	struct user_regs_struct regs; /* afterwards */
	uint64_t rip;		      /* where the signal arrived */
	uint32_t signo; /* 0: the handler has ended; or interrupted: the EV_MEMs are all that it can write to */
	uint32_t fault; /* 1: an instruction caused it */
};
#define TSC_BY_CODE 0x100u /* ud2 is there instead of it */
struct ev_tsc {
	uint64_t rip, value;
	uint32_t aux, size; /* of rdtscp; bytes of the instruction, and TSC_BY_CODE */
};
#define END_FAULT 1u /* by the instruction at rip */
#define END_OTHER 2u /* the task is not that whose status is the command's */
struct ev_end {
	int32_t status; /* as of waitpid(2) */
	uint32_t flags; /* END_* */
	uint64_t rip;
};
/* Numbers as the program sees them. */
struct ev_name {
	uint32_t tgid, tid, ppid;
	uint32_t uid, gid; /* real ones */
	char comm[16];
};
/* All that the task changes was like that once before: it goes round for ever until others change something. */
struct ev_spot {
	struct user_regs_struct regs;
	uint64_t sum; /* of its memory, memory_sum() */
};
/* A thread of a process is a task. The thread of the command is 0. */
struct ev_switch {
	uint32_t task, spare;
};
struct ev_fork {
	uint32_t task;	 /* the new one; its EV_STATE follows */
	uint32_t shares; /* 1: the memory of its maker; 0: it gets a copy */
};
#define TASKS_MAX 16384u /* at a time */
#endif
