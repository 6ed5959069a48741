/* SPDX-License-Identifier: Apache-2.0 */
/* Records with a shipped program, so that a view can draw the recording when the run has ended. */
#ifndef DWELL_ENGINE_RUN_RECNOW_H
#define DWELL_ENGINE_RUN_RECNOW_H
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "engine/request.h"
#include "run/session/tmpdir.h"

struct run_observer;

struct recnow {
	const char *program;	   /* in dlib, without ".d": "flame/on-cpu"; NULL: none */
	const char *tracker;	   /* one of dwell latency; NULL: none */
	char named[64];		   /* its program */
	const char *text, *script; /* instead: a D program, or a file with one; else NULL */
	uint64_t for_ns;	   /* 0: until the command or Ctrl-C ends it */
	const char *command;	   /* -c, or NULL */
	long pid;		   /* -p, or 0 */
	char *const *words;	   /* of `command`, which end with NULL; or NULL: it is cut at blanks */
	const char *comm, *user, *cgroup, *container, *unit; /* of these only, or NULL */
	const char *record;				     /* keep the recording here, or NULL */
	bool bursts;			 /* events come in tens of thousands at once: with larger rings than usual */
	const char *also;		 /* more programs in dlib, with blanks between them, or NULL */
	const char *also_text;		 /* the text of the last of them, which dwell makes; NULL: it is a file */
	char also_name[64];		 /* its name, for `also` */
	char by[64];			 /* what the view shows of it without --by; "": all */
	uint64_t age_ns;		 /* what is older gives way; 0: all is kept */
	const struct run_observer *show; /* sees the rows, or NULL */
	struct tmpdir folder;		 /* where it is when it is not kept; removed by recnow_done() */
	char *path;			 /* of the recording */
	char *joined;			 /* words as one text */
};

/* The command as its words, which end with NULL: they also become `command`, the picture's title. -EEXIST: another one
 * or a process is given already. */
int recnow_words(struct recnow *l, char *const *words);
/* Are only some processes chosen (--comm, --user …)? */
bool recnow_chooses(const struct recnow *l);
/* Does an option say that something is to be recorded? */
bool recnow_asked(const struct recnow *l);
/* Puts what is to be run into an empty request. l->path is the recording. */
void recnow_request(const struct recnow *l, struct request *c);
/* Runs it with an empty request, which it ends. 0 or -errno, told; *ret_status as of request_run(). */
int recnow_run(struct recnow *l, struct request *c, int *ret_status);
/* A message about the recording: a folder of our own, which the user does not know and which goes, is not in it. */
void recnow_hide(const struct recnow *l, struct err *err);
void recnow_done(struct recnow *l);
/* Bytes of a CPU's ring for bursts: what comes while the recording's writer waits for a CPU, or for the disk. memory:
 * of the machine, bytes. */
uint64_t recnow_ring(uint64_t cpus, uint64_t memory);
#endif
