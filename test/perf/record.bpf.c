/* SPDX-License-Identifier: Apache-2.0 */
/* In C: syscall::getppid:entry { printf("%d %d %d\n", pid, tid, arg0); } as a record of a ring buffer. */
#include "bpf_c.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} ring SEC(".maps");

struct record {
	__u64 ts;
	__u32 fmt, probe;
	__s32 pid, tid;
	__s64 arg0;
};

#if defined(__TARGET_ARCH_arm64)
#define NR_GETPPID 173
#else
#define NR_GETPPID 110
#endif

struct pt_regs {
#if defined(__TARGET_ARCH_arm64)
	__u64 arg0;
#else
	unsigned long pad[14], arg0;
#endif
};

SEC("tp_btf/sys_enter")
int enter(__u64 *ctx)
{
	struct record *r;
	__u64 id;

	if (ctx[1] != NR_GETPPID)
		return 0;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r)
		return 0;
	id = bpf_get_current_pid_tgid();
	r->ts = bpf_ktime_get_ns();
	r->fmt = 1;
	r->probe = NR_GETPPID * 2;
	r->pid = id >> 32;
	r->tid = id;
	r->arg0 = ((struct pt_regs *)ctx[0])->arg0;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}
