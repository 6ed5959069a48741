/* SPDX-License-Identifier: Apache-2.0 */
/* Units; quantities as people read them: three significant digits and a unit. */
#ifndef DWELL_BASE_UNITS_H
#define DWELL_BASE_UNITS_H
#include <stdint.h>

#define NSEC_PER_SEC UINT64_C(1000000000)
#define NSEC_PER_MSEC UINT64_C(1000000)

#define UNITS_LEN 16
/* "0 ns", "999 ns", "1.23 us", "41.2 ms", "750 ms", "2.00 s", "3595 s", "2.50 h", "11.3 d"; at most 15 characters.
 * Returns buf. */
const char *units_ns(uint64_t ns, char buf[UNITS_LEN]);
#define UNITS_EXACT_LEN 24
/* As it is to be typed again: "10ms", "1h", "1500us", "1234567ns", "0": the largest unit that it is a whole number of.
 * Returns buf. */
const char *units_exact_ns(uint64_t ns, char buf[UNITS_EXACT_LEN]);
/* "-1.5", "999", "1.23k", "41.2M", "1e+20" */
const char *units_number(double v, char buf[UNITS_LEN]);
#endif
