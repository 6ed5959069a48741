#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bashreadline.d: commands that are typed into a bash.
 *
 * Topic: Functions of programs
 * Usage: bashreadline.d [-p PID|-c COMMAND]
 * All of them, also those that start later, and other programs that read lines with libreadline; with -p or -c only
 * this process and its descendants. The line that is being typed as the tool starts is not seen.
 *
 * TIME  when the line was complete      PID  of the bash      LINE  what was typed
 *
 * Example, while echo typed here and exit are typed into the bash 23038:
 *   # bashreadline.d
 *   TIME                     PID LINE
 *   2026 Nov 26 11:58:41   23038 echo typed here
 *   2026 Nov 26 11:58:47   23038 exit
 */
#pragma D option quiet
#pragma D option strsize=1024
#pragma D option zdefs

BEGIN
{
	printf("%-20s %7s %s\n", "TIME", "PID", "LINE");
}

/* NULL is the end of the input. */
pid*:bash:readline:return, pid*:libreadline.so*:readline:return
/arg1 && wanted/
{
	printf("%-20Y %7d %s\n", walltimestamp, pid, copyinstr(arg1));
}
