/* SPDX-License-Identifier: Apache-2.0 */
/* Reads when a recording is to begin, and waits for it. */
#include "live/start.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/num.h"
#include "base/units.h"

#define DAY_S 86400

/* The next time that a clock on the wall shows this. 0: it is no such time. */
static uint64_t clock_time(const char *text, uint64_t now)
{
	time_t s = (time_t)(now / NSEC_PER_SEC), when;
	struct tm tm;
	unsigned h, m, sec = 0;
	int end = -1;

	if (sscanf(text, "%2u:%2u%n", &h, &m, &end) < 2 || end < 0)
		return 0;
	if (text[end] == ':') {
		int more = -1;

		if (sscanf(text + end, ":%2u%n", &sec, &more) < 1 || more < 0)
			return 0;
		end += more;
	}
	if (text[end] || h > 23 || m > 59 || sec > 59 || !localtime_r(&s, &tm))
		return 0;
	tm.tm_hour = (int)h;
	tm.tm_min = (int)m;
	tm.tm_sec = (int)sec;
	tm.tm_isdst = -1;
	when = mktime(&tm);
	if (when <= s) {
		tm.tm_mday++;
		tm.tm_isdst = -1;
		when = mktime(&tm);
	}
	return when > s ? (uint64_t)when * NSEC_PER_SEC : 0;
}

/* Seconds since 1970, with decimals if need be. 0: it is no such number. */
static uint64_t epoch_time(const char *text)
{
	char *end;
	double s;

	if (strspn(text, "0123456789.") != strlen(text) || !text[0])
		return 0;
	s = strtod(text, &end);
	return *end || s <= 0 || s >= 1e10 ? 0 : (uint64_t)(s * 1e6) * 1000;
}

int live_start_parse(const char *text, uint64_t now, uint64_t *ret, struct err *err)
{
	uint64_t ns = 0;

	if (text[0] == '@') {
		*ret = strchr(text, ':') ? clock_time(text + 1, now) : epoch_time(text + 1);
	} else if ((text[0] == '+' || text[0] == '/') && num_parse_time(text + 1, &ns) == 0 && ns) {
		if (ns > LIVE_START_MAX_NS)
			return err_set(err, -EINVAL, "--start: '%s' is more than 31 days ahead", text);
		*ret = text[0] == '+' ? now + ns : (now / ns + 1) * ns;
	} else {
		*ret = 0;
	}
	if (!*ret)
		return err_set(err, -EINVAL,
			       "--start: '%s' is no time to begin, like @15:04:05, @1700000000, +10s or /1m", text);
	if (*ret <= now)
		return err_set(err, -EINVAL, "--start: '%s' is past", text);
	return *ret - now > LIVE_START_MAX_NS ? err_set(err, -EINVAL, "--start: '%s' is more than 31 days ahead", text)
					      : 0;
}

int live_start_take(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	(void)o;
	return live_start_parse(arg, clock_ns(CLOCK_REALTIME), member, err);
}

int live_start_await(uint64_t when, const char *file, struct err *err)
{
	const struct timespec at = { .tv_sec = (time_t)(when / NSEC_PER_SEC), .tv_nsec = (long)(when % NSEC_PER_SEC) };
	int e;

	if (access(file, F_OK) == 0)
		return err_set(err, -EEXIST, "cannot create recording %s: File exists", file);
	e = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL);
	return e ? err_set(err, -e, "interrupted before it began") : 0;
}
