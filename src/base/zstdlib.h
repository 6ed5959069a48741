/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libzstd, for frames that are packed and unpacked; the library is opened when it is needed. */
#ifndef DWELL_BASE_ZSTDLIB_H
#define DWELL_BASE_ZSTDLIB_H
#include <zstd.h>
#include "base/err.h"

struct zstdlib {
	__typeof__(&ZSTD_createDCtx) new_unpacker;
	__typeof__(&ZSTD_freeDCtx) free_unpacker;
	__typeof__(&ZSTD_decompressDCtx) unpack;
	__typeof__(&ZSTD_createCCtx) new_packer;
	__typeof__(&ZSTD_freeCCtx) free_packer;
	__typeof__(&ZSTD_compressCCtx) pack;
	__typeof__(&ZSTD_isError) is_error;
};

/* what: "the library for packed cores", in the message. 0, or -ENOENT with words in err, which may be NULL. */
int zstdlib_load(struct zstdlib *ret, const char *what, struct err *err);
#endif
