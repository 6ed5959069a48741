/* SPDX-License-Identifier: Apache-2.0 */
/* Trackers in C, for comparison: what is kept of open events, histograms by second, and what is told of slow ones. */
#ifndef TEST_PERF_TRACK_C_H
#define TEST_PERF_TRACK_C_H
#include "bpf_c.h"
#include <bpf/bpf_tracing.h>

enum { COMM = 16, FRAMES = 20, SLOTS = 8, BUCKETS = 1889, CPUS = 256, RING = 1 << 20, SECOND = 1000000000 };

struct task_struct___named {
	int pid;
	int tgid;
	char comm[COMM];
} __attribute__((preserve_access_index));

struct opened {
	__u64 woken, waker_cpu;
	__u32 waker_tid, waker_pid;
	char waker_comm[COMM];
	__u64 off;
};

struct slot {
	__u64 second, max, sum;
	__u32 buckets[BUCKETS + 1];
};

struct slow {
	__u64 start, delay;
	__u32 tracker, tid, pid, waker_tid;
	char comm[COMM], waker_comm[COMM];
	__u64 stack[FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct opened);
} storage SEC(".maps");

struct hist {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CPUS);
	__type(key, __u32);
	__type(value, struct slot[SLOTS]);
};
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING);
} ring SEC(".maps");

/* aggval_hist_bucket() */
static __always_inline __u32 hist_bucket(__u64 v)
{
	__u32 octave = quantize_bucket(v) - 64;

	if (v < 64)
		return (__u32)v + 1;
	return 1 + ((octave - 5) << 5) + ((v >> ((octave - 5) & 63)) & 63);
}

static __always_inline void add(void *map, __u64 now, __u64 delay)
{
	__u32 cpu = bpf_get_smp_processor_id(), b = hist_bucket(delay);
	struct slot *s = bpf_map_lookup_elem(map, &cpu);
	__u64 second = now / SECOND;

	if (!s)
		return;
	s += second % SLOTS;
	if (s->second != second || delay > s->max) {
		s->second = second;
		s->max = delay;
	}
	s->sum += delay;
	if (b < BUCKETS)
		s->buckets[b] += 1;
}

static __noinline int slow(struct task_struct *p, const struct opened *o, __u64 start, __u64 delay, __u32 tracker)
{
	struct slow *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	struct task_struct___named *t = (struct task_struct___named *)p;

	if (!r)
		return 0;
	r->start = start;
	r->delay = delay;
	r->tracker = tracker;
	bpf_probe_read_kernel(&r->tid, sizeof(r->tid), &t->pid);
	bpf_probe_read_kernel(&r->pid, sizeof(r->pid), &t->tgid);
	bpf_probe_read_kernel(r->comm, COMM, t->comm);
	r->waker_tid = o->waker_tid;
	__builtin_memcpy(r->waker_comm, o->waker_comm, COMM);
	__builtin_memset(r->stack, 0, sizeof(r->stack));
	bpf_get_task_stack(p, r->stack, sizeof(r->stack), 0);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

/* sched_waking: the wait for a CPU begins; by whom, if it turns out to be long. */
static __always_inline int begin_wakeup(struct task_struct *p)
{
	struct opened *o = bpf_task_storage_get(&storage, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 id = bpf_get_current_pid_tgid();

	if (!o)
		return 0;
	o->waker_cpu = bpf_get_smp_processor_id();
	o->waker_tid = (__u32)id;
	o->waker_pid = id >> 32;
	bpf_get_current_comm(o->waker_comm, COMM);
	o->woken = bpf_ktime_get_ns();
	return 0;
}

/* Ends the event that began at *start. */
static __always_inline void over(struct task_struct *p, const struct opened *o, __u64 *start, __u64 now, void *hist,
				 __u64 threshold, __u32 tracker)
{
	__u64 delay = now - *start;

	add(hist, now, delay);
	if (delay >= threshold)
		slow(p, o, *start, delay, tracker);
	*start = 0;
}

/* sched_switch: the sleep of a thread that gets the CPU is over, ... */
static __always_inline void end_offcpu(struct task_struct *next, struct opened *o, __u64 now, void *hist,
				       __u64 threshold, __u32 tracker)
{
	if (o && o->off)
		over(next, o, &o->off, now, hist, threshold, tracker);
}

/* ... and that of one that leaves it to wait begins. */
static __always_inline int begin_offcpu(_Bool preempt, struct task_struct *prev, unsigned int state, __u64 now)
{
	struct opened *o;

	if (preempt || !state)
		return 0;
	o = bpf_task_storage_get(&storage, prev, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (o)
		o->off = now;
	return 0;
}
#endif
