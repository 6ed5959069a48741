/* SPDX-License-Identifier: Apache-2.0 */
/* Names the cause of a futex wait by the functions of the program. The kernel knows only the address of the futex. */
#include <string.h>
#include "base/cleanup.h"
#include "latency/causes.h"

#define LOCK_FRAMES 8	    /* innermost frames of the program that are searched for a lock's function */
#define WORK_FRAMES 8	    /* innermost frames that are searched for the loop of a thread pool */
#define COLLECTOR_FRAMES 16 /* innermost frames that are searched for a garbage collection */
#define WORKER_DEPTH \
	2 /* functions between where a thread begins and where it waits: its loop, and what wraps the condition */

static const char *const locks[] = {
#define LOCK(text) text,
#define WORK(text)
#define COLLECTOR(text)
#include "latency/userwait.def"
#undef LOCK
#undef WORK
#undef COLLECTOR
};
static const char *const works[] = {
#define LOCK(text)
#define WORK(text) text,
#define COLLECTOR(text)
#include "latency/userwait.def"
#undef LOCK
#undef WORK
#undef COLLECTOR
};
static const char *const collectors[] = {
#define LOCK(text)
#define WORK(text)
#define COLLECTOR(text) text,
#include "latency/userwait.def"
#undef LOCK
#undef WORK
#undef COLLECTOR
};

static bool has_one(const char *const *texts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(name, texts[i]))
			return true;
	return false;
}

bool causes_user_lock(const char *function)
{
	return has_one(locks, ARRAY_SIZE(locks), function);
}

static bool is_libc(const struct cause_uframe *f)
{
	static const char *const files[] = { "libc.so", "libc-2", "libpthread", "ld-musl", "libstdc++.so" };

	for (size_t i = 0; f->module && i < ARRAY_SIZE(files); i++)
		if (!strncmp(f->module, files[i], strlen(files[i])))
			return true;
	return false;
}

/* Does a thread's own loop wait? Its stack is known up to where the thread begins, which is in libc (the main thread's
 * begins in the program), and has hardly anything in between. */
static bool is_loop(const struct cause_uframe *f, size_t n)
{
	size_t own = 0;

	if (n < 2 || !is_libc(&f[0]) || !is_libc(&f[n - 1]))
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *name = f[i].name ? f[i].name : "";

		if (strstr(name, "join") || strstr(name, "barrier") || strstr(name, "__libc_start"))
			return false;
		own += !is_libc(&f[i]);
	}
	return own >= 1 && own <= WORKER_DEPTH;
}

uint32_t causes_user_facts(uint32_t facts, const struct cause_uframe *f, size_t n, bool whole)
{
	for (size_t i = 0; i < n && i < COLLECTOR_FRAMES; i++)
		if (f[i].name && has_one(collectors, ARRAY_SIZE(collectors), f[i].name))
			return facts | CAUSE_FACT_COLLECTOR;
	for (size_t i = 0; i < n && i < LOCK_FRAMES; i++)
		if (f[i].name && causes_user_lock(f[i].name))
			return facts | CAUSE_FACT_USER_LOCK;
	for (size_t i = 0; i < n && i < WORK_FRAMES; i++)
		if (f[i].name && has_one(works, ARRAY_SIZE(works), f[i].name))
			return facts | CAUSE_FACT_WORK;
	return facts & CAUSE_FACT_CONDITION && whole && is_loop(f, n) ? facts | CAUSE_FACT_WORK : facts;
}
