/* SPDX-License-Identifier: Apache-2.0 */
/* In place of solib.c in the static build. dlopen() from a static program works only beside the very C library that it
 * was linked with, and may crash beside another one; so nothing is opened. Libraries of which Debian has an archive are
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
	return lib == &zstd && !strcmp(name, "ZSTD_decompress") ? (void *)(uintptr_t)ZSTD_decompress : NULL;
}

void solib_close(void *lib)
{
	(void)lib;
}
