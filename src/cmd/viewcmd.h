/* SPDX-License-Identifier: Apache-2.0 */
/* A command that shows a view (view/view.h): its options are made of the view's rows. */
#ifndef DWELL_CMD_VIEWCMD_H
#define DWELL_CMD_VIEWCMD_H
#include "cmdline/requestopts.h"
#include "cmdline/optable.h"
#include "view/view.h"

/* What such a command can record itself, to show it then. */
struct viewlive {
	const struct optrow *rows; /* of a struct recnow */
	size_t nrows;
	/* When the options are known: what to record, if anything. -EINVAL with a message. */
	int (*choose)(struct recnow *l, bool *ret_record, struct err *err);
	const char *(*head)(const struct recnow *l);  /* view_job.head; or NULL */
	const char *(*empty)(const struct recnow *l); /* why there is nothing to show (-ENODATA); or NULL */
};

struct viewcmd {
	const char *command; /* "flame": of messages */
	const struct view *view;
	/* Views that share its state, and itself: one of them is shown, by --format. NULL-terminated; or NULL. */
	const struct view *const *family;
	bool no_file;		      /* it has no -o */
	const char *synopsis, *notes; /* of the usage; notes: or NULL */
	const char *missing;	      /* no source was named */
	const struct viewlive *live;  /* or NULL */
};

/* Shows what a command has chosen by itself: state as of view_show(), which is ended. An exit code. */
int viewcmd_show(const struct view *v, void *state, struct view_job *job);
extern const struct viewcmd viewcmd_heat, viewcmd_hist;
/* Reads the command line, records if that is asked for, and shows the view. An exit code. */
int viewcmd(const struct viewcmd *c, int argc, char **argv);
/* The same of a source that is there: words that are no options name more. */
int viewcmd_of(const struct viewcmd *c, char *source, int argc, char **argv);
#endif
