/* SPDX-License-Identifier: Apache-2.0 */
/* Why a thread waited, in words: rules over the kernel functions of its stack and over facts.
 *
 * dlib/causes holds the rules; its head explains the language. A stack has up to three parts:
 *   wait  what the thread waited for: the rule of the highest priority, and among those the frame that is
 *	   nearest to the scheduler (innermost). If a way (below) is found further in, frames further out do not count:
 *	   a thread that reclaims memory in a write waits for the reclaim;
 *   op    the operation that asked for it: highest priority, then the outermost frame;
 *   via   what the operation had to do on the way (reclaim, page fault …), outermost first.
 * The words are "op: via: wait". Without a rule for the wait the cause is unknown, and says so. */
#ifndef DWELL_LATENCY_CAUSES_H
#define DWELL_LATENCY_CAUSES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/strb.h"

enum cause_class {
#define CLASS(id, name, what) CAUSE_##id,
#include "latency/cause/cause.def"
#undef CLASS
	CAUSE_NCLASSES
};

/* Bits of a set of facts. */
enum cause_fact_index {
#define FACT(id, name, what) CAUSE_FACT_INDEX_##id,
#include "latency/cause/cause_fact.def"
#undef FACT
	CAUSE_NFACTS
};
enum cause_fact {
#define FACT(id, name, what) CAUSE_FACT_##id = 1u << CAUSE_FACT_INDEX_##id,
#include "latency/cause/cause_fact.def"
#undef FACT
};

#define CAUSES_MAX_BYTES (1u << 20) /* of one file of rules */
#define CAUSES_MAX_RULES 4096	    /* in all files together */
#define CAUSES_MAX_PATTERNS 32768   /* of all rules */
#define CAUSES_MAX_PRIO 9
#define CAUSES_MAX_SYMBOL 256 /* longer names of functions match no rule */
#define CAUSES_MAX_VIA 3
#define CAUSES_MAX_DEPTH 512 /* frames further out are not looked at */

struct causes; /* the rules, and what was learned of them; not thread-safe */

/* The rule that gave these words, and the frame that it fitted. */
struct cause_part {
	const char *words; /* NULL: no such part */
	const char *file;  /* of the rule */
	unsigned line;
	int frame; /* index into the stack; -1: a fact */
};

struct cause {
	const char *words; /* "fsync: journal commit (jbd2)"; never NULL. Equal words are one pointer */
	enum cause_class class;
	bool inferred; /* the rule is a good guess */
	struct cause_part wait, op, via[CAUSES_MAX_VIA];
	unsigned nvia;
};

/* A set of rules, empty. -ENOMEM. */
int causes_new(struct causes **ret);
void causes_free(struct causes *c); /* accepts NULL */
/* Adds the rules of one text. Among equals those added first hold, so a user's own file goes before dwell's.
 * name: of the file, for messages "name:line: …". -EINVAL with the first error in err; then nothing of the
 * text is added. */
int causes_add(struct causes *c, const char *name, const char *text, size_t len, struct err *err);
/* The same of a file. -errno with the reason in err. */
int causes_add_file(struct causes *c, const char *path, struct err *err);

/* Facts that programs of dlib/latency note of a wait, as bits of one number. */
#define WHY_FUTEX_CONDITION 1 /* of a futex: as one waits for a condition */
#define WHY_FUTEX_TIMEOUT 2   /* of a futex: a timer ended it, or will if nobody does */
#define WHY_MADE_WAY 4	      /* it could run: what its stack tells of is over */
#define WHY_ENDED 8	      /* its process ended, and this was not the first thread */
/* They as facts. */
uint32_t causes_noted(uint64_t noted);

/* The cause of a wait. names: functions of the kernel stack, innermost first; NULL: no name is known.
 * facts: enum cause_fact. Texts in ret live as long as c. Cheap: about 20 ns per frame once a name was
 * seen; a caller that meets the same stack often keeps the answer. */
int causes_classify(struct causes *c, const char *const *names, size_t n, uint32_t facts, struct cause *ret);

/* Is this a function of a program that waits for a lock, and not for a condition? (userwait.def) */
bool causes_user_lock(const char *function);
/* A function of a program's stack, as the symboliser names it; NULL: not known. */
struct cause_uframe {
	const char *module, *name;
	bool runtime; /* of a language runtime's program (rt_is_frame()) */
};
/* facts, and what the functions of the program say besides, when it waits for a futex: CAUSE_FACT_USER_LOCK,
 * CAUSE_FACT_WORK. f: innermost first. whole: the stack reaches to where the thread begins. */
uint32_t causes_user_facts(uint32_t facts, const struct cause_uframe *f, size_t n, bool whole);

/* "io": its name in dlib/causes. */
const char *cause_class_name(enum cause_class class);
/* Waits that are shown only when asked for (--idle, key i), in all views: for something to do, and sleeps. */
bool cause_is_idle(enum cause_class class);
/* A fact's name. */
const char *cause_fact_name(enum cause_fact_index i);

/* -- checking the rules against a kernel -- */

/* Notes that the kernel has this function. */
int causes_seen(struct causes *c, const char *name);
/* Every rule, in order. fn: words as written, what the rule is, and how many of its patterns matched a function
 * given to causes_seen() (rules of facts count as matching). */
struct cause_rule_info {
	const char *kind, *words, *file;
	unsigned line;
	enum cause_class class;
	unsigned npatterns, nmatched;
};
void causes_rules(const struct causes *c, void (*fn)(void *arg, const struct cause_rule_info *r), void *arg);
/* The function's name as rules see it: without .isra.0, .constprop.0, .part.0, .cold, .llvm.123 … and without
 * "module`". Cut at size. */
void causes_plain_name(const char *name, char *buf, size_t size);
#endif
