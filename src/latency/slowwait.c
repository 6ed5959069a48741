/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes have well-known names: stack, waker_tid, holder_tid … (dwell-latency(1)). */
#include "latency/slowwait.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"

#define USER_FRAMES 24 /* of the program's stack, that are looked at */

struct kind {
	const char *tracker;
	enum chain_level level;
	const char *words;
	enum cause_class class;
	const char *attr;
};
static const struct kind kinds[] = {
#define KIND(tracker, level, words, class, attr) { tracker, level, words, class, attr },
#include "latency/slowkind.def"
#undef KIND
};
/* A tracker of the user's own. */
static const struct kind own = { "", CHAIN_CALL, "its end", CAUSE_UNKNOWN, "" };

static const struct kind *kind_of(const struct slow_event *e)
{
	for (size_t i = 0; e->tracker && i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].tracker, e->tracker->name))
			return &kinds[i];
	return &own;
}

static const struct recfield *attr(const struct slow_event *e, const char *name)
{
	for (size_t i = 0; i < e->nattrs; i++)
		if (e->attrs[i].name && !strcmp(e->attrs[i].name, name))
			return &e->attrs[i];
	return NULL;
}

static uint64_t number(const struct slow_event *e, const char *name)
{
	const struct recfield *f = attr(e, name);
	uint64_t v = 0;

	if (f && f->kind == FLD_INT)
		memcpy(&v, e->rec + f->off, f->size < sizeof(v) ? f->size : sizeof(v));
	return v;
}

/* The text into buf; "" when there is none. */
static void text(const struct slow_event *e, const char *name, char *buf, size_t size)
{
	const struct recfield *f = attr(e, name);
	size_t n = f && f->kind == FLD_STRING ? strnlen((const char *)e->rec + f->off, f->size) : 0;

	if (n >= size)
		n = size - 1;
	memcpy(buf, f ? (const char *)e->rec + f->off : "", n);
	buf[n] = '\0';
}

/* Attributes that are facts: of this text, or, without one, a number that is not 0. */
static const struct {
	const char *name, *value;
	uint32_t fact;
} facts[] = {
	{ "state", "woken", CAUSE_FACT_RUNNABLE },
	{ "state", "preempted", CAUSE_FACT_RUNNABLE },
	{ "state", "throttled", CAUSE_FACT_THROTTLED },
	{ "quota_us", NULL, CAUSE_FACT_THROTTLED },
	{ "fault", "major", CAUSE_FACT_MAJOR },
	{ "reclaim", "direct reclaim", CAUSE_FACT_RECLAIM },
	{ "reclaim", "reclaim of a memory cgroup", CAUSE_FACT_RECLAIM },
	{ "reclaiming", NULL, CAUSE_FACT_RECLAIM },
	{ "iowait", NULL, CAUSE_FACT_IOWAIT },
	{ "stopper_tid", NULL, CAUSE_FACT_STOPPED },
	{ "condition", NULL, CAUSE_FACT_CONDITION },
	{ "timed_out", NULL, CAUSE_FACT_TIMEOUT },
	{ "lock_kind", "mutex", CAUSE_FACT_MUTEX },
	{ "lock_kind", "rwsem read", CAUSE_FACT_RWSEM },
	{ "lock_kind", "rwsem write", CAUSE_FACT_RWSEM },
	{ "lock_kind", "semaphore", CAUSE_FACT_SEMAPHORE },
	{ "lock_kind", "spinlock", CAUSE_FACT_SPIN },
	{ "lock_kind", "rtmutex", CAUSE_FACT_RTMUTEX },
	{ "lock_kind", "percpu-rwsem", CAUSE_FACT_PERCPU_RWSEM },
};

/* Times of which most of the wait must be made for them to be a fact, and who it was. */
static const struct taker {
	const char *ns, *name;
	uint32_t fact;
} takers[] = {
	{ "softirq_ns", "softirq", CAUSE_FACT_SOFTIRQ },
	{ "irq_ns", "irq", CAUSE_FACT_IRQ },
};

/* Interrupts that had the CPU for most of the wait; NULL: they had not. */
static const struct taker *taker_of(const struct slow_event *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(takers); i++)
		if (number(e, takers[i].ns) > e->fixed.delay / 2)
			return &takers[i];
	return NULL;
}

uint32_t slowwait_facts(const char *name, const char *value, uint64_t number)
{
	uint32_t all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (!strcmp(facts[i].name, name) && (facts[i].value ? !strcmp(value, facts[i].value) : number != 0))
			all |= facts[i].fact;
	return all;
}

