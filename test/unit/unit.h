/* SPDX-License-Identifier: Apache-2.0 */
/* The head of every unit test: cmocka, and the headers that it needs first. */
#ifndef DWELL_TEST_UNIT_H
#define DWELL_TEST_UNIT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* For main() of a test that cannot run here: says why, and gives the exit status. Meson takes a status
 * other than 0 beside TAP for an error and sets DWELL_SKIP_STATUS=0; by hand it is 77. */
static inline int skip_all(const char *reason)
{
	const char *status = getenv("DWELL_SKIP_STATUS");

	printf("1..0 # SKIP %s\n", reason);
	return status ? atoi(status) : 77;
}
#endif
