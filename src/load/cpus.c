/* SPDX-License-Identifier: Apache-2.0 */
/* Parses lists of CPUs ("0-3,8"), and the idle time of CPUs in /proc/stat. */
#include "load/cpus.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "base/vec.h"

/* number [ '-' number ]; *p moves after it. */
static int parse_range(const char **p, unsigned *lo, unsigned *hi)
{
	char *end;
	unsigned long a, b;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	a = b = strtoul(*p, &end, 10);
	if (*end == '-') {
		if (end[1] < '0' || end[1] > '9')
			return -EINVAL;
		b = strtoul(end + 1, &end, 10);
	}
	if (a > b || b >= CPULIST_MAX)
		return -EINVAL;
	*p = end;
	*lo = (unsigned)a;
	*hi = (unsigned)b;
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *ret)
{
	VEC(unsigned) v = { 0 };
	unsigned lo, hi;
	int r = 0;

	for (const char *p = text; r == 0;) {
		r = parse_range(&p, &lo, &hi);
		/* Ascending and disjoint, as the kernel writes it: bounds the list. */
		if (r == 0 && v.n > 0 && lo <= v.v[v.n - 1])
			r = -EINVAL;
		for (unsigned c = lo; r == 0 && c <= hi; c++)
			r = vec_try_push(&v, c);
		if (r < 0)
			break;
		if (*p == '\0' || (*p == '\n' && p[1] == '\0')) {
			ret->v = v.v;
			ret->n = v.n;
			return 0;
		}
		if (*p++ != ',')
			r = -EINVAL;
	}
	vec_free(&v);
	return r;
}

int cpulist_online(struct cpulist *ret)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	char line[4096];
	long n;
	int r = -ENOENT;

	if (f && fgets(line, sizeof(line), f))
		r = cpulist_parse(line, ret);
	if (r == 0)
		return 0;
	n = sysconf(_SC_NPROCESSORS_ONLN);
	if (n < 1 || n > CPULIST_MAX)
		return r;
	snprintf(line, sizeof(line), "0-%ld", n - 1);
	return cpulist_parse(line, ret);
}

int cpulist_one(struct cpulist *ret, unsigned cpu)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", cpu);
	return cpulist_parse(text, ret);
}

void cpulist_done(struct cpulist *l)
{
	free(l->v);
	l->v = NULL;
	l->n = 0;
}

int cpus_parse_idle(const char *text, int cpu, unsigned long hz, uint64_t *ret)
{
	unsigned long long idle, iowait;
	uint64_t ticks = 0;
	bool found = false;
	int n;

	for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		/* a line without a number is the sum */
		if (strncmp(p, "cpu", 3) != 0 || p[3] < '0' || p[3] > '9' ||
		    sscanf(p, "cpu%d %*u %*u %*u %llu %llu", &n, &idle, &iowait) != 3 || (cpu >= 0 && n != cpu))
			continue;
		found = true;
		ticks += idle + iowait;
	}
	if (!found || !hz)
		return -ENOENT;
	*ret = ticks / hz * NSEC_PER_SEC + ticks % hz * NSEC_PER_SEC / hz;
	return 0;
}

char *cpus_read_stat(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	_cleanup_free_ char *text = NULL;
	size_t room = 0;

	/* lines of CPUs come first; the next one is "intr" */
	return f && getdelim(&text, &room, 'i', f) >= 0 ? take_ptr(text) : NULL;
}
