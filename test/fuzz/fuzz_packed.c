/* SPDX-License-Identifier: Apache-2.0 */
/* Packed cores of strangers: the input is one; all of it is read, forwards and backwards, and opened as a core. */
#include <string.h>
#include "core/target/packed.h"
#include "core/target.h"
#include "fuzz.h"

#define MOST (32u << 20) /* bytes that are unpacked of each */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct elf_src src = { .fd = -1, .mem = data, .size = size };
	static uint8_t buf[65536];
	struct packed *p;
	struct core c;
	uint64_t n;

	if (packed_open(&src, &p, &n, NULL) == 0) {
		n = n < MOST ? n : MOST;
		for (uint64_t at = 0; at < n; at += sizeof(buf))
			packed_read(p, at, buf, n - at < sizeof(buf) ? (size_t)(n - at) : sizeof(buf));
		for (uint64_t at = n; at >= 4096; at -= 4096 < at / 9 ? at / 9 : 4096)
			packed_read(p, at - 4096, buf, 4096);
		packed_close(p);
	}
	if (core_open_memory(data, size, &c, NULL) == 0) {
		if (c.segs.n)
			core_read(&c, c.segs.v[0].start, buf, 64);
		core_close(&c);
	}
	return 0;
}
