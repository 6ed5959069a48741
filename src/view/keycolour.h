/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of keys (processes, devices, lanes …): by their names, so that one has the same in every picture and run. The same as in
 * web/src/keycolour.ts, where of two keys of a page that would have the same the later gets the next that is free. */
#ifndef DWELL_VIEW_KEYCOLOUR_H
#define DWELL_VIEW_KEYCOLOUR_H
#include <stdbool.h>
#include <stddef.h>

#define KEY_HUES  7u /* of keycolour.def, which ends with the grey of what has no key */
#define KEY_SLOTS (3 * KEY_HUES) /* as it is, lighter, darker */

/* Which of the KEY_SLOTS colours a name wants. */
unsigned keycolour_slot(const char *name);
/* The same, or the next that is not taken (KEY_SLOTS of them, all false at first), which it then is. */
unsigned keycolour_take(const char *name, bool *taken);
/* 0xrrggbb. */
unsigned keycolour(unsigned slot);
/* Row i of keycolour.def, again from the first on behind the last. */
unsigned keycolour_row(size_t i);
#endif
