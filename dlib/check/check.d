#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.d: measures for `dwell check`, in addition to the trackers: waits by process, and what failed.
 *
 * Keys are (process, its name, what, by whom[, more]); src/latency/check/rules.c names each aggregation. Process 0:
 * nobody's. Waits that are too short to matter to anybody are left out: they cost more to note than they took.
 */
#pragma D option quiet
#pragma D option noself
#pragma D option zdefs
#pragma D option aggsize=64m

inline int FELT = 50000;     /* ns */
inline int FELT_LOCK = 20000;
inline int NAMED = 1000000;  /* from here on a path is worth its price */
inline int SHORT_LIFE = 1000000000;
inline int SHORT_RUN = 25000000; /* of CPU time: a slow virtual machine needs most of it to make and end a process */

/* -- CPUs -- */

/* The last time that a real-time thread had a CPU. Other waiting threads may run between it and the end of a wait. */
sdt:sched::sched_switch
/args[2]->prio < 100/
{
	rt_from[cpu] = timestamp;
}

/* And how long such threads had it lately. Where many threads wait, a wait has several such times in it. */
inline int RT_WINDOW = 1000000000;

sdt:sched::sched_switch
/args[1]->prio < 100 && rt_from[cpu] && timestamp - rt_begun[cpu] > RT_WINDOW/
{
	rt_earlier[cpu] = rt_begun[cpu] ? rt_ns[cpu] : 0;
	rt_since[cpu] = rt_begun[cpu] ? rt_begun[cpu] : rt_from[cpu];
	rt_begun[cpu] = rt_from[cpu];
	rt_ns[cpu] = 0;
}

sdt:sched::sched_switch
/args[1]->prio < 100/
{
	rt_until[cpu] = timestamp;
	rt_name[cpu] = execname;
	rt_ns[cpu] += rt_from[cpu] ? timestamp - rt_from[cpu] : 0;
}

latency:wakeup::all
/!(args[0]->how & HOW_NOT_ENDED) && args[0]->delay >= FELT && throttled[args[0]->tid] < args[0]->start/
{
	this->from = rt_from[cpu] > args[0]->start ? rt_from[cpu] : args[0]->start;
	this->rt = rt_until[cpu] > this->from && ((rt_until[cpu] - this->from) * 2 > args[0]->delay ||
	    (rt_from[cpu] > args[0]->start && (rt_ns[cpu] + rt_earlier[cpu]) * 2 > timestamp - rt_since[cpu]));
	@check_wakeup[args[0]->pid, args[0]->comm, cpu, this->rt ? rt_name[cpu] : pid ? execname : "",
	    this->rt || (pid && curthread->prio < 100) ? 1 : 0] = avg(args[0]->delay);
}

profile-97hz
/pid/
{
	@check_cpu[pid, execname, cpu, ""] = count();
}

latency:throttle::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@check_throttle[args[0]->pid, args[0]->comm,
	    this->group != NULL ? stringof(this->group->css.cgroup->kn->name) : "", ""] = avg(args[0]->delay);
}

latency:softirq::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@check_softirq[0, "", cpu, softirq_name[this->vec]] = avg(args[0]->delay);
}

latency:irq::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@check_irq[0, "", cpu, stringof(this->action->name)] = avg(args[0]->delay);
}

/* -- memory -- */

latency:reclaim::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@check_reclaim[pid, execname, self->what, ""] = avg(args[0]->delay);
}

latency:fault::all
/!(args[0]->how & HOW_NOT_ENDED) && this->major && self->mapping != NULL/
{
	@check_fault[pid, execname, args[0]->delay >= NAMED ? inode_path(self->mapping->host) : "a file", ""] =
	    avg(args[0]->delay);
}

latency:fault::all
/!(args[0]->how & HOW_NOT_ENDED) && this->major && self->mapping == NULL/
{
	@check_swapin[pid, execname, "swap", ""] = avg(args[0]->delay);
}

sdt:oom::mark_victim
{
	@check_oom[pid, execname, "", ""] = count();
}

/* -- disks and file systems -- */

latency:block::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	this->rq = args[1];
	this->op = this->rq->cmd_flags & 0xff;
	@check_block[args[0]->pid, args[0]->comm, stringof(rq_disk[this->rq]->disk_name),
	    this->op == 0 ? "read" : this->op == 1 ? "write" : this->op == 2 ? "flush" : "other"] = avg(args[0]->delay);
}

sdt:block::block_rq_error
{
	@check_blockerr[0, "", stringof(rq_disk[args[0]]->disk_name), ""] = count();
}

/* The slow events tell the files: paths twice in one program take the kernel's verifier seconds. */
latency:fsync::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@check_fsync[pid, execname, "", this->name] = avg(args[0]->delay);
}

/* -- locks -- */

latency:futex::all
/!(args[0]->how & HOW_NOT_ENDED) && args[0]->delay >= FELT && !futex_condition && released[tid]/
{
	@check_futex[pid, execname, "", releaser[tid]] = avg(args[0]->delay);
}

latency:lock::all
/!(args[0]->how & HOW_NOT_ENDED) && args[0]->delay >= FELT_LOCK/
{
	this->holder = self->kind != 1 && self->owner ? self->holder : 0;
	@check_lock[pid, execname, self->kind & 0x20 ? "mutex" : self->kind & 1 ? "spinlock" :
	    self->kind & 8 ? "rtmutex" : self->kind & 0x10 ? "percpu-rwsem" : self->kind & 6 ? "rwsem" : "semaphore",
	    this->holder ? stringof(self->owner->comm) : ""] = avg(args[0]->delay);
}

