/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of the tracker workqueue by the group of the thread that asked, as @workqueue_group. `dwell
 * latency` runs it with workqueue.d for --by and for filters. */
string workqueue_group[uintptr_t];
int workqueue_wanted[uintptr_t];

sdt:workqueue::workqueue_queue_work
/wanted_of[curthread]/
{
	workqueue_wanted[(uintptr_t)args[2]] = 1;
	workqueue_group[(uintptr_t)args[2]] = group_name_of[curthread];
}

latency:workqueue::all
/!(args[0]->how & HOW_NOT_ENDED) && workqueue_wanted[(uintptr_t)args[1]]/
{
	@workqueue_group[workqueue_group[(uintptr_t)args[1]]] = hist(args[0]->delay);
}

latency:workqueue::all
/workqueue_wanted[(uintptr_t)args[1]]/
{
	workqueue_wanted[(uintptr_t)args[1]] = 0;
	workqueue_group[(uintptr_t)args[1]] = 0;
}

/* Not printed at the end: dwell latency has a table of them. */
END
{
	trunc(@workqueue_group);
}
