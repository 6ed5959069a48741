/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles names with libiberty, and limits their length, which libiberty does not. */
#include "sym/elf/demangle.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
/* The header wants size_t from its includer. */
#include <libiberty/demangle.h>

static bool is_digit_of_reference(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* References S_ S1_ T_ T0_ (Itanium), B_ Bx_ (Rust): a letter, digits, an underscore. Letters that
 * could be digits too count as the start of a reference, so the count errs to the high side. */
static bool ends_reference(const char *raw, const char *underscore)
{
	for (const char *p = underscore; p > raw && underscore - p < 6;) {
		p--;
		if (*p == 'S' || *p == 'T' || *p == 'B')
			return true;
		if (!is_digit_of_reference(*p))
			return false;
	}
	return false;
}

/* A level of nesting that names its inner level m times costs m references. k references spent on levels of m multiply
 * by m^(k/m), which is largest for m = 3. An expanded pack multiplies by its length when it lies in another one. */
uint64_t demangle_growth(const char *raw)
{
	uint64_t n = strlen(raw), bound = n;
	unsigned refs = 0, packs = 0;

	for (const char *p = raw; *p; p++) {
		if (*p == '_' && ends_reference(raw, p))
			refs++;
		else if (p[0] == 'p' && p > raw && (p[-1] == 'D' || p[-1] == 's'))
			packs++;
	}
	for (unsigned i = 0; i + 3 <= refs && bound < UINT32_MAX; i += 3)
		bound *= 3;
	bound *= refs % 3 ? refs % 3 : 1;
	for (unsigned i = 1; i < packs && bound < UINT32_MAX; i++)
		bound *= n;
	return bound;
}

static bool looks_mangled(const char *s)
{
	return s[0] == '_' && (s[1] == 'Z' || s[1] == 'R' || (s[1] == '_' && s[2] == 'Z'));
}

/* malloc'ed, or NULL when it is no mangled name. */
static char *unmangle(struct demangler *d, const char *raw)
{
	uint64_t limit = d->spent < DEMANGLE_BUDGET ? DEMANGLE_MAX_GROWTH : DEMANGLE_TIGHT_GROWTH;

	if (demangle_growth(raw) > limit)
		return NULL;
	/* Not cplus_demangle(): it ends the program when memory runs out. */
	char *out = rust_demangle(raw, DMGL_NO_OPTS);

	if (!out)
		out = cplus_demangle_v3(raw, DMGL_NO_OPTS);
	if (out)
		d->spent += strlen(out);
	return out;
}

const char *demangle(struct demangler *d, struct strset *ss, const char *raw)
{
	struct demangled *e;
	const char *key = strset_add(ss, raw);

	if (!key || !looks_mangled(key))
		return key;
	HASH_FIND_PTR(d->done, &key, e);
	if (e)
		return e->shown;
	char *out = unmangle(d, key);

	e = malloc(sizeof(*e));
	if (!e) {
		free(out);
		return key;
	}
	*e = (struct demangled){ .raw = key, .shown = key };
	if (out && *out)
		e->shown = strset_addn(ss, out, DEMANGLE_MAX_OUT);
	free(out);
	if (!e->shown)
		e->shown = key;
	const char *shown = e->shown;

	HASH_ADD_PTR(d->done, raw, e);
	if (!e->hh.tbl)
		free(e);
	return shown;
}

void demangler_free(struct demangler *d)
{
	struct demangled *e, *tmp;

	HASH_ITER (hh, d->done, e, tmp) {
		HASH_DEL(d->done, e);
		free(e);
	}
}
