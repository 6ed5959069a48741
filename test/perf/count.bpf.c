/* SPDX-License-Identifier: Apache-2.0 */
/* In C: syscall:::entry { @[execname] = count(); } */
#include "bpf_c.h"

#ifndef ENTRY /* test/vm/kcost.bpf.c has others */
#define ENTRY "tp_btf/sys_enter"
#endif

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, char[16]);
	__type(value, __u64);
} counts SEC(".maps");

SEC(ENTRY)
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
