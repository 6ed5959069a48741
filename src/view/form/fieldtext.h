/* SPDX-License-Identifier: Apache-2.0 */
/* A value of a record or key as one text, addresses by their names. */
#ifndef DWELL_VIEW_FORM_FIELDTEXT_H
#define DWELL_VIEW_FORM_FIELDTEXT_H
#include "base/recfmt.h"
#include "base/strb.h"
#include "sym/sym.h"

/* Integers in decimal, texts as they are, addresses as module`name, stacks from the root on with ; between frames,
 * other bytes in hexadecimal. */
void fieldtext_add(struct strb *b, struct sym *sym, const struct recfield *f, const uint8_t *p);
#endif
