/* SPDX-License-Identifier: Apache-2.0 */
/* Text inside of XML and HTML. */
#ifndef DWELL_VIEW_FORM_XML_H
#define DWELL_VIEW_FORM_XML_H
#include "base/strb.h"

/* Appends s so that it is this text in an element or a quoted attribute. Characters that XML cannot hold (control
 * characters, and bytes that are not UTF-8) become U+FFFD. Source: XML 1.0, sections 2.2 and 2.4. */
void xml_add(struct strb *b, const char *s);
#endif
