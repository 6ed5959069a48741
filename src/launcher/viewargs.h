/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command lines that draw views of recordings (engine/views.h). */
#ifndef DWELL_LAUNCHER_VIEWARGS_H
#define DWELL_LAUNCHER_VIEWARGS_H
#include <stdbool.h>
#include "base/arena.h"

#define VIEWARGS_MAX 32

/* A request of the server for a view, lines of text: the recording, the name of the view, then "key=value"s. */
struct viewargs {
	const char *source; /* "live", "r1", "u2" */
	const char *other;  /* to compare with: the same; NULL: nothing, or the recording itself */
	bool file;	    /* the recording itself: the command makes a copy of one that is being written */
	bool compare;
	char *argv[VIEWARGS_MAX + 1];
};
/* Takes text apart, which is changed. path and other_path become part of the command line. They are known later:
 * they point to what the caller fills in. -EINVAL: there is no such view, or it takes no such key. */
int viewargs_make(struct arena *a, char *text, char *path, char *other_path, struct viewargs *ret);
#endif
