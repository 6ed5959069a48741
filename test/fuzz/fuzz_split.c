/* SPDX-License-Identifier: Apache-2.0 */
/* Split debug information in a package that anybody may have written: its index, and the unit that this leads to. The
 * input: 8 bytes of id, 3 bytes that tell where it is cut into index, .debug_info, .debug_abbrev and
 * .debug_str_offsets. */
#include <stdlib.h>
#include "fuzz.h"
#include "sym/dwarf/split.h"

#define HEAD 11u
#define MAX_STEPS (1u << 20)

static void walk(struct dw *d, const struct dw_unit *u)
{
	struct dw_die e;

	for (uint64_t at = u->first; at < u->end && dw_die_read(d, u, at, &e) == 0; at = e.next)
		if (e.next <= at || e.next > u->end || (e.name && strlen(e.name) >= DWARF_MAX_NAME))
			abort();
}

static struct dw_section cut(const uint8_t **p, const uint8_t *end, unsigned share)
{
	size_t n = (size_t)(end - *p) * share / 255;
	struct dw_section s = { *p, n, NULL };

	*p += n;
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *p = data + HEAD, *end = data + size;
	struct dw main = { .count = &main, .room = 1 << 20, .max_steps = MAX_STEPS, .want_lines = true }, part;
	struct dw_unit skeleton = { .version = 4 };
	const struct dw_unit *unit;
	const struct dw_die first = { .u = &skeleton, .dwo_name = "none.dwo" };
	const struct debugplace nowhere = { "/nonexistent/program", 0 };
	struct dw_split s;

	if (size < HEAD || dw_split_init(&s, &main, &nowhere) < 0)
		return 0;
	memcpy(&skeleton.dwo_id, data, sizeof(skeleton.dwo_id));
	s.package = (struct dw_package){ .tried = true, .open = true };
	s.package.index = cut(&p, end, data[8]);
	s.package.info = cut(&p, end, data[9]);
	s.package.abbrev = cut(&p, end, data[10]);
	s.package.str_offsets = s.package.str = s.package.rnglists = (struct dw_section){ p, (size_t)(end - p), NULL };
	if (dw_split_open(&s, &first, &part, &unit) == 0) {
		if (unit->dwo_id != skeleton.dwo_id)
			abort();
		walk(&part, unit);
		dw_close(&part);
	}
	dw_split_done(&s);
	return 0;
}
