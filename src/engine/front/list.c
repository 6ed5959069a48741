/* SPDX-License-Identifier: Apache-2.0 */
/* Implements -l: lists the probes that exist, or those that match the given descriptions; with -v also their
 * arguments. */
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/plain.h"
#include "engine/front/compile.h"

#define PROBE_NAME_BYTES 1024 /* of a part of a probe's name with escapes; longer ones are cut */

static void list_native(struct dtypes *types, const struct probe_arg *a, FILE *out)
{
	const struct dtype *t = a->ctype ? dtype_parse(types, a->ctype) : dtype_from_ref(types, a->ref);

	fputs(t ? dtype_name(types, t) : a->ctype ? a->ctype : "?", out);
}

/* args[] as the program sees them. */
void list_probe_args(struct compile_session *w, struct request *c, struct dtypes *types, struct probe *p, FILE *out)
{
	const struct probe_source *src = registry_source(w->reg);
	int r = p->args_known ? 0 : src->get_args(src->ctx, c->arena, p);
	unsigned n = r < 0 ? 0 : p->xargs ? p->nxargs : p->nargs;

	fprintf(out, "\n\tArgument Types\n");
	if (n == 0)
		fprintf(out, "\t\tNone\n");
	for (unsigned i = 0; i < n; i++) {
		const struct probe_xarg *x = p->xargs ? &p->xargs[i] : NULL;
		unsigned k = x ? x->native : i;
		const char *name = x ? x->name : p->args[i].name;

		fprintf(out, "\t\targs[%u]: ", i);
		if (x && x->ctype)
			fputs(x->ctype, out);
		else if (k < p->nargs)
			list_native(types, &p->args[k], out);
		fprintf(out, name && name[0] && !c->terse ? " %s\n" : "\n", name); /* dtrace(1) has no names here */
	}
	fprintf(out, "\n");
}

static void list_json(const struct probe *p, FILE *out)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw j = jsonw_to(&b);

	jsonw_object(&j, NULL);
	jsonw_str(&j, "type", "probe");
	if (p->id)
		jsonw_u64(&j, "id", p->id);
	jsonw_str(&j, "provider", p->prov);
	jsonw_str(&j, "module", p->mod);
	jsonw_str(&j, "function", p->func);
	jsonw_str(&j, "name", p->name);
	if (p->note)
		jsonw_str(&j, p->inlined ? "inlined" : "instruction", p->note);
	if (p->unavailable)
		jsonw_str(&j, "unavailable", p->unavailable);
	jsonw_end_object(&j);
	jsonw_line(&j);
	fputs(strb_str(&b), out);
}

/* As dtrace(1): its stability, then its arguments. Else those first, which is what people look for. */
static void list_details(struct compile_session *w, struct request *c, struct dtypes *types, struct probe *p, FILE *out)
{
	const struct pdesc d = { .prov = p->prov, .mod = p->mod, .func = p->func, .name = p->name };

	if (!c->as_dtrace)
		list_probe_args(w, c, types, p, out);
	stability_print_probe(NULL, &d, out);
	if (c->as_dtrace)
		list_probe_args(w, c, types, p, out);
}

static void list_probe(struct compile_session *w, struct request *c, struct dtypes *types, struct probe *p, FILE *out)
{
	char buf[4][PROBE_NAME_BYTES];

	if (p->also)
		return;
	if (!strcmp(c->opts.oformat, "json")) {
		list_json(p, out);
		return;
	}
	if (p->id)
		fprintf(out, "%5u", p->id);
	else
		fprintf(out, "%5s", "-"); /* a function without probes (--left-out) */
	fprintf(out, " %10s %17s %33s %s", plain_name(p->prov, buf[0], sizeof(buf[0])),
		plain_name(p->mod, buf[1], sizeof(buf[1])), plain_name(p->func, buf[2], sizeof(buf[2])),
		plain_name(p->name, buf[3], sizeof(buf[3])));
	if (p->unavailable) {
		fprintf(out, "  (not available: %s)\n", p->unavailable);
		return;
	}
	fprintf(out, p->note ? "  (%s)\n" : "\n", p->note);
	if (c->verbose)
		list_details(w, c, types, p, out);
}

/* A description in four parts, or as a number. */
static const char *four_parts(struct request *c, const struct pdesc *d, const char *text)
{
	return d->id ? text
		     : arena_printf(c->arena, "%s:%s:%s:%s", d->prov ? d->prov : "", d->mod ? d->mod : "",
				    d->func ? d->func : "", d->name ? d->name : "");
}

static void count_left_out(struct request *c, const struct probe_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += !l->v[i]->id;
	listener_msg(&c->to,
		     n == 1 ? "%zu function of the kernel is left out" : "%zu functions of the kernel are left out", n);
}

