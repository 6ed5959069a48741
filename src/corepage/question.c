/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a line of commands from a question. */
#include "corepage/question.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"

#define ADDRESS_MAX 16 /* digits */

static const struct {
	const char *name, *line; /* %s: the address */
	bool at, dominators;
} rows[] = {
	{ "status", "::status", false, false },
	{ "constructors", "::findjsobjects", false, false },
	{ "objects", "%s::findjsobjects -n 0t500 | ::jsprint -d 0 -n 6 -s 0t60", true, false },
	{ "object", "%s::jsprint -d 0 -n 6 -s 0t1000", true, false },
	{ "properties", "%s::jsproperties -n 0t500", true, false },
	{ "variables", "%s::jsclosure", true, false },
	{ "references", "%s::findjsobjects -r -n 0t200", true, false },
	{ "path", "%s::jspath", true, false },
	{ "strings", "::jsstrings -n 0t200", false, false },
	{ "retainers", "::jsretained -n 0t200", false, true },
	{ "dominated", "%s::jsretained -n 0t30", true, true },
};

/* A name alone, or with one address after it. */
static bool take_parts(const char *text, char *name, size_t size, char at[ADDRESS_MAX + 1])
{
	const size_t n = strcspn(text, "\n");
	size_t digits;

	at[0] = '\0';
	if (n >= size || text[n] != '\n')
		return false;
	memcpy(name, text, n);
	name[n] = '\0';
	text += n + 1;
	if (!*text)
		return true;
	if (strncmp(text, "at=", 3) != 0)
		return false;
	text += 3;
	digits = strspn(text, "0123456789abcdef");
	if (!digits || digits > ADDRESS_MAX || strcmp(text + digits, "\n") != 0)
		return false;
	memcpy(at, text, digits);
	at[digits] = '\0';
	return true;
}

int question_read(const char *text, struct question *ret)
{
	char name[32], at[ADDRESS_MAX + 1];

	if (!take_parts(text, name, sizeof(name), at))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *rest = rows[i].at ? rows[i].line + 2 : rows[i].line;

		if (strcmp(rows[i].name, name) != 0)
			continue;
		if (rows[i].at != (at[0] != '\0'))
			return -EINVAL;
		snprintf(ret->line, sizeof(ret->line), "%s%s", at, rest);
		ret->dominators = rows[i].dominators;
		return 0;
	}
	return -EINVAL;
}
