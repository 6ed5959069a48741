/* SPDX-License-Identifier: Apache-2.0 */
/* The D library: reading its texts in order of their dependencies, and an index of their names. */
#include "lang/dlib.h"
#include <string.h>
#include "lang/errtag.h"
#include "lang/syntax/lex.h"
#include "lang/types/symtab.h"

struct dlib {
	struct arena *arena;
	struct dlib_reader reader;
	bool read;
	struct dlib_file *files;
	size_t nfiles;
	struct symtab names; /* (name, enum dlib_space) -> struct dlib_item */
	struct dlib_item *xlators, **xtail;
	struct diags warnings;
};

void dlib_recheck(struct dlib *l)
{
	for (const struct symtab_entry *e = l ? l->names.first : NULL; e; e = e->later)
		for (struct dlib_item *it = e->val; it; it = it->alt)
			it->state = DLIB_NEW;
	for (struct dlib_item *it = l ? l->xlators : NULL; it; it = it->next)
		it->state = DLIB_NEW;
}

struct dlib *dlib_new(struct arena *a, const struct dlib_reader *rd)
{
	struct dlib *l = arena_new_obj(a, struct dlib);

	l->arena = a;
	l->reader = *rd;
	l->xtail = &l->xlators;
	symtab_init(&l->names, a);
	diags_init(&l->warnings, a);
	return l;
}

/* -- warnings -- */

static bool was_said(const struct dlib *l, const struct diag *g)
{
	for (const struct diag *w = l->warnings.first; w; w = w->next)
		if (w->at.src == g->at.src && w->at.off == g->at.off && !strcmp(w->msg, g->msg))
			return true;
	return false;
}

void dlib_warn(struct dlib *l, const struct diags *errors)
{
	for (const struct diag *g = errors->first; g; g = g->next) {
		struct diag *w;

		if (g->sev != SEV_ERROR || was_said(l, g))
			continue;
		w = diag_warn(&l->warnings, g->at, g->tag, "%s", g->msg);
		if (g->hint)
			diag_hint(&l->warnings, w, "%s", g->hint);
	}
}

void dlib_warn_text(struct dlib *l, struct span at, const char *text)
{
	diag_warn(&l->warnings, at, D_PRAGMA_DEPEND, "%s", text);
}

const struct diags *dlib_warnings(const struct dlib *l)
{
	return &l->warnings;
}

/* -- the index -- */

/* The first declaration of a name holds; those that follow are tried when it cannot be used. */
static void add_name(struct dlib *l, enum dlib_space sp, const char *name, struct dlib_item *it)
{
	struct dlib_item *first = name ? symtab_get(&l->names, name, sp) : NULL;

	if (!name)
		return;
	if (!first) {
		symtab_put(&l->names, name, sp, it);
		return;
	}
	while (first->alt && first != it)
		first = first->alt;
	if (first != it)
		first->alt = it;
}

static void add_tydecl(struct dlib *l, const struct tydecl *def, struct dlib_item *it)
{
	if (!def)
		return;
	add_name(l, DLIB_TAG, def->tag, it);
	if (def->kind == DK_ENUM)
		for (const struct tymember *m = def->members; m; m = m->next)
			add_name(l, DLIB_NAME, m->name, it);
}

static void add_decl(struct dlib *l, struct dlib_file *f, const struct decl *d)
{
	struct dlib_item *it = arena_new_obj(l->arena, struct dlib_item);

	it->decl = d;
	it->file = f;
	if (d->type)
		add_tydecl(l, d->type->def, it);
	switch (d->kind) {
	case DECL_TYPEDEF: add_name(l, DLIB_TYPE, d->name, it); break;
	case DECL_FUNC:
	case DECL_INLINE:
	case DECL_VAR: add_name(l, DLIB_NAME, d->name, it); break;
	case DECL_TRANSLATOR:
		*l->xtail = it;
		l->xtail = &it->next;
		break;
	case DECL_TYPE:
	case DECL_PROVIDER:
	case DECL_TRACKER: break;
	}
}

static void add_unit(struct dlib *l, struct dlib_file *f)
{
	for (const struct item *it = f->unit->items; it; it = it->next) {
		if (it->decl)
			add_decl(l, f, it->decl);
		else
			dlib_warn_text(l, it->clause->at, "program clauses of a library are not used");
	}
}