static uint32_t facts_of(const struct slow_event *e)
{
	const struct taker *taker = taker_of(e);
	char value[CHAIN_OBJECT];
	uint32_t all = taker ? taker->fact : 0;

	for (size_t i = 0; i < e->nattrs; i++) {
		const char *name = e->attrs[i].name;

		if (!name)
			continue;
		text(e, name, value, sizeof(value));
		all |= slowwait_facts(name, value, number(e, name));
	}
	return all;
}

/* What the stack of the program says besides. That a thread's own loop waits does not count here: whether it had
 * nothing to do, who ended the wait tells better (chain.h). */
static uint32_t user_facts(struct sym *sym, const struct slow_event *e, uint32_t said)
{
	const struct recfield *f = attr(e, "ustack");
	struct cause_uframe frames[USER_FRAMES];
	struct rec_ustack_hdr h;
	size_t n = 0;

	if (!f || f->kind != FLD_USTACK || !sym)
		return said;
	memcpy(&h, e->rec + f->off, sizeof(h));
	for (; n < f->nframes && n < USER_FRAMES; n++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, e->rec + f->off + sizeof(h) + 8 * n, sizeof(pc));
		if (!pc)
			break;
		/* A recording knows the names of the addresses themselves. */
		if (!sym_user(sym, h.tgid, h.start, pc - (n > 0), &s) || !s.name)
			(void)sym_user(sym, h.tgid, h.start, pc, &s);
		frames[n] = (struct cause_uframe){ s.module, s.name };
	}
	return causes_user_facts(said, frames, n, false);
}

/* What the rules say of the stack. */
static int classify(struct causes *c, struct sym *sym, const struct slow_event *e, uint32_t said, struct cause *ret)
{
	const struct recfield *f = attr(e, "stack");
	const char *names[CAUSES_MAX_DEPTH];
	size_t n = 0;

	for (; f && f->kind == FLD_STACK && n < f->nframes && n < CAUSES_MAX_DEPTH; n++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, e->rec + f->off + 8 * n, sizeof(pc));
		if (!pc)
			break;
		names[n] = sym && sym_kernel(sym, pc, &s) ? s.name : NULL;
	}
	return causes_classify(c, names, n, said, ret);
}

static void set_words(const struct kind *k, const struct slow_event *e, const struct cause *why, struct slowwait *ret)
{
	struct chain_wait *w = &ret->wait;
	const char *mark = strstr(k->words, "%s");
	char value[CHAIN_OBJECT];

	/* For a lock, a reclaim … the stack tells who asked, the tracker what it was; but a fact is the tracker's own.
	 */
	if (why->class != CAUSE_UNKNOWN &&
	    (k->class == CAUSE_UNKNOWN || k->class == why->class || why->wait.frame < 0)) {
		ret->class = why->class;
		ret->cause = why->words;
		w->inferred = why->inferred;
		snprintf(w->words, sizeof(w->words), "%s", why->wait.words);
	} else {
		ret->class = k->class;
		text(e, k->attr, value, sizeof(value));
		if (mark)
			snprintf(w->words, sizeof(w->words), "%.*s%s%s", (int)(mark - k->words), k->words, value,
				 mark + 2);
		else
			snprintf(w->words, sizeof(w->words), "%s", k->words);
		ret->cause = w->words;
	}
	if (why->op.words && strcmp(why->op.words, "kernel thread") != 0)
		snprintf(w->op, sizeof(w->op), "%s", why->op.words);
}

/* Which interrupts they were that had the CPU, and for how long. */
static void add_taker(const struct slow_event *e, struct chain_wait *w)
{
	const struct taker *t = taker_of(e);
	const size_t n = strlen(w->words);
	char name[CHAIN_COMM], ns[UNITS_LEN];

	if (!t)
		return;
	text(e, t->name, name, sizeof(name));
	snprintf(w->words + n, sizeof(w->words) - n, ": %s for %s", name, units_ns(number(e, t->ns), ns));
}

/* What a system call was about: a file, or a socket's protocol and other end. */
static void set_target(const struct slow_event *e, char *target, size_t size)
{
	size_t n;

	text(e, attr(e, "protocol") ? "protocol" : "file", target, size);
	n = strlen(target);
	if (!n || n + 2 > size || !attr(e, "protocol") || !attr(e, "to"))
		return;
	target[n] = ' ';
	text(e, "to", target + n + 1, size - n - 1);
	if (!target[n + 1])
		target[n] = '\0';
}

