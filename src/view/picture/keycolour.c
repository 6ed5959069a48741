/* SPDX-License-Identifier: Apache-2.0 */
#include "view/picture/keycolour.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/appearance.h"
#include "view/picture/flame.h"

/* Okabe and Ito, "Color Universal Design", 2008: colour-blind people can tell these apart, too. */
static const unsigned rows[] = { APPEARANCE_KEY_COLOURS };
_Static_assert(ARRAY_SIZE(rows) == KEY_HUES + 1, "appearance.json: hues and grey");

static const struct {
	double towards, share;
} shades[KEY_SLOTS / KEY_HUES] = { APPEARANCE_KEY_SHADES };

unsigned keycolour_slot(const char *name)
{
	return flame_hue(name) % KEY_SLOTS;
}

static bool owns(const struct keycolours *k, unsigned slot, const char *name)
{
	return k->taken[slot] && !strncmp(k->owner[slot], name, sizeof(k->owner[slot]) - 1);
}

static void give(struct keycolours *k, unsigned slot, const char *name)
{
	k->taken[slot] = true;
	snprintf(k->owner[slot], sizeof(k->owner[slot]), "%s", name);
}

void keycolour_claim(struct keycolours *k, const char *name)
{
	unsigned slot = keycolour_slot(name);

	if (!k->taken[slot])
		give(k, slot, name);
}

unsigned keycolour_of(struct keycolours *k, const char *name)
{
	unsigned wanted = keycolour_slot(name), slot = wanted;

	if (owns(k, wanted, name))
		return wanted;
	for (unsigned i = 0; i < KEY_SLOTS; i++)
		if (owns(k, i, name))
			return i;
	do {
		if (!k->taken[slot]) {
			give(k, slot, name);
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
