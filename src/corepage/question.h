/* SPDX-License-Identifier: Apache-2.0 */
/* The questions of the page of a core: a closed list, since a line of commands could write files and run programs. */
#ifndef DWELL_COREPAGE_QUESTION_H
#define DWELL_COREPAGE_QUESTION_H
#include <stdbool.h>

#define QUESTION_LINE 256 /* bytes of a line of commands */

struct question {
	char line[QUESTION_LINE]; /* of commands (core/shell.h) */
	bool dominators;	  /* it needs them */
};

/* text: "NAME\n", then perhaps "at=ADDRESS\n", hexadecimal. 0, or -EINVAL: there is no such question. */
int question_read(const char *text, struct question *ret);
#endif
