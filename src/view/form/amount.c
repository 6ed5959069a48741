/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts with their units. */
#include "view/form/amount.h"
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/appearance.h"

void amount_number(char buf[AMOUNT_MAX], uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v), at = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
}

struct step {
	double factor;
	const char *name;
};

#define LONG_STEP ((size_t)APPEARANCE_LONG_STEP) /* from this one on: minutes, hours */

/* The largest step that leaves at least 1 (2 minutes, 2 hours); three digits. */
static void scaled(char buf[AMOUNT_MAX], double v, const struct step *steps, size_t n)
{
	size_t i = n - 1;

	while (i && v < steps[i].factor * (i < LONG_STEP ? 1 : 2))
		i--;
	v /= steps[i].factor;
	snprintf(buf, AMOUNT_MAX,
		 v >= 100 || (i == 0 && v == (double)(uint64_t)v) ? "%.0f %s"
		 : v >= 10					  ? "%.1f %s"
								  : "%.2f %s",
		 v, steps[i].name);
}

void amount_str(char buf[AMOUNT_MAX], uint64_t v, const char *unit)
{
	static const struct step time[] = { APPEARANCE_TIME_STEPS }, bytes[] = { APPEARANCE_BYTE_STEPS };
	static const struct step units[] = { APPEARANCE_TIME_UNITS };
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit, units[i].name)) {
			scaled(buf, (double)v * units[i].factor, time, ARRAY_SIZE(time));
			return;
		}
	if (!strcmp(unit, "bytes")) {
		scaled(buf, (double)v, bytes, ARRAY_SIZE(bytes));
		return;
	}
	amount_number(buf, v);
	n = strlen(buf);
	if (unit[0])
		snprintf(buf + n, AMOUNT_MAX - n, " %s", unit);
}
