/* SPDX-License-Identifier: Apache-2.0 */
/* Prints times and timers. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "strace/say_int.h"

void say_timespec_of(struct strb *b, const uint8_t *p)
{
	strb_printf(b, "{tv_sec=%" PRId64 ", tv_nsec=%" PRId64 "}", (int64_t)say_u64(p), (int64_t)say_u64(p + 8));
}

void say_timeval_of(struct strb *b, const uint8_t *p)
{
	strb_printf(b, "{tv_sec=%" PRId64 ", tv_usec=%" PRId64 "}", (int64_t)say_u64(p), (int64_t)say_u64(p + 8));
}

SAY(say_timespec)
{
	const uint8_t *p = say_memory(s, i, true, 16);

	(void)t;
	if (p)
		say_timespec_of(s->b, p);
}

#define RESTARTBLOCK 516 /* ERESTART_RESTARTBLOCK of the kernel */
#define INTERRUPTED 4	 /* EINTR */

/* The rest of the time when a sleep was interrupted. */
SAY(say_timeleft)
{
	const uint8_t *p;

	(void)t;
	if (s->e->ret != -RESTARTBLOCK && s->e->ret != -INTERRUPTED) {
		say_address(s->b, s->e->arg[i]);
		return;
	}
	p = say_memory(s, i, false, 16);
	if (p)
		say_timespec_of(s->b, p);
}

SAY(say_timeval)
{
	const uint8_t *p = say_memory(s, i, true, 16);

	(void)t;
	if (p)
		say_timeval_of(s->b, p);
}

SAY(say_timezone)
{
	const uint8_t *p = say_memory(s, i, false, 8);

	(void)t;
	if (p)
		strb_printf(s->b, "{tz_minuteswest=%d, tz_dsttime=%d}", (int)say_u32(p), (int)say_u32(p + 4));
}

static void file_time(struct strb *b, const uint8_t *p)
{
	time_t sec = (time_t)say_u64(p);
	uint64_t ns = say_u64(p + 8);
	char text[64], zone[16];
	struct tm tm;

	if (ns == UTIME_NOW || ns == UTIME_OMIT) {
		strb_adds(b, ns == UTIME_NOW ? "UTIME_NOW" : "UTIME_OMIT");
		return;
	}
	say_timespec_of(b, p);
	if (!localtime_r(&sec, &tm) || !strftime(text, sizeof(text), "%FT%T", &tm) ||
	    !strftime(zone, sizeof(zone), "%z", &tm))
		return;
	strb_printf(b, " /* %s", text);
	if (ns)
		strb_printf(b, ".%09" PRIu64, ns);
	strb_printf(b, "%s */", zone);
}

SAY(say_utimes)
{
	const uint8_t *p = say_memory(s, i, false, 32);

	(void)t;
	if (!p)
		return;
	strb_addc(s->b, '[');
	file_time(s->b, p);
	strb_adds(s->b, ", ");
	file_time(s->b, p + 16);
	strb_addc(s->b, ']');
}

static void interval(struct strb *b, const uint8_t *p, void (*say)(struct strb *b, const uint8_t *p))
{
	strb_adds(b, "{it_interval=");
	say(b, p);
	strb_adds(b, ", it_value=");
	say(b, p + 16);
	strb_addc(b, '}');
}

SAY(say_itimerval)
{
	const uint8_t *p = say_memory(s, i, true, 32);

	(void)t;
	if (p)
		interval(s->b, p, say_timeval_of);
}

SAY(say_itimerspec)
{
	const uint8_t *p = say_memory(s, i, true, 32);

	(void)t;
	if (p)
		interval(s->b, p, say_timespec_of);
}

SAY(say_timet)
{
	const uint8_t *p = say_memory(s, i, false, 8);

	(void)t;
	if (p)
		strb_printf(s->b, "[%" PRId64 "]", (int64_t)say_u64(p));
}

/* A number of clock ticks. */
static void ticks(struct strb *b, const char *name, uint64_t v)
{
	double hz = (double)sysconf(_SC_CLK_TCK);

	strb_printf(b, "%s=%" PRIu64, name, v);
	if (v)
		strb_printf(b, " /* %.2f s */", (double)v / hz);
}

SAY(say_tms)
{
	const uint8_t *p = say_memory(s, i, false, 32);

	(void)t;
	if (!p)
		return;
	ticks(s->b, "{tms_utime", say_u64(p));
	ticks(s->b, ", tms_stime", say_u64(p + 8));
	ticks(s->b, ", tms_cutime", say_u64(p + 16));
	ticks(s->b, ", tms_cstime", say_u64(p + 24));
	strb_addc(s->b, '}');
}
