/* SPDX-License-Identifier: Apache-2.0 */
/* Explains a word of a command line that is no command: suggests what was meant. */
#ifndef DWELL_FRONT_VERB_H
#define DWELL_FRONT_VERB_H
#include <stdbool.h>
#include "base/strb.h"

/* Does the command line give D programs, or ask for what dtrace(1) does without one? Then its other words are
 * arguments of a script. */
bool verb_is_dtrace(int argc, char *const *argv);
/* One line about argv[1], which is not one of the commands: what the nearest is, or how it is written. tool: the
 * nearest of the tools, or NULL. */
void verb_explain(struct strb *out, const char *word, const char *const *commands, unsigned n, const char *tool);
#endif
