/* SPDX-License-Identifier: Apache-2.0 */
/* Names the limits of the code generator, and the tags of its errors. */
#ifndef DWELL_CG_GEN_LIMITS_H
#define DWELL_CG_GEN_LIMITS_H
#define CG_MAX_SCRATCH 32768 /* bytes per program and CPU: the kernel's limit of a per-CPU value */
#define CG_LONG_STRINGS 4097 /* longer ones: scratch memory is in an array by program and CPU, and has as much as */
#define CG_MAX_LONG_SCRATCH (1u << 20)
#define CG_MAX_STATE (16u << 20) /* bytes of global variables */
#define CG_MAX_CPU_VARS \
	1024 /* bytes of each CPU's elements of arrays that are only indexed by cpu; the rest are ordinary arrays */
#define CG_CACHE_LINE 64
#define CG_TLS_KEY 16	 /* without task storage: thread and start time */
#define CG_MAX_TLS 16384 /* bytes of thread-local variables: task storage values are kmalloc'ed */
#define CG_MAX_LONG_TLS \
	65280		     /* with long strings; the kernel has 16 bits for it. Source: linux/bpf_local_storage.h \
			      */
#define CG_MAX_STACK_KEY 64  /* larger keys are built in scratch memory */
#define CG_MAX_SLOTS 160     /* bytes of slots before keys go to scratch memory */
#define CG_MAX_STACK_VARS 8  /* this-> scalars on the stack; further ones live in scratch */
#define CG_MAX_SEL_CHAIN 4   /* more selector values than this are tested with a bitmap */
#define CG_WHOLE_UNITS 64    /* clauses that make a single program for sure */
#define CG_SPLIT_INSNS 24000 /* IR instructions after which clauses go to a further program */
#define CG_STUBS_EVERY \
	8000 /* IR instructions (up to three of BPF each) before faults and losses get their code: jumps \
	      * there and back reach 32767 */
#define CG_MAX_INLINE_COPY 128	      /* bytes copied or zeroed with plain instructions */
#define CG_MAX_MAP_ENTRIES (1u << 18) /* of one hash: its bucket table costs 16 bytes per entry */
/* Larger values of aggregations are not per-CPU ones. The per-CPU allocator gives programs memory from the few pages
 * that it holds ready (at most 4), so a burst of new keys would be lost. Also, each key would cost a value for every
 * possible CPU. Source: mm/percpu.c, PCPU_EMPTY_POP_PAGES_HIGH. */
#define CG_MAX_PERCPU_VALUE 64
#define CG_MAX_AGG_ENTRIES (1u << 20) /* of a hash with an entry per key and CPU */
#define CG_FULL_MAPS \
	32 /* keyed aggregations, or arrays, that each get all of aggsize or dynvarsize; more share as much as those \
	      have */
#define CG_ENTRY_OVERHEAD 64 /* kernel bytes per hash element beside key and value */
#define CG_FREE_ENTRIES 64   /* of an array, for which that is not counted: small ones have as many as in DTrace */
/* Bytes of unwinding tables, unless an option says how many: a share of the memory within these bounds. */
#define CG_UNWIND_SHARE 256
#define CG_UNWIND_LEAST (UINT64_C(16) << 20)
#define CG_UNWIND_MOST (UINT64_C(64) << 20)
#define CG_UNWIND_MAPS 6
#define CG_UNWIND_FILES 4096  /* with tables */
#define CG_UNWIND_AREAS 65536 /* executable mappings of all processes whose stacks are taken */
#define CG_UNWIND_PROCS 8192  /* such processes at a time */
#define CG_UNWIND_WANT 4096   /* new ones between two looks of user space; then they are asked for again */
#define CG_MAX_DUE 8192	      /* keys of a tracker whose timeout waits to be fired */
#define CG_TASK_ARGS 4	      /* words of a context that may be tasks whose storage is looked up once */
#define BTF_MAX_CHAIN 32      /* modifiers and typedefs followed in BTF */

#define TAG_LIMIT "D_LIMIT"	/* a named limit of the code generator */
#define TAG_UNKNOWN "D_UNKNOWN" /* DTrace's tag for errors of its libraries */
#define TAG_NOSUPP "D_NOTSUPP"	/* what the kernel or this version cannot do */
#endif
