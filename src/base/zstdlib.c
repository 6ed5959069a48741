/* SPDX-License-Identifier: Apache-2.0 */
#include "base/zstdlib.h"
#include "base/cleanup.h"
#include "base/solib.h"

_Static_assert(ZSTD_VERSION_MAJOR == 1, "name the library after its header's version");

int zstdlib_load(struct zstdlib *ret, const char *what, struct err *err)
{
	static const struct solib_func funcs[] = {
		{ "ZSTD_createDCtx", offsetof(struct zstdlib, new_unpacker) },
		{ "ZSTD_freeDCtx", offsetof(struct zstdlib, free_unpacker) },
		{ "ZSTD_decompressDCtx", offsetof(struct zstdlib, unpack) },
		{ "ZSTD_createCCtx", offsetof(struct zstdlib, new_packer) },
		{ "ZSTD_freeCCtx", offsetof(struct zstdlib, free_packer) },
		{ "ZSTD_compressCCtx", offsetof(struct zstdlib, pack) },
		{ "ZSTD_isError", offsetof(struct zstdlib, is_error) },
	};

	return solib_load("libzstd.so.1", what, "install Debian's package libzstd1", funcs, ARRAY_SIZE(funcs), ret,
			  err);
}
