/* SPDX-License-Identifier: Apache-2.0 */
/* Probe descriptions: splitting "prov:mod:func:name" and matching globs. */
#include <errno.h>
#include <string.h>
#include "lang/dprog.h"

/* Parses a description right-aligned: what is left of the first part given is empty. */
int pdesc_parse(struct arena *a, const char *text, size_t len, struct pdesc *ret)
{
	const char **const parts[] = {&ret->name, &ret->func, &ret->mod, &ret->prov};
	const char *end = text + len, *from;
	size_t n = 0;

	*ret = (struct pdesc){0};
	for (;;) {
		for (from = end; from > text && from[-1] != ':';)
			from--;
		if (n == sizeof(parts) / sizeof(parts[0]))
			return end > text ? -EINVAL : 0; /* as DTrace: nothing before a fifth colon */
		if (from < end)
			*parts[n] = arena_strndup(a, from, (size_t)(end - from));
		n++;
		if (from == text)
			return 0;
		end = from - 1;
	}
}

bool pdesc_is_glob(const char *s)
{
	return s && strpbrk(s, "*?[\\") != NULL;
}

/* Matches one character against the class at p ("[a-z]", "[!x]"). Returns the byte behind the class,
 * or NULL when it has no end (then [ stands for itself). */
static const char *match_class(const char *p, char c, bool *ret)
{
	bool negate = p[1] == '!', hit = false;

	for (p += negate ? 2 : 1; *p && *p != ']'; p++) {
		unsigned char from, to;

		if (*p == '\\' && p[1])
			p++;
		from = to = (unsigned char)*p;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			p += 2;
			if (*p == '\\' && p[1])
				p++;
			to = (unsigned char)*p;
		}
		hit |= (unsigned char)c >= from && (unsigned char)c <= to;
	}
	if (!*p)
		return NULL;
	*ret = hit != negate;
	return p + 1;
}

/* Matches one character of text against the pattern element at *p, which must not be a star; moves
 * *p behind the element. */
static bool match_one(const char **p, char c)
{
	const char *next;
	bool hit;

	if (**p == '?') {
		++*p;
		return true;
	}
	if (**p == '[') {
		next = match_class(*p, c, &hit);
		if (next) {
			*p = next;
			return hit;
		}
	}
	if (**p == '\\' && (*p)[1])
		++*p;
	return *(*p)++ == c;
}

/* Without recursion: after a mismatch the last star takes one character more. */
bool pdesc_glob(const char *pattern, const char *text)
{
	const char *p = pattern, *star = NULL, *star_text = NULL;

	if (!pattern || !*pattern)
		return true;
	while (*text) {
		if (*p == '*') {
			star = ++p;
			star_text = text;
		} else if (*p && match_one(&p, *text)) {
			text++;
		} else if (star) {
			p = star;
			text = ++star_text;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

bool pdesc_match(const struct pdesc *d, const struct probe *p)
{
	if (d->id)
		return d->id == p->id;
	return pdesc_glob(d->prov, p->prov) && pdesc_glob(d->mod, p->mod) &&
	       pdesc_glob(d->func, p->func) && pdesc_glob(d->name, p->name);
}
