/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a hostile core, and commands on it: the input is V8's memory, a page and what is after it. The questions
 * of the page, and commands that take more of a heap than they, are asked about two objects of it. */
#include "../unit/core/madejs.h"
#include "core/shell.h"
#include "corepage/question.h"
#include "fuzz.h"

#define SIZE_MAX_IN 65536 /* larger inputs take time and find nothing new */
#define OBJECT 0x1200	  /* places of objects, after the head of the page */
#define OTHER 0x1600

static const char *const asked[] = {
	"status",     "constructors", "objects", "object",    "properties", "variables",
	"references", "path",	      "strings", "retainers", "dominated",
};
static const char *const lines[] = {
	"%x::jsprint -ah -d 0t8 -n 0t20",
	"%x::jsarray -n 0t20",
	"%x::jsconstructor",
	"%x::jsdominators",
	"%x::jssource",
	"%x::jsframe",
	"%x::nodebuffer -n 0t40",
	"%x::whatis",
	"::jsroots",
	"::jsfunctions",
	"::jsfolded",
	"::findjsobjects -c Array | ::jsprint",
	"::jsstack",
	"::walk mapping | ::whatis",
};

#define NASKED (sizeof(asked) / sizeof(asked[0]))
#define NLINES (sizeof(lines) / sizeof(lines[0]))
#define AT_ONCE 4 /* questions and commands that one input is for when a fuzzer runs, so that it makes many inputs */

/* Which of n things an input is for: a few that follow each other. A test has all of them. */
static bool chosen(unsigned chance, size_t i, size_t n)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	return (i + chance) % n < AT_ONCE;
#else
	(void)chance;
	(void)i;
	(void)n;
	return true;
#endif
}

static void ask(struct shell *s, unsigned at, unsigned chance)
{
	struct question q;
	char text[128];

	for (size_t i = 0; i < NASKED; i++) {
		if (!chosen(chance, i, NASKED))
			continue;
		snprintf(text, sizeof(text), "%s\n", asked[i]);
		if (question_read(text, &q) < 0) {
			snprintf(text, sizeof(text), "%s\nat=%x\n", asked[i], MADEJS_BASE + at);
			if (question_read(text, &q) < 0)
				abort();
		}
		shell_line(s, q.line);
	}
	for (size_t i = 0; i < NLINES; i++) {
		if (!chosen(chance, i, NLINES))
			continue;
		if (lines[i][0] == '%')
			snprintf(text, sizeof(text), "%x%s", MADEJS_BASE + at, lines[i] + 2);
		else
			snprintf(text, sizeof(text), "%s", lines[i]);
		shell_line(s, text);
	}
}

static void run(struct core *c, FILE *out, unsigned chance)
{
	struct js js;

	if (madejs_open(&js, c) < 0)
		abort();
	for (unsigned json = 0; json < 2; json++) {
		struct shell s = { .core = c, .out = out, .json = json, .js = &js };

		if (!chosen(AT_ONCE * (chance & 1), AT_ONCE * json, 2 * (size_t)AT_ONCE))
			continue;
		ask(&s, json ? OTHER : OBJECT, chance >> 1);
		s.js = NULL; /* it is on the stack */
		shell_done(&s);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + MADEJS_HEAD);
	FILE *out = fopen("/dev/null", "we");
	struct core c;

	if (bytes && out && size && size <= SIZE_MAX_IN) {
		madejs_core(bytes, data, size);
		if (core_open_memory(bytes, size + MADEJS_HEAD, &c, NULL) == 0) {
			run(&c, out, (unsigned)size + data[size - 1] + data[size / 2]);
			core_close(&c);
		}
	}
	if (out)
		fclose(out);
	free(bytes);
	return 0;
}
