/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a recording that views can show of a trace of `dwell rec`. */
#ifndef DWELL_RETRO_PICTURE_H
#define DWELL_RETRO_PICTURE_H
#include "engine/run/recnow.h"

/* True if the file is a trace and the command can draw it. Then *l has the trace and its D program, and *ret_head the
 * beginning of the picture's heading, unless the usual one is right. */
bool retro_draws(struct recnow *l, const char *command, const char *path, const char **ret_head);
/* Runs the D program l->asked over the trace l->trace. l->path is the recording then. Ends the request, which is empty.
 * 0 or -errno, told. */
int retro_picture(struct recnow *l, struct request *c);

#endif
