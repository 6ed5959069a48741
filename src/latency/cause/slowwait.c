/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the attributes of a slow event. They have well-known names, such as stack, waker_tid and holder_tid, which
 * the heads of dlib/latency define. */
#include "latency/cause/slowwait.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/rtfmt.h"
#include "base/units.h"
#include "latency/cause/trackers.h"
#include "latency/tracker_facts.h"

#define USER_FRAMES 24 /* of the program's stack, that are looked at */

static const struct tracker_facts *facts_of_tracker(const struct slow_event *e)
{
	return trackers_facts(e->tracker ? e->tracker->name : "");
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
	{ ATTR_STATE, ATTR_STATE_WOKEN, CAUSE_FACT_RUNNABLE },
	{ ATTR_STATE, ATTR_STATE_PREEMPTED, CAUSE_FACT_RUNNABLE },
	{ ATTR_STATE, ATTR_STATE_THROTTLED, CAUSE_FACT_THROTTLED },
	{ ATTR_QUOTA_US, NULL, CAUSE_FACT_THROTTLED },
	{ ATTR_FAULT, ATTR_FAULT_MAJOR, CAUSE_FACT_MAJOR },
	{ ATTR_RECLAIM, ATTR_RECLAIM_DIRECT_RECLAIM, CAUSE_FACT_RECLAIM },
	{ ATTR_RECLAIM, ATTR_RECLAIM_RECLAIM_OF_A_MEMORY_CGROUP, CAUSE_FACT_RECLAIM },
	{ ATTR_RECLAIMING, NULL, CAUSE_FACT_RECLAIM },
	{ ATTR_IOWAIT, NULL, CAUSE_FACT_IOWAIT },
	{ ATTR_STOPPER_TID, NULL, CAUSE_FACT_STOPPED },
	{ ATTR_CONDITION, NULL, CAUSE_FACT_CONDITION },
	{ ATTR_TIMED_OUT, NULL, CAUSE_FACT_TIMEOUT },
	{ ATTR_LOCK_KIND, ATTR_LOCK_KIND_MUTEX, CAUSE_FACT_MUTEX },
	{ ATTR_LOCK_KIND, ATTR_LOCK_KIND_RWSEM_READ, CAUSE_FACT_RWSEM },
	{ ATTR_LOCK_KIND, ATTR_LOCK_KIND_RWSEM_WRITE, CAUSE_FACT_RWSEM },
	{ ATTR_LOCK_KIND, ATTR_LOCK_KIND_SEMAPHORE, CAUSE_FACT_SEMAPHORE },
	{ ATTR_LOCK_KIND, ATTR_LOCK_KIND_SPINLOCK, CAUSE_FACT_SPIN },
	{ ATTR_LOCK_KIND, ATTR_LOCK_KIND_RTMUTEX, CAUSE_FACT_RTMUTEX },
	{ ATTR_LOCK_KIND, ATTR_LOCK_KIND_PERCPU_RWSEM, CAUSE_FACT_PERCPU_RWSEM },
};

/* Attributes that are times, and the attribute with the name: a time is a fact if it is most of the wait. */
static const struct taker {
	const char *ns, *name;
	uint32_t fact;
} takers[] = {
	{ ATTR_SOFTIRQ_NS, ATTR_SOFTIRQ, CAUSE_FACT_SOFTIRQ },
	{ ATTR_IRQ_NS, ATTR_IRQ, CAUSE_FACT_IRQ },
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

/* Adds the facts that the user stack tells. *ret_loop: the thread's own loop waits. This alone does not mean that it
 * waits for work: the thread that ended the wait tells better whether it had nothing to do (chain.h). */
static uint32_t user_facts(struct sym *sym, const struct slow_event *e, uint32_t said, bool *ret_loop)
{
	const struct recfield *f = attr(e, ATTR_USTACK);
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
		if (!sym_user(sym, h.tgid, h.start, pc - (n > 0 && !rt_is_frame(pc)), &s) || !s.name)
			(void)sym_user(sym, h.tgid, h.start, pc, &s);
		frames[n] = (struct cause_uframe){ s.module, s.name, rt_is_frame(pc) };
	}
	*ret_loop = !(h.flags & (REC_USTACK_CUT | REC_USTACK_FAULT)) &&
		    causes_user_facts(said, frames, n, true) & CAUSE_FACT_WORK;
	return causes_user_facts(said, frames, n, false);
}

