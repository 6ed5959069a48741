/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of sessions that are asked for their probes' firings: another process wrote them. */
#include <stdlib.h>
#include "base/arena.h"
#include "fuzz.h"
#include "ps/probestats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	size_t programs, probes;

	probestats_read(a, (const char *)data, size, &programs, &probes);
	if (probes && !programs)
		abort();
	arena_free(a);
	return 0;
}
