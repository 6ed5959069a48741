/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are built into the program (made by tools/embed.py). They do not end in NUL. */
#ifndef DWELL_VIEW_FORM_ASSETS_H
#define DWELL_VIEW_FORM_ASSETS_H
#include <stddef.h>

extern const char asset_flame_svg_js[];
extern const size_t asset_flame_svg_js_size;
/* Pages, bundled from web/; of no size when they were not built. */
extern const char asset_flamepage_js[], asset_flamepage_css[];
extern const size_t asset_flamepage_js_size, asset_flamepage_css_size;
extern const char asset_heatpage_js[], asset_heatpage_css[];
extern const size_t asset_heatpage_js_size, asset_heatpage_css_size;
extern const char asset_timelinepage_js[], asset_timelinepage_css[];
extern const size_t asset_timelinepage_js_size, asset_timelinepage_css_size;
extern const char asset_histpage_js[], asset_histpage_css[];
extern const size_t asset_histpage_js_size, asset_histpage_css_size;
extern const char asset_corepage_js[], asset_corepage_css[];
extern const size_t asset_corepage_js_size, asset_corepage_css_size;
extern const char asset_fleetpage_js[], asset_fleetpage_css[];
extern const size_t asset_fleetpage_js_size, asset_fleetpage_css_size;
extern const char asset_app_js[], asset_app_css[];
extern const size_t asset_app_js_size, asset_app_css_size;
#endif
