/* SPDX-License-Identifier: Apache-2.0 */
/* Checked reading of numbers, sizes and rates as they appear in options and D programs. */
#ifndef DWELL_BASE_NUM_H
#define DWELL_BASE_NUM_H
#include <stdint.h>

/* Decimal, 0x hex or 0 octal, whole string; 0, -EINVAL (not a number) or -ERANGE. */
int num_parse_u64(const char *s, uint64_t *ret);
int num_parse_i64(const char *s, int64_t *ret);
/* The value of a digit in bases up to 16; 99 for other characters. */
/* Skips what strtoul(3) skips before a number: white space and "+". */
const char *num_skip_blanks(const char *s);
int num_digit(char c);
/* DTrace sizes: a number with optional k, m, g, t (powers of 1024); bytes. */
int num_parse_size(const char *s, uint64_t *ret_bytes);
/* DTrace's units of times and rates. Their order is part of the ids of timer probes. */
struct num_unit {
	const char *name;
	uint64_t ns; /* 0: the number is a rate per second */
};
#define NUM_UNITS 16
extern const struct num_unit num_units[NUM_UNITS];
/* DTrace times and rates: number with one of them; without a unit `unit_ns` nanoseconds
 * each, or per second when default_hz. Gives the period in nanoseconds; 0hz gives 0, and more than
 * 1,000,000,000 hz as well. */
int num_parse_period(const char *s, uint64_t unit_ns, int default_hz, uint64_t *ret_ns);
/* A time as options have it: as above, in seconds without a unit, but no rate; and with a fraction, "1.5ms". */
int num_parse_time(const char *s, uint64_t *ret_ns);
#endif
