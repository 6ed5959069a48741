#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memleak.d: memory that a program has asked for and not freed, by the function that asked.
 *
 * Topic: Functions of programs
 * Usage: memleak.d -p PID|-c COMMAND [--interval TIME] [--module NAME]
 * malloc(3), calloc(3), realloc(3) and free(3) while the tool runs. C++'s new calls malloc: its caller is the C++
 * library. A number that grows from report to report is a leak, or a cache. Each call costs the program some
 * microseconds.
 *
 * BYTES, BLOCKS  that were not freed until now        CALLER  where malloc was called
 *
 * Example:
 *   # memleak.d -c "./steps"
 *   2026 Nov 26 12:00:35
 *            BYTES     BLOCKS CALLER
 *           100000        100 steps`lose
 *              272          1 ld-linux-x86-64.so.2`allocate_dtv
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D option dynvarsize=64m
#pragma D param interval string "time between reports" 10s
#pragma D param module string "file that has malloc()" libc.so*

uint64_t size[uint64_t];
uint64_t from[uint64_t];

pid$target:$module:malloc:entry
/!self->in/
{
	self->in = 1;
	self->ask = arg0;
	self->from = ucaller;
}

pid$target:$module:calloc:entry
/!self->in/
{
	self->in = 1;
	self->ask = arg0 * arg1;
	self->from = ucaller;
}

pid$target:$module:realloc:entry
/!self->in/
{
	self->in = 1;
	self->ask = arg1;
	self->from = ucaller;
	self->old = arg0;
}

pid$target:$module:free:entry
/!self->in && arg0/
{
	self->old = arg0;
}

/* A realloc that fails leaves the old memory as it is. */
pid$target:$module:realloc:return
/self->old && !arg1 && self->ask/
{
	self->old = 0;
}

pid$target:$module:free:entry, pid$target:$module:realloc:return
/self->old && from[self->old]/
{
	@bytes[usym(from[self->old])] = sum(-(int64_t)size[self->old]);
	@blocks[usym(from[self->old])] = sum((int64_t)-1);
	size[self->old] = 0;
	from[self->old] = 0;
}

pid$target:$module:malloc:return, pid$target:$module:calloc:return, pid$target:$module:realloc:return
/self->in && arg1 && self->ask/
{
	size[arg1] = self->ask;
	from[arg1] = self->from;
	@bytes[usym(self->from)] = sum((int64_t)self->ask);
	@blocks[usym(self->from)] = sum((int64_t)1);
}

pid$target:$module:malloc:return, pid$target:$module:calloc:return, pid$target:$module:realloc:return
{
	self->in = 0;
	self->ask = 0;
	self->from = 0;
	self->old = 0;
}

pid$target:$module:free:entry
{
	self->old = 0;
}

tick-$interval, END
{
	printf("%Y\n%14s %10s %s\n", walltimestamp, "BYTES", "BLOCKS", "CALLER");
	printa("%@14d %@10d %A\n", @bytes, @blocks);
}
