/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the places in a file where the statements of a line begin ("load.c@14"), and those where inlined copies of a
 * function are entered, by its debug information. */
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

static int open_lines(const struct uproc *p, const struct uproc_obj *o, struct uobj_file *f, struct srcline **ret)
{
	int r = uobj_open(o->o, f);

	if (r < 0)
		return r;
	r = srcline_open_file(&f->elf, o->o->path, DEBUGFILE_DIR, (uint32_t)p->pid, ret);
	if (r < 0)
		uobj_close(f);
	return r;
}

int ulines_each(struct prov_env *env, const struct uproc *p, const struct uproc_obj *o, const char *name,
		void (*fn)(void *arg, const struct uline *l), void *arg, const char **ret_near)
{
	const char *at = strrchr(name, '@');
	struct line_search s = { .env = env, .fn = fn, .arg = arg };
	struct srcline *lines = NULL;
	struct uobj_file file;
	int r = open_lines(p, o, &file, &lines);

	if (r < 0)
		return r;
	s.elf = &file.elf;
	s.file = arena_printf(env->cache->arena, "%.*s", (int)(at - name), name);
	s.line = at + 1;
	s.wanted = (uint32_t)strtoul(at + 1, NULL, 10);
	r = srcfind_statements(lines, is_wanted, one_statement, &s);
	srcline_free(lines);
	uobj_close(&file);
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
	struct srcline *lines = NULL;
	struct uobj_file file;
	int r = open_lines(p, o, &file, &lines);

	if (r < 0)
		return r;
	s.elf = &file.elf;
	r = srcfind_copies(lines, func, one_copy, &s);
	srcline_free(lines);
	uobj_close(&file);
	return r;
}
