/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the places in a file where the statements of a line begin ("load.c@14"), and those where inlined copies of a
 * function are entered. It reads its debug information. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "prov/user/uproc.h"
#include "sym/dwarf/srcfind.h"

struct line_search {
	struct prov_env *env;
	const struct elf *elf;
	const char *file, *line; /* globs */
	uint32_t wanted;	 /* its number; 0: a pattern */
	uint32_t below, above;	 /* the next lines with code */
	void (*fn)(void *arg, const struct uline *l);
	void *arg;
};

static bool is_wanted(void *arg, const char *base)
{
	const struct line_search *s = arg;

	return pdesc_glob(s->file, base);
}

static int one_statement(void *arg, const struct srcplace *p)
{
	struct line_search *s = arg;
	const char *slash = strrchr(p->file, '/');
	struct uline l = { .line = p->line };
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, p->line);
	if (p->line < s->wanted && p->line > s->below)
		s->below = p->line;
	if (p->line > s->wanted && (!s->above || p->line < s->above))
		s->above = p->line;
	if (!pdesc_glob(s->line, number) || uobj_code_off(s->elf, p->addr, &l.off) < 0)
		return 0;
	l.name = arena_printf(s->env->cache->arena, "%s@%s", slash ? slash + 1 : p->file, number);
	s->fn(s->arg, &l);
	return 0;
}

static const char *nearest(const struct line_search *s, struct arena *a)
{
	if (s->below && s->above)
		return arena_printf(a, "%" PRIu32 " and %" PRIu32, s->below, s->above);
	return s->below || s->above ? arena_printf(a, "%" PRIu32, s->below ? s->below : s->above) : NULL;
}

void ulines_forget(struct ulines_file *k)
{
	if (!k->lines)
		return;
	srcline_free(k->lines);
	uobj_close(&k->file);
	k->lines = NULL;
}

/* Several descriptions name functions of one file: the last one stays open. */
static int open_lines(struct prov_env *env, const struct uproc *p, const struct uproc_obj *o, struct ulines_file **ret)
{
	struct ulines_file *k = *ret = uproc_lines(env);
	int r;

	if (k->lines && k->of == o)
		return 0;
	ulines_forget(k);
	k->of = o;
	r = uobj_open(o->o, &k->file);
	if (r < 0)
		return r;
	r = srcline_open_file(&k->file.elf, o->o->path, DEBUGFILE_DIR, (uint32_t)p->pid, &k->lines);
	if (r < 0) {
		uobj_close(&k->file);
		k->lines = NULL;
	}
	return r;
}

int ulines_each(struct prov_env *env, const struct uproc *p, const struct uproc_obj *o, const char *name,
		void (*fn)(void *arg, const struct uline *l), void *arg, const char **ret_near)
{
	const char *at = strrchr(name, '@');
	struct line_search s = { .env = env, .fn = fn, .arg = arg };
	struct ulines_file *k;
	int r = open_lines(env, p, o, &k);

	if (r < 0)
		return r;
	s.elf = &k->file.elf;
	s.file = arena_printf(env->cache->arena, "%.*s", (int)(at - name), name);
	s.line = at + 1;
	s.wanted = (uint32_t)strtoul(at + 1, NULL, 10);
	r = srcfind_statements(k->lines, is_wanted, one_statement, &s);
	*ret_near = nearest(&s, env->cache->arena);
	return r;
}

static int one_copy(void *arg, const struct srcplace *p)
{
	struct line_search *s = arg;
	const char *slash = p->file ? strrchr(p->file, '/') : NULL;
	struct uline l = { .line = p->line };

	if (uobj_code_off(s->elf, p->addr, &l.off) < 0)
		return 0;
	if (p->file)
		l.name = arena_printf(s->env->cache->arena, "%s@%" PRIu32, slash ? slash + 1 : p->file, p->line);
	s->fn(s->arg, &l);
	return 0;
}

int ulines_copies(struct prov_env *env, const struct uproc *p, const struct uproc_obj *o, const char *func,
		  void (*fn)(void *arg, const struct uline *l), void *arg)
{
	struct line_search s = { .env = env, .fn = fn, .arg = arg };
	struct ulines_file *k;
	int r = open_lines(env, p, o, &k);

	if (r < 0)
		return r;
	s.elf = &k->file.elf;
	r = srcfind_copies(k->lines, func, one_copy, &s);
	return r;
}
