/* SPDX-License-Identifier: Apache-2.0 */
/* Names the cause of a futex wait by the functions of the program. The kernel knows only the address of the futex. */
#include <string.h>
#include "base/cleanup.h"
#include "latency/cause/causes.h"

#define LOCK_FRAMES 8	    /* innermost native frames of the program that are searched for a lock's function */
#define WORK_FRAMES 8	    /* innermost native frames that are searched for the loop of a thread pool */
#define COLLECTOR_FRAMES 16 /* innermost native frames that are searched for a garbage collection */
#define WORKER_DEPTH \
	2 /* functions between where a thread begins and where it waits: its loop, and what wraps the condition */

enum userwait { IS_LOCK, IS_WORK, IS_LOOP, IS_COLLECTOR, IS_COLLECTED, IS_SAFEPOINT, IS_PARKED, IS_CLASSINIT };

static const struct {
	enum userwait is;
	const char *text;
} functions[] = {
#define LOCK(text) { IS_LOCK, text },
#define WORK(text) { IS_WORK, text },
#define LOOP(text) { IS_LOOP, text },
#define COLLECTOR(text) { IS_COLLECTOR, text },
#define COLLECTED(text) { IS_COLLECTED, text },
#define SAFEPOINT(text) { IS_SAFEPOINT, text },
#define PARKED(text) { IS_PARKED, text },
#define CLASSINIT(text) { IS_CLASSINIT, text },
#include "latency/cause/userwait.def"
#undef LOCK
#undef WORK
#undef LOOP
#undef COLLECTOR
#undef COLLECTED
#undef SAFEPOINT
#undef PARKED
#undef CLASSINIT
};

static bool has_one(enum userwait is, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i].is == is && strstr(name, functions[i].text))
			return true;
	return false;
}

bool causes_user_lock(const char *function)
{
	return has_one(IS_LOCK, function);
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

static bool is_of_library(const struct cause_uframe *f)
{
	return !f->runtime || (f->name && (!strncmp(f->name, "java.", 5) || !strncmp(f->name, "jdk.", 4)));
}

/* Is one of the innermost frames such a function? At most max native frames are looked at; frames of a language runtime
 * do not count. A loop counts when it waits itself, and not when something that it has called of the program waits. So
 * does the initialisation of a class: its static initialiser may wait for anything. */
static bool in_one(enum userwait is, const struct cause_uframe *f, size_t n, size_t max)
{
	for (size_t i = 0; i < n && max; i++) {
		if (f[i].name && has_one(is, f[i].name))
			return true;
		if ((is == IS_LOOP && !is_of_library(&f[i])) || (is == IS_CLASSINIT && f[i].runtime))
			return false;
		max -= !f[i].runtime;
	}
	return false;
}

uint32_t causes_user_facts(uint32_t facts, const struct cause_uframe *f, size_t n, bool whole)
{
	if (in_one(IS_COLLECTOR, f, n, COLLECTOR_FRAMES))
		return facts | CAUSE_FACT_COLLECTOR;
	if (in_one(IS_COLLECTED, f, n, COLLECTOR_FRAMES))
		return facts | CAUSE_FACT_COLLECTED;
	if (in_one(IS_SAFEPOINT, f, n, COLLECTOR_FRAMES))
		return facts | CAUSE_FACT_SAFEPOINT;
	if (in_one(IS_LOCK, f, n, LOCK_FRAMES))
		return facts | CAUSE_FACT_USER_LOCK;
	if (in_one(IS_WORK, f, n, WORK_FRAMES) || in_one(IS_LOOP, f, n, WORK_FRAMES))
		return facts | CAUSE_FACT_WORK;
	if (in_one(IS_PARKED, f, n, WORK_FRAMES))
		return facts | CAUSE_FACT_PARKED;
	if (in_one(IS_CLASSINIT, f, n, WORK_FRAMES))
		return facts | CAUSE_FACT_CLASSINIT;
	return facts & CAUSE_FACT_CONDITION && whole && is_loop(f, n) ? facts | CAUSE_FACT_WORK : facts;
}
