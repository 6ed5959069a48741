/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the page and its API over HTTP. This room runs without privileges. Compiling and tracing need them: for these
 * it asks its caller, which starts a dwell of its own for each program. doc/api.md describes the API. */
#ifndef DWELL_SERVE_SERVE_H
#define DWELL_SERVE_SERVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define SERVE_TOKEN_LEN 32		       /* hexadecimal digits of a token */
#define SERVE_PROGRAM_MAX (64 << 10)	       /* bytes of a D program that is sent to the server */
#define SERVE_BODY_MAX (256 << 10)	       /* bytes of the body of a request: a program as JSON */
#define SERVE_RUNS_MAX 16		       /* programs that are running, or whose output is kept */
#define SERVE_LOG_MAX (4 << 20)		       /* bytes of output that are kept of each */
#define SERVE_KEPT_MAX (64 << 10)	       /* … of messages, which are not forgotten with the rest */
#define SERVE_LINE_MAX (1 << 20)	       /* bytes of one line of output; longer ones are left out and counted */
#define SERVE_CONNECTIONS_MAX 256	       /* that have shown the token */
#define SERVE_STRANGERS_MAX 64		       /* that have not; then the oldest goes */
#define SERVE_STRANGER_S 10		       /* … and after so long any of them, in any state */
#define SERVE_VIEW_MAX (16 << 20)	       /* bytes of a view of a recording */
#define SERVE_UPLOAD_MAX (UINT64_C(256) << 20) /* bytes of a recording that is sent */
#define SERVE_UPLOADS_MAX 4		       /* recordings that were sent; then the oldest goes */
#define SERVE_COPIES_MAX 4		       /* of the live recording, being made or sent at the same time */
#define SERVE_NAME_MAX 128		       /* bytes of its name */
#define SERVE_TYPES_MAX 200		       /* types of an answer */
#define SERVE_TYPE_MAX 256		       /* bytes of how their names begin */
#define SERVE_FLEET_MAX 4096		       /* bytes of a question to a fleet */
#define SERVE_IDLE_S 60			       /* a run that nobody watches is stopped after so long */
#define SERVE_ANSWER_S 30		       /* a check or a list of probes takes no longer */

#define SERVE_VIEW_NAME "name" /* keys of the launcher's alone: what the recordings that are compared are called */
#define SERVE_VIEW_OTHER_NAME "other_name"

enum serve_kind {
	SERVE_RUN,	/* text: a D program, run until it ends or is stopped */
	SERVE_CHECK,	/* text: a D program, only compiled */
	SERVE_PROBES,	/* text: a probe description, its probes listed */
	SERVE_OVERVIEW, /* no text: the trackers of the live view */
	SERVE_VIEW,	/* text: lines: a recording, a view (view_form.served), its parameters as key=value */
	SERVE_FLEET,	/* text: lines: a question to a fleet's store, its parameters as key=value */
	SERVE_CORE,	/* the same of a core */
};

struct view;

struct serve_child {
	/* Its standard output (JSON Lines) and error; the server closes them. err ends when the child has. Where out is
	 * a file (VIEW_FILE), it is the answer once err has ended without a word. */
	int out, err;
	uint64_t id; /* for stop() */
};

struct serve_asset {
	const char *path; /* "/app.js" */
	const char *type; /* "text/javascript; charset=utf-8" */
	const char *etag; /* quoted */
	const uint8_t *data;
	size_t n;
	bool gzip; /* data is compressed */
};

struct serve_recording {
	const char *name;
	uint64_t bytes;
};

struct serve_program { /* of the gallery */
	const char *name, *summary, *text;
};

struct serve_word { /* of the language */
	const char *name, *kind, *prototype;
	const char *doc; /* what it is: a line */
};

struct serve_type {
	const char *name;
	const char *kind; /* struct, union, enum, typedef, base */
	const char *from; /* "language", "library", "vmlinux", a module */
	uint64_t size;	  /* bytes; 0: unknown */
};

struct serve_config {
	int listen_fd;		  /* bound and listening; closed at the end */
	const char *const *hosts; /* what Host may say, up to NULL: "127.0.0.1:8080" */
	const char *token;
	const char *cookie;	  /* its name in the browser: cookies are not told apart by port */
	bool fleet;		  /* the page of a fleet: SERVE_FLEET is all that is asked for */
	bool core;		  /* the page of a core: the same with SERVE_CORE */
	bool privileged;	  /* programs can be run */
	const char *unprivileged; /* not privileged: the reason in words */
	const struct serve_asset *assets;
	size_t nassets;
	const struct serve_program *programs;
	size_t nprograms;
	const struct serve_word *words;
	size_t nwords;
	/* Types that begin with prefix, of a kind or (NULL) all, by name: the first max of them in ret. How many there
	 * are. *reason: why some are not known, or NULL. */
	size_t (*types)(void *ctx, const char *kind, const char *prefix, struct serve_type *ret, size_t max,
			const char **reason);
	void *types_ctx;
	/* Starts a dwell of its own for text (n bytes). 0 or -errno with *err. */
	int (*start)(void *ctx, enum serve_kind kind, const char *text, size_t n, struct serve_child *ret,
		     struct err *err);
	/* Asks it to end; one that has ended is no error. */
	void (*stop)(void *ctx, uint64_t id);
	void *ctx;
	const struct serve_recording *recordings; /* "r1" is the first */
	size_t nrecordings;
	const struct view *const *views; /* of recordings, NULL-terminated: those that have view_form.served */
	const char *uploads; /* folder for recordings that are sent, "u1" is its file "1"; NULL: none can be */
	int stop_fd;	     /* readable: the server shall end */
};

/* Fills token (with NUL) from the kernel's random numbers. 0 or -errno. */
int serve_token(char token[SERVE_TOKEN_LEN + 1]);
/* Serves until stop_fd is readable. 0, or -errno with *err when it could not begin. Single-threaded:
 * start() and stop() are called from here. */
int serve(const struct serve_config *c, struct err *err);
#endif
