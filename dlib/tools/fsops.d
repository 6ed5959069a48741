#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fsops.d: operations of file systems by kind.
 *
 * Topic: Files
 * Usage: fsops.d [--interval TIME]
 * What ext4, XFS, btrfs and the page cache tell by tracepoints: see provider fsinfo.
 *
 * OPERATION  create, lookup, read ...      FS  file system      COUNT  how often
 *
 * Example, while another terminal runs cd /tmp; echo x > dw.a; sync dw.a; rm dw.a:
 *   # fsops.d
 *   2026 Nov 21 17:04:21
 *   OPERATION        FS                COUNT
 *   ...
 *   fsync            ext4                381
 *   inactive         ext4                140
 *   remove           ext4                138
 *   space            ext4                133
 *   putpage          ext4                115
 *   mkdir            ext4                  5
 *   symlink          ext4                  4
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 10s

fsinfo:::
/wanted/
{
	@[probename, stringof(((struct inode *)arg0)->i_sb->s_type->name)] = count();
}

tick-$interval, END
{
	printf("%Y\n%-16s %-12s %10s\n", walltimestamp, "OPERATION", "FS", "COUNT");
	printa("%-16s %-12s %@10d\n", @);
	trunc(@);
}
