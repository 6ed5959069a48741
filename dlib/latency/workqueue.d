#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workqueue.d: work that was queued and waits for a kernel thread to do it.
 *
 * Tracker workqueue: work for kernel threads
 *   waits for "a kworker to take its work": call, kernel
 *   func: the function that does the work
 */
#pragma D option quiet
#pragma D option noself

tracker workqueue (void *) { threshold = 10ms; limit = 100; size = 65536; gc = 600s; }

sdt:workqueue::workqueue_queue_work
{
	begin(workqueue, args[2]);
}

sdt:workqueue::workqueue_execute_start
{
	this->work = args[0];
	end(workqueue, args[0]);
}

latency:workqueue::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("func", func((uintptr_t)this->work->func));
}
