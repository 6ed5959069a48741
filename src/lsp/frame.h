/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes messages of the language server protocol in a stream: "Content-Length: N", an empty line, N
 * bytes. Source: Language Server Protocol 3.17, Base Protocol. */
#ifndef DWELL_LSP_FRAME_H
#define DWELL_LSP_FRAME_H
#include <stddef.h>
#include "base/strb.h"

#define FRAME_HEAD_MAX 4096	   /* bytes of the header */
#define FRAME_BODY_MAX (16u << 20) /* bytes of a message */

/* Is a whole message at the beginning of n bytes? Its length with the header, and where its text is (*ret_body,
 * *ret_n). 0: more is needed; -EBADMSG: no header of this protocol; -EMSGSIZE: too large. */
long frame_find(const char *s, size_t n, size_t *ret_body, size_t *ret_n);
/* Adds a message. */
void frame_put(struct strb *out, const char *body, size_t n);
#endif
