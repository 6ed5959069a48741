/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the names of probes that fire by time, such as tick-10sec, and makes their ids. Private to src/prov. */
#ifndef DWELL_PROV_KERNEL_TIMER_H
#define DWELL_PROV_KERNEL_TIMER_H
#include "base/num.h"
#include "prov/prov_int.h"

#define TIMER_MAX_KINDS 2

/* The names that probes of a provider may have. */
struct timer_family {
	const char *prov;
	const char *kinds[TIMER_MAX_KINDS]; /* what stands before the number: "tick-" */
	bool plain;			    /* the kinds without "-" and a number exist, too: period_ns is 0 */
	uint64_t min_ns;		    /* shortest period */
	const char *too_fast, *bad_number, *too_long; /* in words */
	const char *const *listed;		      /* names in listings, NULL at the end */
	/* Ids: names in canonical spelling with a value below this are packed, so that an id gives back the name. The
	 * others get a hash in the rest of the range. */
	uint32_t id_base, id_count, id_values;
};

/* A name taken apart; kept for the session, since the id of a long name does not tell the name. */
struct timer {
	struct timer *next;
	const struct timer_family *family;
	const char *name;
	unsigned kind;		     /* which of family.kinds */
	const struct num_unit *unit; /* NULL: a plain name */
	uint64_t value, period_ns;
	uint32_t id;
};

/* As of struct provider; probe.priv is the struct timer. */
int timer_match(struct prov_env *env, struct arena *a, const struct pdesc *d, const struct timer_family *f,
		struct probe_list *out, const char **reason);
int timer_by_id(struct prov_env *env, struct arena *a, uint32_t id, const struct timer_family *f, struct probe **ret);
#endif
