/* SPDX-License-Identifier: Apache-2.0 */
/* Describes what the kernel can do: plain data, filled by load/caps.c from attempts (never from a version), given
 * to the compiler and the providers, printed by `dwell features`. */
#ifndef DWELL_TYPES_CAPS_H
#define DWELL_TYPES_CAPS_H
#include <stdbool.h>
#include <stdint.h>

struct caps {
	unsigned possible_cpus; /* per-CPU maps have this many values */
	unsigned online_cpus;
	unsigned nr_cpu_ids;
	unsigned online_ids; /* the highest number of an online CPU, and one; 0: not known */
	uint64_t memory;     /* bytes of the machine; 0: not known */
	bool btf;	     /* /sys/kernel/btf/vmlinux */
	bool tp_btf;	     /* typed tracepoints (BPF_PROG_TYPE_TRACING, 5.5) */
	bool ringbuf;	     /* 5.8 */
	bool task_storage;   /* in tracing programs, 5.13 */
	bool task_btf;	     /* bpf_get_current_task_btf, 5.11 */
	bool hash_alloc;     /* hash maps may grow while a perf event or NMI runs: 6.1 */
	bool bpf_loop;	     /* 5.17 */
	bool bpf_loop_once;  /* the verifier walks its callback only once: before 6.7 */
	bool may_goto;	     /* 6.9: asked for by caps_loops() only */
	bool bpf_strncmp;    /* 5.17 */
	bool atomics;	     /* fetch-and-add, cmpxchg (cpu=v3), 5.12 */
	bool get_task_stack; /* bpf_get_task_stack, 5.9 */
	bool task_pt_regs;   /* bpf_task_pt_regs, 5.15 */
	bool find_vma;	     /* bpf_find_vma, 5.17 */
	bool perf_event;     /* cpu-clock software events */
	bool uprobe, uprobe_multi;
	bool batch_percpu_hash; /* lookup-and-delete batch on per-CPU hashes, 5.6 */
	bool iter_task;
	bool iter_keys;	       /* bpf_iter over the elements of a map, 5.9; some machines forbid it */
	bool test_run_raw_tp;  /* BPF_PROG_TEST_RUN of raw_tp, 5.10 */
	bool probe_write_user; /* false under lockdown */
	bool tracefs;
	bool sched_exit_tp;	       /* tracepoint sched_exit_tp */
	bool in_pidns;		       /* dwell runs in a pid namespace other than the initial one */
	uint64_t pidns_dev, pidns_ino; /* for bpf_get_ns_current_pid_tgid */
};
#endif
