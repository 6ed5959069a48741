/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of properties: ADDRESS::jsprint server.conns[3].host, and their completion. Inside of core/. */
#ifndef DWELL_CORE_JSCMD_FOLLOW_H
#define DWELL_CORE_JSCMD_FOLLOW_H
#include "core/js/js.h"
#include "core/shell.h"

/* The value that a path leads to. */
struct js_member {
	uint64_t value;
	bool is_double; /* number is it */
	double number;
};
/* Follows "a.b[2].c" from an object: own properties and elements, then those of its prototypes; entries of a Map by
 * their texts or numbers in brackets; private names with their #. 0, or -errno with s->err. */
int js_follow(struct shell *s, const struct js *js, uint64_t object, const char *path, struct js_member *ret);
/* Offers the paths that go on from `word`, for an object. */
void js_follow_complete(struct shell *s, uint64_t object, const char *word, shell_offer *offer, void *to);
#endif
