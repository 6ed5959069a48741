/* SPDX-License-Identifier: Apache-2.0 */
/* dtrace(1)'s command line. */
#ifndef DWELL_CMD_OPTS_H
#define DWELL_CMD_OPTS_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/source.h"
#include "base/vec.h"
#include "lang/options.h"
#include "lang/param.h"

enum prog_kind { PROG_SCRIPT, PROG_PROVIDER, PROG_MODULE, PROG_FUNCTION, PROG_NAME, PROG_ID };

struct prog_text { /* one -s, -n, -P … in order */
	enum prog_kind kind;
	const char *arg;   /* as given */
	bool own;	   /* one of dwell's, which nobody asked for by name */
	struct source src; /* the D text made of it; filled by prog_load() */
};

struct cmdline {
	struct arena *arena;
	struct dopts opts;
	VEC(struct prog_text) progs;
	VEC(const char *) commands;    /* -c */
	VEC(long) pids;		       /* -p */
	const char *output;	       /* -o */
	VEC(struct param_given) given; /* --name value */
	struct params params;	       /* what the programs declare */
	bool help;		       /* --help */
	bool list, version, verbose, compile_only, disassemble, show_headers, header, link;
	bool buffered; /* -B */
	bool systap;   /* an option of the dtrace of systemtap, which only knows -h and -G */
	const char *badlib;
	int argc; /* script arguments: argv[0] is $0 */
	const char **argv;
};

/* Reads the command line. 0; or an exit code > 0 after having printed the message (EXIT_USAGE …);
 * < 0: done, exit 0 (-V). */
int cmdline_parse(struct cmdline *c, int argc, char **argv);
void cmdline_done(struct cmdline *c);

/* Reads or completes the D text of one program (runs cpp for -C). EXIT_* > 0 after a message. */
int prog_load(struct cmdline *c, struct prog_text *p);

/* The colons that -P, -m and -f add to each description of their argument; "" for other kinds. */
const char *prog_tail(enum prog_kind kind);
/* params.c: reads --name … at argv[*at], and moves on. EXIT_* > 0 after a message. */
int params_option(struct cmdline *c, int argc, char **argv, int *at);
/* --help: what the programs take. < 0: done, or EXIT_* > 0. */
int params_help(struct cmdline *c);
/* After parsing: all that were given exist, all that are needed were given. EXIT_* > 0 after a message. */
int params_check(struct cmdline *c);
/* "script 'x.d'" or "description 'BEGIN'" as in messages; in the arena. */
const char *prog_label(struct cmdline *c, const struct prog_text *p);
#endif
