/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libzstd for blocks of traces; the library is opened when a trace is. */
#ifndef DWELL_REPLAY_TRACE_ZSTDLIB_H
#define DWELL_REPLAY_TRACE_ZSTDLIB_H
#include <zstd.h>

struct zstd {
	__typeof__(&ZSTD_createDCtx) new_unpacker;
	__typeof__(&ZSTD_freeDCtx) free_unpacker;
	__typeof__(&ZSTD_decompressDCtx) unpack;
	__typeof__(&ZSTD_createCCtx) new_packer;
	__typeof__(&ZSTD_freeCCtx) free_packer;
	__typeof__(&ZSTD_compressCCtx) pack;
	__typeof__(&ZSTD_isError) is_error;
};

/* 0, or -ENOENT: it is not installed. Its functions can be called from then on. */
int zstd_load(struct zstd *ret);
#endif
