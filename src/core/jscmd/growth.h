/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of objects that have grown since an older core: inside of core/. */
#ifndef DWELL_CORE_JS_GROWTH_H
#define DWELL_CORE_JS_GROWTH_H
#include "core/jsheap/group.h"

/* Shows the wanted groups of `now` with those of an older core file, those that grew most first. In front of a |: one
 * object of each. 0, or -errno with s->err. */
int js_growth(struct shell *s, const struct js_groups *now, const char *file);
#endif
