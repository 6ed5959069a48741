/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of causes from a hostile file, and a stack made of the words in it. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "latency/cause/causes.h"

#define FRAMES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *save = NULL;
	const char *names[FRAMES];
	struct causes *c = NULL;
	struct err err = { 0 };
	struct cause w;
	size_t n = 0;
	int e;

	if (!text || causes_new(&c) < 0)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	e = causes_add(c, "fuzz", text, size, &err);
	if (e < 0 && !err.msg[0])
		abort();
	for (char *p = strtok_r(text, " \t\n<", &save); p && n < FRAMES; p = strtok_r(NULL, " \t\n<", &save))
		names[n++] = *p == '#' ? NULL : p;
	if (causes_classify(c, names, n, size ? data[0] : 0, &w) < 0 || !w.words)
		abort();
	if ((w.wait.words && w.wait.frame >= (int)n) || (w.op.words && w.op.frame >= (int)n) ||
	    w.nvia > CAUSES_MAX_VIA || (e < 0 && w.class != CAUSE_UNKNOWN))
		abort();
	causes_free(c);
	free(text);
	return 0;
}
