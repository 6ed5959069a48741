/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the commands of the dwell binary. Only this folder reads options of commands and prints errors. */
#ifndef DWELL_CMD_CMD_H
#define DWELL_CMD_CMD_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"
#include "base/err.h"
#include "engine/listener.h"

/* As dtrace(1)'s. Only commands have them: what is below gives 0 or -errno. */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

struct optable;
struct viewcmd;
struct viewjoined;
struct command {
	const char *name;    /* first argument: `dwell features`; of a part the second one */
	const char *summary; /* one line for completion; NULL: not for people */
	/* An exit code; < 0: done, its help was asked for. argv[0] is the command's name. NULL: it shows `view`. */
	int (*run)(int argc, char **argv);
	/* The source of its help: one of these, or none. */
	const struct optable *options;
	const struct viewcmd *view;
	const struct viewjoined *joined;
	void (*usage)(const struct command *self, FILE *out);
	const struct command *const *parts; /* `dwell latency why`: the list ends with NULL; or NULL */
};
#define COMMAND(name) extern const struct command cmd_##name;
#include "cmd/command.def"
#undef COMMAND

/* The name dwell was called by; in front of every message. */
void cmd_set_name(const char *argv0);
const char *cmd_name(void);
/* A recset_note_fn: says why a recording of a folder is left out. */
void cmd_left_out(const char *reason);
/* "dtrace: " + text + newline on stderr, after flushing stdout. */
void cmd_msg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, and returns EXIT_ERROR. */
int cmd_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, and returns EXIT_USAGE. */
int cmd_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* e >= 0: e. An error of a command line: its message; EXIT_USAGE where the line is wrong (-EINVAL, CMDLINE_USAGE), else
 * EXIT_ERROR, as DTrace ends for a value that one of its options cannot have. Empties err. */
int cmd_err(int e, struct err *err);
/* The same of anything else: EXIT_ERROR, without a message where there is none. */
int cmd_failed(int e, struct err *err);

/* Messages of the engine go where messages go; diagnostics in JSON go to standard output. */
extern const struct listener cmd_listener;

/* At the end of output to stdout: flushes it, says what went wrong (error: -errno from before, or 0). EXIT_OK, or
 * EXIT_ERROR, silently when nobody reads any more. */
int cmd_written(int error);

/* The exit code of what the engine has done and told of (engine/listener.h): e is 0 or -errno, status of exit(). */
int cmd_outcome(int e, int status);
/* The same of a run whose output went to standard output, which is flushed. */
int cmd_ran(int e, int status);
/* e > 0: e, which has been said; < 0 with a message: EXIT_ERROR; else as cmd_written(e). */
int cmd_ended(int e, const struct err *err);

/* `dwell -n …`: everything that follows dtrace(1). */
int cmd_dtrace(int argc, char **argv);
/* The same into a request that was begun and may have programs; it ends it. An exit code. */
struct request;
int cmd_dtrace_run(struct request *c, int argc, char **argv);
/* `dwell --host ssh:NAME … -n …`: does the command line begin so? */
bool cmd_is_host(int argc, char **argv);
int cmd_host(int argc, char **argv);
/* A command line of dtrace(1) that is wrong; reason: or NULL, nothing to trace. Under the name dtrace its usage, else
 * one line. EXIT_USAGE. */
int cmd_usage(const char *reason);
/* The command of that name; the part of a command. NULL: there is none. */
const struct command *cmd_find(const char *name);
const struct command *cmd_part(const struct command *c, const char *name);
int cmd_start(const struct command *c, int argc, char **argv); /* or a part of it. An exit code */
/* Prints the --help of a command. cmd_wants_help(): the first word asks for help. */
void cmd_help_of(const struct command *c, FILE *out);
bool cmd_wants_help(int argc, char **argv);
/* A line for each part, of a usage. */
void cmd_list_parts(const struct command *c, FILE *out);
/* Head, options and parameters of a shipped tool. False: there is none of this name. */
bool cmd_help_of_tool(const char *name, FILE *out);
/* The same of a word that may be another name of it, on standard output. 0; -ENOENT */
int cmd_show_tool(const char *word);
/* Is there a shipped tool of this name, which other programs may have given it? */
bool cmd_is_tool(const char *word);
/* The tool with the nearest name, in the arena; NULL: none is near. */
const char *cmd_near_tool(struct arena *a, const char *word);
/* There is no such tool: one line on what is meant. EXIT_USAGE. */
int cmd_no_tool(const char *word);
/* The shipped tools as tool_list() has them. How many. */
size_t cmd_list_tools(const char *word, FILE *out);
void cmd_version(void);
/* The name and summary of the i-th command that is for people; NULL: there are fewer. */
const char *cmd_listed(void *unused, size_t i, const char **summary);
/* argv[0] is none: one line on what is meant. EXIT_USAGE. */
int cmd_unknown(const char *word);

struct request;
struct run_observer;
/* An empty request of this program. */
void cmd_begin(struct request *c);
/* Reads dtrace(1)'s command line into it. 0; EXIT_* > 0 after a message; < 0: done (-V, --help). */
int cmd_parse(struct request *c, int argc, char **argv);
/* Runs a request and ends it; show as of engine/run/run.h. An exit code. */
int cmd_request(struct request *c, const struct run_observer *show);
#endif
