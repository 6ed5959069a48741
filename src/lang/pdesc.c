/* SPDX-License-Identifier: Apache-2.0 */
/* Probe descriptions: splitting "prov:mod:func:name" and matching globs. */
#include <errno.h>
#include <string.h>
#include "lang/probeinfo.h"

/* Parses a description right-aligned: what is left of the first part given is empty. */
int pdesc_parse(struct arena *a, const char *text, size_t len, struct pdesc *ret)
{
	const char **const parts[] = { &ret->name, &ret->func, &ret->mod, &ret->prov };
	const char *end = text + len, *from;
	size_t n = 0;

	*ret = (struct pdesc){ 0 };
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

bool pdesc_is_exact(const char *s)
{
	return s && *s && !strpbrk(s, "*?[\\");
}

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
	case '\0': return NULL;
	case '?': return p + 1;
	case '[': return match_set(p + 1, c, &end) ? end : NULL;
	case '\\':
		if (p[1])
			p++;
		break;
	}
	return *p == c ? p + 1 : NULL;
}

bool pdesc_glob(const char *pat, const char *s)
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

bool pdesc_match(const struct pdesc *d, const struct probe *p)
{
	if (d->id)
		return d->id == p->id;
	return pdesc_glob(d->prov, p->prov) && pdesc_glob(d->mod, p->mod) && pdesc_glob(d->func, p->func) &&
	       pdesc_glob(d->name, p->name);
}

bool pdesc_kernel_elsewhere(const char *mod)
{
	static const char *const kernels[] = { "genunix", "unix", "kernel", "mach_kernel", "freebsd" };

	for (size_t i = 0; mod && i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (!strcmp(mod, kernels[i]))
			return true;
	return false;
}
