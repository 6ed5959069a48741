#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotproc.d: processes that are seen on a CPU, in the kernel and in their own code.
 *
 * Topic: CPU
 * Usage: hotproc.d [--interval TIME] [--top N]
 * Looks at every CPU some hundred times a second; PID 0 is an idle CPU.
 *
 * MODE  kernel, user          SAMPLES  how often it was seen
 *
 * Example:
 *   # hotproc.d --interval 1s --top 5 -c "dd if=/dev/zero of=/dev/null bs=1M count=20000"
 *   2026 Nov 21 17:22:18
 *       PID COMMAND          MODE      SAMPLES
 *     11926 dd               kernel        117
 *     11897 cc1              user           57
 *     11924 cc1              user           26
 *     11931 cc1              user           11
 *     11924 cc1              kernel          6
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param interval string "time between reports" 5s
#pragma D param top int "lines shown" 20

profile-499hz
/wanted/
{
	@[group_id, group_name, arg0 ? "kernel" : "user"] = count();
}

tick-$interval, END
{
	trunc(@, $top);
	printf("%Y\n%7s %-16s %-8s %8s\n", walltimestamp, group_id_head, group_head, "MODE", "SAMPLES");
	printa("%7d %-16s %-8s %@8d\n", @);
	trunc(@);
}
