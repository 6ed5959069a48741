/* SPDX-License-Identifier: Apache-2.0 */
/* The text view: DTrace's output, byte for byte, from the rows of a recording. */
#ifndef DWELL_VIEW_TEXT_TEXT_H
#define DWELL_VIEW_TEXT_TEXT_H
#include <stdio.h>
#include "base/err.h"
#include "base/strb.h"
#include "store/recording.h"
#include "sym/sym.h"
#include "view/view.h"

#define TEXT_SNAPSHOT_ROWS 1000 /* rows that a snapshot shows of an aggregation, those with the largest values */

enum text_encoding { TEXT_AUTO, TEXT_ASCII, TEXT_UTF8 };

struct text_opts {
	bool quiet, flowindent, rawbytes, noresolve, droptags;
	bool aggsortkey, aggsortrev, aggpercpu, agghist, aggpack, aggzoom;
	enum text_encoding encoding; /* of bars; AUTO: @, and what the terminal can show when packed */
	int64_t aggsortkeypos, aggsortpos;
	int64_t aggtop; /* rows shown of an aggregation: the largest; 0: all */
	int64_t stackindent, printsize;
	int64_t ustackframes;  /* stacks of fewer frames were asked for: they do not say that they are cut */
	uint32_t target;       /* process whose addresses plain numbers are for %A: that of -c or -p; 0: none */
	bool verbose;	       /* losses by probe */
	bool for_picture;      /* which shows how idle the CPUs were */
	bool destructive;      /* system() and freopen() may run */
	bool columns;	       /* with json: values by the names that a heading gives */
	bool json;	       /* JSON Lines instead of text; messages are lines too */
	uint64_t snapshotrate; /* ns; with json: how often aggregations are shown that have changed. 0: never */
	bool replayed;	       /* rows of an old run: the time of now means nothing */
	bool tells_exit;       /* that the run goes on since a fault has left out an exit() */
	bool no_final_aggs;    /* do not print unprinted aggregations at the end */
	/* Asked all the time, may be NULL. Nothing more is to be printed; … of records, but for those of END. */
	bool (*cut)(void), (*overdue)(void);
	/* Aggregations are not shown but given to it, one printa() after the other, as an object of JSON. It is for
	 * another machine, which adds them to those of others. False: they are shown. */
	bool (*send)(void *arg, const char *json, size_t n);
	void *send_arg;
	text_why_fn *why; /* why(); NULL: all of them are unknown */
	void *why_arg;
};

struct text_view;

/* DTrace's tag of a loss, enum rec_counter: "DTRACEDROP_…"; NULL when there is none. */
const char *text_drop_tag(unsigned kind);

/* Where messages go (drops, faults): one line without newline and without the program's name. */
typedef void text_msg_fn(void *arg, const char *text);
/* setopt(): changes an option while running; NULL, or why it was refused. */
typedef const char *text_setopt_fn(void *arg, const char *name, const char *value);

/* out is not owned; sym may be NULL (addresses stay numbers). */
int text_view_new(const struct rec_schema *schema, struct sym *sym, const struct text_opts *opts, FILE *out,
		  text_msg_fn *msg, void *msg_arg, struct text_view **ret);
void text_view_free(struct text_view *v);
void text_view_on_setopt(struct text_view *v, text_setopt_fn *fn, void *arg);
struct text_opts *text_view_opts(struct text_view *v); /* may be changed while running */
/* Shows one row. 0, or -errno when the output cannot be written (-EPIPE, -ENOSPC …). */
int text_view_row(struct text_view *v, const struct row *row);
/* Reads all rows that the recording has ready, and releases them. */
int text_view_consume(struct text_view *v, struct recording *r);
/* At the end of a run: prints the aggregations that no printa() has shown. */
int text_view_finish(struct text_view *v);
/* The counts of rows that were left out since opts.cut or opts.overdue returned true: "3 records, 20 rows of @a";
 * false: nothing. */
bool text_view_lost(const struct text_view *v, struct strb *ret);
/* With opts.json: a line of type "snapshot" with all rows of the aggregation of this name ("" for @), as it is now.
 * -ENOENT: there is none. */
int text_view_show_agg(struct text_view *v, const char *name);
int text_view_flush(struct text_view *v);
/* A line end, where the output goes by now (freopen()): as DTrace ends a run. */
void text_view_end_line(struct text_view *v);
#endif
