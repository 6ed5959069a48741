/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign BTF: whatever is accepted can be walked to the end. Two blobs: the first two bytes say how
 * long the base is, the rest is split BTF on top of it. */
#include <string.h>
#include "fuzz.h"
#include "types/typesrc.h"

#define WALK_MAX 100000

/* Follows targets as a consumer would; the checks promise that this ends. */
static unsigned walk(struct typesrc *ts, struct tref ref)
{
	struct tinfo t;
	unsigned n = 0;

	while (ref.id && typesrc_get(ts, ref, &t) == 0 && t.kind != TK_STRUCT && t.kind != TK_UNION) {
		ref = t.target;
		if (++n > WALK_MAX)
			__builtin_trap();
	}
	return n;
}

static int visit(void *arg, struct tref ref, const char *name)
{
	struct typesrc *ts = arg;
	struct tmember m;
	struct tref found;

	for (uint32_t i = 0; typesrc_member(ts, ref, i, &m) == 0; i++)
		walk(ts, m.type);
	walk(ts, ref);
	if (*name && typesrc_find(ts, NULL, name, ~0u, &found) < 0)
		__builtin_trap();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct typesrc *ts;
	size_t base;

	if (size < 2)
		return 0;
	base = data[0] | (size_t)data[1] << 8;
	data += 2;
	size -= 2;
	if (base > size)
		base = size;
	if (typesrc_open_mem("vmlinux", data, base, &ts, NULL) < 0)
		return 0;
	if (size > base)
		typesrc_add_mem(ts, "mod", data + base, size - base, NULL);
	for (int k = TK_INT; k <= TK_DECL_TAG; k++)
		typesrc_each(ts, (enum tkind)k, "", visit, ts);
	typesrc_free(ts);
	return 0;
}
