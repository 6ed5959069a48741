/* SPDX-License-Identifier: Apache-2.0 */
/* Fixture of the checker's tests: a small kernel of types, a dozen probes, a few symbols.
 */
#ifndef TEST_LANGFIX_H
#define TEST_LANGFIX_H
#include "lang/dprog.h"

struct langfix {
	struct arena *arena;
	struct typesrc *ts;
	struct diags diags;
	struct dopts opts;
	struct macro_env macros;
	struct compile_env env;
	struct source src;
	struct dprog *prog; /* NULL after an error */
	char *dump;	    /* dprog_dump(), or NULL */
};

/* The kernel types, see langfix.c. */
struct typesrc *langfix_types(void);
/* Opens the fixture; with_btf false: a kernel without type information. */
void langfix_open(struct langfix *f, bool with_btf);
/* Parses and checks one program. 0 or -EINVAL; may be called once per fixture. */
int langfix_compile(struct langfix *f, const char *text);
/* open + compile */
int langfix_run(struct langfix *f, const char *text);
void langfix_close(struct langfix *f);
/* Compiles text in the open fixture and closes it. Is the first error's tag this one, and `says` (NULL: anything)
 * in the messages? Without a tag: is there no error, and `says` in the dump? Prints what is not so. */
bool langfix_expect(struct langfix *f, const char *text, const char *tag, const char *says);
/* All messages: "[TAG] message\n\thint: …\n"; malloc'ed. */
char *langfix_messages(const struct langfix *f);
#endif
