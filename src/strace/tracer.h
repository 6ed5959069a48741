/* SPDX-License-Identifier: Apache-2.0 */
/* The run of `dwell strace`: what is asked for becomes a request, its rows become strace's lines. */
#ifndef DWELL_STRACE_TRACER_H
#define DWELL_STRACE_TRACER_H
#include "base/vec.h"
#include "engine/request.h"
#include "strace/filter.h"
#include "strace/program.h"
#include "strace/summary.h"
#include "strace/trail.h"

#define TRACER_DATA_SIZE 32 /* as strace(1)'s */

struct tracer {
	/* asked for */
	struct request request; /* begun by the caller, ended by tracer_done() */
	struct filter filter;
	struct program_want want; /* follow, size, paths, stacks */
	struct trail_opts show;	  /* took, relative */
	VEC(long) pids;
	const char *output; /* NULL: standard error */
	unsigned clocks;    /* how many -t */
	bool summing, quiet, good, failed;
	/* the run */
	char *const *words; /* the command */
	char *path;	    /* of its program */
	int error;	    /* errno of writing; 0: none */
	struct summary summary;
	const struct rec_schema *schema;
	struct trail *trail;
	FILE *out;
};

/* Defaults, for a request that was begun. */
void tracer_init(struct tracer *t);
void tracer_done(struct tracer *t);
/* Processes: one or several, with commas or blanks between them. 0, or -EINVAL with a message. */
int tracer_pids(struct tracer *t, const char *text, struct err *err);
/* The command, as words that end with NULL: `dwell strace --exec PATH WORDS…` is started, see tracer_become(). -ENOENT
 * with a message: there is no such program. */
int tracer_command(struct tracer *t, char *const *words, struct err *err);
/* The process that `dwell strace` starts is dwell again. So the trace shows how it becomes the command. words are the
 * program's path, then those of the command. Returns only -errno. */
int tracer_become(char *const *words);
/* -ESRCH with a message: one of the processes is not there. */
int tracer_check(const struct tracer *t, struct err *err);
/* Chooses the calls and events to trace and show; tells what this kernel cannot do. */
void tracer_choose(struct tracer *t);
/* Puts the run into t->request. */
void tracer_request(struct tracer *t);
/* Chooses, traces and shows. 0 or -errno, told; *ret_ended: the command has ended, with *ret_status as of
 * waitpid(2). */
int tracer_run(struct tracer *t, bool *ret_ended, int *ret_status);
#endif
