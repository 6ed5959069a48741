#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usdtcount.d: how often the static probes of a program fire.
 *
 * Usage: usdtcount.d -p PID|-c COMMAND --provider NAME
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
#pragma D param provider string "provider of the probes, without the process id"

BEGIN
{
	printf("Tracing... Ctrl-C ends.\n");
}

$provider$target:::
{
	@[probemod, probename] = count();
}

END
{
	printf("%-24s %-32s %9s\n", "MODULE", "PROBE", "COUNT");
	printa("%-24s %-32s %@9d\n", @);
}
