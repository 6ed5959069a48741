#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotuser.d: functions of programs that use most CPU time.
 *
 * Topic: CPU
 * Usage: hotuser.d [-p PID|-c COMMAND] [--top N] [--rate HZ] [--interval TIME]
 * With -p or -c of this process and its descendants, else of all.
 *
 * COMMAND, FUNCTION  what was running          SAMPLES  how often it was seen
 *
 * Example:
 *   # hotuser.d --top 5 -c "stress-ng -q --qsort 1 -t 1"
 *   COMMAND          FUNCTION                                            SAMPLES
 *   stress-ng-qsort  libc.so.6`msort_with_tmp.part.0                         250
 *   stress-ng-qsort  stress-ng`0x55db098347c6                                 56
 *   stress-ng-qsort  stress-ng`0x55db098347b8                                 55
 *   stress-ng-qsort  stress-ng`0x55db0983483a                                 37
 *   stress-ng-qsort  libc.so.6`__memcpy_avx512_unaligned_erms                 30
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param rate string "samples of each CPU in a second" 499hz
#pragma D param top int "functions shown" 30
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

profile-$rate
/arg1 && wanted/
{
	@[group_name, ufunc(arg1)] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	trunc(@, $top);
	printf("%-16s %-50s %8s\n", group_head, "FUNCTION", "SAMPLES");
	printa("%-16s %-50A %@8d\n", @);
	trunc(@);
}
