/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities as people read them: three significant digits and a unit. */
#ifndef DWELL_BASE_UNITS_H
#define DWELL_BASE_UNITS_H
#include <stdint.h>

#define UNITS_LEN 16
/* "0 ns", "999 ns", "1.23 us", "41.2 ms", "750 ms", "2.00 s", "3599 s"; at most 15 characters. Returns buf. */
const char *units_ns(uint64_t ns, char buf[UNITS_LEN]);
/* "-1.5", "999", "1.23k", "41.2M", "1e+20" */
const char *units_number(double v, char buf[UNITS_LEN]);
#endif
