/* SPDX-License-Identifier: Apache-2.0 */
/* Core files of strangers: the input is one; each thread's stack is walked, and commands are run on it. */
#include <stdio.h>
#include <stdlib.h>
#include "core/shell.h"
#include "fuzz.h"

#define MAX_THREADS 4u /* that are walked */

static void run(struct core *c, const char *line)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct shell s = { .core = c, .out = out };

	if (!out)
		return;
	shell_line(&s, line);
	fclose(out);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t')
			abort(); /* a terminal would obey it */
	free(text);
	shell_done(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct core c;
	uint8_t buf[64];

	if (core_open_memory(data, size, &c, NULL) < 0)
		return 0;
	for (size_t i = 0; i + 1 < c.segs.n; i++)
		if (c.segs.v[i].end > c.segs.v[i + 1].start)
			abort();
	for (size_t i = 0; i < c.threads.n && i < MAX_THREADS; i++) {
		core_frames f = { 0 };
		const char *reason;

		core_read(&c, c.threads.v[i].regs[CORE_SP], buf, sizeof(buf));
		core_walk(&c, c.threads.v[i].regs, 1000, &f, &reason);
		vec_free(&f);
	}
	run(&c, "::status");
	run(&c, "::mappings");
	run(&c, "::threads");
	run(&c, "::stack");
	core_close(&c);
	return 0;
}
