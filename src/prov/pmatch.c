/* SPDX-License-Identifier: Apache-2.0 */
/* Matching of probe names against descriptions with globs, and lists of probes. */
#include <string.h>
#include "prov/prov_int.h"

/* Whether [set] at p (after the bracket) holds c; *end is set after the closing bracket. A set that is
 * not closed matches nothing. The first ] is an ordinary character. */
static bool match_set(const char *p, char c, const char **end)
{
	bool neg = *p == '!', found = false;
	unsigned char last = 0, ch = (unsigned char)c;

	if (neg)
		p++;
	for (const char *first = p; *p && (*p != ']' || p == first); p++) {
		if (*p == '-' && last && p[1] && p[1] != ']') {
			p++;
			if (*p == '\\' && p[1])
				p++;
			found |= last <= ch && ch <= (unsigned char)*p;
			continue;
		}
		if (*p == '\\' && p[1])
			p++;
		last = (unsigned char)*p;
		found |= last == ch;
	}
	*end = *p ? p + 1 : NULL;
	return *p && found != neg;
}

/* One pattern element other than * against c: where the pattern goes on, or NULL. */
static const char *match_one(const char *p, char c)
{
	const char *end;

	switch (*p) {
	case '\0':
		return NULL;
	case '?':
		return p + 1;
	case '[':
		return match_set(p + 1, c, &end) ? end : NULL;
	case '\\':
		if (p[1])
			p++;
		break;
	}
	return *p == c ? p + 1 : NULL;
}

bool prov_glob(const char *pat, const char *s)
{
	const char *star = NULL, *mark = NULL, *next;

	if (!pat || !*pat)
		return true;
	/* Only the last star needs to be tried again, so the time is bounded by |pat| * |s|. */
	while (*s) {
		if (*pat == '*') {
			star = ++pat;
			mark = s;
		} else if ((next = match_one(pat, *s))) {
			pat = next;
			s++;
		} else if (star) {
			pat = star;
			s = ++mark;
		} else {
			return false;
		}
	}
	while (*pat == '*')
		pat++;
	return *pat == '\0';
}

bool prov_is_exact(const char *pat)
{
	return pat && *pat && !strpbrk(pat, "*?[\\");
}

bool prov_match_names(const struct pdesc *d, const char *prov, const char *mod, const char *func,
		      const char *name)
{
	return prov_glob(d->prov, prov) && prov_glob(d->mod, mod) && prov_glob(d->func, func) &&
	       prov_glob(d->name, name);
}

void prov_list_add(struct arena *a, struct probe_list *l, struct probe *p)
{
	/* The capacity is the next power of two: grown when n reaches one. */
	if ((l->n & (l->n - 1)) == 0) {
		struct probe **v = arena_new_arr(a, struct probe *, l->n ? l->n * 2 : 1);

		if (l->n)
			memcpy(v, l->v, l->n * sizeof(*v));
		l->v = v;
	}
	l->v[l->n++] = p;
}
