/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flight.d: what the flight recorder keeps of the moment before a slow event.
 *
 * It keeps switches of threads, wake-ups, interrupts, requests to disks, and waits for locks of the kernel.
 *
 * -x flight=TIME adds it to every program. flight("kind", number, number, text) writes an entry of 32 bytes into a
 * ring of the CPU, the oldest gives way; the second number has 16 bits, the text 16 bytes. Programs may add kinds of
 * their own.
 */

#pragma D option zdefs

/* info: the state of the thread that leaves the CPU; 0: it could go on */
sdt:sched::sched_switch
{
	flight("switch", args[2]->pid, args[0] ? 0 : args[3], args[2]->comm);
}

sdt:sched::sched_waking, sdt:sched::sched_wakeup_new
{
	flight("wake", args[0]->pid, 0, args[0]->comm);
}

/* irq_handler, and of x86 local_timer and irq_work: timers wake threads up, too, and so do BPF programs. Elsewhere
 * these are interrupts like others. */
sdt:irq*::[il]*[rk]_entry
{
	flight("irq", arg0, 0, probename == "irq_handler_entry" ? stringof(((struct irqaction *)arg1)->name) :
	    probename == "local_timer_entry" ? "local timer" : "work of the CPU");
}

sdt:irq*::[il]*[rk]_exit
{
	flight("irq-end", arg0, 0, "");
}

sdt:irq::softirq_entry
{
	flight("softirq", args[0], 0, "");
}

sdt:irq::softirq_exit
{
	flight("softirq-end", args[0], 0, "");
}

/* info: the kernel's number of the operation */
sdt:block::block_rq_issue
/rq_disk[args[0]]/
{
	flight("io", args[0]->__sector, args[0]->cmd_flags & 0xff, rq_disk[args[0]]->disk_name);
}

/* Requests that only order a flush have an end, but no begin: they have no bytes, as flushes have none. */
inline int REQ_OP_FLUSH = 2;
sdt:block::block_rq_complete
/rq_disk[args[0]] && (args[2] || (args[0]->cmd_flags & 0xff) == REQ_OP_FLUSH)/
{
	flight("io-end", args[0]->__sector, args[0]->cmd_flags & 0xff, rq_disk[args[0]]->disk_name);
}

/* The owner of the contended lock. The next entry, of the same time, is the wait for it. Linux before 5.19 has no
 * tracepoint for locks, and the types of args[] are not known there: arg0 and arg1 are used. No other program has a
 * variable of this name. */
sdt:lock::contention_begin
/(this->flight_holder = contention_holder[arg0, arg1]) != NULL/
{
	flight("holder", this->flight_holder->pid, arg1, this->flight_holder->comm);
}

/* info: LCB_F_*, include/trace/events/lock.h */
sdt:lock::contention_begin
{
	flight("lock", tid, arg1, execname);
}

sdt:lock::contention_end
{
	flight("lock-end", tid, 0, execname);
}
