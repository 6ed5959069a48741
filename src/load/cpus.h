/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of CPUs as the kernel writes them: "0-3,8". */
#ifndef DWELL_LOAD_CPUS_H
#define DWELL_LOAD_CPUS_H
#include <stddef.h>

struct cpulist {
	unsigned *v; /* ascending; malloc'ed */
	size_t n;
};
#define CPULIST_MAX 65536 /* no kernel has more */

/* Parses text; 0, -EINVAL or -ENOMEM. *ret is written on success only. */
int cpulist_parse(const char *text, struct cpulist *ret);
int cpulist_online(struct cpulist *ret); /* /sys/devices/system/cpu/online, or sysconf */
int cpulist_one(struct cpulist *ret, unsigned cpu);
void cpulist_done(struct cpulist *l);
#endif
