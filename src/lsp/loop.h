/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a language server on two descriptors, until the editor ends it. */
#ifndef DWELL_LSP_LOOP_H
#define DWELL_LSP_LOOP_H
#include "lsp/frame.h"
#include "lsp/dlang.h"

/* *ret_code: the exit code that the protocol asks for, 1 if the editor ends without a word. 0; -EPIPE: an answer cannot
 * be written; -EMSGSIZE: a message is too large; -EBADMSG: this is not the protocol; -ENOMEM. */
int lsp_loop(struct lsp *s, int from, int to, int *ret_code);
#endif
