#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotuser.d: functions of programs that use most CPU time.
 *
 * Usage: hotuser.d [-p PID|-c COMMAND] [--top N] [--rate HZ]
 * With -p or -c of this process and its descendants, else of all.
 *
 * COMMAND, FUNCTION  what was running          SAMPLES  how often it was seen
 *
 * Example:
 *   # hotuser.d --top 5 -c "python3 -c sum(range(30000000))"
 *   COMMAND          FUNCTION                                            SAMPLES
 *   python3          python3.11`0x5cfad2                                       5
 *   python3          python3.11`0x5e45e2                                       5
 *   python3          python3.11`0x5cfae4                                       6
 *   python3          python3.11`0x5cfb24                                       7
 *   python3          python3.11`0x53f776                                      10
 */
#pragma D option quiet
#pragma D param rate string "samples of each CPU in a second" 499hz
#pragma D param top int "functions shown" 30

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

profile-$rate
/arg1 && (!$target || progenyof($target))/
{
	@[execname, ufunc(arg1)] = count();
}

END
{
	trunc(@, $top);
	printf("%-16s %-50s %8s\n", "COMMAND", "FUNCTION", "SAMPLES");
	printa("%-16s %-50A %@8d\n", @);
}
