/* SPDX-License-Identifier: Apache-2.0 */
/* Completes types and paths of members: ::print struct conn pee<TAB>, ::offsetof conn peer.add<TAB>. */
#include "core/ctypecomplete.h"
#include <string.h>
#include "base/cleanup.h"
#include "core/ctype.h"

#define WORDS 16
#define NAMED (TKM(TK_INT) | TKM(TK_FLOAT) | TKM(TK_STRUCT) | TKM(TK_UNION) | TKM(TK_ENUM) | TKM(TK_TYPEDEF))

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

/* The type at the end of a path, by types alone: memory is not read. */
static bool type_at(struct shell *s, struct ctype *t, const char *path, size_t n)
{
	char part[SHELL_MAX_NAME];
	size_t from = 0;

	for (size_t i = 0; i <= n; i++) {
		struct ctype to;
		struct cplace p;

		if (i < n && path[i] != '.' && strncmp(path + i, "->", 2) != 0)
			continue;
		if (i > from) {
			memcpy(part, path + from, i - from);
			part[i - from] = '\0';
			p = (struct cplace){ .type = *t };
			if (cplace_follow(s, &p, part, false) < 0)
				return false;
			*t = p.type;
		}
		from = i + (i < n && path[i] == '-' ? 2 : 1);
		i = from - 1;
		while (i < n && ctype_target(t, &to)) /* of pointers */
			*t = to;
	}
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

static uint32_t kinds_after(const char *word)
{
	return !strcmp(word, "struct") || !strcmp(word, "class") ? TKM(TK_STRUCT)
	       : !strcmp(word, "union")				 ? TKM(TK_UNION)
	       : !strcmp(word, "enum")				 ? TKM(TK_ENUM)
								 : 0;
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
	static const char *const commands[] = { "print", "sizeof", "offsetof", "list", "array" };
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
	if (!count || (count == 1 && kinds_after(words[0])))
		ctype_each(s, count ? kinds_after(words[0]) : NAMED, word, fn, arg);
	else if (strcmp(command, "sizeof") != 0 && strcmp(command, "array") != 0 &&
		 ctype_parse(s, count, words, &used, &t) == 0 && type_at(s, &t, word, at))
		offer_members(&t, &(struct members){ fn, arg, word, at }, 0);
	err_done(&s->err);
	return true;
}
