/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a slow event of a tracker into a wait with its cause, from the attributes that slow() recorded. */
#ifndef DWELL_LATENCY_SLOWWAIT_H
#define DWELL_LATENCY_SLOWWAIT_H
#include "latency/cause/causes.h"
#include "latency/cause/chain.h"
#include "store/slow.h"
#include "sym/sym.h"

struct slowwait {
	struct chain_wait wait;
	enum cause_class class;
	const char *cause; /* all words; lives as long as the causes, or the wait */
};

/* The facts in an attribute of slow(): its text, or "", or its number. Bits of enum cause_fact. */
uint32_t slowwait_facts(const char *name, const char *text, uint64_t number);
/* Does the event say itself what a thread waited for (SLOW_WAITED_FOR)? */
bool slowwait_is_known(const struct slow_event *e);
/* sym may be NULL. Texts of ret->wait are its own; ret->cause may point into it. 0 or -ENOMEM. */
int slowwait_make(struct causes *c, struct sym *sym, const struct slow_event *e, struct slowwait *ret);
#endif
