/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what may stand at a place of a D text (struct lsp_language). */
#ifndef DWELL_LSP_COMPLETE_H
#define DWELL_LSP_COMPLETE_H
#include "lsp/server.h"

size_t dlang_complete(void *ctx, struct arena *a, const char *text, size_t off, const struct lsp_item **ret);
#endif
