/* SPDX-License-Identifier: Apache-2.0 */
/* Offers what D text may have at a cursor: members, probes, keywords, names of the library, options. */
#include "lsp/complete.h"
#include <string.h>
#include "base/cleanup.h"
#include "lsp/job.h"
#include "lsp/place.h"

/* Stands for the member that is being typed: the checker says what could be there. */
#define MEMBER "dwell_member_of_what"
#define PROBES_MAX 20000 /* that are looked at */

struct list {
	struct arena *a;
	struct lsp_item *v;
	size_t n, from;
	const char *prefix;
	size_t prefix_n;
};

/* One more than the most: the client is told that there are more. */
static bool is_full(const struct list *l)
{
	return l->n > LSP_ITEMS_MAX;
}

static void offer(struct list *l, const char *label, const char *detail, enum lsp_item_kind kind)
{
	if (is_full(l) || strncmp(label, l->prefix, l->prefix_n) != 0)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].label, label))
			return;
	l->v[l->n++] = (struct lsp_item){ .label = arena_strdup(l->a, label),
					  .detail = detail ? arena_strdup(l->a, detail) : NULL,
					  .kind = kind,
					  .from = l->from };
}

/* -- members -- */

static void offer_members(struct list *l, const char *text, const struct place_context *c)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct job j;

	strb_add(&b, text, c->word);
	strb_printf(&b, MEMBER "%s", strb_str(&c->closers));
	job_run(&j, "(typed)", strb_str(&b));
	for (size_t i = 0; i < j.ndiags; i++)
		for (const struct diag_choice *h = j.diags[i]->choices; h; h = h->next)
			if (job_is_own(&j, j.diags[i]->at) && strstr(j.diags[i]->msg, MEMBER))
				offer(l, h->name, h->type, LSP_FIELD);
	job_done(&j);
}

/* -- probes -- */

/* Makes a pattern of the first n fields of "prov:mod:func:name", the last one open. */
static void pattern(struct arena *a, const char *typed, size_t n, struct pdesc *ret)
{
	const char **fields[] = { &ret->prov, &ret->mod, &ret->func, &ret->name };

	*ret = (struct pdesc){ 0 };
	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(typed, ":");
		char *f = arena_strndup(a, typed, len);

		if (i + 1 == n)
			f = arena_printf(a, "%s*", f);
		*fields[i] = f[0] ? f : NULL;
		typed += len + (typed[len] == ':');
	}
}

static const char *field_of(const struct probe *p, size_t i)
{
	const char *const fields[] = { p->prov, p->mod, p->func, p->name };

	return fields[i];
}

/* Text in front of the field that is typed stays. */
static void offer_probes(struct list *l, struct job *j, const char *typed, size_t n)
{
	const char *last = strrchr(typed, ':');
	int head = last ? (int)(last - typed) + 1 : 0;
	struct probe_list found = { 0 };
	struct pdesc d;

	pattern(l->a, typed, n, &d);
	if (!j->env.probes || j->env.probes->match(j->env.probes->ctx, l->a, &d, &found, NULL) < 0)
		return;
	for (size_t i = 0; i < found.n && i < PROBES_MAX && !is_full(l); i++)
		if (!found.v[i]->unavailable)
			offer(l,
			      arena_printf(l->a, "%.*s%s%s", head, typed, field_of(found.v[i], n - 1),
					   n < 4 ? ":" : ""),
			      NULL, LSP_EVENT);
}

static void offer_descriptions(struct list *l)
{
	static const char *const alone[] = { "BEGIN", "END", "ERROR", "tick-1s", "profile-99hz" };
	static const char *const words[] = { "inline", "struct", "translator", "tracker", "typedef", "self", "this" };
	const char *typed = l->prefix, *name;
	size_t colons = 0;
	struct job j;

	for (const char *p = typed; (p = strchr(p, ':')); p++)
		colons++;
	if (colons == 0) {
		for (size_t i = 0; i < ARRAY_SIZE(alone); i++)
			offer(l, alone[i], "probe", LSP_EVENT);
		for (size_t i = 0; (name = registry_provider(i)); i++)
			offer(l, arena_printf(l->a, "%s:", name), "provider", LSP_MODULE);
		offer(l, "pid$target:", "provider", LSP_MODULE);
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			offer(l, words[i], NULL, LSP_KEYWORD);
	} else if (colons < 4) {
		job_run(&j, "(typed)", "BEGIN {}");
		offer_probes(l, &j, typed, colons + 1);
		job_done(&j);
	}
}

