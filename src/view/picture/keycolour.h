/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of keys (processes, devices, lanes …): by their names, so that one has the same in every picture and run. The
 * same as in web/src/keycolour.ts, where of two keys of a page that would have the same the later gets the next that is
 * free. Keys that stand together are claimed first, all of them, so that one that has to give way does not push others
 * aside. */
#ifndef DWELL_VIEW_PICTURE_KEYCOLOUR_H
#define DWELL_VIEW_PICTURE_KEYCOLOUR_H
#include <stdbool.h>
#include <stddef.h>

#define KEY_HUES 7u		 /* of appearance.json, which ends with the grey of what has no key */
#define KEY_SLOTS (3 * KEY_HUES) /* as it is, lighter, darker */

/* The colour that a name wants, of KEY_SLOTS. */
unsigned keycolour_slot(const char *name);

struct keycolours { /* the key of each colour; all zero at first */
	bool taken[KEY_SLOTS];
	char owner[KEY_SLOTS][64];
};
/* Gives a name the colour that it wants, if nobody has it. */
void keycolour_claim(struct keycolours *k, const char *name);
/* The colour of a name: its own, else the next that is free, which it then has; else, when none is, the one that it
 * wants. */
unsigned keycolour_of(struct keycolours *k, const char *name);
/* 0xrrggbb. */
unsigned keycolour(unsigned slot);
/* Row i of appearance.json, again from the first on after the last. */
unsigned keycolour_row(size_t i);
#endif
