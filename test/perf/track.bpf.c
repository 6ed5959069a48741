/* SPDX-License-Identifier: Apache-2.0 */
/* The program TRACK of bench.py, in C: two trackers of threads with their histograms by second, and a threshold that
 * can be changed. A slow event has the thread that waited, its waker and the stack where it waited. */
#include "track_c.h"
#include <bpf/bpf_tracing.h>

struct hist wakeup_hist SEC(".maps"), offcpu_hist SEC(".maps");

__u64 wakeup_threshold = 10000000, offcpu_threshold = 100000000;

SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *p)
{
	return begin_wakeup(p);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct opened *o = bpf_task_storage_get(&storage, next, 0, 0);
	__u64 now = bpf_ktime_get_ns();

	if (o && o->woken)
		over(next, o, &o->woken, now, &wakeup_hist, wakeup_threshold, 0);
	end_offcpu(next, o, now, &offcpu_hist, offcpu_threshold, 1);
	return begin_offcpu(preempt, prev, state, now);
}