/* -- words -- */

static void offer_language(struct list *l)
{
	static const enum lsp_item_kind kinds[] = {
		[BIK_VAR] = LSP_VARIABLE, [BIK_ACT] = LSP_FUNCTION, [BIK_SUB] = LSP_FUNCTION, [BIK_AGG] = LSP_FUNCTION
	};
	static const char *const keywords[] = {
#define KW(id, word, class) word,
#define SIGN(id, sign)
#include "lang/syntax/token.def"
#undef KW
#undef SIGN
	};
	static const char *const macros[] = { "$target", "$pid", "$ppid", "$uid", "$gid", "$1", "$$1" };

	for (int i = BI_NONE + 1; i < BI_COUNT_; i++) {
		const struct builtin *b = builtin_get((enum bi_id)i);

		if (b->name[0] != '_')
			offer(l, b->name, b->doc, kinds[b->kind]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		offer(l, keywords[i], NULL, LSP_KEYWORD);
	for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
		offer(l, macros[i], NULL, LSP_CONSTANT);
}

static void offer_library_name(void *arg, enum dlib_space space, const char *name, const struct dlib_item *it)
{
	const char *file = strrchr(it->file->src->name, '/');

	offer(arg, name, file ? file + 1 : NULL,
	      space != DLIB_NAME	    ? LSP_TYPE
	      : it->decl->kind == DECL_FUNC ? LSP_FUNCTION
					    : LSP_CONSTANT);
}

static void offer_library(struct list *l)
{
	struct job j;

	job_run(&j, "(typed)", "BEGIN {}");
	if (j.opened)
		dlib_each_name(j.w.libs, &j.env, offer_library_name, l);
	job_done(&j);
}

/* Words that stand elsewhere in the text: variables, aggregations, functions. */
static void offer_own(struct list *l, const char *text, size_t skip)
{
	size_t n = strlen(text), from, to;

	for (size_t i = 0; i < n; i = to + 1) {
		place_word(text, n, i, &from, &to);
		if (to - from > 1 && from != skip && !(text[from] >= '0' && text[from] <= '9') && text[from] != '$')
			offer(l, arena_strndup(l->a, text + from, to - from), NULL, LSP_VARIABLE);
	}
}

static void offer_options(struct list *l)
{
	static const char *const names[] = {
#define OPT(field, name, type, dflt) name,
#include "lang/options.def"
#undef OPT
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		offer(l, names[i], NULL, LSP_CONSTANT);
}

size_t dlang_complete(void *ctx, struct arena *a, const char *text, size_t off, const struct lsp_item **ret)
{
	struct place_context c;
	struct list l = { .a = a, .v = arena_new_arr(a, struct lsp_item, LSP_ITEMS_MAX + 1) };

	(void)ctx;
	place_context(text, off, &c);
	l.from = c.kind == PLACE_PROBE ? c.from : c.word;
	l.prefix = arena_strndup(a, text + l.from, off - l.from);
	l.prefix_n = off - l.from;
	switch (c.kind) {
	case PLACE_NOTHING: break;
	case PLACE_MEMBER: offer_members(&l, text, &c); break;
	case PLACE_PROBE: offer_descriptions(&l); break;
	case PLACE_OPTION: offer_options(&l); break;
	case PLACE_WORD:
		offer_language(&l);
		offer_own(&l, text, c.word);
		offer_library(&l);
		break;
	}
	strb_free(&c.closers);
	*ret = l.v;
	return l.n;
}
