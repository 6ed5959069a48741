#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kvmexit.d: why virtual machines leave their CPUs, and for how long.
 *
 * Topic: Interrupts and kernel work
 * Usage: kvmexit.d [-p PID|-c COMMAND] [--interval TIME]
 * Needs the module kvm. A virtual CPU is a thread of its machine's program: PID and COMMAND are those of that program.
 *
 * WHAT      io, mmio, msr, cpuid, page fault, hypercall, apic: what the kernel did for the guest; other: none of them,
 *           as for an interrupt of the host. "program: …": the kernel returned to the program, with this reason, to
 *           have it done there.
 * COUNT     how often
 * US        microseconds until the guest went on; of "program: …" until the program entered the guest again
 *
 * Example, of a guest that writes 1000 times to a port and halts:
 *   # kvmexit.d -c "./tiny 1000"
 *   2026 Nov 27 09:23:18
 *       PID COMMAND          WHAT                         COUNT         US
 *     31149 tiny             program: io                   1000       6767
 *     31149 tiny             program: hlt                     1          0
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s

/* Source: include/uapi/linux/kvm.h. */
inline unsigned int KVM_RUN = 0xae80;

inline string kvm_reason[unsigned int R] =
	R == 2 ? "program: io" : R == 3 ? "program: hypercall" : R == 5 ? "program: hlt" : R == 6 ? "program: mmio" :
	R == 7 ? "program: irq window" : R == 8 ? "program: shutdown" : R == 9 ? "program: entry failed" :
	R == 10 ? "program: signal" : R == 17 ? "program: internal error" : R == 24 ? "program: system event" :
	R == 26 ? "program: eoi" : R == 29 ? "program: read of msr" : R == 30 ? "program: write of msr" :
	R == 31 ? "program: dirty ring full" : R == 39 ? "program: memory fault" : "program: other";

self string what, why;
self uint64_t since, left;

/* The guest goes on. */
sdt:kvm::kvm_entry
/self->since/
{
	@count[group_id, group_name, self->what] = count();
	@time[group_id, group_name, self->what] = sum(timestamp - self->since);
	self->since = 0;
}

sdt:kvm::kvm_exit
/wanted/
{
	self->since = timestamp;
	self->what = "other";
}

sdt:kvm::kvm_pio, sdt:kvm::kvm_mmio, sdt:kvm::kvm_fast_mmio, sdt:kvm::kvm_msr, sdt:kvm::kvm_cpuid,
sdt:kvm::kvm_page_fault, sdt:kvm::kvm_hypercall, sdt:kvm::kvm_hv_hypercall, sdt:kvm::kvm_apic
/self->since/
{
	self->what = probename == "kvm_pio" ? "io" : strstr(probename, "mmio") != NULL ? "mmio" :
	    probename == "kvm_msr" ? "msr" : probename == "kvm_cpuid" ? "cpuid" :
	    probename == "kvm_page_fault" ? "page fault" : probename == "kvm_apic" ? "apic" : "hypercall";
}

/* To the program, which asks for the guest again by ioctl(). */
sdt:kvm::kvm_userspace_exit
/wanted/
{
	self->left = timestamp;
	self->why = (int)args[1] < 0 ? "program: signal" : kvm_reason[args[0]];
	self->since = 0;
}

syscall::ioctl:entry
/self->left && (unsigned int)arg1 == KVM_RUN/
{
	@count[group_id, group_name, self->why] = count();
	@time[group_id, group_name, self->why] = sum(timestamp - self->left);
	self->left = 0;
}

/* It does not come back. */
proc:::lwp-exit
/self->left/
{
	@count[group_id, group_name, self->why] = count();
	@time[group_id, group_name, self->why] = sum(0);
	self->left = 0;
}

tick-$interval, END
{
	normalize(@time, 1000);
	printf("%Y\n%7s %-16s %-24s %9s %10s\n", walltimestamp, group_id_head, group_head, "WHAT", "COUNT", "US");
	printa("%7d %-16s %-24s %@9d %@10d\n", @count, @time);
	trunc(@count);
	trunc(@time);
}
