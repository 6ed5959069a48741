#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bashreadline.d: commands that are typed into a bash.
 *
 * Usage: bashreadline.d -p PID|-c COMMAND [--module NAME]
 * PID is that of the bash. The line that is being typed as the tool starts is not seen. The function readline()
 * is in the program, or in libreadline (--module libreadline*).
 *
 * TIME  when the line was complete      PID  of the bash      LINE  what was typed
 *
 * Example, while echo typed here and exit are typed into the bash 23038:
 *   # bashreadline.d -p 23038
 *   TIME                     PID LINE
 *   2026 Nov 26 11:58:41   23038 echo typed here
 *   2026 Nov 26 11:58:47   23038 exit
 */
#pragma D option quiet
#pragma D option strsize=1024
#pragma D param module string "file that has readline(): a.out, or libreadline*" a.out

BEGIN
{
	printf("%-20s %7s %s\n", "TIME", "PID", "LINE");
}

/* NULL is the end of the input. */
pid$target:$module:readline:return
/arg1/
{
	printf("%-20Y %7d %s\n", walltimestamp, pid, copyinstr(arg1));
}
