/* SPDX-License-Identifier: Apache-2.0 */
/* Programs at the probes of track.bpf.c that do nothing: what the probes and their account cost. */
#include "bpf_c.h"

SEC("tp_btf/sched_waking")
int waking(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(void *ctx)
{
	return 0;
}
