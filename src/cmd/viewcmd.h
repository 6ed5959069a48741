/* SPDX-License-Identifier: Apache-2.0 */
/* A command that shows a view (view/view.h): its options are made of the view's rows. */
#ifndef DWELL_CMD_VIEWCMD_H
#define DWELL_CMD_VIEWCMD_H
#include "cmdline/viewline.h"

/* Shows what a command has chosen by itself: state as of view_show(), which is ended. An exit code. */
int viewcmd_show(const struct view *v, void *state, struct view_job *job);
extern const struct viewcmd viewcmd_heat, viewcmd_hist;
/* Reads the command line, records if that is asked for, and shows the view. An exit code. */
int viewcmd(const struct viewcmd *c, int argc, char **argv);
/* The same of a source that is there: words that are no options name more. */
int viewcmd_of(const struct viewcmd *c, char *source, int argc, char **argv);
#endif
