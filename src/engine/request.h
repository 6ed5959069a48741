/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct request: what to compile and run, as values. A command fills it from its options; a program that
 * links the engine fills it itself. */
#ifndef DWELL_ENGINE_REQUEST_H
#define DWELL_ENGINE_REQUEST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/source.h"
#include "base/vec.h"
#include "engine/listener.h"
#include "lang/options.h"
#include "lang/param.h"

enum prog_kind { PROG_SCRIPT, PROG_PROVIDER, PROG_MODULE, PROG_FUNCTION, PROG_NAME, PROG_ID };

struct prog_text { /* one -s, -n, -P … in order */
	enum prog_kind kind;
	const char *arg;   /* as given */
	const char *text;  /* of a script: what its file would hold, outlives the request; NULL: the file is read */
	size_t size;	   /* of text */
	bool own;	   /* one of dwell's, which nobody asked for by name */
	struct source src; /* the D text made of it; filled by prog_load() */
};

struct near;

struct request {
	struct arena *arena;
	struct listener to; /* gets messages and diagnostics */
	const char *name;   /* what the user calls the program: in the recording; `dtrace` hides some notes */
	struct dopts opts;
	VEC(struct prog_text) progs;
	VEC(const char *) commands;    /* -c */
	char *const *words;	       /* one more command, as its words, which end with NULL; or NULL */
	VEC(long) pids;		       /* -p */
	const char *output;	       /* -o */
	uint64_t for_ns;	       /* the run ends by itself after so long; 0: it does not */
	VEC(struct param_given) given; /* --name value */
	struct params params;	       /* what the programs declare */
	bool help;		       /* --help */
	bool stats;		       /* --stats: of sessions that run */
	uint64_t stats_ns;	       /* --for with it; 0: not given */
	bool list, version, verbose, compile_only, disassemble, show_headers, header, link;
	bool own;	/* a command of dwell made it: a failed process is reported even with -q */
	bool tool;	/* `dwell run`: a wrong -p is a wrong command line, as of any command */
	bool as_dtrace; /* called as dtrace: messages begin as its own do, and a command stands at its main() */
	bool terse; /* diagnostics as dtrace(1) has them: no notes of dwell's, no source lines, the first error only */
	bool buffered; /* -B */
	bool past;     /* nothing is loaded into the kernel: it runs over a recording of what is over (src/retro) */
	bool systap;   /* an option of the dtrace of systemtap, which only knows -h and -G */
	/* Aggregations are given to it instead of shown: text_opts.send. */
	bool (*send)(void *arg, const char *json, size_t n);
	void *send_arg;
	/* Tries the names of the options that a program's parameter may be confused with, for "did you mean"; tools:
	 * those of shipped tools alone. NULL: there is no command line. */
	void (*near_options)(struct near *near, bool tools);
	int argc; /* script arguments: argv[0] is $0 */
	const char **argv;
};

/* Empty, with the options' defaults and the name as $0. */
void request_init(struct request *c, const char *name, const struct listener *to);
void request_done(struct request *c);
void request_prog(struct request *c, enum prog_kind kind, const char *arg);
/* A program that comes with dwell: "latency/why" stands for dlib/latency/why.d. */
void request_shipped(struct request *c, const char *name);
bool request_has_shipped(const struct request *c, const char *name);
/* An option of D, which must be one, with a value that it can have. */
void request_option(struct request *c, const char *name, const char *value);
/* --name value of a script. */
void request_param(struct request *c, const char *name, const char *value);

/* How many threads there are for each that the trackers look at (the largest parameter …_one_in); 1: all are. */
unsigned request_one_in(const struct request *c);

/* The folder of the shipped D files: next to the running binary, or the installed one. In the arena. */
const char *libs_dir(struct arena *a);
#endif
