/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the tags of diagnostics. */
#include "lang/errtag.h"
#include <string.h>

#define ERRTAG(tag, text) const char tag[] = #tag;
#include "lang/errtag.def"
#undef ERRTAG

static const struct errtag tags[] = {
#define ERRTAG(tag, text) { tag, text },
#include "lang/errtag.def"
#undef ERRTAG
};

const struct errtag *errtag_all(size_t *ret_n)
{
	*ret_n = sizeof(tags) / sizeof(tags[0]);
	return tags;
}

const struct errtag *errtag_find(const char *tag)
{
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (!strcmp(tags[i].tag, tag))
			return &tags[i];
	return NULL;
}
