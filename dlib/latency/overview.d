#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview.d: runs with the trackers for the page of dwell serve.
 *
 * It has delays by process, and stacks on and off the CPU, all by second.
 *
 * The first key is the second, as that of the trackers: so the page can show any range of time exactly. Seconds that
 * are over are dropped here; a recording keeps them.
 */
#pragma D option quiet
#pragma D option noself

latency:wakeup::all
{
	@by_wakeup_ns[timestamp / 1000000000, args[0]->comm] = quantize(args[0]->delay);
}

latency:offcpu::all
{
	@by_offcpu_ns[timestamp / 1000000000, args[0]->comm] = quantize(args[0]->delay);
}

latency:block::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@by_block_ns[timestamp / 1000000000, args[0]->comm] = quantize(args[0]->delay);
}

latency:lock::all
{
	@by_lock_ns[timestamp / 1000000000, args[0]->comm] = quantize(args[0]->delay);
}

latency:reclaim::all
{
	@by_reclaim_ns[timestamp / 1000000000, args[0]->comm] = quantize(args[0]->delay);
}

profile-99hz
/pid/
{
	@on_cpu[timestamp / 1000000000, execname, jstack(40), stack(40)] = count();
}

/* Where a thread sleeps is taken when it goes on. Sleeps of less than 100 us are not worth a stack. */
sched:::off-cpu
/pid/
{
	self->left = timestamp;
}

sched:::on-cpu
/self->left && timestamp - self->left >= 100000/
{
	@off_cpu_ns[timestamp / 1000000000, execname, jstack(40), stack(40)] = sum(timestamp - self->left);
}

sched:::on-cpu
/self->left/
{
	self->left = 0;
}

/* The sums are removed, so that they are not printed at the end. */
tick-10s, END
{
	trunc(@by_wakeup_ns);
	trunc(@by_offcpu_ns);
	trunc(@by_block_ns);
	trunc(@by_lock_ns);
	trunc(@by_reclaim_ns);
	trunc(@on_cpu);
	trunc(@off_cpu_ns);
}
