/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a compiled D program: loaded, attached, read until it ends, detached.
 *
 * Order of a run (session_new: 1-2, session_run: the rest):
 *   1. maps made, programs verified; 2. wall clock and CPU state set; 3. BEGIN by test-run;
 *   4. all probes attached in image order, targets let go; 5. loop: rings drained, ordered, appended to
 *   the recording, `consume` called; aggregations read every aggrate, and before every event that shows
 *   or changes one; 6. stop: enum session_stop; 7. detached, grace
 * period; rings drained; 8. END by test-run, drained; 9. last aggregation snapshot, losses, ROW_END, consume() a last
 * time. A second SIGINT or SIGTERM ends the output at once (run/os/signals.h). Its handlers stay until session_free(),
 * so that what the caller prints at the end is not cut without a word. */
#ifndef DWELL_RUN_SESSION_H
#define DWELL_RUN_SESSION_H
#include "base/err.h"
#include "cg/image.h"
#include "lang/dprog.h"
#include "prov/provider.h"
#include "run/target.h"
#include "store/recording.h"
#include "store/slow.h"
#include "sym/sym.h"
#include "types/caps.h"

struct session;

enum session_stop {
	SESSION_RUNNING,
	SESSION_EXIT,	  /* exit() */
	SESSION_SIGNAL,	  /* SIGINT or SIGTERM */
	SESSION_TARGETS,  /* all targets have ended */
	SESSION_FILLED,	  /* -x bufpolicy=fill: a buffer is full */
	SESSION_CONSUMER, /* consume() failed */
	SESSION_ASKED,	  /* its host has asked for it */
	SESSION_TIME,	  /* it has run for the time that was given */
	SESSION_ERROR,	  /* session_run() returned an error */
};

/* A program that runs the session in a thread of its own: signals are the program's, and a session with a host installs
 * no handlers. All functions are called in the session's thread. */
enum { SESSION_ASK_STOP = 1, SESSION_ASK_SNAPSHOT = 2 };
struct session_host {
	int fd; /* becomes readable when asked() has something to say */
	/* Takes what is asked for, SESSION_ASK_*, and makes fd unreadable. */
	unsigned (*asked)(void *ctx);
	void (*started)(void *ctx); /* BEGIN has run and all is attached */
	void (*counted)(void *ctx); /* SESSION_ASK_SNAPSHOT: consume() was given all that was counted until now */
};

struct session_config {
	const struct image *img;
	const struct dprog *prog; /* options and the texts of probe descriptions */
	struct registry *reg;	  /* attaches */
	struct typesrc *ts;
	const struct caps *caps;
	struct sym *sym;	       /* told of processes with user stacks; NULL: nobody */
	struct target *const *targets; /* -c and -p; the run ends when all have ended */
	size_t ntargets;
	uint64_t for_ns; /* the run ends after so long, from when all is attached; 0: it does not */
	/* Whether the flight recorder is to be asked about a slow event; NULL: always. */
	bool (*wants_flight)(void *ctx, const struct slow_event *e);
	bool history;		   /* rows of processes and mappings, from their beginning on */
	const struct cg_env *cg;   /* compiles for probes that are found later; NULL: none are looked for */
	struct rec_schema *schema; /* of rec, to which they are added; NULL as above */
	struct recording *rec;	   /* made by the caller with session_schema() */
	/* Called after rows were appended: reads and releases them. <0 (output closed) ends the run in
	 * order; END and the last rows are still appended. */
	int (*consume)(void *ctx);
	/* Called once when the reason to stop is known, before END runs; may be NULL. */
	void (*stopping)(void *ctx, enum session_stop stop);
	/* SIGHUP calls this and does not end the run; NULL: it does. */
	void (*hangup)(void *ctx);
	/* With -x bpflog: the verifier's log of each program that it has accepted; NULL: nobody wants it. */
	void (*log)(void *ctx, const char *log);
	const struct session_host *host; /* NULL: signals end the run */
	void *ctx;
};

struct session_result {
	enum session_stop stop;
	int exit_status;    /* of exit(); else 0 */
	int consumer_error; /* what consume() returned, SESSION_CONSUMER */
	int signal;	    /* SESSION_SIGNAL */
	bool began;	    /* BEGIN has run */
	bool started;	    /* and everything was attached */
};

/* The schema of the rows that a run of this program makes: formats, aggregations, all probes. Lives in
 * the arena of prog. */
struct rec_schema *session_schema(const struct dprog *prog, const struct image *img, const struct caps *caps);
/* Does a record show or change aggregations, so that they must be up to date before its row? */
bool session_shows_aggs(const struct recfmt *f);
/* Adds a probe, unless it is there. Earlier arrays of probes stay in the arena. */
void session_schema_add(struct arena *a, struct rec_schema *s, const struct probe *p);
/* Steps 1-2. err->detail holds the verifier's log when a program was refused. config and what it points
 * to must outlive the session. */
int session_new(const struct session_config *config, struct session **ret, struct err *err);
/* A setting of a tracker, from the start on: see run/consume/track.h. 0, -ENOENT, -ENOKEY, -ERANGE. */
int session_set(struct session *s, const char *tracker, const char *setting, uint64_t value);
/* The setting as it is now. 0, -ENOENT, -ENOKEY. */
int session_get(const struct session *s, const char *tracker, const char *setting, uint64_t *ret);
/* Steps 3-9. Error: a probe could not be attached or the kernel took something away; *ret is always
 * filled. One session at a time per process (signals). */
int session_run(struct session *s, struct session_result *ret, struct err *err);
/* Detaches what is still attached; accepts NULL. */
void session_free(struct session *s);
#endif
