/* SPDX-License-Identifier: Apache-2.0 */
/* Implements a server of the language server protocol: keeps the documents that an editor has open, and answers
 * its requests. Knowledge of the language comes from a struct lsp_language. One thread. Source: Language Server
 * Protocol 3.17. */
#ifndef DWELL_LSP_SERVER_H
#define DWELL_LSP_SERVER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/strb.h"

#define LSP_DOCUMENTS_MAX 256	/* open at a time */
#define LSP_TEXT_MAX (1u << 20) /* bytes of a document: D programs are small */
#define LSP_URI_MAX 4096
#define LSP_ITEMS_MAX 1000	/* candidates of a completion */
#define LSP_DIAGNOSTICS_MAX 200 /* of a document */

enum lsp_severity { LSP_ERROR = 1, LSP_WARNING, LSP_INFORMATION };
/* Kinds of candidates, as the protocol numbers them. */
enum lsp_item_kind {
	LSP_FUNCTION = 3,
	LSP_FIELD = 5,
	LSP_VARIABLE = 6,
	LSP_MODULE = 9,
	LSP_KEYWORD = 14,
	LSP_EVENT = 23,
	LSP_TYPE = 22,
	LSP_CONSTANT = 21
};

struct lsp_diag {
	size_t off, len;
	enum lsp_severity severity;
	const char *tag, *text;
};
struct lsp_item {
	const char *label, *detail; /* detail: its type, or NULL */
	enum lsp_item_kind kind;
	size_t from; /* the text from this byte to the cursor is replaced */
};
struct lsp_place {
	const char *file; /* NULL: the document itself */
	const char *text; /* of it */
	size_t n, off, len;
};

/* Answers are in the arena. text ends with NUL. */
struct lsp_language {
	void *ctx;
	size_t (*check)(void *ctx, struct arena *a, const char *name, const char *text, const struct lsp_diag **ret);
	size_t (*complete)(void *ctx, struct arena *a, const char *text, size_t off, const struct lsp_item **ret);
	/* Markdown about [*from, *to); NULL: nothing is known. */
	const char *(*hover)(void *ctx, struct arena *a, const char *text, size_t off, size_t *from, size_t *to);
	bool (*define)(void *ctx, struct arena *a, const char *text, size_t off, struct lsp_place *ret);
};

struct lsp;

struct lsp *lsp_new(const struct lsp_language *lang); /* NULL: no memory */
void lsp_free(struct lsp *s);
/* One message; what is to be answered is added to out, in frames. */
void lsp_message(struct lsp *s, const char *body, size_t n, struct strb *out);
/* Checks documents that have changed; called when no message waits, so that fast typing costs one check. */
void lsp_idle(struct lsp *s, struct strb *out);
bool lsp_has_changes(const struct lsp *s);
/* After "exit": 0, or 1 if there was no "shutdown" before. -1: it goes on. */
int lsp_ended(const struct lsp *s);
#endif
