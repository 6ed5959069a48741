/* SPDX-License-Identifier: Apache-2.0 */
/* Finding V8's pages: inside of core/. */
#ifndef DWELL_CORE_JS_PAGES_H
#define DWELL_CORE_JS_PAGES_H
#include "core/jsheap/heap.h"

#define JSPAGES_SLACK 0x100000u /* bytes of pages that the core need not have */
typedef VEC(struct js_page) js_pages;
/* All pages of the target, by address, without overlaps; those that hold nothing alive are empty. 0, -E2BIG, -ENOMEM.
 */
int js_pages_find(const struct js *js, js_pages *ret);
/* Does a tagged address lie in a page of V8? The page has its head where the 256 KiB around the address begin. */
bool js_on_page(const struct js *js, uint64_t object);
#endif
