#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * biostacks.d: how the kernel comes to send requests to block devices: stacks.
 *
 * Topic: Block devices
 * Usage: biostacks.d [-p PID|-c COMMAND] [--top N] [--interval TIME]
 * With -p or -c only those that this process and its descendants send. Data that is written later is sent by threads of
 * the kernel. The number is that of the bytes; largest last, so that it stays in view.
 *
 * Example:
 *   # biostacks.d -c "dd if=/dev/zero of=/tmp/dwell.example bs=64k count=20 oflag=direct"
 *   vmlinux`submit_bio_noacct_nocheck+0x23f
 *   vmlinux`iomap_dio_bio_iter+0x319
 *   vmlinux`__iomap_dio_rw+0x4ac
 *   vmlinux`iomap_dio_rw+0xe
 *   vmlinux`ext4_file_write_iter+0x37c
 *   vmlinux`vfs_write+0x29c
 *   vmlinux`ksys_write+0x6f
 *   vmlinux`do_syscall_64+0x71
 *   vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *     dd, write: 1310720 bytes
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param top int "stacks shown" 10
#pragma D param interval string "time between reports; else one at the end" 1d

io:::start
/wanted/
{
	@[stack(), group_name, args[0]->b_flags & B_READ ? "read" : "write"] = sum(args[0]->b_bcount);
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@, $top);
	printa("%k  %s, %s: %@d bytes\n", @);
	trunc(@);
}
