/* SPDX-License-Identifier: Apache-2.0 */
/* Makes recordings that views can show of traces of `dwell rec`. */
#ifndef DWELL_RETRO_PICTURE_H
#define DWELL_RETRO_PICTURE_H
#include "base/vec.h"
#include "engine/request.h"
#include "run/session/tmpdir.h"
#include "view/view.h"

/* The recordings, which lie in a folder of their own; at first all is zero but `begin`. */
struct retro_pictures {
	void (*begin)(struct request *c); /* an empty request of the caller's */
	struct tmpdir folder;
	VEC(char *) paths;
};

#ifdef __x86_64__
/* A view_env.recording; arg: struct retro_pictures. */
int retro_picture(void *arg, const char *view, const char *path, struct view_made *ret, struct err *err);
/* *path becomes that of the recording, if it names a trace; it lives until retro_pictures_done(). 0, or -errno with
 * *err or after a message. */
int retro_picture_path(struct retro_pictures *p, const char *view, const char **path, struct err *err);
/* Removes them all. */
void retro_pictures_done(struct retro_pictures *p);
#else /* there are no traces */
#define retro_picture NULL
static inline int retro_picture_path(struct retro_pictures *p, const char *view, const char **path, struct err *err)
{
	(void)p, (void)view, (void)path, (void)err;
	return 0;
}
static inline void retro_pictures_done(struct retro_pictures *p)
{
	(void)p;
}
#endif

#endif
