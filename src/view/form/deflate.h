/* SPDX-License-Identifier: Apache-2.0 */
/* Deflates bytes into a callback. */
#ifndef DWELL_VIEW_FORM_DEFLATE_H
#define DWELL_VIEW_FORM_DEFLATE_H
#include <stddef.h>

enum deflate_format { DEFLATE_ZLIB, DEFLATE_GZIP };
#define DEFLATE_CHUNK (3u << 14) /* bytes that the sink gets at once, but for the last: a multiple of 3 */

/* Gives all n bytes, deflated, to the sink, which returns 0 or -errno. 0, -ENOMEM, or what the sink returned. */
int deflate_bytes(const void *p, size_t n, enum deflate_format format,
		  int (*sink)(void *ctx, const unsigned char *p, size_t n), void *ctx);
#endif
