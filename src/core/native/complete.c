/* SPDX-License-Identifier: Apache-2.0 */
/* Completes types and paths of members: ::print struct conn pee<TAB>, ::offsetof conn peer.add<TAB>. */
#include "core/native/complete.h"
#include <string.h>
#include "base/cleanup.h"
#include "core/native/ctype.h"

#define WORDS 16

struct members {
	void (*fn)(void *arg, const char *candidate);
	void *arg;
	const char *path; /* before the name */
	size_t n;
};

static void offer_member(const struct members *to, const char *name)
{
	char text[SHELL_MAX_NAME];

	if (to->n + strlen(name) >= sizeof(text))
		return;
	memcpy(text, to->path, to->n);
	strcpy(text + to->n, name);
	to->fn(to->arg, text);
}

static void offer_members(const struct ctype *t, const struct members *to, unsigned depth)
{
	struct ctype r;
	struct tinfo info;

	if (depth == CTYPE_MAX_NEST || !ctype_resolve(t, &r, &info) ||
	    (info.kind != TK_STRUCT && info.kind != TK_UNION))
		return;
	for (uint32_t i = 0; i < info.nmembers; i++) {
		struct tmember m;

		if (typesrc_member(r.ts, r.ref, i, &m) < 0)
			return;
		if (*m.name)
			offer_member(to, m.name);
		else
			offer_members(&(struct ctype){ r.ts, m.type, 0 }, to, depth + 1);
	}
}

/* The type at the end of a path of n bytes, the last of which stand before a name: "a.b->". */
static bool type_at(struct shell *s, struct ctype *t, const char *path, size_t n)
{
	struct cplace p = { .type = *t };
	char text[SHELL_MAX_NAME];
	struct ctype to;

	while (n && strchr(".->", path[n - 1]))
		n--;
	if (n >= sizeof(text))
		return false;
	memcpy(text, path, n);
	text[n] = '\0';
	if (cplace_follow(s, &p, text, CPLACE_TYPES) < 0)
		return false;
	*t = p.type;
	while (ctype_target(t, &to)) /* members are those of what it points to */
		*t = to;
	return true;
}

/* The words between the command's name and the one that is completed, without options. */
static int words_of(char *text, char *ret[WORDS])
{
	char *save = NULL, *w = strtok_r(text, " \t", &save);
	int n = 0;

	while ((w = strtok_r(NULL, " \t", &save)) && n < WORDS) {
		if (w[0] != '-')
			ret[n++] = w;
		else if (!strcmp(w, "-d") || !strcmp(w, "-n"))
			strtok_r(NULL, " \t", &save);
	}
	return n;
}

/* Where the last part of a path begins. */
static size_t last_part(const char *word)
{
	size_t n = strlen(word);

	while (n && word[n - 1] != '.' && !(n > 1 && word[n - 2] == '-' && word[n - 1] == '>'))
		n--;
	return n;
}

bool ctype_complete(struct shell *s, const char *command, const char *line, size_t n, const char *word,
		    void (*fn)(void *arg, const char *candidate), void *arg)
{
	static const char *const commands[] = { "print", "sizeof", "offsetof", "list", "array", "typedef" };
	_cleanup_free_ char *copy = strndup(line, n);
	const size_t at = last_part(word);
	char *words[WORDS];
	struct ctype t;
	int count, used;
	size_t i = 0;

	while (i < ARRAY_SIZE(commands) && strcmp(commands[i], command) != 0)
		i++;
	if (i == ARRAY_SIZE(commands) || !copy)
		return false;
	count = words_of(copy, words);
	if (!count || (count == 1 && ctype_kinds(words[0])))
		ctype_each(s, count ? ctype_kinds(words[0]) : CTYPE_NAMED, word, fn, arg);
	else if (strcmp(command, "sizeof") != 0 && strcmp(command, "array") != 0 && strcmp(command, "typedef") != 0 &&
		 ctype_parse(s, count, words, &used, &t) == 0 && type_at(s, &t, word, at))
		offer_members(&t, &(struct members){ fn, arg, word, at }, 0);
	err_done(&s->err);
	return true;
}
