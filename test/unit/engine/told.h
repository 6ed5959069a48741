/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the engine: a request whose listener collects the messages, and D programs that are compiled as `dwell`
 * does it. The kernel loads no program. */
#ifndef DWELL_TEST_ENGINE_TOLD_H
#define DWELL_TEST_ENGINE_TOLD_H
#include "../unit.h"
#include "engine/front/compile.h"

static char told[16384], json[16384];

static void told_add(char *to, size_t size, const char *text, const char *end)
{
	size_t n = strlen(to);

	snprintf(to + n, size - n, "%s%s", text, end);
}

static void told_message(void *ctx, const char *text)
{
	(void)ctx;
	told_add(told, sizeof(told), text, "\n");
}

static inline void told_json(void *ctx, const char *line)
{
	(void)ctx;
	told_add(json, sizeof(json), line, "");
}

static inline void told_begin(struct request *c)
{
	static const struct listener to = { .message = told_message, .json = told_json };

	told[0] = json[0] = '\0';
	request_init(c, "dwell", &to);
	c->past = true; /* what the kernel can do is not tried out, for which it takes privileges */
}

static inline void told_has(const char *words)
{
	if (!strstr(told, words))
		fail_msg("'%s' is not in what was told: %s", words, told);
}

/* Opens and parses the programs of c. */
static inline int told_parse(struct request *c, struct compile_session *w)
{
	int e = compile_open(w, c, 0);

	return e ? e : compile_parse(w, c, 0);
}

/* Compiles one program alone and forgets it. */
static inline int told_compile(struct request *c, const char *text)
{
	struct compile_session w = { 0 };
	int e;

	request_prog(c, PROG_NAME, text);
	e = told_parse(c, &w);
	if (e == 0)
		e = compile_image(&w, c, 0);
	assert_int_equal(e == 0, w.image != NULL);
	compile_done(&w);
	return e;
}
#endif
