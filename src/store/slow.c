/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and checks the parts of a slow event in a record. */
#include "store/slow.h"
#include <string.h>
#include "base/cleanup.h"

struct slow_event slow_event(const struct rec_schema *s, const struct recact *act, const uint8_t *rec)
{
	struct slow_event e = { .rec = rec, .attrs = act->fields + 2, .nattrs = act->nfields - 2 };

	memcpy(&e.fixed, rec + act->fields[0].off, sizeof(e.fixed));
	e.fixed.comm[REC_COMM - 1] = e.fixed.end_comm[REC_COMM - 1] = '\0';
	if (e.fixed.tracker < s->ntrackers && e.fixed.how < SLOW_NHOW)
		e.tracker = &s->trackers[e.fixed.tracker];
	if (e.tracker && e.tracker->key_size && act->fields[1].size >= e.tracker->key_size)
		e.key = rec + act->fields[1].off;
	return e;
}

static const char *const how_names[] = {
	[SLOW_NORMAL] = "normal",	[SLOW_TIMEOUT] = "timeout", [SLOW_REPLACED] = "replaced",
	[SLOW_COLLECTED] = "collected", [SLOW_CONTROL] = "control",
};

const char *slow_how_name(uint32_t how)
{
	return how < ARRAY_SIZE(how_names) ? how_names[how] : NULL;
}

int slow_how_of(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(how_names); i++)
		if (!strcmp(how_names[i], name))
			return (int)i;
	return -1;
}
