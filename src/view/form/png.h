/* SPDX-License-Identifier: Apache-2.0 */
/* Small pictures: PNG, with a palette or without. */
#ifndef DWELL_VIEW_FORM_PNG_H
#define DWELL_VIEW_FORM_PNG_H
#include <stdint.h>
#include "base/strb.h"

/* Appends a picture of width x height pixels, each the number of a colour (0 is transparent); palette: 256 times red,
 * green, blue. 0 or -ENOMEM. Source: PNG specification (W3C), sections 5 and 11. */
int png_add(struct strb *b, const uint8_t *pixels, uint32_t width, uint32_t height, const uint8_t palette[768]);
/* The same of pixels that have four bytes each: red, green, blue, opacity. */
int png_add_rgba(struct strb *b, const uint8_t *pixels, uint32_t width, uint32_t height);
#endif
