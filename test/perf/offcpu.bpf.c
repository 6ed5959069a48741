/* SPDX-License-Identifier: Apache-2.0 */
/* In C what OFFCPU of peers.py says in D: how long threads sleep, and the stack of those that sleep for long. */
#include "track_c.h"
#include <bpf/bpf_tracing.h>

struct hist offcpu_hist SEC(".maps");

__u64 threshold = 100000000;

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct opened *o = bpf_task_storage_get(&storage, next, 0, 0);
	__u64 now = bpf_ktime_get_ns();

	end_offcpu(next, o, now, &offcpu_hist, threshold, 0);
	return begin_offcpu(preempt, prev, state, now);
}
