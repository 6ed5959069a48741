/* SPDX-License-Identifier: Apache-2.0 */
#include "base/units.h"
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

const char *units_ns(uint64_t ns, char buf[UNITS_LEN])
{
	static const struct {
		uint64_t unit;
		const char *name;
	} units[] = { { 86400000000000u, "d" },
		      { 3600000000000u, "h" },
		      { 1000000000u, "s" },
		      { 1000000u, "ms" },
		      { 1000u, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t u = units[i].unit;

		/* 999.6 us is 1.00 ms */
		if (ns < u - u / 2000)
			continue;
		/* one more digit of the fraction for each digit that the whole lacks, rounded */
		if (ns < 10 * u - u / 200)
			snprintf(buf, UNITS_LEN, "%" PRIu64 ".%02" PRIu64 " %s", (ns + u / 200) / u,
				 (ns + u / 200) % u / (u / 100), units[i].name);
		else if (ns < 100 * u - u / 20)
			snprintf(buf, UNITS_LEN, "%" PRIu64 ".%" PRIu64 " %s", (ns + u / 20) / u,
				 (ns + u / 20) % u / (u / 10), units[i].name);
		else
			snprintf(buf, UNITS_LEN, "%" PRIu64 " %s", (ns / 2 + u / 4) / (u / 2), units[i].name);
		return buf;
	}
	snprintf(buf, UNITS_LEN, "%" PRIu64 " ns", ns);
	return buf;
}

const char *units_exact_ns(uint64_t ns, char buf[UNITS_EXACT_LEN])
{
	static const struct {
		uint64_t unit;
		const char *name;
	} units[] = { { 3600000000000u, "h" }, { 60000000000u, "m" }, { 1000000000u, "s" },
		      { 1000000u, "ms" },      { 1000u, "us" },	      { 1u, "ns" } };
	int i = 0;

	while (ns % units[i].unit)
		i++;
	snprintf(buf, UNITS_EXACT_LEN, "%" PRIu64 "%s", ns / units[i].unit, ns ? units[i].name : "");
	return buf;
}

const char *units_number(double v, char buf[UNITS_LEN])
{
	static const char letters[] = "kMGTPE";
	double size = fabs(v);
	int i = -1;

	while (size >= 999.5 && i < 5) {
		size /= 1000;
		i++;
	}
	if (size >= 999.5 || i < 0)
		snprintf(buf, UNITS_LEN, "%.3g", v);
	else
		snprintf(buf, UNITS_LEN, "%s%.*f%c", v < 0 ? "-" : "",
			 size < 9.995	? 2
			 : size < 99.95 ? 1
					: 0,
			 size, letters[i]);
	return buf;
}
