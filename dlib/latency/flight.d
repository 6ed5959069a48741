/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flight.d: what the flight recorder keeps of the moment before a slow event: who gets a CPU, who is woken, interrupts, requests
 * to disks, locks of the kernel that are waited for.
 *
 * It comes along with -x flight=TIME. flight("kind", number, number, text) writes an entry of 32 bytes into a ring of the CPU, the
 * oldest gives way; the second number has 16 bits, the text 16 bytes. Programs may add kinds of their own.
 */

/* info: the state of the thread that leaves the CPU; 0: it could go on */
sdt:sched::sched_switch
{
	flight("switch", args[2]->pid, args[0] ? 0 : args[3], args[2]->comm);
}

sdt:sched::sched_waking, sdt:sched::sched_wakeup_new
{
	flight("wake", args[0]->pid, 0, args[0]->comm);
}

sdt:irq::irq_handler_entry
{
	flight("irq", args[0], 0, stringof(args[1]->name));
}

sdt:irq::irq_handler_exit
{
	flight("irq-end", args[0], 0, "");
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
/args[0]->q->disk/
{
	flight("io", args[0]->__sector, args[0]->cmd_flags & 0xff, args[0]->q->disk->disk_name);
}

sdt:block::block_rq_complete
/args[0]->q->disk/
{
	flight("io-end", args[0]->__sector, args[0]->cmd_flags & 0xff, args[0]->q->disk->disk_name);
}

/* info: LCB_F_*, include/trace/events/lock.h */
sdt:lock::contention_begin
{
	flight("lock", tid, args[1], execname);
}

sdt:lock::contention_end
{
	flight("lock-end", tid, 0, execname);
}
