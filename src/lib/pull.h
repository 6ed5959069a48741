/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values out of a line of JSON that the text view has made, with any numbers and bytes. The line is well formed;
 * in other text nothing is found, and nothing after its NUL is read. */
#ifndef DWELL_LIB_PULL_H
#define DWELL_LIB_PULL_H
#include <stdbool.h>
#include <stddef.h>
#include <dwell.h>

/* A value: n bytes of a line. p NULL: none. */
struct pull {
	const char *p;
	size_t n;
};

/* The value at the beginning of a text. */
struct pull pull_value(const char *text);
/* A member of an object by its name, which needs no escapes. */
struct pull pull_member(struct pull object, const char *name);
/* The first element of an array, and the one after e. In an object, names and values take turns. */
struct pull pull_first(struct pull array);
struct pull pull_after(struct pull e);
size_t pull_count(struct pull array);
/* Takes it as a value of the public header; its text is malloc'ed. False: no memory. */
bool pull_copy(struct pull v, struct dwell_value *ret);
#endif
