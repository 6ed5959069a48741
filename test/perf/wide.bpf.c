/* SPDX-License-Identifier: Apache-2.0 */
/* In C: syscall:::entry { @[s] = count(); } with a string s of 256 bytes. */
#include "bpf_c.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, char[256]);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[256]);
} scratch SEC(".maps");

char text[256]; /* others may write to it meanwhile: the key is a copy */

SEC("tp_btf/sys_enter")
int count(void *ctx)
{
	__u64 *v, one = 1;
	__u32 zero = 0;
	char *key = bpf_map_lookup_elem(&scratch, &zero);

	if (!key)
		return 0;
	bpf_probe_read_kernel(key, sizeof(text), text);
	v = bpf_map_lookup_elem(&counts, key);
	if (v)
		*v += 1;
	else
		bpf_map_update_elem(&counts, key, &one, BPF_NOEXIST);
	return 0;
}
