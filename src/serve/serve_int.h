/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the server, all called from its one thread.
 *   serve.c   the loop: sockets, outputs of children, time limits
 *   gate.c    connections: which are let in, for how long
 *   head.c    whether the head of a request is right
 *   mhd.c     libmicrohttpd's functions
 *   http.c    access, routes, answers
 *   api.c     the routes of /api/v1
 *   askapi.c  the routes of pages that only ask: of a fleet, of a core
 *   run.c     children and their output, kept up to a limit
 *   recordings.c    recordings: those that are sent, views of them
 *   stream.c  server-sent events: output of runs to viewers, each at its own speed
 *   textserve.c  a server of its own: one text, for Prometheus */
#ifndef DWELL_SERVE_SERVE_INT_H
#define DWELL_SERVE_SERVE_INT_H
#include <microhttpd.h>
#include <poll.h>
#include "base/strb.h"
#include "base/vec.h"
#include "serve/gate.h"
#include "serve/serve.h"

struct request;
struct stream;

/* A line of output, without its newline. */
struct line {
	char *s;
	size_t n;
};

/* A message that outlives the lines around it: what is detached, or missing on this kernel, holds for viewers that come
 * later, too. */
struct kept {
	uint64_t number; /* of the line */
	struct line l;
};

struct run {
	uint32_t id;
	enum serve_kind kind;
	struct serve_child child; /* out, err: -1 once closed */
	char *program;		  /* its text */
	struct strb part;	  /* a line that has not ended; SERVE_VIEW: all of it */
	struct strb messages;	  /* standard error, up to SERVE_LOG_MAX */
	VEC(struct line) lines;
	uint64_t first;	       /* number of lines.v[0]; those before it are forgotten */
	size_t bytes;	       /* of lines */
	VEC(struct kept) kept; /* of runs that are forgotten; up to SERVE_KEPT_MAX */
	size_t kept_bytes;
	uint64_t skipped; /* lines longer than SERVE_LINE_MAX */
	bool skipping;
	bool in_file; /* child.out is a file, not a pipe: nothing is read from it here */
	bool ended, stopped;
	uint64_t began, watched; /* ns: start; when somebody last watched */
	struct request *waiter;	 /* a request that is answered when it has ended */
};

struct upload {	     /* a recording that was sent */
	uint32_t id; /* and name of the file */
	char *name;  /* as the sender calls it */
	uint64_t bytes;
};

struct server {
	const struct serve_config *c;
	struct gate *gate;
	struct MHD_Daemon *http;
	VEC(struct run *) runs;
	VEC(struct stream *) streams;
	VEC(struct upload) uploads;
	uint32_t last_run, last_upload;
	unsigned copies; /* of the live recording, see SERVE_COPIES_MAX */
	uint64_t began;
	bool ending;
};

struct request {
	struct server *s;
	struct MHD_Connection *conn;
	const char *method, *url; /* while a handler runs */
	unsigned long number;	  /* of /runs/NUMBER */
	const char *name;	  /* of /programs/NAME, and of a view */
	char source[16];	  /* of /recordings/ID/… */
	uint64_t came;		  /* bytes of the body */
	struct strb body;
	bool checked, body_too_large;
	unsigned refused; /* HTTP status, decided by the headers */
	bool is_copy;	  /* counted in server.copies */
	struct run *job;  /* SERVE_CHECK, SERVE_PROBES, SERVE_VIEW: waited for */
	int upload_fd;	  /* a recording that is being sent; -1: none */
	int upload_error; /* -errno */
	uint32_t upload_id;
	uint64_t upload_bytes;
};

/* mhd.c: the library's functions. */
struct mhd {
#define MHD(name) __typeof__(&MHD_##name) name;
#include "serve/mhd.def"
#undef MHD
};
extern struct mhd mhd;
/* Opens the library. 0 or -errno. */
int mhd_open(struct err *err);

/* http.c */
int http_start(struct server *s, struct err *err);
void http_stop(struct server *s);
/* Answers with status and a body of JSON; takes the text of b. */
enum MHD_Result http_json(struct request *rq, unsigned status, struct strb *b);
/* Appends {"error": text} and a newline. */
void http_error_body(struct strb *b, const char *text);
/* Answers with that. */
enum MHD_Result http_error(struct request *rq, unsigned status, const char *text);
/* Answers with r, with the headers that all answers have; releases it. */
enum MHD_Result http_reply(struct request *rq, unsigned status, struct MHD_Response *r);
bool http_token_equal(const char *a, const char *b);

/* api.c */
struct route {
	const char *method, *path; /* "#": a number, "@": a recording, "*": a name */
	enum MHD_Result (*handle)(struct request *rq);
};
extern const struct route api_routes[];
extern const size_t api_nroutes;
enum MHD_Result api_status(struct request *rq);
enum MHD_Result api_framekinds(struct request *rq);
/* A child of this kind answers: the request sleeps until it has ended, and is then handled again. */
enum MHD_Result api_begin_job(struct request *rq, enum serve_kind kind, const char *text);
enum MHD_Result api_answer_job(struct request *rq);

/* askapi.c: the routes of the pages of a fleet and of a core. */
extern const struct route fleet_routes[], core_routes[];
extern const size_t fleet_nroutes, core_nroutes;

/* recordings.c */
enum MHD_Result recordings_list(struct request *rq);
enum MHD_Result recordings_view(struct request *rq);
/* A recording that is sent: whether rq does so, a piece of it, its end, and what is left when it ended otherwise. */
bool recordings_is_upload(const struct request *rq);
void recordings_receive(struct request *rq, const char *data, size_t n);
enum MHD_Result recordings_upload(struct request *rq);
void recordings_done(struct request *rq);
void recordings_forget_all(struct server *s);

/* run.c */
/* Starts one; *ret NULL-checked by errors: -EBUSY: too many. */
int run_start(struct server *s, enum serve_kind kind, const char *text, size_t n, struct run **ret, struct err *err);
struct run *run_find(const struct server *s, unsigned long id); /* or NULL */
bool run_is_job(const struct run *r);				/* somebody waits for all of its output */
void run_stop(struct server *s, struct run *r);
/* Reads what is there; true: there is news for viewers. */
bool run_read(struct server *s, struct run *r);
/* Stops what nobody watches and what takes too long. */
void run_check_times(struct server *s, uint64_t now);
/* Forgets it; its child is asked to end. */
void run_free(struct server *s, struct run *r);

/* stream.c */
/* Answers with a stream of the runs named in `runs` ("1,2"), from the places in `last` ("1:7,2:9", of
 * Last-Event-ID; NULL: all that is kept). */
enum MHD_Result stream_open(struct request *rq, const char *runs, const char *last);
/* There is news of r: wakes the connections that wait for it. */
void stream_news(struct server *s, const struct run *r);
/* Wakes connections to which nothing was sent for long, so that a viewer that has gone is noticed. */
void stream_keep_alive(struct server *s, uint64_t now);
void stream_wake_all(struct server *s);
bool stream_watched(const struct server *s, const struct run *r);
#endif
