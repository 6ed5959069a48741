/* SPDX-License-Identifier: Apache-2.0 */
/* Provider lockstat: threads that had to wait for a lock of the kernel, from the tracepoints
 * contention_begin (lock, flags) and contention_end (lock, ret). The end has no flags and no time, so two
 * further clauses keep them per thread. A mutex that spins before it sleeps begins twice.
 * The probes fire when the wait is over: arg0 is the lock, arg1 how long in ns.
 * Source: DTrace guide, "lockstat Provider"; include/trace/events/lock.h (LCB_F_*: 1 spin, 2 read,
 * 4 write, 8 rt_mutex, 16 per-CPU, 32 mutex). */
#include "base/cleanup.h"
#include "prov/stable/stable.h"

#define SELF "self->dwell_lock_"
#define KEEP \
	"sdt:::contention_begin /" SELF "addr != arg0/ { " SELF "addr = arg0; " SELF "from = timestamp; " SELF \
	"slept = (uint64_t)0; " SELF "flags = (uint64_t)0; }\n" \
	"sdt:::contention_begin /!" SELF "slept && !(arg1 & 1)/ { " SELF "slept = timestamp; }\n" \
	"sdt:::contention_begin { " SELF "flags = arg1; }\n"
#define FORGET "sdt:::contention_end { " SELF "addr = 0; " SELF "slept = 0; }\n"

#define ENDS(when) "(uintptr_t)lock == " SELF "addr && (" when ")"
#define IS(bits) "(" SELF "flags & " bits ") != 0"
#define SLEPT SELF "slept != 0"
#define LOCK(type) \
	{ \
		type, "(" type ")lock", "lock", false \
	}
#define NS(t) \
	{ \
		"uint64_t", "timestamp - " SELF t, "ns", false \
	}
#define SINCE(type, t) .args = { LOCK(type), NS(t) }, .before = KEEP, .after = FORGET
/* Locks of readers and writers are of several types. The last argument: a reader waits. */
#define SINCE_RW(t) \
	.args = { LOCK("struct rwlock *"), NS(t), { "int", "(int)((" SELF "flags & 2) != 0)", "reader", false } }, \
	.before = KEEP, .after = FORGET
#define AT_END .tp = "contention_end"
#define NO_HOLD "Linux traces locks that are waited for, not those that are free: no tracepoint tells of it"

static const struct stable_row lockstat_rows[] = {
	{ .name = "adaptive-acquire", .reason = NO_HOLD },
	{ .name = "adaptive-acquire-error", .reason = NO_HOLD },
	{ .name = "adaptive-block", AT_END, .cond = ENDS(SLEPT " && " IS("40")), SINCE("struct mutex *", "slept") },
	{ .name = "adaptive-release", .reason = NO_HOLD },
	{ .name = "adaptive-spin", AT_END, .cond = ENDS("!(" SLEPT ") && " IS("32")), SINCE("struct mutex *", "from") },
	{ .name = "rw-acquire", .reason = NO_HOLD },
	{ .name = "rw-block", AT_END, .cond = ENDS(SLEPT " && " IS("6")), SINCE_RW("slept") },
	{ .name = "rw-downgrade", .reason = NO_HOLD },
	{ .name = "rw-release", .reason = NO_HOLD },
	{ .name = "rw-spin", AT_END, .cond = ENDS("!(" SLEPT ") && " IS("6")), SINCE_RW("from") },
	{ .name = "rw-upgrade", .reason = NO_HOLD },
	{ .name = "spin-acquire", .reason = NO_HOLD },
	{ .name = "spin-release", .reason = NO_HOLD },
	{ .name = "spin-spin", AT_END, .cond = ENDS(SELF "flags == 1"), SINCE("spinlock_t *", "from") },
	{ .name = "thread-spin", .reason = "the lock of a thread is a spin lock on Linux: lockstat:::spin-spin" },
};

STABLE_PROVIDER(lockstat, LOCKSTAT);
