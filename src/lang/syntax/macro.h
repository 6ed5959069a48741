/* SPDX-License-Identifier: Apache-2.0 */
/* Macro variables ($pid, $target …) and script arguments ($1, $$1) of D. */
#ifndef DWELL_LANG_SYNTAX_MACRO_H
#define DWELL_LANG_SYNTAX_MACRO_H
#include "lang/syntax/lex.h"

/* Is this the name of a macro variable, such as target? */
bool macro_is_name(const char *name);
/* Reads the macro reference at lx->p (a $) as one token. */
void macro_token(struct lexer *lx);
/* Replaces references in a probe description: "pid$target" to "pid123". 0, or -ENOENT with the name
 * that is not defined in *bad. Both results in the arena. */
int macro_expand_desc(struct arena *a, const struct compile_env *env, const char *text, size_t len, const char **ret,
		      const char **bad);
#endif
