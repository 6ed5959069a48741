/* SPDX-License-Identifier: Apache-2.0 */
/* D programs compiled, run on the live kernel and read from within a C program. The manual is libdwell(3).
 *
 * A handle goes through dwell_open(), dwell_compile(), dwell_attach(), dwell_next() until DWELL_END, dwell_close(). For
 * a recording it is dwell_open(), dwell_read(), dwell_next() until DWELL_END, dwell_close().
 * Functions return DWELL_OK or another value of enum dwell_status; those below 0 are errors, and fill *err unless err
 * is NULL. The library prints nothing, installs no signal handlers and never calls exit().
 *
 * Threads: a handle is used by one thread at a time. dwell_stop() may be called at any time, by any thread and in a
 * signal handler. There is one handle in a process at a time; others may follow it. */
#ifndef DWELL_H
#define DWELL_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version grows when functions or members are added. Existing ones keep their meaning. */
#define DWELL_API_VERSION 1
/* The version of the library that is linked. */
int dwell_api_version(void);

enum dwell_status {
	DWELL_OK = 0,
	DWELL_ROW = 1,	      /* dwell_next(): there is a row */
	DWELL_END = 2,	      /* dwell_next(): the run is over, and all rows were read */
	DWELL_TIMEOUT = 3,    /* dwell_next(): no row within this time */
	DWELL_E_CALL = -1,    /* wrong argument, or not now: a mistake of the calling program */
	DWELL_E_PROGRAM = -2, /* the D program has errors: tag, line and column say which and where */
	DWELL_E_SYSTEM = -3,  /* the kernel refuses: rights, features, probes that cannot be attached */
	DWELL_E_BUSY = -4,    /* there is another handle in this process */
	DWELL_E_MEMORY = -5
};

enum dwell_severity { DWELL_NOTE, DWELL_WARNING, DWELL_ERROR };

struct dwell_error {
	int status;		       /* enum dwell_status; DWELL_OK: a note or warning */
	int severity;		       /* enum dwell_severity */
	unsigned line, column, length; /* of the D text, from 1, in bytes; 0: no place */
	char tag[32];		       /* as "D_SYNTAX"; "" when it is not about the D text */
	char text[968];		       /* one message without a line's end */
	char hint[512];		       /* what helps, or "" */
};

struct dwell; /* one program and its run */

/* *ret is set only on success. */
int dwell_open(struct dwell **ret, struct dwell_error *err);
/* An option of D as in "dwell -x name=value"; value may be NULL. Before dwell_compile(). */
int dwell_option(struct dwell *d, const char *name, const char *value, struct dwell_error *err);
/* The next script argument: the first is $1 (and $$1). Before dwell_compile(). */
int dwell_argument(struct dwell *d, const char *value, struct dwell_error *err);
/* The process that the program is about, $target, and with which the run ends. One of the two, before dwell_compile().
 * A command, as its words; the last one is followed by NULL. It is started by dwell_compile(), waits at its beginning
 * until dwell_attach() has attached everything, and is killed if it still runs at dwell_close(). */
int dwell_command(struct dwell *d, const char *const *words, struct dwell_error *err);
/* A process that runs. */
int dwell_process(struct dwell *d, long pid, struct dwell_error *err);
/* The run ends by itself so long after dwell_attach(). Before dwell_attach(). */
int dwell_limit(struct dwell *d, uint64_t ns, struct dwell_error *err);
/* All that the run produces also goes to a new file, a recording as of "dwell --record": for dwell_read(), and for
 * dwell's commands. Before dwell_attach(), which makes it. */
int dwell_record(struct dwell *d, const char *path, struct dwell_error *err);
/* Compiles a whole D text, called `name` in messages. Once for each handle. On DWELL_E_PROGRAM *err is the first error.
 */
int dwell_compile(struct dwell *d, const char *name, const char *text, struct dwell_error *err);
/* All errors and warnings of dwell_compile(): how many; number i, from 0. */
size_t dwell_diagnostics(const struct dwell *d);
int dwell_diagnostic(const struct dwell *d, size_t i, struct dwell_error *ret);

/* Loads and attaches; on return BEGIN has run and probes fire. A thread of the library's reads until the end. */
int dwell_attach(struct dwell *d, struct dwell_error *err);
/* Opens a recording in place of a run, after dwell_open(): dwell_next() gives what the run showed. It needs no rights
 * but to read the file. */
int dwell_read(struct dwell *d, const char *path, struct dwell_error *err);

enum dwell_value_kind { DWELL_NUMBER, DWELL_TEXT, DWELL_JSON };

struct dwell_value {
	int kind;	  /* enum dwell_value_kind */
	int64_t number;	  /* of DWELL_NUMBER; values from 2^63 on as in a cast of uint64_t, text has all digits */
	const char *text; /* NUL-terminated: of DWELL_TEXT the text; of the others JSON (stacks, distributions ...) */
};

enum dwell_row_kind {
	DWELL_ROW_EVENT,       /* a clause ran: probe and values are filled */
	DWELL_ROW_AGGREGATION, /* at the end: an aggregation that no printa() has shown; see json */
	DWELL_ROW_FAULT,       /* a clause failed at run time (DTrace's ERROR) */
	DWELL_ROW_LOSS,	       /* something was lost; json has how much */
	DWELL_ROW_MESSAGE,     /* a message about the run */
	DWELL_ROW_OTHER	       /* histograms of trackers, costs ...; json has "type" */
};

/* Made by the library: later versions may add members at the end. */
struct dwell_row {
	int kind; /* enum dwell_row_kind */
	uint32_t cpu;
	uint64_t time;					 /* CLOCK_MONOTONIC, ns */
	const char *provider, *module, *function, *name; /* of the probe; "" where there is none */
	/* One for each action that shows something: what trace() was given, the text of printf(). Others are JSON. */
	const struct dwell_value *values;
	size_t nvalues;
	const char *json; /* all of it: the line of "dwell -x oformat=json", see dwell(1) */
};

/* The next row; waits for at most timeout_ms, -1: for ever. DWELL_ROW: *ret stays valid until the next call of this
 * function or dwell_close(). When rows are not read, the library keeps 16 MiB; a row of kind DWELL_ROW_LOSS counts
 * further ones. */
int dwell_next(struct dwell *d, int timeout_ms, const struct dwell_row **ret, struct dwell_error *err);

struct dwell_snapshot_row {
	const struct dwell_value *keys;
	size_t nkeys;
	struct dwell_value value; /* of quantize() and its like JSON: [{"from":4,"to":8,"count":1}] */
};
struct dwell_snapshot {
	const char *function;		       /* "count", "quantize" ... */
	const struct dwell_snapshot_row *rows; /* by value, the smallest first */
	size_t nrows;
	const char *json;
};

/* An aggregation as it is now (after the end: as it was then; of a recording: where dwell_next() is), name without its
 * @. The caller frees *ret. */
int dwell_snapshot(struct dwell *d, const char *name, struct dwell_snapshot **ret, struct dwell_error *err);
void dwell_snapshot_free(struct dwell_snapshot *s); /* accepts NULL */

/* Asks the run to end, as Ctrl-C does: END runs, its rows follow. Accepts NULL. */
void dwell_stop(struct dwell *d);
/* After DWELL_END: the status of exit(), or 0. */
int dwell_exit_status(const struct dwell *d);
/* Stops, waits until everything is detached, frees. Accepts NULL, and a handle in any state. */
void dwell_close(struct dwell *d);

#ifdef __cplusplus
}
#endif
#endif
