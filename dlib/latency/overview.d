#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview.d: beside the trackers in the page of dwell serve: whose the delays are, and stacks on and off the CPU, all by the second in
 * which they were.
 *
 * The first key is the second, as that of the trackers: so any stretch of time can be looked at, exactly. What has gone by is forgotten here (and kept by a recording).
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

/* Nobody reads them at the end. */
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
