/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what several machines print as lines, each with the machine's name before it. */
#ifndef DWELL_HOSTS_LINES_H
#define DWELL_HOSTS_LINES_H
#include <stdio.h>
#include "base/strb.h"
#include "engine/listener.h"

#define LINES_MAX 65536 /* bytes of a line that are held until it is whole */

struct lines {
	const char *const *labels; /* of n machines */
	size_t n;
	bool json;     /* lines are objects: the name is their first member */
	bool separate; /* each has a file of its own, without names */
	const struct listener *to;
};
/* Prints output of machine h. tail: the beginning of a line, which is kept for the next call. With one machine the
 * output is passed on unchanged: a line without end is shown at once, and a NUL stays. */
void lines_out(const struct lines *l, size_t h, struct strb *tail, FILE *out, const char *p, size_t n);
/* Its messages, which go to the listener. */
void lines_err(const struct lines *l, size_t h, struct strb *tail, const char *p, size_t n);
/* It prints no more: shows what was kept. */
void lines_end(const struct lines *l, size_t h, struct strb *out_tail, FILE *out, struct strb *err_tail);
#endif
