/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a recording that views can show of a trace of `dwell rec`. */
#ifndef DWELL_RETRO_PICTURE_H
#define DWELL_RETRO_PICTURE_H
#include "engine/run/recnow.h"

/* Is it a trace, which the command can show? Then it is put into *l, and how the picture's heading begins, if that is
 * another one than usual. */
bool retro_draws(struct recnow *l, const char *command, const char *path, const char **ret_head);
/* Asks the trace l->trace what the command l->draws wants to show; l->path is the recording then. Ends the request,
 * which is empty. 0 or -errno, told. */
int retro_picture(struct recnow *l, struct request *c);

#endif
