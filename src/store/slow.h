/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the parts of a slow event (ACT_SLOW) in a record: attributes, stacks, times. */
#ifndef DWELL_STORE_SLOW_H
#define DWELL_STORE_SLOW_H
#include "store/recording.h"

/* Attributes of an event whose source knows what was waited for without a stack: in words ("": not known), and the name
 * of its class (latency/cause/cause.def). */
#define SLOW_WAITED_FOR "waited_for"
#define SLOW_CLASS "class"

/* A slow event as one finds it in a record; points into it. */
struct slow_event {
	struct rec_slow fixed;		   /* comm and end_comm are NUL-terminated here */
	const struct rec_tracker *tracker; /* NULL: damaged */
	const uint8_t *key;		   /* of the tracker's layout; NULL: it has none */
	const struct recfield *attrs;	   /* with names; values at off from rec */
	size_t nattrs;
	const uint8_t *rec;
};
/* act: an ACT_SLOW of a format that rec has. */
struct slow_event slow_event(const struct rec_schema *s, const struct recact *act, const uint8_t *rec);
/* "normal", "timeout" …; NULL when there is no such. And back: -1. */
const char *slow_how_name(uint32_t how);
int slow_how_of(const char *name);
#endif
