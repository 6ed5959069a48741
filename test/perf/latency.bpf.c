/* SPDX-License-Identifier: Apache-2.0 */
/* In C: syscall:::entry { self->t = timestamp; }
 *       syscall:::return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; } */
#include "bpf_c.h"

#ifndef ENTRY /* test/vm/kcost.bpf.c has others */
#define ENTRY "tp_btf/sys_enter"
#define RETURN "tp_btf/sys_exit"
#endif

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} start SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[128]);
} hist SEC(".maps");

SEC(ENTRY)
int enter(void *ctx)
{
	__u64 *t = bpf_task_storage_get(&start, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (t)
		*t = bpf_ktime_get_ns();
	return 0;
}

SEC(RETURN)
int leave(void *ctx)
{
	__u64 *t = bpf_task_storage_get(&start, bpf_get_current_task_btf(), 0, 0), *h;
	__u32 zero = 0;

	if (!t || !*t)
		return 0;
	h = bpf_map_lookup_elem(&hist, &zero);
	if (h)
		h[quantize_bucket(bpf_ktime_get_ns() - *t) & 127] += 1;
	*t = 0;
	return 0;
}
