/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the rules of causes in memory, which the parser and the classifier share. */
#ifndef DWELL_LATENCY_CAUSES_INT_H
#define DWELL_LATENCY_CAUSES_INT_H
#include "base/arena.h"
#include "base/vec.h"
#include "latency/cause/causes.h"
#include "base/hash_try.h"

enum rule_kind { RULE_SKIP, RULE_WAIT, RULE_VIA, RULE_OP };

struct cause_rule {
	enum rule_kind kind;
	unsigned prio;
	enum cause_class class;
	const char *words; /* "" for skip */
	const char *file;
	unsigned line;
	bool alone; /* the words stand without operation and way */
	bool inferred;
	unsigned npatterns;
};

/* One pattern of a rule: name, glob, name<caller, or @fact. */
struct cause_pattern {
	uint32_t rule;
	const char *name;   /* NULL: a fact */
	const char *caller; /* or NULL: glob of the nearest frame further out that is not skipped */
	uint32_t fact;
	bool glob;    /* name has * or ? */
	bool seen;    /* matched a function given to causes_seen() */
	int32_t next; /* of the same exact name, or -1 */
};

/* An exact name and its patterns. */
struct cause_exact {
	UT_hash_handle hh;
	int32_t first; /* pattern */
	const char *name;
};

/* A pattern that a name matches, and what its first * stands for. */
struct cause_match {
	uint32_t pattern;
	uint16_t star, star_len;
};

/* Cached answers about a function's name. */
struct cause_symbol {
	UT_hash_handle hh;
	bool skip;
	uint32_t nmatches;
	struct cause_match *matches; /* in the order of the rules; owned */
	char name[];
};

struct cause_words {
	UT_hash_handle hh;
	char text[];
};

struct causes {
	struct arena *arena; /* of the rules */
	VEC(struct cause_rule) rules;
	VEC(struct cause_pattern) patterns;
	struct cause_exact *exact;
	struct cause_symbol *symbols; /* learned */
	struct cause_words *words;    /* all that were given out */
};

/* Does the name match? Then what the first * stands for is in *star, *len. */
bool cause_glob(const char *pattern, const char *name, uint16_t *star, uint16_t *len);
/* Forgets what was learned of names: the rules have changed. */
void causes_forget(struct causes *c);
#endif
