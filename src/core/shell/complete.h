/* SPDX-License-Identifier: Apache-2.0 */
/* Completes a line of the debugger: lists the commands, names and types that may follow. */
#ifndef DWELL_CORE_SHELL_COMPLETE_H
#define DWELL_CORE_SHELL_COMPLETE_H
#include "core/shell.h"

#define COMPLETE_MAX 1000u /* candidates; further ones are left out */

/* Words that begin as the last word of the line does, whole, each once; malloc'ed as the array is. */
typedef VEC(char *) complete_words;
/* Commands, walkers, options; constructors after -c and properties after -p, for which V8's heap is read. 0 or -ENOMEM.
 */
int shell_complete(struct shell *s, const char *line, complete_words *ret);
void complete_done(complete_words *w);
#endif
