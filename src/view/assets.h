/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are built into the program (made by tools/embed.py). None ends in NUL. */
#ifndef DWELL_VIEW_ASSETS_H
#define DWELL_VIEW_ASSETS_H
#include <stddef.h>

extern const char asset_flame_svg_js[];
extern const size_t asset_flame_svg_js_size;
#endif
