/* SPDX-License-Identifier: Apache-2.0 */
/* The history of hosts: kernel, version of dwell, labels. In: a range; out: the changes
 * of a host about a moment, in words. */
#ifndef DWELL_FLEET_ASK_HISTORY_H
#define DWELL_FLEET_ASK_HISTORY_H
#include "base/vec.h"
#include "fleet/ask/ask.h"

#define HISTORY_ABOUT_S 600u /* a change of a host counts within this time, or within an eighth of the range */
#define HISTORY_BACK_S 7200u /* how far before the range it looks for the first description */
#define HISTORY_WORDS_MAX 320u

struct history_fact {
	char *host, *what; /* what: "kernel A -> B" */
	uint64_t at;	   /* s since 1970, of the host's clock */
};
struct history {
	VEC(struct history_fact) v;
	uint64_t about;
};
/* All zero at first. 0 or -errno. */
int history_load(struct click *c, const struct ask_what *w, struct history *ret, struct err *err);
/* "kernel A -> B on 3 hosts at 14:02, rack 4 -> 9 at 14:03"; "" when the host has not changed about then. */
void history_about(const struct history *h, const char *host, uint64_t at, char words[HISTORY_WORDS_MAX]);
void history_free(struct history *h);
#endif
