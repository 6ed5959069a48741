/* SPDX-License-Identifier: Apache-2.0 */
/* A view: a row of constants about one way to show recordings. Rooms of this floor fill the rows; view_show() drives
 * them all. Commands, `dwell serve` and the launcher read the rows, and know no view by name. A view measures nothing,
 * prints no message, and reports errors as values. */
#ifndef DWELL_VIEW_VIEW_H
#define DWELL_VIEW_VIEW_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/optrow.h"
#include "base/strb.h"
#include "latency/recset.h"
#include "store/file/recquery.h"

struct causes;
struct rec_schema;
struct sym;

#define VIEW_MAX_SOURCES 8u
#define VIEW_FILE "recording" /* view_form.served of the file itself */

/* The cause of a wait with this kernel stack: names of its functions, innermost first, NULL where there is none. facts:
 * enum cause_fact. Equal words by one pointer, which lives as long as arg; *ret_class as well. NULL: no memory. */
typedef const char *text_why_fn(void *arg, const char *const *names, size_t n, uint32_t facts, const char **ret_class);

/* A recording that was made of a file which is none. */
struct view_made {
	const char *path;  /* NULL: the file itself is shown */
	const char *head;  /* view_job.head; or NULL */
	const char *by;	   /* view_job.by; or NULL */
	const char *whole; /* why no part of it can be chosen by --by; NULL: one can */
};

/* The services of the caller that a view may use. */
struct view_env {
	void *ctx;
	/* Something to know about the output, one sentence. */
	void (*note)(void *ctx, const char *text);
	text_why_fn *why;
	struct causes *(*causes)(void *why_arg); /* the rules of why(); NULL, or returns NULL: there are none */
	void *why_arg;
	/* One of several recordings is not read, and why (latency/recset.h). */
	void (*left_out)(const char *reason);
	/* Makes one, if that can be done, for the view of this name. Texts live as long as the caller shows it. 0, or
	 * -errno with *err or after a message. NULL: none is made. */
	int (*recording)(void *arg, const char *view, const char *path, struct view_made *ret, struct err *err);
	void *recording_arg;
	unsigned columns; /* for text */
	bool utf8;	  /* text may have bars of eighths */
};

struct view_source {
	const char *path;     /* "-": standard input, of views that read texts */
	const char *called;   /* in headings; NULL: by the last part of path; "": not at all */
	struct recread *file; /* while it is shown: the open recording (view.opens) */
};

/* The sources to show, the form, and the output. The caller's, and what it points to. */
struct view_job {
	struct view_source source[VIEW_MAX_SOURCES];
	size_t nsources;
	char *const *words; /* instead, of a view of several: files, folders, processes */
	size_t nwords;
	struct recset set;	      /* while it is shown: what they name */
	const struct view_form *form; /* view_choose() */
	const char *output;	      /* path; NULL or "-": standard output */
	const char *title;	      /* the whole heading; NULL: as the view says, and what the source is called */
	const char *head;	      /* the heading's beginning in place of the view's own; NULL: its own */
	const char *by;		      /* its distribution is shown if --by names none; NULL: the only one */
	const struct view_env *env;
	const char *heading; /* while it is drawn: of both */
	/* A second form, which is written to a file as well; NULL: none. */
	const struct view_form *beside;
	const char *beside_output;
};

/* A run that a view shows. All of it lives until the run has ended. */
struct view_run {
	const struct rec_schema *schema;
	struct sym *sym;
	struct causes *causes; /* the rules of -x causes and dwell's own */
	FILE *out;	       /* not owned; for what is shown before the end */
};

enum view_form_flag {
	VIEW_SAVED = 1,	  /* a browser saves it */
	VIEW_BY_NAME = 2, /* is meant when the output's name ends with "." and the form's name */
	VIEW_PICTURE = 4, /* not for terminals */
	VIEW_BYTES = 8	  /* of a format: not for terminals */
};

/* One form of output. */
struct view_form {
	const char *name;    /* "svg": of the option --svg, or --format svg; NULL ends the rows */
	const char *help;    /* of that option; NULL: the form has none, it is view.plain */
	const char *served;  /* how the page asks for it: "heat.svg"; NULL: not at all */
	const char *type;    /* MIME, of the answer */
	unsigned flags;	     /* enum view_form_flag */
	bool (*built)(void); /* whether this dwell has what it needs; NULL: it has */
	/* 0; -errno with *err, of the recording; without: out cannot be written. */
	int (*draw)(const void *state, const struct view_job *job, FILE *out, struct err *err);
};

/* How two recordings, or two stretches of one, are compared. */
enum view_compare {
	VIEW_ALONE,
	VIEW_BEFORE_AFTER, /* --from and --to stand before the recording that they are of */
	VIEW_NAMED	   /* --name NAME for each, in their order */
};

