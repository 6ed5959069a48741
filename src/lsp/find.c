/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the text to show for a place (hover), and the declaration of the name there. */
#include "lsp/find.h"
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "lsp/job.h"
#include "lsp/libfile.h"
#include "lsp/place.h"

#define DECLARATION_LEN 400 /* of a declaration that is shown */
#define PROBES_SHOWN 3

static bool is_in(struct span at, size_t off)
{
	return at.off <= off && off <= (size_t)at.off + at.len;
}

/* -- types -- */

struct search {
	const struct job *j;
	size_t off;
	const struct node *best;
};

static bool look(void *ctx, const struct node *n)
{
	struct search *s = ctx;

	if (job_is_own(s->j, n->at) && is_in(n->at, s->off) && n->type && !n->implicit &&
	    (!s->best || n->at.len <= s->best->at.len))
		s->best = n;
	return false;
}

/* The smallest expression there, as the checker understood it. */
static const struct node *expression_at(const struct job *j, size_t off)
{
	struct search s = { .j = j, .off = off };
	const struct walk w = { .ctx = &s, .node = look };

	for (const struct clause_instance *d = j->w.prog ? j->w.prog->instances : NULL; d && !s.best; d = d->next)
		if (walk_node(&w, d->pred) || walk_stmts(&w, d->body))
			break;
	return s.best;
}

/* -- probes -- */

static const struct pdesc_node *description_at(const struct job *j, size_t off)
{
	const struct item *it = j->w.units && j->w.units[0] ? j->w.units[0]->items : NULL;

	for (; it; it = it->next)
		for (const struct pdesc_node *d = it->clause ? it->clause->probes : NULL; d; d = d->next)
			if (job_is_own(j, d->at) && is_in(d->at, off))
				return d;
	return NULL;
}

/* The arguments as `dwell -lv` tells them. */
static void put_args(struct job *j, struct probe *p, struct strb *b)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct dtypes *types = dtypes_new(j->req.arena, j->w.ts);

	if (!f)
		return;
	list_probe_args(&j->w, &j->req, types, p, f);
	fclose(f);
	for (const char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line + strspn(line, "\t");

		if (!strncmp(at, "args[", 5))
			strb_printf(b, "%.*s\n", (int)strcspn(at, "\n"), at);
	}
	free(text);
}

static void put_probes(struct job *j, const struct pdesc_node *d, struct strb *b)
{
	const struct probe_source *src = j->env.probes;
	struct probe_list found = { 0 };
	const char *reason = NULL;

	if (!src || src->match(src->ctx, j->req.arena, &d->desc, &found, &reason) < 0)
		return;
	strb_printf(b, "`%s`: %zu probe%s\n", d->text, found.n, found.n == 1 ? "" : "s");
	if (found.n == 0 && reason)
		strb_printf(b, "\n%s\n", reason);
	for (size_t i = 0; i < found.n && i < PROBES_SHOWN; i++) {
		struct probe *p = found.v[i];

		strb_printf(b, "\n```d\n%s:%s:%s:%s\n", p->prov, p->mod, p->func, p->name);
		put_args(j, p, b);
		strb_adds(b, "```\n");
		if (p->unavailable)
			strb_printf(b, "\nnot available: %s\n", p->unavailable);
	}
}

/* -- names -- */

/* A declaration of the text itself, or of the D library. */
static bool find_declaration(struct job *j, const char *word, struct span *ret)
{
	static const enum dlib_space spaces[] = { DLIB_NAME, DLIB_TYPE, DLIB_TAG };
	const struct item *it = j->w.units && j->w.units[0] ? j->w.units[0]->items : NULL;
	const struct dlib_item *lib = NULL;

	for (; it; it = it->next)
		if (it->decl && it->decl->name && it->decl->kind != DECL_TRANSLATOR && !strcmp(it->decl->name, word) &&
		    job_is_own(j, it->decl->at)) {
			*ret = it->decl->at;
			return true;
		}
	for (size_t i = 0; i < ARRAY_SIZE(spaces) && j->opened && !lib; i++)
		lib = dlib_find(j->w.libs, &j->env, spaces[i], word);
	if (lib)
		*ret = lib->decl->at;
	return lib != NULL;
}

/* From the beginning of its line on to its semicolon or brace. */
static void put_declaration(const struct source *src, struct span at, struct strb *b)
{
	const char *from = src->text + at.off;
	size_t n;

	while (from > src->text && from[-1] != '\n')
		from--;
	n = strcspn(from, ";{");
	if (n > DECLARATION_LEN)
		n = DECLARATION_LEN;
	strb_printf(b, "```d\n%.*s\n```\n%s\n", (int)n, from, src->name);
}

static void put_builtin(const char *word, struct strb *b)
{
	static const char *const kinds[] = { [BIK_VAR] = "variable",
					     [BIK_ACT] = "action",
					     [BIK_SUB] = "subroutine",
					     [BIK_AGG] = "aggregating function" };
	const struct builtin *f = builtin_find_func(word);

	if (f)
		strb_printf(b, "\n%s of D: `%s%s%s`: %s\n", kinds[f->kind], f->kind == BIK_VAR ? f->proto : f->name,
			    f->kind == BIK_VAR ? " " : " ", f->kind == BIK_VAR ? f->name : f->proto, f->doc);
}

const char *dlang_hover(void *ctx, struct arena *a, const char *text, size_t off, size_t *from, size_t *to)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const struct pdesc_node *d;
	const struct node *e;
	struct span at;
	const char *word, *result;
	struct job j;

	(void)ctx;
	place_word(text, strlen(text), off, from, to);
	word = arena_strndup(a, text + *from, *to - *from);
	job_run_around(&j, a, "(looked at)", text, off);
	d = description_at(&j, off);
	e = d || !*word ? NULL : expression_at(&j, off);
	if (d) {
		put_probes(&j, d, &b);
		*from = d->at.off;
		*to = *from + d->at.len;
	} else if (*word) {
		if (e)
			strb_printf(&b, "```d\n%.*s: %s\n```\n", (int)e->at.len, text + e->at.off,
				    dtype_name(j.w.prog->types, e->type));
		if (find_declaration(&j, word, &at) && !(e && job_is_own(&j, at)))
			put_declaration(at.src, at, &b);
		put_builtin(word, &b);
	}
	result = b.n ? arena_strdup(a, strb_str(&b)) : NULL;
	job_done(&j);
	return result;
}

bool dlang_define(void *ctx, struct arena *a, const char *text, size_t off, struct lsp_place *ret)
{
	size_t from, to;
	struct span at;
	struct job j;
	bool found;

	(void)ctx;
	place_word(text, strlen(text), off, &from, &to);
	if (from == to)
		return false;
	job_run_around(&j, a, "(looked at)", text, off);
	found = find_declaration(&j, arena_strndup(a, text + from, to - from), &at);
	if (found) {
		*ret = (struct lsp_place){ .off = at.off, .len = at.len };
		if (!job_is_own(&j, at)) {
			ret->file = libfile_path(a, at.src->name, at.src->text, at.src->len);
			ret->text = arena_strndup(a, at.src->text, at.src->len);
			ret->n = at.src->len;
			found = ret->file != NULL;
		}
	}
	job_done(&j);
	return found;
}
