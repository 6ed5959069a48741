/* SPDX-License-Identifier: Apache-2.0 */
/* A recording as events for trace viewers of any format: what each thread did from when to when. */
#ifndef DWELL_VIEW_EXPORT_TRACE_H
#define DWELL_VIEW_EXPORT_TRACE_H
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "store/file/recquery.h"
#include "sym/sym.h"
#include "view/picture/timeline.h"
#include "view/stack/stacktree.h"
#include "view/text/text.h"

/* Process ids of what is no process, and of the rows of CPUs; real ones are below 2^22. */
enum trace_pid { TRACE_PID_CPUS = 1 << 23, TRACE_PID_SPANS, TRACE_PID_LOSSES, TRACE_PID_FLIGHT, TRACE_PID_TASKS };

enum trace_kind {
	TRACE_INSTANT,
	TRACE_SLICE,	/* does not overlap others of its row */
	TRACE_INTERVAL, /* may overlap others of its row */
};

struct trace_arg {
	const char *name;
	enum { TRACE_UINT, TRACE_INT, TRACE_TEXT } kind;
	uint64_t value;	  /* UINT, INT */
	const char *text; /* TEXT: len bytes */
	size_t len;
};

struct trace_event {
	enum trace_kind kind;
	bool whole_process; /* an instant of the process, not of the row */
	uint64_t from, to;  /* CLOCK_MONOTONIC, ns; INSTANT: from */
	uint64_t pid, tid;  /* the row */
	const char *name;
	const char *cat; /* NULL: none */
	const struct trace_arg *args;
	size_t nargs;
	const char *stack;  /* frames, innermost first, one a line; NULL or "": none */
	const char *waker;  /* "COMM TID" of the thread that ended the wait before; NULL: not known */
	enum tl_kind state; /* of a thread's or CPU's slice; TL_UNSEEN: it is none */
};

/* Samples of a CPU that found one thread with one stack, read together. */
struct trace_sample {
	uint64_t at; /* when they were read; CLOCK_MONOTONIC, ns */
	uint32_t pid, tid;
	const char *comm;
	uint64_t count;
	const struct stacktree *stacks; /* the same for all samples */
	uint32_t node;
};

/* A number of one CPU. */
struct trace_counter {
	uint64_t at; /* CLOCK_MONOTONIC, ns */
	uint32_t cpu;
	bool frequency;	  /* in kHz, from now on; else events in a second, until the next value of the CPU */
	const char *name; /* "cycles" */
	uint64_t value;
};

/* A format. Functions return 0 or -errno, which ends the walk. */
struct trace_sink {
	void *ctx;
	/* Names a process, or a row of it. The same is named again where its name may have changed. */
	int (*name)(void *ctx, bool process, uint64_t pid, uint64_t tid, const char *name);
	int (*event)(void *ctx, const struct trace_event *e);
	/* States of threads and CPUs, before their events; NULL: of no interest. */
	int (*states)(void *ctx, const struct timeline *t);
	int (*sample)(void *ctx, const struct trace_sample *s);	  /* NULL: of no interest */
	int (*counter)(void *ctx, const struct trace_counter *c); /* NULL: of no interest */
};

/* Tells a sink all that is in a recording, part by part, each by time. why may be NULL. 0 or -errno. */
int trace_walk(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, const struct trace_sink *sink,
	       struct err *err);
/* The parts of it that are aggregations: samples of CPUs, and what each CPU counted, in the order of trace_walk().
 * 0 or -errno. */
int trace_aggregations(struct recread *f, struct sym *sym, const struct trace_sink *sink, struct err *err);
/* Whether a row is a change of a CPU's frequency; ret: of what. */
bool trace_frequency(const struct rec_schema *schema, const struct row *row, struct trace_counter *ret);
/* A label "COMM TID": the length of COMM, and TID. False: it has not this form, *ret_len is the whole. */
bool trace_split(const char *label, size_t *ret_len, uint64_t *ret_tid);
#endif
