/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: any text is parsed and checked, and the trees that come out can be printed. Every
 * description matches one probe; there are no kernel types. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "lang/dprog.h"
#include "lang/errtag.h"

#define FUZZ_MAX_INPUT 65536
#define FUZZ_MEMORY ((size_t)256 << 20)

static void check_diags(const struct diags *d, const struct source *src)
{
	struct strb out = { 0 };

	for (const struct diag *g = d->first; g; g = g->next) {
		if (!errtag_find(g->tag) || g->at.src != src || g->at.off > src->len ||
		    g->at.len > src->len - g->at.off)
			abort();
		diag_format(&out, g, true);
	}
	strb_free(&out);
}

static const struct probe_arg probe_args[] = { { .ctype = "int" }, { .ctype = "userland char *" } };

static int match_any(void *ctx, struct arena *a, const struct pdesc *d, struct probe_list *ret, const char **reason)
{
	static const struct probe probe = { .id = 1,
					    .prov = "dtrace",
					    .mod = "",
					    .func = "f",
					    .name = "BEGIN",
					    .args = probe_args,
					    .nargs = 2,
					    .args_known = true };

	(void)ctx, (void)d, (void)reason;
	ret->v = arena_new_arr(a, struct probe *, 1);
	ret->v[0] = arena_memdup(a, &probe, sizeof(probe));
	ret->n = 1;
	return 0;
}

/* Every checked expression got a type: DK_DYN is that of an error. */
static void check_typed(const struct node *n)
{
	for (; n; n = n->next) {
		if (n->type && n->type->kind == DK_DYN)
			abort();
		check_typed(n->a);
		check_typed(n->b);
		check_typed(n->c);
		check_typed(n->args);
	}
}

static void check_unit(struct arena *a, struct unit *u, const struct compile_env *env, struct diags *d,
		       struct strb *out)
{
	struct dprog *p = NULL;
	int r = lang_check(a, &u, 1, env, d, &p);

	if ((r == 0) != (d->nerrors == 0) || (r == 0) != (p != NULL))
		abort();
	if (!p)
		return;
	dprog_dump(out, p);
	for (const struct clause_instance *st = p->instances; st; st = st->next) {
		check_typed(st->pred);
		for (const struct stmt *b = st->body; b; b = b->next) {
			check_typed(b->expr);
			check_typed(b->call);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "script.d", "42", "-7", "word", "two words" };
	struct arena *a = arena_new(FUZZ_MEMORY);
	struct macro_env macros = { .pid = 1, .target = 2, .argv = argv, .argc = 5 };
	struct dopts opts;
	static const struct probe_source probes = { .match = match_any };
	struct compile_env env = { .opts = &opts, .macros = &macros, .probes = &probes };
	struct source src = { .name = "fuzz.d", .len = size };
	struct unit *u = NULL;
	struct diags d;
	struct strb out = { 0 };
	int r;

	if (size > FUZZ_MAX_INPUT) {
		arena_free(a);
		return 0;
	}
	dopts_init(&opts, a);
	diags_init(&d, a);
	src.text = arena_strndup(a, "", 0);
	if (size) {
		char *text = arena_alloc(a, size + 1);

		memcpy(text, data, size);
		src.text = text;
	}
	r = lang_parse(a, &src, &env, &d, &u);
	if ((r == 0) != (d.nerrors == 0) || !u)
		abort();
	ast_dump(&out, u);
	if (r == 0)
		check_unit(a, u, &env, &d, &out);
	else
		lang_check_before(a, &u, 1, &env, &d);
	check_diags(&d, &src);
	strb_free(&out);
	arena_free(a);
	return 0;
}
