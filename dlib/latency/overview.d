#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview.d: beside the trackers in the page of dwell serve: stacks that were on a CPU, in slices of 10 seconds.
 */
#pragma D option quiet
#pragma D option noself

profile-99hz
/arg0 && pid/
{
	@oncpu[execname, stack(40)] = count();
}

profile-99hz
/arg1 && pid/
{
	@oncpuuser[execname, ustack(40)] = count();
}

tick-10s
{
	printa(@oncpu);
	printa(@oncpuuser);
	trunc(@oncpu);
	trunc(@oncpuuser);
}
