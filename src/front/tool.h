/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the tool that a user means by a name. */
#ifndef DWELL_FRONT_TOOL_H
#define DWELL_FRONT_TOOL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TOOL_NAME_MAX 64

/* Turns a word into the name of a tool. Cuts ".d", ".bt", ".py" or "-bpfcc" from its end. Replaces a name of bcc or
 * bpftrace by dwell's name; *other is true then. Returns false if the word is too long or no file name. */
bool tool_name(const char *word, char ret[TOOL_NAME_MAX], bool *other);
/* The command line that does what a tool of bcc or bpftrace of this name does; NULL: there is none. */
const char *tool_command(const char *word);
struct tool_row {
	const char *name, *summary, *text;
};
/* Lists tools: without a word (NULL) all, by topic (" * Topic: Files" in their heads); else those that have it in name,
 * summary or topic, whatever its case. columns: lines are broken there; 0: nowhere. Returns how many there were. */
size_t tool_list(const struct tool_row *v, size_t n, const char *word, int columns, FILE *out);
/* The comment at the head of a tool: where its first line begins, and in *n its length; lines begin with " *". NULL:
 * there is none. */
const char *tool_head(const char *text, size_t *n);
/* Writes this comment without its stars, and an empty line. text: NULL has no comment. */
void tool_put_head(const char *text, FILE *out);
#endif
