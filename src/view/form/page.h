/* SPDX-License-Identifier: Apache-2.0 */
/* Single HTML files: script, style and data in one, which opens from anywhere without a network. */
#ifndef DWELL_VIEW_FORM_PAGE_H
#define DWELL_VIEW_FORM_PAGE_H
#include <stdio.h>
#include "base/strb.h"

/* Data that the script finds as the text of an element, deflated and in base64. */
struct page_part {
	const char *id;
	const struct strb *bytes;
};

/* Writes bytes to the FILE out as base64; n is a multiple of 3 but for the last piece. 0 or -errno. */
int page_base64(void *out, const unsigned char *p, size_t n);
/* Writes the page. meta is JSON, the text of the element "meta"; the script fills the element "app". 0 or -errno. */
int page_write(FILE *out, const char *title, const char *css, size_t css_len, const char *js, size_t js_len,
	       const struct strb *meta, const struct page_part *parts, size_t nparts);
/* The same data without the page: meta, an object, with one more member for each part. 0 or -errno. */
int page_json(FILE *out, const struct strb *meta, const struct page_part *parts, size_t nparts);
#endif
