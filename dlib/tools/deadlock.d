#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlock.d: mutexes of a program that are taken in both orders: two threads can wait for each other for ever.
 *
 * Topic: Functions of programs
 * Usage: deadlock.d -p PID|-c COMMAND [--module NAME]
 * It need not happen to be seen. Pairs of pthread_mutex_lock(3); a thread may hold 4 mutexes at once, further ones
 * are not looked at. Where a third mutex is always held as well, the pair is shown although nothing can happen.
 *
 * Each line is followed by the stack that takes the second mutex in the order that is new.
 *
 * Example:
 *   # deadlock.d -c "./steps"
 *   Tracing... Ctrl-C ends.
 *   thread 25769 takes mutex 0x56511fc1a100 while it holds 0x56511fc1a0c0; the order was the opposite before
 *                 libc.so.6`pthread_mutex_lock
 *                 steps`take+0x19
 *                 steps`second+0x17
 *                 libc.so.6`start_thread+0x305
 *                 libc.so.6`clone3+0x2c
 */
#pragma D option quiet
#pragma D option dynvarsize=16m
#pragma D param module string "file that has pthread_mutex_lock()" libc.so*

int order[uint64_t, uint64_t];
int said[uint64_t, uint64_t];
self uint64_t h0;
self uint64_t h1;
self uint64_t h2;
self uint64_t h3;

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

pid$target:$module:pthread_mutex_lock:entry
{
	self->want = arg0;
	this->bad = self->h0 && order[arg0, self->h0] ? self->h0 : self->h1 && order[arg0, self->h1] ? self->h1 :
	    self->h2 && order[arg0, self->h2] ? self->h2 : self->h3 && order[arg0, self->h3] ? self->h3 : 0;
}

pid$target:$module:pthread_mutex_lock:entry
/this->bad && !said[arg0, this->bad]/
{
	said[arg0, this->bad] = 1;
	said[this->bad, arg0] = 1;
	printf("thread %d takes mutex 0x%x while it holds 0x%x; the order was the opposite before", tid, arg0,
	    this->bad);
	jstack(100);
}

pid$target:$module:pthread_mutex_lock:entry
/self->h0 && self->h0 != arg0/
{
	order[self->h0, arg0] = 1;
}

pid$target:$module:pthread_mutex_lock:entry
/self->h1 && self->h1 != arg0/
{
	order[self->h1, arg0] = 1;
}

pid$target:$module:pthread_mutex_lock:entry
/self->h2 && self->h2 != arg0/
{
	order[self->h2, arg0] = 1;
}

pid$target:$module:pthread_mutex_lock:entry
/self->h3 && self->h3 != arg0/
{
	order[self->h3, arg0] = 1;
}

/* Into the first place that is free. */
pid$target:$module:pthread_mutex_lock:return
/self->want && !arg1/
{
	this->free = !self->h0 ? 0 : !self->h1 ? 1 : !self->h2 ? 2 : !self->h3 ? 3 : 4;
	self->h0 = this->free == 0 ? self->want : self->h0;
	self->h1 = this->free == 1 ? self->want : self->h1;
	self->h2 = this->free == 2 ? self->want : self->h2;
	self->h3 = this->free == 3 ? self->want : self->h3;
}

pid$target:$module:pthread_mutex_lock:return
{
	self->want = 0;
}

pid$target:$module:pthread_mutex_unlock:entry
{
	self->h0 = self->h0 == arg0 ? 0 : self->h0;
	self->h1 = self->h1 == arg0 ? 0 : self->h1;
	self->h2 = self->h2 == arg0 ? 0 : self->h2;
	self->h3 = self->h3 == arg0 ? 0 : self->h3;
}
