#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usdtcount.d: how often the static probes of a program fire.
 *
 * Topic: Functions of programs
 * Usage: usdtcount.d -p PID|-c COMMAND --provider NAME [--interval TIME]
 * The probes that a program or its libraries bring along; dwell -l -P 'NAME*' lists them.
 *
 * MODULE, PROBE  the probe         COUNT  how often
 *
 * Example:
 *   # usdtcount.d --provider myapp -c ./myapp
 *   MODULE                   PROBE                                COUNT
 *   myapp                    step                                     7
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D param provider string "provider of the probes, without the process id"
#pragma D param interval string "time between reports; else one at the end" 1d

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

$provider$target:::
{
	@[probemod, probename] = count();
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printf("%-24s %-32s %9s\n", "MODULE", "PROBE", "COUNT");
	printa("%-24s %-32s %@9d\n", @);
	trunc(@);
}
