/* SPDX-License-Identifier: Apache-2.0 */
/* Answers questions of the language server about D. Each question compiles the text anew, as `dwell -e` does, and
 * attaches nothing. */
#ifndef DWELL_LSP_DLANG_H
#define DWELL_LSP_DLANG_H
#include "lsp/server.h"

extern const struct lsp_language dlang;
#endif
