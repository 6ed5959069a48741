/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a tool by its name, or by the name that bcc or bpftrace uses. */
#include "front/tool.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/columns.h"

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

#define NAME_COLUMNS 15

/* In the order in which they are listed; the last one: of tools that name none of them. */
static const char *const topics[] = {
	"Processes",
	"Signals",
	"System calls",
	"Files",
	"Block devices",
	"CPU",
	"Scheduler",
	"Locks",
	"Memory",
	"Network",
	"Interrupts and kernel work",
	"Functions of the kernel",
	"Functions of programs",
	"Other",
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

/* Its number in topics[]. */
static size_t topic_of(const char *text)
{
	static const char key[] = "\n * Topic: ";
	size_t len, n = 0, i = 0;
	const char *head = tool_head(text, &len), *at = head ? memmem(head, len, key, sizeof(key) - 1) : NULL;

	if (at) {
		at += sizeof(key) - 1;
		n = strcspn(at, "\n");
	}
	while (i + 1 < ARRAY_SIZE(topics) && (strlen(topics[i]) != n || memcmp(topics[i], at, n) != 0))
		i++;
	return i;
}

static void put_row(const struct tool_row *t, int indent, int columns, FILE *out)
{
	const int at = fprintf(out, "%*s%-*s ", indent, "", NAME_COLUMNS, t->name);

	columns_wrap(out, t->summary, at, indent + NAME_COLUMNS + 1, columns);
}

static size_t list_found(const struct tool_row *v, size_t n, const char *word, int columns, FILE *out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (strcasestr(v[i].name, word) || strcasestr(v[i].summary, word) ||
		    strcasestr(topics[topic_of(v[i].text)], word)) {
			put_row(&v[i], 0, columns, out);
			found++;
		}
	return found;
}

size_t tool_list(const struct tool_row *v, size_t n, const char *word, int columns, FILE *out)
{
	size_t found = 0;

	if (word)
		return list_found(v, n, word, columns, out);
	for (size_t t = 0; t < ARRAY_SIZE(topics); t++) {
		const size_t before = found;

		for (size_t i = 0; i < n; i++)
			if (topic_of(v[i].text) == t) {
				if (found++ == before)
					fprintf(out, "%s%s\n", before ? "\n" : "", topics[t]);
				put_row(&v[i], 2, columns, out);
			}
	}
	return found;
}
