/* SPDX-License-Identifier: Apache-2.0 */
/* Drops capabilities after attaching. */
#include "run/os/privs.h"
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "load/reasons.h"

#define CAPS_MAX 64 /* bits of the version 3 interface */

static bool has_cap_number(unsigned cap)
{
	return prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0;
}

/* The capabilities to keep. held: those in effect; without both CAP_BPF and CAP_PERFMON it is CAP_SYS_ADMIN. */
static uint64_t caps_to_keep(uint64_t held, bool events)
{
	uint64_t keep = 1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_SYSLOG;

	if (has_cap_number(CAP_CHECKPOINT_RESTORE))
		keep |= 1ull << CAP_CHECKPOINT_RESTORE; /* /proc/PID/map_files: deleted files */
	if (events && reason_perf_wants_admin())
		keep |= 1ull << CAP_SYS_ADMIN;
	if (has_cap_number(CAP_BPF) && has_cap_number(CAP_PERFMON) && held & 1ull << CAP_BPF &&
	    held & 1ull << CAP_PERFMON)
		return keep | 1ull << CAP_BPF | 1ull << CAP_PERFMON;
	return keep | 1ull << CAP_SYS_ADMIN;
}

int privs_drop(bool events)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];
	uint64_t keep;

	if (syscall(SYS_capget, &h, d) < 0)
		return -errno;
	keep = caps_to_keep((uint64_t)d[1].effective << 32 | d[0].effective, events);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	for (unsigned cap = 0; cap < CAPS_MAX && has_cap_number(cap); cap++)
		if (!(keep & 1ull << cap) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 && errno != EPERM)
			return -errno; /* EPERM: no CAP_SETPCAP: the sets below shrink nevertheless */
	for (int i = 0; i < 2; i++) {
		uint32_t mask = (uint32_t)(keep >> (32 * i));

		d[i].effective &= mask;
		d[i].permitted &= mask;
		d[i].inheritable = 0;
	}
	return syscall(SYS_capset, &h, d) < 0 ? -errno : 0;
}