/* -- reading -- */

static void load_file(struct dlib *l, const struct compile_env *env, struct dlib_file *f);

/* at: the line that asks for it */
static void load_named(struct dlib *l, const struct compile_env *env, struct span at, const char *name)
{
	for (size_t i = 0; i < l->nfiles; i++) {
		if (strcmp(basename(l->files[i].src->name), name) != 0)
			continue;
		load_file(l, env, &l->files[i]);
		return;
	}
	dlib_warn_text(l, at, arena_printf(l->arena, "program requires library %s", name));
}

/* The word at p, up to a blank; "" at the end of the line. */
static const char *take_word(struct arena *a, const char **p)
{
	const char *from;

	while (**p == ' ' || **p == '\t')
		++*p;
	from = *p;
	while (**p && !lex_is_blank(**p))
		++*p;
	return arena_strndup(a, from, (size_t)(*p - from));
}

/* Files that this one depends on are parsed before it: they say which words are types. */
static void load_depends(struct dlib *l, const struct compile_env *env, struct dlib_file *f)
{
	static const char *const words[] = { "#pragma", "D", "depends_on", "library" };
	const char *p = f->src->text;

	for (; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		const char *q = p;
		size_t i = 0;

		if (*p != '#')
			continue;
		while (i < sizeof(words) / sizeof(words[0]) && !strcmp(take_word(l->arena, &q), words[i]))
			i++;
		if (i == sizeof(words) / sizeof(words[0])) {
			struct span at = { f->src, (uint32_t)(p - f->src->text), 1, 0 };

			load_named(l, env, at, take_word(l->arena, &q));
		}
	}
}

static void load_file(struct dlib *l, const struct compile_env *env, struct dlib_file *f)
{
	struct diags d;
	struct unit *u;

	if (f->state != DLIB_NEW)
		return;
	f->state = DLIB_BUSY;
	load_depends(l, env, f);
	diags_init(&d, l->arena);
	if (lang_parse(l->arena, f->src, env, &d, &u) < 0) {
		f->state = DLIB_BAD;
		if (d.first && strcmp(d.first->tag, D_EMPTY) != 0) {
			d.first->next = NULL; /* one is enough for a broken text */
			dlib_warn(l, &d);
		}
		return;
	}
	f->unit = u;
	f->state = DLIB_GOOD;
	add_unit(l, f);
}

static void load_all(struct dlib *l, const struct compile_env *env)
{
	struct compile_env own = *env;
	struct dlib_texts t = { 0 };

	l->read = true;
	l->reader.read(l->reader.ctx, l->arena, l, &t);
	l->files = arena_new_arr(l->arena, struct dlib_file, t.n ? t.n : 1);
	l->nfiles = t.n;
	for (size_t i = 0; i < t.n; i++)
		l->files[i].src = &t.v[i];
	own.opts = NULL; /* a library sets no options */
	for (size_t i = 0; i < t.n; i++)
		load_file(l, &own, &l->files[i]);
}

struct dlib_item *dlib_find(struct dlib *l, const struct compile_env *env, enum dlib_space sp, const char *name)
{
	if (!l)
		return NULL;
	if (!l->read)
		load_all(l, env);
	return symtab_get(&l->names, name, sp);
}

void dlib_each_name(struct dlib *l, const struct compile_env *env,
		    void (*fn)(void *arg, enum dlib_space sp, const char *name, const struct dlib_item *it), void *arg)
{
	if (!l)
		return;
	if (!l->read)
		load_all(l, env);
	for (const struct symtab_entry *e = l->names.first; e; e = e->later)
		fn(arg, (enum dlib_space)e->n, e->s, e->val);
}

struct dlib_item *dlib_translators(const struct dlib *l)
{
	return l ? l->xlators : NULL;
}

void dlib_each_pragma(const struct dlib *l, void (*fn)(void *arg, const struct pragma *p), void *arg)
{
	for (size_t i = 0; l && i < l->nfiles; i++) {
		const struct pragma *p = l->files[i].unit ? l->files[i].unit->pragmas : NULL;

		for (; p; p = p->next)
			fn(arg, p);
	}
}
