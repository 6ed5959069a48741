/* SPDX-License-Identifier: Apache-2.0 */
/* Formats that other programs open. */
#ifndef DWELL_VIEW_EXPORT_EXPORT_H
#define DWELL_VIEW_EXPORT_EXPORT_H
#include <stdio.h>
#include "base/err.h"
#include "store/file/recfile.h"
#include "sym/sym.h"
#include "view/stack/stacktree.h"
#include "view/text/text.h"

/* How the weights of a tree are to be read. */
struct export_stacks {
	const char *title;
	unsigned nweights;			 /* of the tree, from 0 on: the first is what is shown */
	const char *unit[STACKTREE_MAX_WEIGHTS]; /* "samples", "ns", "bytes" … */
	bool per_thread;			 /* speedscope: a profile for each frame at the root */
	uint64_t begun_ns, duration_ns;		 /* CLOCK_REALTIME; 0: unknown */
};

/* All: 0 or -errno. */
int export_speedscope(const struct stacktree *t, const struct export_stacks *e, FILE *out);
/* A gzip'ed profile.proto, as pprof reads it. */
int export_pprof(const struct stacktree *t, const struct export_stacks *e, FILE *out);
/* Trace events in JSON: states of threads and of CPUs, spans, slow events, processes, events of the program with their
 * stacks, losses. The states are from recordings of `dwell timeline`; why, which may be NULL, tells their causes.
 * Opened by Perfetto, Chrome, speedscope and the Firefox Profiler. */
int export_chrome(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, FILE *out, struct err *err);
/* The same as a trace of Perfetto's own format, a protocol buffer: CPUs and threads as sched_switch events, waits with
 * causes, interned stacks and wake-ups, counters of threads on CPUs and waiting for them. Opened by ui.perfetto.dev and
 * trace_processor. */
int export_perfetto(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, FILE *out, struct err *err);
/* An aggregation (by: its name with or without @; NULL: the only one) as a table with a line per key, or per
 * bucket; without one, or by "events", the events. Fields are quoted as in RFC 4180. */
int export_csv(struct recread *f, struct sym *sym, const char *by, FILE *out, struct err *err);
#endif
