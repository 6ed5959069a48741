#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * throttle.d: threads that may not run because their cgroup has used up its CPU limit, until they run again.
 *
 * The limit is cpu.max, or cpu.cfs_quota_us.
 *
 * Tracker throttle: CPU limits of cgroups
 *   waits for "CPU quota of the cgroup": locked, cpu
 *   groups by args[1]
 *   keys by process: args[0]->comm
 *   limit: the cgroup that has the limit
 *   quota_us, period_us: what the limit is
 */
#pragma D option quiet
#pragma D option noself

tracker throttle (struct task_struct *) { threshold = 10ms; limit = 100; }

struct task_group *limiter[pid_t];

sdt:sched::sched_switch
{
	end(throttle, args[2]);
}

sdt:sched::sched_switch
/(args[0] || !args[3]) && task_throttled[args[1]]/
{
	begin(throttle, args[1]);
	limiter[args[1]->pid] = throttling_group(args[1]);
}

latency:throttle::all
{
	this->group = limiter[args[0]->tid];
	limiter[args[0]->tid] = NULL;
}

latency:throttle::slow
/!(args[0]->how & HOW_NOT_ENDED)/
{
	slow("limit", this->group != NULL ? stringof(this->group->css.cgroup->kn->name) : "",
	    "quota_us", this->group != NULL ? this->group->cfs_bandwidth.quota / 1000 : 0,
	    "period_us", this->group != NULL ? this->group->cfs_bandwidth.period / 1000 : 0);
}