struct view {
	const char *name;     /* "heat" */
	const char *words[4]; /* of its command line: "timeline", "--processes"; ends with NULL */
	const struct optrow *options;
	size_t noptions;
	const struct view_form *forms;
	bool formats;	       /* forms are chosen by --format NAME, not by --NAME */
	const char *plain;     /* the form when none is asked for; NULL: "svg" */
	const char *at_reader; /* the same where standard output is a terminal or a pipe; NULL: as plain */
	unsigned max_sources;
	bool opens;   /* sources are recordings, which the driver opens; else files of any kind */
	bool several; /* sources are words, which the driver opens as one set of recordings */
	enum view_compare compares;
	const char *compare_option; /* of the command line that compares: "--differential"; or NULL */
	size_t size;		    /* of its state: first what options set, then what is drawn; zeros at first */
	void (*init)(void *state);  /* options that begin with something else; or NULL */
	void (*given)(void *state); /* after each source of the command line: what follows is of the next; or NULL */
	/* When all is known that was asked for: -EINVAL with a message where it does not go together, -ENODATA where
	 * something is missing. Or NULL. */
	int (*check)(void *state, const struct view_job *job, struct err *err);
	/* Makes what is drawn. -errno with a message; -ENODATA: there is nothing of the kind. */
	int (*read)(void *state, const struct view_job *job, struct err *err);
	/* In place of read(), of a run while it goes on (live/viewrun.h): begin(), then row() for each row. The form
	 * draws at the end. NULL: the view shows recordings only. begin() gives 0, or -errno with a message; row() 0 or
	 * -errno, and *ret_text as in struct run_observer. */
	int (*begin)(void *state, const struct view_job *job, const struct view_run *run, struct err *err);
	int (*row)(void *state, const struct row *row, bool *ret_text);
	void (*title)(const void *state, const struct view_job *job, struct strb *ret); /* NULL: it has no heading */
	void (*done)(void *state); /* accepts what was never read; or NULL */
};

#define VIEW(name) extern const struct view view_##name;
#include "view/view.def"
#undef VIEW

/* Where standard output goes. */
enum view_output { VIEW_TO_FILE, VIEW_TO_TERMINAL, VIEW_TO_PIPE };
enum view_output view_stdout(void);
/* Chooses job->form where it is NULL. out: where standard output goes. -EINVAL with a message: the form cannot go
 * there; -ENOTSUP: this dwell does not have it. */
int view_choose(const struct view *v, struct view_job *job, enum view_output out, struct err *err);
/* Opens what is to be read, reads it, makes the heading, draws the form, and writes all of it or nothing. state is
 * v->size bytes after view_init(), with the options set; view_done() comes after. 0, or -errno with *err, as `read`
 * and `draw` say. -EPIPE has no message: nobody reads standard output any more. */
int view_show(const struct view *v, void *state, struct view_job *job, struct err *err);
void view_init(const struct view *v, void *state);
/* Sets --by where it is a text and was not given; "": leaves it. */
void view_set_by(const struct view *v, void *state, const char *by);
/* Whether what is drawn is the form "json". */
bool view_is_json(const struct view_job *job);
/* Draws job->beside, if there is one, to its file. 0, or -errno with a message. */
int view_draw_beside(const void *state, const struct view_job *job, struct err *err);
/* The rules by which waits get their causes. -EINVAL with a message: they cannot be read. */
int view_causes(const struct view_job *job, struct causes **ret, struct err *err);
/* Ends the state, and closes what was opened. */
void view_done(const struct view *v, void *state, struct view_job *job);
/* The form of that name; NULL: there is none. */
const struct view_form *view_form(const struct view *v, const char *name);
/* The option --name that the page may ask for; NULL: there is none. */
const struct optrow *view_asked(const struct view *v, const char *name);
/* The name of the source in a heading: "": it has no name. */
const char *view_called(const struct view_source *s);
/* Passes a sentence on. */
void view_note(const struct view_job *job, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Is there anything between --from and --to? -EINVAL with a message. */
int view_check_times(uint64_t from_ns, uint64_t to_ns, struct err *err);

/* Options that views share. */
#define VIEW_FROM_HELP "only the time from this time after the beginning on (10s, 500ms)"
#define VIEW_TO_HELP "… and up to there"
#define VIEW_OPTIONS_TIMES(type, from_member, to_member) \
	{ .name = "from", \
	  .kind = OPT_TIME, \
	  .at = offsetof(type, from_member), \
	  .asked = true, \
	  .arg = "TIME", \
	  .help = VIEW_FROM_HELP }, \
	{ \
		.name = "to", .kind = OPT_TIME, .at = offsetof(type, to_member), .asked = true, .arg = "TIME", \
		.help = VIEW_TO_HELP \
	}
/* Forms of a picture that the page asks for as NAME.html, NAME.svg and NAME.json. */
#define VIEW_FORMS_PICTURE(name_text, html, svg, json) \
	{ .name = "html", \
	  .help = "a single HTML page; by itself if FILE ends with .html", \
	  .served = name_text ".html", \
	  .type = "text/html; charset=utf-8", \
	  .flags = VIEW_SAVED | VIEW_BY_NAME | VIEW_PICTURE, \
	  .built = flame_has_html, \
	  .draw = html }, \
		{ .name = "svg", \
		  .help = "a picture", \
		  .served = name_text ".svg", \
		  .type = "image/svg+xml", \
		  .flags = VIEW_SAVED | VIEW_BY_NAME | VIEW_PICTURE, \
		  .draw = svg }, \
	{ \
		.name = "json", .help = "what the page draws, as one JSON object", .served = name_text ".json", \
		.type = "application/json", .draw = json \
	}
#endif
