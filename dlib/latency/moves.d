#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moves.d: processes that are moved to another control group, or get another user.
 *
 * It is for --cgroup, --container, --unit and --user of dwell latency. A record has the process, the hierarchy of
 * control groups, and the path in it; or the process alone, if it was created in another control group than its
 * parent's; or the process and its user.
 */
#pragma D option quiet
#pragma D option zdefs

sdt:cgroup::cgroup_attach_task
{
	trace(args[2]->tgid);
	trace(args[0]->root->hierarchy_id);
	trace(stringof(args[1]));
}

sdt:sched::sched_process_fork
/args[0]->cgroups != args[1]->cgroups && args[1]->tgid == args[1]->pid/
{
	trace(args[1]->tgid);
}

syscall::setuid:return,
syscall::setreuid:return,
syscall::setresuid:return
/arg0 == 0/
{
	trace(pid);
	trace(uid);
}
