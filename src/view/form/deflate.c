/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses a text with zlib, piece by piece, through one buffer. */
#include "view/form/deflate.h"
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>
#include "base/cleanup.h"

#define LEVEL 3	    /* half the time of 6 for a tenth more bytes */
#define MEM_LEVEL 8 /* zlib's default */

int deflate_bytes(const void *p, size_t n, enum deflate_format format,
		  int (*sink)(void *ctx, const unsigned char *p, size_t n), void *ctx)
{
	_cleanup_free_ unsigned char *buf = malloc(DEFLATE_CHUNK);
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)p };
	int rc, e = 0;

	if (!buf || deflateInit2(&z, LEVEL, Z_DEFLATED, MAX_WBITS + (format == DEFLATE_GZIP ? 16 : 0), MEM_LEVEL,
				 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	do {
		if (z.avail_in == 0) { /* zlib counts in unsigned int */
			z.avail_in = n > UINT_MAX ? UINT_MAX : (unsigned)n;
			n -= z.avail_in;
		}
		z.next_out = buf;
		z.avail_out = DEFLATE_CHUNK;
		do
			rc = deflate(&z, n ? Z_NO_FLUSH : Z_FINISH);
		while (rc == Z_OK && z.avail_out && z.avail_in);
		e = sink(ctx, buf, DEFLATE_CHUNK - z.avail_out);
	} while (e == 0 && rc == Z_OK);
	deflateEnd(&z);
	return e < 0 ? e : rc == Z_STREAM_END ? 0 : -EIO;
}