static int list_desc(struct compile_session *w, struct request *c, struct dtypes *types, const struct pdesc *d,
		     const char *text, FILE *out)
{
	const struct probe_source *src = registry_source(w->reg);
	struct probe_list l = { 0 };
	struct pdesc here = *d;
	const char *reason = NULL;
	int r = 0;

	if (w->prog)
		track_match(c->arena, w->prog, d, &l);
	if (!l.n)
		r = src->match(src->ctx, c->arena, d, &l, &reason);
	if (r == 0 && !l.n && pdesc_kernel_elsewhere(d->mod)) { /* as in programs; no provider: the kernel's probes */
		here.mod = d->prov ? NULL : "vmlinux";
		r = src->match(src->ctx, c->arena, &here, &l, NULL);
	}
	if (r < 0)
		return listener_fail(&c->to, r, "failed to match %s: %s", text, strerror(-r));
	for (size_t i = 0; i < l.n; i++)
		list_probe(w, c, types, l.v[i], out);
	if (l.n && c->opts.leftout)
		count_left_out(c, &l);
	if (l.n)
		return 0;
	listener_msg(&c->to, "failed to match %s: No probe matches description%s%s", four_parts(c, d, text),
		     reason ? "\nhint: " : "", reason ? reason : "");
	return 0; /* as DTrace: a list may be empty */
}

static bool has_trackers(const struct compile_session *w, const struct request *c)
{
	for (size_t i = 0; i < c->progs.n; i++)
		for (const struct item *it = w->units[i]->items; it; it = it->next)
			if (it->decl && it->decl->kind == DECL_TRACKER)
				return true;
	return false;
}

/* The list goes on after an error, which is the result. */
static void keep_first(int *error, int e)
{
	if (*error == 0)
		*error = e;
}

/* The probes of a tracker at its declaration, of a clause at each of its descriptions. */
static int list_item(struct compile_session *w, struct request *c, struct dtypes *types, const struct item *it,
		     FILE *out)
{
	int r = 0;

	if (it->decl && it->decl->kind == DECL_TRACKER) {
		struct pdesc d = { .prov = "latency", .mod = it->decl->name };

		return list_desc(w, c, types, &d, it->decl->name, out);
	}
	for (const struct pdesc_node *p = it->clause ? it->clause->probes : NULL; p; p = p->next)
		keep_first(&r, list_desc(w, c, types, &p->desc, p->text, out));
	return r;
}

/* Every word is somewhere in the probe's four names; one with * ? or [ fits one of them, or all four together. */
static bool has_words(const struct probe *p, const struct request *c)
{
	const char *parts[] = { p->prov, p->mod, p->func, p->name, NULL };
	char all[4 * PROBE_NAME_BYTES];
	bool found = true;

	snprintf(all, sizeof(all), "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	parts[4] = all;
	for (int i = 1; i < c->argc && found; i++) {
		const char *word = c->argv[i];

		if (!strpbrk(word, "*?[")) {
			found = strcasestr(all, word) != NULL;
			continue;
		}
		found = false;
		for (size_t k = 0; k < ARRAY_SIZE(parts) && !found; k++)
			found = pdesc_glob(word, parts[k]);
	}
	return found;
}

/* `-l WORD…`: what there is with these words in its name. */
static int list_words(struct compile_session *w, struct request *c, struct dtypes *types, FILE *out)
{
	const struct probe_source *src = registry_source(w->reg);
	struct pdesc all = { 0 }, of = { .prov = c->argv[1] };
	struct probe_list l = { 0 };
	const char *reason = NULL;
	bool any = false;
	int r = src->match(src->ctx, c->arena, &all, &l, NULL);

	if (r < 0)
		return listener_fail(&c->to, r, "failed to list probes: %s", strerror(-r));
	for (size_t i = 0; i < l.n; i++) {
		if (!has_words(l.v[i], c))
			continue;
		any = true;
		list_probe(w, c, types, l.v[i], out);
	}
	if (any)
		return 0;
	/* The word may be a provider that this kernel has nothing for: it knows why. */
	if (pdesc_is_exact(of.prov) && src->match(src->ctx, c->arena, &of, &l, &reason) == 0 && reason)
		return listener_fail(&c->to, -EINVAL, "no probe has %s in its names: %s", of.prov, reason);
	return listener_fail(
		&c->to, -EINVAL,
		"no probe has %s%s in its names; 'dwell -l' lists all, -ln DESCRIPTION those of a description",
		c->argc > 2 ? "these words, as " : "", c->argv[1]);
}

/* Trackers are known when the program has been checked, and so are the types of their keys. */
int compile_list(struct compile_session *w, struct request *c, long target, FILE *out)
{
	int r = has_trackers(w, c) ? compile_check(w, c, target) : 0;
	struct dtypes *types = w->prog ? w->prog->types : dtypes_new(c->arena, w->ts);
	struct pdesc all = { 0 };

	if (r == 0 && c->progs.n > 0)
		r = compile_args_used(w, c);
	if (r)
		return r;

	if (strcmp(c->opts.oformat, "json") != 0)
		fprintf(out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	/* DTrace has no such words: they are arguments there */
	if (c->progs.n == 0 && c->argc > 1 && strcmp(c->argv[0], "dtrace") != 0)
		return list_words(w, c, types, out);
	if (c->progs.n == 0)
		return list_desc(w, c, types, &all, ":::", out);
	for (size_t i = 0; i < c->progs.n; i++)
		for (const struct item *it = w->units[i]->items; it; it = it->next)
			keep_first(&r, list_item(w, c, types, it, out));
	return r;
}
