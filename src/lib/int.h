/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct dwell, the handle of the library.
 *
 * Threads: one of the library's starts the command, compiles, loads, attaches and runs the session. A session gives up
 * privileges of its thread and must not hold up the caller. And ptrace(2) wants one thread for all calls about a
 * command that waits. The caller waits while that thread compiles and attaches. Later they meet in the members below
 * `lock`, and in `asked`. The session's thread alone uses view, recording and session until `ended`; then the caller's
 * does. A handle that reads a recording has the caller's thread only. */
#ifndef DWELL_LIB_INT_H
#define DWELL_LIB_INT_H
#include <pthread.h>
#include <stdbool.h>
#include <dwell.h>
#include "base/strb.h"
#include "engine/front/compile.h"
#include "engine/record/record.h"
#include "engine/reprint.h"
#include "engine/request.h"
#include "engine/run/targets.h"
#include "engine/why.h"
#include "lib/queue.h"
#include "run/session.h"
#include "view/text/text.h"

enum lib_stage { LIB_OPEN, LIB_COMPILED, LIB_ATTACHED, LIB_READING, LIB_FAILED };

struct dwell {
	enum lib_stage stage;
	struct request req;
	struct compile_session w;
	struct targets targets; /* the library's thread's */
	VEC(struct dwell_error) diags;
	struct strb said;   /* the last message of the engine that is no diagnostic; during a run messages are rows */
	const char *record; /* path of dwell_record(), or NULL */
	struct why why;
	const struct rec_schema *schema;
	struct rec_schema *run_schema; /* the same, of a run: it grows */
	struct recording *rec;
	struct recorder *recorder; /* or NULL */
	struct recread *file;	   /* LIB_READING, with reprint */
	struct reprint *reprint;
	struct text_view *view; /* reprint's or the run's */
	FILE *out;		/* what the view writes to it comes to text */
	struct strb text;	/* lines that are not in the queue yet */
	bool message_rows;	/* messages of the engine are rows */
	int wake;		/* eventfd: something is asked for */
	unsigned asked;		/* atomic: SESSION_ASK_* */
	pthread_t thread;
	bool joinable;
	struct queue_item *held; /* what dwell_next() has given last */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* any of the following; CLOCK_MONOTONIC */
	struct queue queue;
	bool compiled, go, unwanted; /* what the library's thread has done; what it waits for then */
	int compile_error;	     /* 0, or -errno, said */
	bool started, ended;
	const char *wanted;	   /* the aggregation to be shown; the caller's, which waits */
	struct strb shown;	   /* its line */
	int shown_error;	   /* 0, -ENOENT, -ENOMEM */
	struct session_result res; /* when ended */
	int error;		   /* -errno of the run */
	char failure[ERR_MSG_MAX];
};

/* Fills *err, if there is one, and returns status. */
int lib_fail(struct dwell_error *err, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Fails with the last messages of the engine. */
int lib_fail_messages(const struct dwell *d, struct dwell_error *err);

/* runner.c: starts the thread, which compiles the request. 0; -errno of the engine, which has said why, if `joinable`,
 * else of pthread_create(3). */
int runner_compile(struct dwell *d);
/* Makes the view and lets the thread go on; waits until all is attached or the run has ended. enum dwell_status. */
int runner_start(struct dwell *d, struct dwell_error *err);
/* Any thread, and signal handlers. */
void runner_ask(struct dwell *d, unsigned what);
/* Shows the aggregation as it is now in d->shown. 0, -ENOENT, -ENOMEM. */
int runner_snapshot(struct dwell *d, const char *name);
/* Ends the run, and frees what runner_start() made, however far it came. */
void runner_done(struct dwell *d);

/* Lines that the view has written for this row go to the queue. 0 or -errno. */
int runner_queue(struct dwell *d, const struct row *row);
/* A message of the engine as a row. */
void runner_message(struct dwell *d, const char *text);
/* A stream whose text comes to d->text. NULL: no memory. */
FILE *runner_stream(struct dwell *d);

/* reader.c: a recording in place of a run. enum dwell_status. */
int reader_open(struct dwell *d, const char *path, struct dwell_error *err);
/* Reads on until the queue has a row, or sets d->ended. */
void reader_go_on(struct dwell *d);
void reader_done(struct dwell *d);

/* snapshot.c: a line of type "snapshot" as values. The line's text is taken over. NULL: no memory. */
struct dwell_snapshot *snapshot_of_line(struct strb *line);
#endif
