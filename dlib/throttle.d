/* SPDX-License-Identifier: Apache-2.0 */
/* CPU limits of cgroups (cpu.max, cpu.cfs_quota_us): is a thread kept from running by one, and by which. */

/* Since 6.18 a thread is taken off the queue when it leaves the kernel; before that with its whole group. Source:
 * kernel/sched/fair.c */
inline int task_throttled[struct task_struct *T] = T->throttled;
inline int task_throttled[struct task_struct *T] = T->se.cfs_rq->throttle_count > 0;
inline int task_throttled[struct task_struct *T] = 0; /* the kernel knows no limits */

inline int THROTTLE_DEPTH = 16; /* of groups that are looked at */

/* The control group that has used up its CPU limit on the thread's CPU: the thread's own or a parent; NULL: none. */
struct task_group *throttling_group(struct task_struct *T)
{
	struct sched_entity *e;
	int i;

	e = &T->se;
	for (i = 0; i < THROTTLE_DEPTH && e != NULL && !e->cfs_rq->throttled; i++)
		e = e->parent;
	return e != NULL && e->cfs_rq->throttled ? e->cfs_rq->tg : NULL;
}
