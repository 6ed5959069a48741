/* SPDX-License-Identifier: Apache-2.0 */
/* Where a function of the own program is in its file: for uprobes on it. */
#ifndef DWELL_TEST_OWNOFF_H
#define DWELL_TEST_OWNOFF_H
#include <stdint.h>
#include <stdio.h>

static inline uint64_t own_offset(uintptr_t p)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long lo, hi, off;
	uint64_t at = 0;
	char line[512];

	while (f && !at && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &off) == 3 && p >= lo && p < hi)
			at = p - lo + off;
	if (f)
		fclose(f);
	return at;
}
#endif