/* A system call with what it was about. */
static void set_call(const struct slow_event *e, struct chain_wait *w)
{
	char name[24], file[512];
	size_t room = sizeof(w->op) - sizeof(name) - 2, n;

	text(e, "syscall", name, sizeof(name));
	if (!name[0])
		return;
	set_target(e, file, sizeof(file));
	n = strlen(file);
	if (!n || file[0] == '<')
		snprintf(w->op, sizeof(w->op), "%s", name);
	else if (n < room)
		snprintf(w->op, sizeof(w->op), "%s(%s)", name, file);
	else /* the end of a path tells most */
		snprintf(w->op, sizeof(w->op), "%s(...%s)", name, file + n - (room - 4));
}

/* An interrupt that wakes a thread up does so in whatever thread it found: that one is no reason. */
static bool wakers_count(enum cause_class class)
{
	return class == CAUSE_LOCK || class == CAUSE_IPC || class == CAUSE_PROCESS || class == CAUSE_FS ||
	       class == CAUSE_KERNEL || class == CAUSE_MEMORY;
}

/* What others may have waited for, too: a disk, a name server; or whose limit, or which file it was. */
static void set_object(const struct slow_event *e, struct chain_wait *w)
{
	char file[512], server[64];
	size_t n;

	text(e, "server", server, sizeof(server));
	if (server[0])
		snprintf(w->object, sizeof(w->object), "name server %.*s", CHAIN_OBJECT - 16, server);
	if (server[0])
		return;
	text(e, "dev", w->object, sizeof(w->object));
	if (!w->object[0])
		text(e, "limit", w->object, sizeof(w->object));
	if (w->object[0] || (!attr(e, "fault") && !attr(e, "lock_kind")))
		return;
	text(e, "file", file, sizeof(file));
	n = strlen(file);
	if (n < sizeof(w->object))
		memcpy(w->object, file, n + 1);
	else /* the end of a path tells most */
		snprintf(w->object, sizeof(w->object), "...%s", file + n - (sizeof(w->object) - 4));
}

static void set_by(const struct kind *k, const struct slow_event *e, struct slowwait *ret)
{
	static const struct {
		const char *tid, *comm;
		enum chain_via via;
	} by[] = { { "holder_tid", "holder_comm", CHAIN_HOLDER },
		   { "stopper_tid", "stopper_comm", CHAIN_STOPPER },
		   { "prev_tid", "prev_comm", CHAIN_RUNNING },
		   { "waker_tid", "waker_comm", CHAIN_WAKER } };

	if (taker_of(e)) /* whom they found on the CPU is not to blame */
		return;

	for (size_t i = 0; i < ARRAY_SIZE(by); i++) {
		uint32_t tid = (uint32_t)number(e, by[i].tid);

		if (!tid || (by[i].via == CHAIN_WAKER && !wakers_count(ret->class)))
			continue;
		ret->wait.via = k->level == CHAIN_LOCKED && by[i].via == CHAIN_WAKER && !ret->wait.condition
					? CHAIN_RELEASER
					: by[i].via;
		ret->wait.by_tid = tid;
		text(e, by[i].comm, ret->wait.by_comm, sizeof(ret->wait.by_comm));
		if (by[i].via == CHAIN_STOPPER)
			text(e, "signal", ret->wait.by_means, sizeof(ret->wait.by_means));
		return;
	}
}

int slowwait_make(struct causes *c, struct sym *sym, const struct slow_event *e, struct slowwait *ret)
{
	const struct kind *k = kind_of(e);
	uint32_t said = facts_of(e);
	struct cause why;
	int r;

	said = user_facts(sym, e, said);
	r = classify(c, sym, e, said, &why);
	if (r < 0)
		return r;
	*ret = (struct slowwait){ .wait = { .from = e->fixed.start,
					    .to = e->fixed.start + e->fixed.delay,
					    .tid = e->fixed.tid,
					    .pid = e->fixed.pid,
					    .level = k->level,
					    .cpu = e->fixed.end_cpu } };
	snprintf(ret->wait.comm, sizeof(ret->wait.comm), "%s", e->fixed.comm);
	set_object(e, &ret->wait);
	set_words(k, e, &why, ret);
	ret->wait.general = k->class == CAUSE_LOCK;
	ret->wait.idle = cause_is_idle(ret->class);
	ret->wait.condition = why.inferred && ret->class == CAUSE_IPC && said & CAUSE_FACT_CONDITION;
	ret->wait.asked = !strcmp(k->attr, "request");
	add_taker(e, &ret->wait);
	set_call(e, &ret->wait);
	set_by(k, e, ret);
	return 0;
}
