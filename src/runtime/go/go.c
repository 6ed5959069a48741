/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the version of Go out of a binary and knows the places of that version, on machines with 64 bits.
 * Source: debug/buildinfo, runtime/runtime2.go of each version; test/live/builtin/goid.py compares 1.19 with what its
 * runtime and its debug information say. */
#include "runtime/go/go.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\xff Go buildinf:"
#define MAGIC_BYTES 14u
#define FLAGS_AT 15u
#define FLAG_BIG_ENDIAN 1u
#define FLAG_INLINE 2u
#define POINTER_AT 16u
#define INLINE_AT 32u

int go_version_read(const uint8_t *info, size_t n, char ret[GO_MAX_VERSION], uint64_t *ret_at)
{
	size_t len;

	ret[0] = '\0';
	*ret_at = 0;
	if (n < INLINE_AT || memcmp(info, MAGIC, MAGIC_BYTES) != 0)
		return -EBADMSG;
	if (!(info[FLAGS_AT] & FLAG_INLINE)) {
		if (info[FLAGS_AT - 1] != 8 || info[FLAGS_AT] & FLAG_BIG_ENDIAN)
			return -EBADMSG;
		memcpy(ret_at, info + POINTER_AT, sizeof(*ret_at));
		return *ret_at ? 0 : -EBADMSG;
	}
	if (n < INLINE_AT + 1)
		return -EBADMSG;
	len = info[INLINE_AT]; /* a varint: versions are shorter than 128 */
	if (len >= 128 || len == 0 || len > n - INLINE_AT - 1)
		return -EBADMSG;
	len = len < GO_MAX_VERSION ? len : GO_MAX_VERSION - 1;
	memcpy(ret, info + INLINE_AT + 1, len);
	ret[len] = '\0';
	return 0;
}

unsigned go_version_minor(const char *version)
{
	char *end;
	unsigned long v;

	if (strncmp(version, "go1.", 4) != 0 || version[4] < '0' || version[4] > '9')
		return 0;
	v = strtoul(version + 4, &end, 10);
	return v < 1000 ? (unsigned)v : 0;
}

bool go_places(unsigned minor, struct go_proc *ret)
{
	if (minor < GO_OLDEST || minor > GO_NEWEST)
		return false;
	ret->m = 48;
	ret->curg = minor < 25 ? 192 : 184;		    /* 1.25: struct gobuf, which is in g and m, lost ret */
	ret->goid = minor == 23 || minor == 24 ? 160 : 152; /* 1.23: syscallbp before it */
	return true;
}

const char *go_stack_end(const char *function)
{
	static const struct {
		const char *name, *why;
	} ends[] = {
		{ "runtime.mstart", "" },
		{ "runtime.systemstack", "Go runs this on a stack of its own" },
		{ "runtime.asmcgocall", "Go runs this on a stack of its own" },
		{ "runtime.morestack", "Go runs this on a stack of its own" },
		{ "runtime.mcall", "the goroutine has left the thread" },
	};

	for (size_t i = 0; function && i < sizeof(ends) / sizeof(ends[0]); i++) {
		const size_t n = strlen(ends[i].name);

		/* Assembly has ".abi0" after its name since Go 1.17. */
		if (!strncmp(function, ends[i].name, n) && (!function[n] || !strcmp(function + n, ".abi0")))
			return ends[i].why;
	}
	return NULL;
}
