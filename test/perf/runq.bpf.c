/* SPDX-License-Identifier: Apache-2.0 */
/* In C what RUNQ of peers.py says in D: how long threads that were woken up wait for a CPU. */
#include "track_c.h"
#include <bpf/bpf_tracing.h>

struct hist runq_hist SEC(".maps");

__u64 threshold = 10000000;

SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *p)
{
	return begin_wakeup(p);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct opened *o = bpf_task_storage_get(&storage, next, 0, 0);

	if (o && o->woken)
		over(next, o, &o->woken, bpf_ktime_get_ns(), &runq_hist, threshold, 0);
	return 0;
}
