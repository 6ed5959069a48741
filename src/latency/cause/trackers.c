/* SPDX-License-Identifier: Apache-2.0 */
/* Looks trackers up in the generated table. */
#include "latency/cause/trackers.h"
#include <string.h>
#include "base/cleanup.h"
#include "latency/tracker_facts.h"

static const struct tracker_facts all[] = {
#define FACT(name, file, rank, level, words, class, attr, cost, leave, target, sampled) \
	{ name, file, rank > 0, level, words, class, attr, cost, leave, target, sampled },
	TRACKER_FACTS(FACT)
#undef FACT
};

static const struct tracker_facts foreign = {
	.name = "", .file = "", .level = CHAIN_CALL, .words = "its end", .class = CAUSE_UNKNOWN, .attr = ""
};

const struct tracker_facts *trackers_facts(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i].name, name))
			return &all[i];
	return &foreign;
}

/* The trackers of a file follow each other. */
static const char *nth_file(size_t n, bool only_default)
{
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!all[i].file[0] || (only_default && !all[i].is_default) ||
		    (i > 0 && !strcmp(all[i].file, all[i - 1].file)))
			continue;
		if (n-- == 0)
			return all[i].file;
	}
	return NULL;
}

const char *trackers_file(size_t i)
{
	return nth_file(i, false);
}

const char *trackers_default(size_t i)
{
	return nth_file(i, true);
}

const struct tracker_facts *trackers_left_out(size_t i)
{
	for (size_t k = 0; k < ARRAY_SIZE(all); k++)
		if (all[k].leave == i + 1)
			return &all[k];
	return NULL;
}

bool trackers_of_process(const char *file)
{
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].of_process && !strcmp(all[i].file, file))
			return true;
	return false;
}

bool trackers_has_file(const char *name)
{
	const char *file;

	for (size_t i = 0; (file = trackers_file(i)); i++)
		if (!strcmp(file, name))
			return true;
	return false;
}

const char *trackers_joined(const char *folder, const char *file)
{
	static const struct {
		const char *folder, *file, *text;
	} programs[] = {
#define JOINED(folder, file, text) { folder, file, text },
		TRACKER_JOINED(JOINED)
#undef JOINED
	};

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strcmp(programs[i].folder, folder) && !strcmp(programs[i].file, file))
			return programs[i].text;
	return NULL;
}
