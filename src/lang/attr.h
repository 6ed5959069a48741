/* SPDX-License-Identifier: Apache-2.0 */
/* Stability attributes of names: how stable a name is, how stable what it stands for, and on what it
 * depends. A program has the least of all that it uses.
 * Source: DTrace guide, chapter Stability. */
#ifndef DWELL_LANG_ATTR_H
#define DWELL_LANG_ATTR_H
#include "lang/dprog.h"

/* From the least to the most stable, and from the most to the least special. */
enum stability {
	STAB_INTERNAL,
	STAB_PRIVATE,
	STAB_OBSOLETE,
	STAB_EXTERNAL,
	STAB_UNSTABLE,
	STAB_EVOLVING,
	STAB_STABLE,
	STAB_STANDARD,
	STAB_COUNT_
};
enum depclass { CLASS_UNKNOWN, CLASS_CPU, CLASS_PLATFORM, CLASS_GROUP, CLASS_ISA, CLASS_COMMON, CLASS_COUNT_ };

struct dattr {
	uint8_t name, data; /* enum stability */
	uint8_t class;	    /* enum depclass */
};

/* The parts of a provider that have a stability: itself, the parts of its probes' names, and their arguments. */
enum attr_part { PART_PROVIDER, PART_MODULE, PART_FUNCTION, PART_NAME, PART_ARGS, PART_COUNT_ };
struct pattr {
	struct dattr part[PART_COUNT_];
};

const char *attr_stability_name(unsigned s);
const char *attr_class_name(unsigned c);
/* "Stable/Stable/Common": 0 or -EINVAL; the text of attributes is in the arena. */
int attr_parse(const char *text, struct dattr *ret);
const char *attr_text(struct arena *a, struct dattr at);
struct dattr attr_min(struct dattr a, struct dattr b);
/* Is a part of a less than that of b? */
bool attr_less(struct dattr a, struct dattr b);
/* PART_COUNT_: no such part ("provider", "module", "function", "name", "args"). */
enum attr_part attr_find_part(const char *name);

/* The attributes of a provider by name ("pid123": pid; unknown ones are Unstable). p: for what
 * the program's own #pragma D attributes say; or NULL. */
struct pattr attr_provider(const struct dprog *p, const char *prov);
/* The attributes of a description: the least of the parts that it gives. */
struct dattr attr_desc(const struct dprog *p, const struct pdesc *d);
/* The attributes of the arguments of a clause's probes. */
struct dattr attr_args(const struct dprog *p, const struct pdesc *d);
/* The attributes of one clause's statements, predicate included. at_least (or NULL): *worst is the first node below it.
 */
struct dattr attr_clause(const struct dprog *p, const struct clause_instance *s, const struct dattr *at_least,
			 const struct node **worst);
/* The least of all clauses of one text (NULL: of all). */
void attr_program(const struct dprog *p, const struct source *src, struct dattr *desc, struct dattr *stmt);
#endif
