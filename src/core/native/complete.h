/* SPDX-License-Identifier: Apache-2.0 */
/* Completes arguments of commands on types of native code. */
#ifndef DWELL_CORE_NATIVE_COMPLETE_H
#define DWELL_CORE_NATIVE_COMPLETE_H
#include "core/shell.h"

/* Offers the types that begin as `word` does. After a type it offers members, with the path that the word has so
 * far. line: the n bytes from "::" to where the word begins. false: the command takes no type. */
bool ctype_complete(struct shell *s, const char *command, const char *line, size_t n, const char *word,
		    void (*fn)(void *arg, const char *candidate), void *arg);
#endif
