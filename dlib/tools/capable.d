#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capable.d: capabilities that the kernel asks programs for, and whether they have them.
 *
 * Topic: Processes
 * Usage: capable.d [-p PID|-c COMMAND]
 * With -p or -c only by this process and its descendants. Shows what a program needs when it does not run as root.
 * Linux 6.13 or later.
 *
 * PID, UID, COMMAND  the process        CAPABILITY  see capabilities(7)
 * RESULT  0, or EPERM: the program does not have it, and may do without. Once for each thread and capability
 *
 * Example:
 *   # capable.d -c "chroot / true"
 *       PID     UID COMMAND          CAPABILITY               RESULT
 *      6398       0 chroot           CAP_SYS_ADMIN            0
 *      6398       0 chroot           CAP_SYS_CHROOT           0
 */
#pragma D option quiet

/* Source: include/uapi/linux/capability.h. */
inline string cap_name[int C] =
	C == 0 ? "CAP_CHOWN" : C == 1 ? "CAP_DAC_OVERRIDE" : C == 2 ? "CAP_DAC_READ_SEARCH" :
	C == 3 ? "CAP_FOWNER" : C == 4 ? "CAP_FSETID" : C == 5 ? "CAP_KILL" : C == 6 ? "CAP_SETGID" :
	C == 7 ? "CAP_SETUID" : C == 8 ? "CAP_SETPCAP" : C == 9 ? "CAP_LINUX_IMMUTABLE" :
	C == 10 ? "CAP_NET_BIND_SERVICE" : C == 11 ? "CAP_NET_BROADCAST" : C == 12 ? "CAP_NET_ADMIN" :
	C == 13 ? "CAP_NET_RAW" : C == 14 ? "CAP_IPC_LOCK" : C == 15 ? "CAP_IPC_OWNER" :
	C == 16 ? "CAP_SYS_MODULE" : C == 17 ? "CAP_SYS_RAWIO" : C == 18 ? "CAP_SYS_CHROOT" :
	C == 19 ? "CAP_SYS_PTRACE" : C == 20 ? "CAP_SYS_PACCT" : C == 21 ? "CAP_SYS_ADMIN" :
	C == 22 ? "CAP_SYS_BOOT" : C == 23 ? "CAP_SYS_NICE" : C == 24 ? "CAP_SYS_RESOURCE" :
	C == 25 ? "CAP_SYS_TIME" : C == 26 ? "CAP_SYS_TTY_CONFIG" : C == 27 ? "CAP_MKNOD" :
	C == 28 ? "CAP_LEASE" : C == 29 ? "CAP_AUDIT_WRITE" : C == 30 ? "CAP_AUDIT_CONTROL" :
	C == 31 ? "CAP_SETFCAP" : C == 32 ? "CAP_MAC_OVERRIDE" : C == 33 ? "CAP_MAC_ADMIN" :
	C == 34 ? "CAP_SYSLOG" : C == 35 ? "CAP_WAKE_ALARM" : C == 36 ? "CAP_BLOCK_SUSPEND" :
	C == 37 ? "CAP_AUDIT_READ" : C == 38 ? "CAP_PERFMON" : C == 39 ? "CAP_BPF" :
	C == 40 ? "CAP_CHECKPOINT_RESTORE" : lltostr(C);

/* A bit for each capability that was shown: the kernel asks for some again and again. */
self uint64_t granted;
self uint64_t refused;

BEGIN
{
	printf("%7s %7s %-16s %-24s %s\n", "PID", "UID", "COMMAND", "CAPABILITY", "RESULT");
}

sdt:::cap_capable
/pid != $pid && wanted &&
    !((args[4] ? self->refused : self->granted) >> args[3] & 1)/
{
	printf("%7d %7d %-16s %-24s %s\n", pid, uid, execname, cap_name[args[3]],
	    args[4] ? errno_name[-args[4]] : "0");
	self->refused |= args[4] ? (uint64_t)1 << args[3] : 0;
	self->granted |= args[4] ? 0 : (uint64_t)1 << args[3];
}