/* Classifies the kernel stack by the rules. */
static int classify(struct causes *c, struct sym *sym, const struct slow_event *e, uint32_t said, struct cause *ret)
{
	const struct recfield *f = attr(e, ATTR_STACK);
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

/* The event says itself what was waited for. */
static void set_known(const struct slow_event *e, struct slowwait *ret)
{
	char class[CHAIN_OBJECT];

	text(e, SLOW_CLASS, class, sizeof(class));
	for (int i = 0; i < CAUSE_NCLASSES; i++)
		if (!strcmp(cause_class_name((enum cause_class)i), class))
			ret->class = (enum cause_class)i;
	text(e, SLOW_WAITED_FOR, ret->wait.words, sizeof(ret->wait.words));
	ret->cause = ret->wait.words;
}

static void set_words(const struct tracker_facts *k, const struct slow_event *e, uint32_t said, const struct cause *why,
		      struct slowwait *ret)
{
	struct chain_wait *w = &ret->wait;
	const char *mark = strstr(k->words, "%s");
	/* If both say that it is a lock of the program, of Java, the tracker of such knows more than the stack. */
	bool known = said & (CAUSE_FACT_USER_LOCK | CAUSE_FACT_PARKED | CAUSE_FACT_CLASSINIT) && why->class == k->class;
	char value[CHAIN_OBJECT];

	/* For a lock, a reclaim … the stack tells the operation, and the tracker tells the object. A fact is always the
	 * tracker's own. */
	if (why->class != CAUSE_UNKNOWN && !known &&
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

/* Adds the interrupts that had the CPU, and for how long. */
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

/* Adds the work item whose end was waited for. The thread that ended the wait did the work. */
static void add_work(struct sym *sym, const struct slow_event *e, struct chain_wait *w)
{
	const struct recfield *f = attr(e, ATTR_WORK);
	const size_t n = strlen(w->words);
	struct symbol s = { 0 };
	uint64_t pc = 0;

	if (f && f->kind == FLD_FUNC)
		memcpy(&pc, e->rec + f->off, sizeof(pc));
	if (!pc || !sym || !sym_kernel(sym, pc, &s) || !s.name)
		return;
	snprintf(w->words + n, sizeof(w->words) - n, ": %s", s.name);
	if (w->via == CHAIN_WAKER)
		w->via = CHAIN_DOER;
}

/* Sets the target of a system call: a file, or a socket's protocol and other end. */
static void set_target(const struct slow_event *e, char *target, size_t size)
{
	size_t n;

	text(e, attr(e, ATTR_PROTOCOL) ? ATTR_PROTOCOL : ATTR_FILE, target, size);
	n = strlen(target);
	if (!n || n + 2 > size || !attr(e, ATTR_PROTOCOL) || !attr(e, ATTR_TO))
		return;
	target[n] = ' ';
	text(e, ATTR_TO, target + n + 1, size - n - 1);
	if (!target[n + 1])
		target[n] = '\0';
}

/* A system call with what it was about. */
static void set_call(const struct slow_event *e, struct chain_wait *w)
{
	char name[24], file[512];
	size_t room = sizeof(w->op) - sizeof(name) - 2, n;

	text(e, ATTR_SYSCALL, name, sizeof(name));
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

/* An interrupt wakes a thread up in the time of any thread, which is not to blame. */
static bool wakers_count(enum cause_class class)
{
	return class == CAUSE_LOCK || class == CAUSE_IPC || class == CAUSE_PROCESS || class == CAUSE_FS ||
	       class == CAUSE_KERNEL || class == CAUSE_MEMORY;
}

/* Sets the object that others may have waited for, too: a disk, a name server, a limit's owner, a file. */
static void set_object(const struct slow_event *e, struct chain_wait *w)
{
	char file[512], server[64];
	size_t n;

	text(e, ATTR_SERVER, server, sizeof(server));
	if (server[0])
		snprintf(w->object, sizeof(w->object), "name server %.*s", CHAIN_OBJECT - 16, server);
	if (server[0])
		return;
	text(e, ATTR_DEV, w->object, sizeof(w->object));
	if (!w->object[0])
		text(e, ATTR_LIMIT, w->object, sizeof(w->object));
	if (w->object[0] || (!attr(e, ATTR_FAULT) && !attr(e, ATTR_LOCK_KIND)))
		return;
	text(e, ATTR_FILE, file, sizeof(file));
	n = strlen(file);
	if (n < sizeof(w->object))
		memcpy(w->object, file, n + 1);
	else /* the end of a path tells most */
		snprintf(w->object, sizeof(w->object), "...%s", file + n - (sizeof(w->object) - 4));
}

static void set_by(const struct tracker_facts *k, const struct slow_event *e, struct slowwait *ret)
{
	static const struct {
		const char *tid, *comm;
		enum chain_via via;
	} by[] = { { ATTR_HOLDER_TID, ATTR_HOLDER_COMM, CHAIN_HOLDER },
		   { ATTR_DOER_TID, ATTR_DOER_COMM, CHAIN_DOER },
		   { ATTR_STOPPER_TID, ATTR_STOPPER_COMM, CHAIN_STOPPER },
		   { ATTR_PREV_TID, ATTR_PREV_COMM, CHAIN_RUNNING },
		   { ATTR_WAKER_TID, ATTR_WAKER_COMM, CHAIN_WAKER } };

	if (taker_of(e)) /* the thread that interrupts found on the CPU is not to blame */
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
			text(e, ATTR_SIGNAL, ret->wait.by_means, sizeof(ret->wait.by_means));
		return;
	}
}

bool slowwait_is_known(const struct slow_event *e)
{
	char words[CHAIN_WORDS];

	text(e, SLOW_WAITED_FOR, words, sizeof(words));
	return words[0] != '\0';
}

int slowwait_make(struct causes *c, struct sym *sym, const struct slow_event *e, struct slowwait *ret)
{
	const struct tracker_facts *k = facts_of_tracker(e);
	uint32_t said = facts_of(e);
	struct cause why;
	bool loop = false;
	int r;

	said = user_facts(sym, e, said, &loop);
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
	if (slowwait_is_known(e))
		set_known(e, ret);
	else
		set_words(k, e, said, &why, ret);
	ret->wait.general = k->class == CAUSE_LOCK;
	ret->wait.idle = cause_is_idle(ret->class);
	ret->wait.condition = why.inferred && ret->class == CAUSE_IPC && said & CAUSE_FACT_CONDITION;
	ret->wait.loop = ret->wait.condition && loop;
	ret->wait.asked = !strcmp(k->attr, ATTR_REQUEST);
	add_taker(e, &ret->wait);
	set_call(e, &ret->wait);
	set_by(k, e, ret);
	add_work(sym, e, &ret->wait);
	return 0;
}
