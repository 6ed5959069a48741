/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that run the cases of a folder and compare their output with files: reading them, and showing what
 * differs as comments of TAP. */
#ifndef DWELL_TEST_CASEFILE_H
#define DWELL_TEST_CASEFILE_H
#include <stdio.h>
#include <string.h>
#include "base/strb.h"

/* DIR/NAME.SUFFIX, ended by NUL, malloc'ed; NULL: there is none. *ret_len may be NULL. */
static inline char *casefile_read(const char *dir, const char *name, const char *suffix, size_t *ret_len)
{
	struct strb path = { 0 }, text = { 0 };
	char buf[4096];
	size_t n;
	FILE *f;

	strb_printf(&path, "%s/%s.%s", dir, name, suffix);
	f = fopen(strb_str(&path), "rb");
	strb_free(&path);
	if (!f)
		return NULL;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		strb_add(&text, buf, n);
	fclose(f);
	if (ret_len)
		*ret_len = text.n;
	return strb_take(&text);
}

static inline void casefile_comment(const char *title, const char *text)
{
	printf("# %s:\n", title);
	while (*text) {
		int n = (int)strcspn(text, "\n");

		printf("#   %.*s\n", n, text);
		text += n + (text[n] == '\n');
	}
}
#endif
