/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what stands at a place of a D text, and where it is declared (struct lsp_language). */
#ifndef DWELL_LSP_FIND_H
#define DWELL_LSP_FIND_H
#include "lsp/server.h"

const char *dlang_hover(void *ctx, struct arena *a, const char *text, size_t off, size_t *from, size_t *to);
bool dlang_define(void *ctx, struct arena *a, const char *text, size_t off, struct lsp_place *ret);
#endif
