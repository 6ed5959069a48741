/* SPDX-License-Identifier: Apache-2.0 */
/* In place of solib.c in the static build. dlopen() from a static program works only with the very C library that it
 * was linked with. It may crash with another one. So this opens nothing. Libraries of which Debian has an archive are
 * linked and found here by name. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>
#include "base/solib.h"

static char zstd; /* its address is the handle */

void *solib_open(const char *soname)
{
	return strcmp(soname, "libzstd.so.1") ? NULL : &zstd;
}

const char *solib_advice(const char *install)
{
	(void)install;
	return "the static build of dwell opens no libraries: use the other one for this";
}

void *solib_sym(void *lib, const char *name)
{
	static const struct {
		const char *name;
		uintptr_t address;
	} known[] = {
#define KNOWN(f) { #f, (uintptr_t)(f) }
		KNOWN(ZSTD_decompress), KNOWN(ZSTD_createDCtx), KNOWN(ZSTD_freeDCtx),	  KNOWN(ZSTD_decompressDCtx),
		KNOWN(ZSTD_createCCtx), KNOWN(ZSTD_freeCCtx),	KNOWN(ZSTD_compressCCtx), KNOWN(ZSTD_isError),
	};

	for (size_t i = 0; lib == &zstd && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return (void *)known[i].address; /* NOLINT(performance-no-int-to-ptr): a function's */
	return NULL;
}

void solib_close(void *lib)
{
	(void)lib;
}
