/* SPDX-License-Identifier: Apache-2.0 */
#include "view/keycolour.h"
#include <math.h>
#include "base/cleanup.h"
#include "view/flame.h"

static const unsigned rows[] = {
#define COLOUR(rgb) rgb,
#include "view/keycolour.def"
#undef COLOUR
};
_Static_assert(ARRAY_SIZE(rows) == KEY_HUES + 1, "keycolour.def: hues and grey");

static const struct { double towards, share; } shades[KEY_SLOTS / KEY_HUES] = { { 0, 0 }, { 255, 0.45 }, { 0, 0.35 } };

unsigned keycolour_slot(const char *name)
{
	return flame_hue(name) % KEY_SLOTS;
}

unsigned keycolour_take(const char *name, bool *taken)
{
	unsigned wanted = keycolour_slot(name), slot = wanted;

	do {
		if (!taken[slot]) {
			taken[slot] = true;
			return slot;
		}
		slot = (slot + 1) % KEY_SLOTS;
	} while (slot != wanted);
	return wanted;
}

unsigned keycolour(unsigned slot)
{
	unsigned base = rows[slot % KEY_HUES], rgb = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		double v = base >> shift & 255, to = shades[slot / KEY_HUES % ARRAY_SIZE(shades)].towards;

		rgb |= (unsigned)lround(v + shades[slot / KEY_HUES % ARRAY_SIZE(shades)].share * (to - v)) << shift;
	}
	return rgb;
}

unsigned keycolour_row(size_t i)
{
	return rows[i % ARRAY_SIZE(rows)];
}
