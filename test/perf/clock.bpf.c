/* SPDX-License-Identifier: Apache-2.0 */
/* Programs at the probes of track.bpf.c that only read the clock. */
#include "bpf_c.h"

volatile __u64 now;

SEC("tp_btf/sched_waking")
int waking(void *ctx)
{
	now = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(void *ctx)
{
	now = bpf_ktime_get_ns();
	return 0;
}
