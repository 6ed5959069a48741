/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the scheduling priority of dwell's threads. */
#include "run/os/priority.h"
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RAISED_NICE (-10)

void priority_raise(void)
{
	struct { /* struct sched_attr, version 0. Source: sched_setattr(2) */
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} a = {
		.size = sizeof(a), .policy = SCHED_OTHER, .flags = 1 /* SCHED_FLAG_RESET_ON_FORK */, .nice = RAISED_NICE
	};

	syscall(SYS_sched_setattr, 0, &a, 0);
}
