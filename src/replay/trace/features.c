/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/trace/features.h"
#include <cpuid.h>
#include <string.h>

void features_get(uint32_t ret[TRACE_FEATURES])
{
	unsigned a, b, c, d;

	memset(ret, 0, TRACE_FEATURES * sizeof(*ret));
	if (__get_cpuid(0, &a, &b, &c, &d)) {
		ret[0] = a;
		ret[1] = b;
	}
	if (__get_cpuid(1, &a, &b, &c, &d)) { /* b has the CPU's number */
		ret[2] = a;
		ret[3] = c;
		ret[4] = d;
	}
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
		ret[5] = b;
		ret[6] = c;
		ret[7] = d;
	}
}
