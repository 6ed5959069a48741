/* SPDX-License-Identifier: Apache-2.0 */
/* In C what kcost.py says in D: KIND 1 a count by the program's name, 2 a time from entry to return. */
#include "../perf/bpf_c.h"

#if KIND == 1
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, char[16]);
	__type(value, __u64);
} counts SEC(".maps");

SEC("kprobe.multi/__x64_sys_getppid")
int count(void *ctx)
{
	char comm[16];
	__u64 *v, one = 1;

	bpf_get_current_comm(comm, sizeof(comm));
	v = bpf_map_lookup_elem(&counts, comm);
	if (v)
		*v += 1;
	else
		bpf_map_update_elem(&counts, comm, &one, BPF_NOEXIST);
	return 0;
}
#else
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

SEC("kprobe.multi/__x64_sys_getppid")
int enter(void *ctx)
{
	__u64 *t = bpf_task_storage_get(&start, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (t)
		*t = bpf_ktime_get_ns();
	return 0;
}

SEC("kretprobe.multi/__x64_sys_getppid")
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
#endif
