/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the comparison programs use in place of vmlinux.h. */
#ifndef TEST_PERF_BPF_C_H
#define TEST_PERF_BPF_C_H
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* The thread of the kernel, as far as a pointer to it needs a type that BTF knows. */
struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

char LICENSE[] SEC("license") = "GPL"; /* the kernel's helpers ask for it; the text is Apache-2.0, too */

/* Bucket of quantize(): 63 is the value 0, 64 + k is 2^k. Without a loop. */
static __always_inline __u32 quantize_bucket(__u64 v)
{
	__u32 k = 0, shift;

	if (v == 0)
		return 63;
	shift = (v > 0xffffffff) << 5;
	v >>= shift;
	k |= shift;
	shift = (v > 0xffff) << 4;
	v >>= shift;
	k |= shift;
	shift = (v > 0xff) << 3;
	v >>= shift;
	k |= shift;
	shift = (v > 0xf) << 2;
	v >>= shift;
	k |= shift;
	shift = (v > 0x3) << 1;
	v >>= shift;
	k |= shift;
	k |= v >> 1;
	return 64 + k;
}
#endif
