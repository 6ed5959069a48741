/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/trace/zstdlib.h"
#include "base/cleanup.h"
#include "base/solib.h"

_Static_assert(ZSTD_VERSION_MAJOR == 1, "name the library after its header's version");

int zstd_load(struct zstd *ret)
{
	static const struct solib_func funcs[] = {
		{ "ZSTD_createDCtx", offsetof(struct zstd, new_unpacker) },
		{ "ZSTD_freeDCtx", offsetof(struct zstd, free_unpacker) },
		{ "ZSTD_decompressDCtx", offsetof(struct zstd, unpack) },
		{ "ZSTD_createCCtx", offsetof(struct zstd, new_packer) },
		{ "ZSTD_freeCCtx", offsetof(struct zstd, free_packer) },
		{ "ZSTD_compressCCtx", offsetof(struct zstd, pack) },
		{ "ZSTD_isError", offsetof(struct zstd, is_error) },
	};
	struct err none = { 0 };
	int r = solib_load("libzstd.so.1", "the library", "", funcs, ARRAY_SIZE(funcs), ret, &none);

	err_done(&none);
	return r;
}
