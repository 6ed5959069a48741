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

char text[256];

SEC("tp_btf/sys_enter")
int count(void *ctx)
{
	__u64 *v, one = 1;

	v = bpf_map_lookup_elem(&counts, text);
	if (v)
		*v += 1;
	else
		bpf_map_update_elem(&counts, text, &one, BPF_NOEXIST);
	return 0;
}
