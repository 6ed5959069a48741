/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's clocks as nanoseconds. CLOCK_MONOTONIC is that of bpf_ktime_get_ns(), and so of all recorded times. */
#ifndef DWELL_BASE_CLOCK_H
#define DWELL_BASE_CLOCK_H
#include <stdint.h>
#include <time.h>
#include "base/units.h"

/* Returns the clock's time in ns. `id`: one of the CLOCK_… of <time.h>, which every kernel has: this cannot fail. */
static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* The same for the kernel: a moment, or how long. */
static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC) };
}
#endif
