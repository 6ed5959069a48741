/* SPDX-License-Identifier: Apache-2.0 */
/* A handle of the library from inside.
 *
 * Threads: the caller's compiles; a thread of the library's loads, attaches and runs the session, since a session gives
 * up privileges of its thread and must not hold up the caller. They meet in the members below `lock`, and in `asked`.
 * The session's thread alone uses view, recording and session until `ended`; then the caller's does. */
#ifndef DWELL_LIB_INT_H
#define DWELL_LIB_INT_H
#include <pthread.h>
#include <stdbool.h>
#include <dwell.h>
#include "base/strb.h"
#include "engine/front/compile.h"
#include "engine/request.h"
#include "engine/why.h"
#include "lib/queue.h"
#include "run/session.h"
#include "view/text/text.h"

enum lib_stage { LIB_OPEN, LIB_COMPILED, LIB_ATTACHED, LIB_FAILED };

struct dwell {
	enum lib_stage stage;
	struct request req;
	struct workshop w;
	VEC(struct dwell_error) diags;
	struct strb said; /* the last message of the engine that is no diagnostic */
	struct why why;
	struct rec_schema *schema;
	struct recording *rec;
	struct text_view *view;
	FILE *out;	  /* what the view writes to it comes to text */
	struct strb text; /* lines that are not in the queue yet */
	int wake;	  /* eventfd: something is asked for */
	unsigned asked;	  /* atomic: SESSION_ASK_* */
	pthread_t thread;
	bool joinable;
	struct queue_item *held; /* what dwell_next() has given last */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* any of the following; CLOCK_MONOTONIC */
	struct queue queue;
	bool started, ended;
	const char *wanted;	   /* the aggregation to be shown; the caller's, who waits */
	struct strb shown;	   /* its line */
	int shown_error;	   /* 0, -ENOENT, -ENOMEM */
	struct session_result res; /* when ended */
	int error;		   /* -errno of the run */
	char why_not[ERR_MSG_MAX];
};

/* Fills *err, if there is one, and returns status. */
int lib_fail(struct dwell_error *err, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Of what the engine has said last. */
int lib_fail_said(const struct dwell *d, struct dwell_error *err);

/* runner.c: makes the view and starts the thread; waits until all is attached or the run has ended. enum dwell_status.
 */
int runner_start(struct dwell *d, struct dwell_error *err);
/* Any thread, and signal handlers. */
void runner_ask(struct dwell *d, unsigned what);
/* Shows the aggregation as it is now in d->shown. 0, -ENOENT, -ENOMEM. */
int runner_snapshot(struct dwell *d, const char *name);
/* Ends the run, and frees what runner_start() made, however far it came. */
void runner_done(struct dwell *d);

/* snapshot.c: a line of type "snapshot" as values. The line's text is taken over. NULL: no memory. */
struct dwell_snapshot *snapshot_of_line(struct strb *line);
#endif
