/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines of `dwell core` from a terminal, with editing, history and completion. Opens libedit when it is
 * first needed. */
#ifndef DWELL_CORE_SHELL_CORELINE_H
#define DWELL_CORE_SHELL_CORELINE_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct shell;
#define CORELINE_PROMPT "> "

/* Opens the library; s completes the lines and must live until the last one. False: there is none. */
bool coreline_open(struct shell *s);
/* A line as getline(3) gives it, without newline; -1: the end. */
ssize_t coreline_read(char **line, size_t *cap);
/* Runs the lines of standard input until it ends, or says $q; asks for them in a terminal. run: runs one, says what
 * went wrong; false then. Returns whether all commands succeeded; always true in an interactive session, whose user has
 * seen the messages.
 */
bool coreline_run(struct shell *s, bool (*run)(struct shell *s, const char *text));
#endif
