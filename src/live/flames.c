/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of flame graphs that can be recorded: their programs, and their names in recordings. */
#include "live/flames.h"
#include <string.h>
#include "base/cleanup.h"
#include "view/stack/recstacks.h"

static const struct {
	const char *program, *head, *by, *empty; /* by: what it is in recordings, also of dwell record */
} flames[] = {
	{ "flame/on-cpu", "On CPU", "on_cpu" RECSTACKS_OR "on_cpu_samples",
	  "no samples: nothing ran on a CPU when one was taken, 199 times a second; let it run longer, or see with --off-cpu where it waits" },
	{ "flame/off-cpu", "Off CPU", "off_cpu_ns" RECSTACKS_OR "state",
	  "no samples: no thread has waited and gone on; let it run longer, or see with --on-cpu what it computes" },
	{ "flame/wakeup", "Sleep and wake-up", "wakeup_ns",
	  "no samples: no thread was woken up; let it run longer, or see with --on-cpu what it computes" },
};

static size_t flame_of(const struct recnow *l)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(flames) && strcmp(flames[i].program, l->program) != 0)
		i++;
	return i;
}

int live_flame_choose(struct recnow *l, bool *ret_record, struct err *err)
{
	(void)err;
	if (!l->program && recnow_asked(l))
		l->program = "flame/on-cpu";
	*ret_record = l->program;
	return 0;
}

const char *live_flame_head(const struct recnow *l)
{
	return flames[flame_of(l)].head;
}

const char *live_flame_by(const struct recnow *l)
{
	return flames[flame_of(l)].by;
}

const char *live_flame_empty(const struct recnow *l)
{
	return flames[flame_of(l)].empty;
}
