/* SPDX-License-Identifier: Apache-2.0 */
/* How events stand in blocks: for the writer and the reader of traces. */
#ifndef DWELL_REPLAY_TRACE_INT_H
#define DWELL_REPLAY_TRACE_INT_H
#include <zlib.h>
#include "replay/trace/trace.h"
#include "base/zstdlib.h"

#define BLOCK_MARK 0x6b6c6264u	 /* "dblk" */
#define BLOCK_STORED 0x77617264u /* "draw": the bytes as they are */
#define BLOCK_ZSTD 0x74737a64u	 /* "dzst": packed by zstd; without its library by zlib, BLOCK_MARK */
#define TRACE_STORED_SINCE 5u	 /* version */
#define TRACE_ZSTD_SINCE 6u
#define PACKED_MAX ZSTD_COMPRESSBOUND(TRACE_BLOCK_MAX) /* zlib needs less */

struct block_head {
	uint32_t mark, raw, packed; /* bytes */
	uint32_t crc;		    /* of the packed bytes */
};
struct event_head {
	uint32_t size, kind; /* of what follows */
};

static inline uint32_t trace_crc(const void *p, size_t n)
{
	return (uint32_t)crc32(0, p, (uInt)n);
}
#endif
