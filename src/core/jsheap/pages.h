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
/* Whether an object, tagged, lies in a page of V8 whose head is within the 256 KiB around it. */
bool js_on_page(const struct js *js, uint64_t object);
#endif
