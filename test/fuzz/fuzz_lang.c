/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: any text is parsed, and a tree that comes out can be printed. Without probes and
 * kernel types. The checker joins when it is there. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "lang/dprog.h"
#include "lang/errtag.h"

#define FUZZ_MAX_INPUT 65536
#define FUZZ_MEMORY ((size_t)256 << 20)

static void check_diags(const struct diags *d, const struct source *src)
{
	struct strb out = {0};

	for (const struct diag *g = d->first; g; g = g->next) {
		if (!errtag_find(g->tag) || g->at.src != src || g->at.off > src->len ||
		    g->at.len > src->len - g->at.off)
			abort();
		diag_format(&out, g, true);
	}
	strb_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = {"script.d", "42", "-7", "word", "two words"};
	struct arena *a = arena_new(FUZZ_MEMORY);
	struct macro_env macros = {.pid = 1, .target = 2, .argv = argv, .argc = 5};
	struct dopts opts;
	struct compile_env env = {.opts = &opts, .macros = &macros};
	struct source src = {.name = "fuzz.d", .len = size};
	struct unit *u = NULL;
	struct diags d;
	struct strb out = {0};
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
	if ((r == 0) != (d.nerrors == 0) || (r == 0) != (u != NULL))
		abort();
	if (u)
		ast_dump(&out, u);
	check_diags(&d, &src);
	strb_free(&out);
	arena_free(a);
	return 0;
}
