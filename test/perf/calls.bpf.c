/* SPDX-License-Identifier: Apache-2.0 */
/* In C what CALLS of peers.py says in D: how long system calls take, of all threads. */
#include "track_c.h"
#include <bpf/bpf_tracing.h>

struct hist calls_hist SEC(".maps");

__u64 threshold = 100000000;

SEC("tp_btf/sys_enter")
int enter(void *ctx)
{
	struct opened *o = bpf_task_storage_get(&storage, bpf_get_current_task_btf(), 0,
						BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (o)
		o->off = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sys_exit")
int leave(void *ctx)
{
	struct task_struct *p = bpf_get_current_task_btf();
	struct opened *o = bpf_task_storage_get(&storage, p, 0, 0);

	if (o && o->off)
		over(p, o, &o->off, bpf_ktime_get_ns(), &calls_hist, threshold, 0);
	return 0;
}
