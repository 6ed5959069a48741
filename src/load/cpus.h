/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of CPUs as the kernel writes them ("0-3,8"), and the idle time of CPUs. */
#ifndef DWELL_LOAD_CPUS_H
#define DWELL_LOAD_CPUS_H
#include <stddef.h>
#include <stdint.h>

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
/* Idle time since boot in ns, in steps of 1/hz s: of one CPU, or of all when cpu is negative. text: /proc/stat.
 * -ENOENT when it has no such CPU. Source: proc(5). */
int cpus_parse_idle(const char *text, int cpu, unsigned long hz, uint64_t *ret);
/* The lines of /proc/stat about CPUs. NULL: it cannot be read. The caller frees it. */
char *cpus_read_stat(void);
#endif
