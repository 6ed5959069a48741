/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a view (view/view.h): options made of the view's rows, sources, and what it records itself. */
#ifndef DWELL_CMDLINE_VIEWLINE_H
#define DWELL_CMDLINE_VIEWLINE_H
#include "base/arena.h"
#include "cmdline/optable.h"
#include "cmdline/requestopts.h"
#include "view/view.h"

/* The options by which such a command records first, and then shows the recording. */
struct viewlive {
	const struct optrow *rows; /* of a struct recnow */
	size_t nrows;
	/* When the options are known: what to record, if anything. -EINVAL with a message. */
	int (*choose)(struct recnow *l, bool *ret_record, struct err *err);
	const char *(*head)(const struct recnow *l);  /* view_job.head; or NULL */
	const char *(*empty)(const struct recnow *l); /* why there is nothing to show (-ENODATA); or NULL */
	/* The name for --by, if the option tells which part of a given recording is to be shown; or
	 * NULL. */
	const char *(*by)(const struct recnow *l);
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

struct viewrows {
	struct optrow v[OPTABLE_MAX];
	size_t n;
};
/* The options of a command that runs live and shows recordings by the same view. They are its own rows (of table), and
 * those of the view's rows that it does not name itself. The view's rows stand before the first break of the table ({ 0
 * }), or at its end. */
struct viewjoined {
	struct optable table;
	const struct view *view;
	size_t state_at,
		form_at; /* where the rows' struct has the view's state and the name of a form (const char *) */
};
/* The joined table; its rows are in *rows, which lives as long. */
struct optable viewline_join(const struct viewjoined *j, struct viewrows *rows);
void viewline_join_help(const struct viewjoined *j, const char *program, FILE *out);

/* A command line as parsed. */
struct viewline {
	const struct viewcmd *c;
	const struct view *view; /* of the family */
	const char *format;	 /* --format, or NULL */
	struct arena *a;
	struct view_job job;
	size_t nwords; /* sources that were named, also those beyond view.max_sources */
	char *extra;   /* the first of these */
	struct recnow live;
	bool record;	     /* live is to be recorded first, and is source 0 then */
	max_align_t state[]; /* of the view */
};

/* NULL: no memory. */
struct viewline *viewline_new(const struct viewcmd *c);
/* A source that is there already, before viewline_read(). */
void viewline_source(struct viewline *l, char *path);
/* Reads it all, and checks what goes together. out: where standard output goes. 0; OPTABLE_HELP: viewline_help() is
 * asked for; -errno with a message: -EINVAL for a command line that is wrong. */
int viewline_read(struct viewline *l, int argc, char **argv, enum view_output out, const char *program,
		  struct err *err);
void viewline_help(const struct viewcmd *c, const char *program, FILE *out);
void viewline_free(struct viewline *l);
#endif
