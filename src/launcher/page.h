/* SPDX-License-Identifier: Apache-2.0 */
/* Provides the files of the page, as the server sends them. */
#ifndef DWELL_LAUNCHER_PAGE_H
#define DWELL_LAUNCHER_PAGE_H
#include "base/arena.h"
#include "engine/listener.h"
#include "serve/serve.h"

enum page_kind { PAGE_MACHINE, PAGE_FLEET, PAGE_CORE }; /* dwell serve, dwell fleet serve, dwell serve CORE */
/* Compresses the files of a page into the arena and returns how many there are. 0: dwell was built without the page (no
 * esbuild), which is told, or no memory. */
size_t page_assets(struct arena *a, enum page_kind kind, const struct serve_asset **ret, const struct listener *to);
#endif
