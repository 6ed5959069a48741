/* SPDX-License-Identifier: Apache-2.0 */
/* Text inside of XML and HTML. */
#include "view/form/xml.h"
#include <string.h>
#include "base/utf8.h"

static const char *entity(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

void xml_add(struct strb *b, const char *s)
{
	size_t n = strlen(s);

	while (n) {
		size_t len = utf8_len((const uint8_t *)s, n), step = len ? len : 1;
		bool control = len == 1 && (unsigned char)*s < ' ' && *s != '\n' && *s != '\t';
		bool nonchar = len == 3 && (!memcmp(s, "\xef\xbf\xbe", 3) || !memcmp(s, "\xef\xbf\xbf", 3));

		if (len == 0 || control || nonchar)
			strb_adds(b, "\xef\xbf\xbd");
		else if (len == 1 && entity(*s))
			strb_adds(b, entity(*s));
		else
			strb_add(b, s, step);
		s += step;
		n -= step;
	}
}
