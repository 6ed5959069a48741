/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a tool by its name, or by the name that bcc or bpftrace uses. */
#include "front/tool.h"
#include <string.h>
#include "base/cleanup.h"

static const struct {
	const char *name, *tool;
} aliases[] = {
#define ALIAS(name, tool) { name, tool },
#define COMMAND(name, line)
#include "front/tool.def"
#undef ALIAS
#undef COMMAND
};

static const struct {
	const char *name, *line;
} commands[] = {
#define ALIAS(name, tool)
#define COMMAND(name, line) { name, line },
#include "front/tool.def"
#undef ALIAS
#undef COMMAND
};

static const char *const endings[] = { ".d", ".bt", ".py", "-bpfcc" };

bool tool_name(const char *word, char ret[TOOL_NAME_MAX], bool *other)
{
	size_t n = strlen(word);

	*other = false;
	if (n == 0 || n >= TOOL_NAME_MAX || strchr(word, '/') || word[0] == '.' || word[0] == '-')
		return false;
	memcpy(ret, word, n + 1);
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t k = strlen(endings[i]);

		if (n > k && !strcmp(ret + n - k, endings[i])) {
			ret[n - k] = '\0';
			break;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(ret, aliases[i].name)) {
			*other = true;
			memcpy(ret, aliases[i].tool, strlen(aliases[i].tool) + 1);
			break;
		}
	return true;
}

const char *tool_command(const char *word)
{
	char name[TOOL_NAME_MAX];
	bool other;

	for (size_t i = 0; tool_name(word, name, &other) && i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].line;
	return NULL;
}

bool tool_fits(const char *name, const char *summary, const char *word)
{
	return !word || strcasestr(name, word) || strcasestr(summary, word);
}

const char *tool_head(const char *text, size_t *n)
{
	const char *at = strstr(text, "\n/*\n *"), *end = at ? strstr(at, "\n */") : NULL;

	if (!end)
		return NULL;
	at += strlen("\n/*\n");
	*n = (size_t)(end - at) + 1;
	return at;
}

void tool_put_head(const char *text, FILE *out)
{
	size_t len;
	const char *at = text ? tool_head(text, &len) : NULL;

	for (const char *end = at ? at + len : NULL; at && at < end;) {
		size_t k = strcspn(at, "\n"), skip = k > 2 ? 3 : k;

		fprintf(out, "%.*s\n", (int)(k - skip), at + skip);
		at += k + 1;
	}
	fprintf(out, "\n");
}
