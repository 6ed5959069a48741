/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a view (view/view.h) as a command: makes its options from the rows of the view. */
#ifndef DWELL_CMD_VIEWCMD_H
#define DWELL_CMD_VIEWCMD_H
#include "cmdline/viewline.h"

/* A view of recordings that such a command shows. */
struct viewshow {
	const struct view *view;
	void *state;	    /* as of view_show(), which is ended */
	const char *form;   /* NULL: the plain one */
	const char *beside; /* a file for the form "html" as well; NULL: none */
	const char *causes; /* a file of rules, as of -x causes; NULL: none */
};
/* Shows the recordings that the n words name. t: of messages. An exit code. */
int viewcmd_recorded(const struct viewshow *s, const struct optable *t, char *const *words, size_t n);
/* Shows what a command has chosen by itself: state as of view_show(), which is ended. An exit code. */
int viewcmd_show(const struct view *v, void *state, struct view_job *job);
extern const struct viewcmd viewcmd_heat, viewcmd_hist;
/* Reads the command line, records if that is asked for, and shows the view. An exit code. */
int viewcmd(const struct viewcmd *c, int argc, char **argv);
/* The same of a source that is there: words that are no options name more. */
int viewcmd_of(const struct viewcmd *c, char *source, int argc, char **argv);
#endif
