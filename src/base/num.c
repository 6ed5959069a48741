/* SPDX-License-Identifier: Apache-2.0 */
/* Checked reading of numbers, sizes and periods. */
#include "base/num.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/units.h"

int num_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

const char *num_skip_blanks(const char *s)
{
	s += strspn(s, " \t\n\v\f\r");
	return *s == '+' ? s + 1 : s;
}

/* Reads the digits at *p and leaves *p after them. */
static int scan_u64(const char **p, uint64_t *ret)
{
	const char *s = *p, *start;
	unsigned base = 10;
	bool over = false;
	uint64_t v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	} else if (s[0] == '0') {
		base = 8;
	}
	for (start = s; num_digit(*s) < (int)base; s++)
		over |= __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, (uint64_t)num_digit(*s), &v);
	if (s == start)
		return -EINVAL;
	*p = s;
	if (over)
		return -ERANGE;
	*ret = v;
	return 0;
}

int num_parse_u64(const char *s, uint64_t *ret)
{
	uint64_t v = 0;
	int r = scan_u64(&s, &v);

	if (r == -EINVAL || *s)
		return -EINVAL;
	if (r < 0)
		return r;
	*ret = v;
	return 0;
}

int num_parse_i64(const char *s, int64_t *ret)
{
	bool neg = *s == '-';
	uint64_t v = 0;
	int r = num_parse_u64(s + neg, &v);

	if (r < 0)
		return r;
	if (v > (uint64_t)INT64_MAX + neg)
		return -ERANGE;
	*ret = neg ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}

int num_parse_size(const char *s, uint64_t *ret_bytes)
{
	static const char units[] = "kKmMgGtT";
	uint64_t v = 0;
	int r = scan_u64(&s, &v);
	unsigned shift = 0;

	if (r == -EINVAL)
		return r;
	for (unsigned i = 0; *s && units[i]; i++) {
		if (*s == units[i]) {
			shift = (i / 2 + 1) * 10;
			s++;
			break;
		}
	}
	if (*s)
		return -EINVAL;
	if (r < 0 || (shift && v >> (64 - shift)))
		return -ERANGE;
	*ret_bytes = v << shift;
	return 0;
}

const struct num_unit num_units[NUM_UNITS] = {
	{ "", 0 },
	{ "hz", 0 },
	{ "ns", 1 },
	{ "nsec", 1 },
	{ "us", 1000 },
	{ "usec", 1000 },
	{ "ms", 1000000 },
	{ "msec", 1000000 },
	{ "s", NSEC_PER_SEC },
	{ "sec", NSEC_PER_SEC },
	{ "m", 60 * NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC },
	{ "h", 3600 * NSEC_PER_SEC },
	{ "hour", 3600 * NSEC_PER_SEC },
	{ "d", 86400 * NSEC_PER_SEC },
	{ "day", 86400 * NSEC_PER_SEC },
};

static const struct num_unit *find_unit(const char *name)
{
	for (size_t i = 0; i < NUM_UNITS; i++)
		if (!strcasecmp(name, num_units[i].name))
			return &num_units[i];
	return NULL;
}

int num_parse_period(const char *s, uint64_t unit_ns, int default_hz, uint64_t *ret_ns)
{
	uint64_t v = 0, ns = default_hz ? 0 : unit_ns;
	int r = scan_u64(&s, &v);

	if (r == -EINVAL)
		return r;
	if (*s) {
		const struct num_unit *u = find_unit(s);

		if (!u)
			return -EINVAL;
		ns = u->ns;
	}
	if (r < 0)
		return r;
	if (!ns) {
		*ret_ns = v ? NSEC_PER_SEC / v : 0;
		return 0;
	}
	if (__builtin_mul_overflow(v, ns, &v))
		return -ERANGE;
	*ret_ns = v;
	return 0;
}

/* "1.5ms"; n: bytes of the number. */
static int parse_fraction(const char *s, size_t n, uint64_t *ret_ns)
{
	const struct num_unit *u = find_unit(s[n] ? s + n : "s");
	char *end;
	double v;

	if (n == 1 || !u || !u->ns)
		return -EINVAL;
	v = strtod(s, &end) * (double)u->ns;
	if (end != s + n)
		return -EINVAL;
	if (v > (double)INT64_MAX / 2)
		return -ERANGE;
	*ret_ns = (uint64_t)(v + 0.5);
	return 0;
}

int num_parse_time(const char *s, uint64_t *ret_ns)
{
	size_t n = strspn(s, "0123456789."), len = strlen(s);

	if (memchr(s, '.', n))
		return parse_fraction(s, n, ret_ns);
	if (len > 2 && !strcasecmp(s + len - 2, "hz"))
		return -EINVAL;
	return num_parse_period(s, NSEC_PER_SEC, 0, ret_ns);
}
