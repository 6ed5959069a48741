/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a hostile editor to `dwell lsp`: frames, requests, places. The language is one that looks at each
 * place. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "lsp/frame.h"
#include "lsp/place.h"
#include "lsp/server.h"

static size_t check(void *ctx, struct arena *a, const char *name, const char *text, const struct lsp_diag **ret)
{
	struct lsp_diag *v = arena_new_arr(a, struct lsp_diag, 1);

	(void)ctx;
	*v = (struct lsp_diag){
		.off = strlen(text) / 2, .len = strlen(text), .severity = LSP_ERROR, .tag = "D_X", .text = name
	};
	*ret = v;
	return 1;
}

static size_t complete(void *ctx, struct arena *a, const char *text, size_t off, const struct lsp_item **ret)
{
	struct lsp_item *v = arena_new_arr(a, struct lsp_item, 1);
	struct place_context c;

	(void)ctx;
	place_context(text, off, &c);
	if (c.word > off || c.from > off || (c.closers.failed))
		abort();
	*v = (struct lsp_item){ .label = arena_strdup(a, strb_str(&c.closers)), .from = c.word };
	strb_free(&c.closers);
	*ret = v;
	return 1;
}

static const char *hover(void *ctx, struct arena *a, const char *text, size_t off, size_t *from, size_t *to)
{
	(void)ctx;
	(void)a;
	if (off > strlen(text))
		abort();
	place_word(text, strlen(text), off, from, to);
	return *from <= off && *to >= off ? "word" : (abort(), NULL);
}

static bool define(void *ctx, struct arena *a, const char *text, size_t off, struct lsp_place *ret)
{
	(void)ctx;
	(void)a;
	*ret = (struct lsp_place){ .off = off, .len = strlen(text) - off };
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct lsp_language lang = { NULL, check, complete, hover, define };
	struct lsp *s = lsp_new(&lang);
	struct strb out = { 0 };
	size_t at = 0, body, n;
	long r;

	if (!s)
		abort();
	while ((r = frame_find((const char *)data + at, size - at, &body, &n)) > 0) {
		lsp_message(s, (const char *)data + at + body, n, &out);
		lsp_idle(s, &out);
		at += (size_t)r;
	}
	lsp_message(s, (const char *)data, size, &out); /* without a frame, too */
	lsp_free(s);
	strb_free(&out);
	return 0;
}