latency:filelock::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@check_filelock[pid, execname, inode_path(self->inode), taker[self->holder]] = avg(args[0]->delay);
}

latency:mmaplock::all
/!(args[0]->how & HOW_NOT_ENDED) && args[0]->delay >= FELT_LOCK/
{
	@check_mmaplock[pid, execname, self->write ? "to change it" : "to read it",
	    self->holder ? self->holder_comm : ""] = avg(args[0]->delay);
}

/* -- network -- */

inline int SYN_SENT = 2;
inline int SYN_RECV = 12;

sdt:tcp::tcp_retransmit_skb
/((struct sock *)args[0])->__sk_common.skc_state != SYN_SENT &&
    ((struct sock *)args[0])->__sk_common.skc_state != SYN_RECV/
{
	@check_retransmit[0, "", inet_endpoint[sock_remote[(struct sock *)args[0]], sock_rport[(struct sock *)args[0]]],
	    ""] = count();
}

sdt:tcp::tcp_retransmit_skb
/((struct sock *)args[0])->__sk_common.skc_state == SYN_SENT/
{
	@check_syn[0, "", inet_endpoint[sock_remote[(struct sock *)args[0]], sock_rport[(struct sock *)args[0]]], ""] =
	    count();
}

sdt:skb::kfree_skb
/args[2] > 2 && (args[2] == DROP_RCVBUFF || args[2] == DROP_BACKLOG || args[2] == DROP_QDISC || args[2] == DROP_CPU ||
    args[2] == DROP_RING || args[2] == DROP_NOMEM || args[2] == DROP_NEIGH)/
{
	@check_drop[0, "", args[2] == DROP_RCVBUFF ? "receive buffer of the socket is full" :
	    args[2] == DROP_BACKLOG ? "backlog of the socket is full" :
	    args[2] == DROP_QDISC ? "queue of the interface is full" :
	    args[2] == DROP_CPU ? "backlog of the CPU is full" : args[2] == DROP_RING ? "ring of the device is full" :
	    args[2] == DROP_NEIGH ? "neighbour does not answer (ARP)" : "no memory", ""] = count();
}

latency:dns::all
{
	@check_dns[args[0]->pid, args[0]->comm, server[args[1], args[2]],
	    args[0]->how == REPLACED ? "asked again" : args[0]->how == COLLECTED ? "none" : "answered"] =
	    avg(args[0]->delay);
}

udp:::send
/args[4]->udp_dport == DNS_PORT/
{
	@check_dnsask[pid, execname, args[2]->ip_daddr, ""] = count();
}

latency:connect::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@check_connect[pid, execname, "", this->failed == 0 || this->failed == EINPROGRESS ? "connected" :
	    this->failed == ECONNREFUSED ? "refused" : this->failed == ETIMEDOUT ? "timed out" :
	    this->failed == EHOSTUNREACH || this->failed == ENETUNREACH ? "unreachable" : "failed"] =
	    avg(args[0]->delay);
}

latency:tcpconnect::all
/!(args[0]->how & HOW_NOT_ENDED)/
{
	@check_connect[args[0]->pid, args[0]->comm, inet_endpoint[sock_remote[args[1]], sock_rport[args[1]]],
	    args[0]->id == 0 ? "connected" : args[0]->id == ECONNREFUSED ? "refused" :
	    args[0]->id == ETIMEDOUT ? "timed out" : "failed"] = avg(args[0]->delay);
}

/* -- processes that come and go -- */

sdt:sched::sched_process_fork
/args[1]->pid == args[1]->tgid/
{
	@check_fork[pid, execname, "", ""] = count();
}

sdt:sched::sched_process_fork
/args[1]->pid != args[1]->tgid/
{
	@check_thread[pid, execname, "", ""] = count();
}

/* The CPU time that short-lived processes used, and the time that they waited for a CPU: a busy machine gives them
 * little. */
sdt:sched::sched_process_exit
/tid == pid && timestamp - curthread->start_time < SHORT_LIFE && curthread->se.sum_exec_runtime < SHORT_RUN/
{
	@check_short[curthread->real_parent->tgid, stringof(curthread->real_parent->comm), execname, ""] =
	    avg(curthread->se.sum_exec_runtime + run_delay[curthread]);
}

/* -- system calls that fail for want of something -- */

/* As a set of bits, and by number: few ways through the program, which the kernel's verifier walks all. */
inline uint64_t WANTED = 1 << ENOSPC | 1 << EMFILE | 1 << ENFILE | 1 << EIO | 1 << ENOMEM;

sdt:raw_syscalls::sys_exit
/args[1] < 0 && args[1] >= -ENOSPC && WANTED >> -args[1] & 1/
{
	@check_errno[pid, execname, (int)-args[1], ""] = count();
}

/* -- who is stuck, once a second: sleeps that cannot be interrupted and have not ended -- */

inline int STUCK_NS = 1000000000;

iter:::task
/thread_letter[curthread] == 'D' && off_cpu_ns(curthread) >= STUCK_NS/
{
	this->stuck_for = blocker_kind[curthread];
	@check_stuck[pid, execname, blocker_kind_name[this->stuck_for], ""] = count();
}
