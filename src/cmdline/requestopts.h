/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of options that go into the request that runs: takes of optable.h. */
#ifndef DWELL_CMDLINE_REQUESTOPTS_H
#define DWELL_CMDLINE_REQUESTOPTS_H
#include "cmdline/optable.h"
#include "engine/run/recnow.h"

/* Options that the run takes as they are: dtrace(1)'s letters, --record, parameters of the program. request: the struct
 * request within the struct of the command. */
#define REQUEST_PASS(type, request) .kind = OPT_CALL, .at = offsetof(type, request), .take = requestopts_pass
/* The row of -x; is_live: a recording has it not. */
#define REQUEST_X(type, request, is_live, text) \
	{ \
		.letter = 'x', REQUEST_PASS(type, request), .live = is_live, .arg = "OPTION[=VALUE]", .help = text \
	}
int requestopts_pass(void *request, const struct optrow *o, const char *arg, struct err *err);
/* --user, --cgroup …: the kernel drops other events: an option of D of the same name. */
#define REQUEST_WHOSE(type, request) .kind = OPT_CALL, .at = offsetof(type, request), .take = requestopts_whose
/* --user and --unit, --cgroup and --container, with these texts; is_live: a recording has them not. */
#define REQUEST_ROWS_OWNER(type, request, is_live, text) \
	{ .name = "user", REQUEST_WHOSE(type, request), .live = is_live, .arg = "NAME, --unit NAME", .help = text }, \
	{ \
		.name = "unit", REQUEST_WHOSE(type, request), .live = is_live, .arg = "NAME" \
	}
#define REQUEST_ROWS_GROUP(type, request, is_live, text) \
	{ .name = "cgroup", \
	  REQUEST_WHOSE(type, request), \
	  .live = is_live, \
	  .arg = "PATH, --container ID", \
	  .help = text }, \
	{ \
		.name = "container", REQUEST_WHOSE(type, request), .live = is_live, .arg = "ID" \
	}
#define REQUEST_COMM(type, request, text) \
	{ \
		.name = "comm", REQUEST_WHOSE(type, request), .arg = "NAME", .help = text \
	}
int requestopts_whose(void *request, const struct optrow *o, const char *arg, struct err *err);
/* --for TIME: the run ends by itself. */
#define REQUEST_FOR(type, request) \
	.kind = OPT_CALL, .at = offsetof(type, request), .take = requestopts_for, .arg = "TIME"
int requestopts_for(void *request, const struct optrow *o, const char *arg, struct err *err);
/* --interval TIME, at this offset: a uint64_t. It was --every once. */
#define INTERVAL_ROWS(offset, is_live, text) \
	{ .name = "interval", \
	  .kind = OPT_TIME, \
	  .at = offset, \
	  .value = 1, \
	  .live = is_live, \
	  .arg = "TIME", \
	  .help = text }, \
	{ \
		.name = "every", .kind = OPT_TIME, .at = offset, .value = 1, .live = is_live, .arg = "TIME" \
	}
/* --record FILE; what reads it. */
#define REQUEST_RECORD(type, request, command) \
	{ \
		.name = "record", REQUEST_PASS(type, request), .live = true, .arg = "FILE", \
		.help = "keep what was measured (dwell " command " FILE)" \
	}
/* -o FILE: as of tools. */
#define REQUEST_OUTPUT(type, request) \
	{ \
		.letter = 'o', REQUEST_PASS(type, request), .live = true, .arg = "FILE", .help = "append to this file" \
	}
/* -p PID, where it does not go into a request: a long. */
int requestopts_pid(void *pid, const struct optrow *o, const char *arg, struct err *err);
/* "N/s" or "N": an unsigned. */
int requestopts_rate(void *rate, const struct optrow *o, const char *arg, struct err *err);
/* --flight TIME: how far the flight recorder looks back. */
int requestopts_flight(void *request, const struct optrow *o, const char *arg, struct err *err);
/* Reads the options of t into *command, of which l is a part, and the command after "--". As optable_read(). */
int requestopts_record(struct recnow *l, const struct optable *t, void *command, int *argc, char **argv,
		       const char *program, struct err *err);
/* Options of recording now: rows of a struct recnow. */
#define RECNOW_ROWS(c_help, p_help) \
	{ .letter = 'c', .kind = OPT_TEXT, .at = offsetof(struct recnow, command), .arg = "COMMAND", .help = c_help }, \
		{ .letter = 'p', \
		  .kind = OPT_CALL, \
		  .take = requestopts_pid, \
		  .at = offsetof(struct recnow, pid), \
		  .arg = "PID", \
		  .help = p_help }, \
		{ .name = "for", \
		  .kind = OPT_TIME, \
		  .value = 1, \
		  .at = offsetof(struct recnow, for_ns), \
		  .arg = "TIME", \
		  .help = "record now, for this time; else until the command ends, or Ctrl-C" }, \
	{ \
		.name = "record", .kind = OPT_TEXT, .at = offsetof(struct recnow, record), .arg = "FILE", \
		.help = "keep the recording" \
	}
#define RECNOW_ROWS_TREE \
	RECNOW_ROWS("record now, while it runs: it and its descendants", "record now: this process and its descendants")
/* Options that choose the processes whose events the kernel records: options of D. */
#define RECNOW_ROWS_WHOSE \
	{ .name = "comm", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(struct recnow, comm), \
	  .arg = "NAME, --user NAME, --unit NAME", \
	  .help = "record now: processes of this name, of this user, of this unit of systemd" }, \
		{ .name = "user", .kind = OPT_TEXT, .at = offsetof(struct recnow, user), .arg = "NAME" }, \
		{ .name = "unit", .kind = OPT_TEXT, .at = offsetof(struct recnow, unit), .arg = "NAME" }, \
		{ .name = "cgroup", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(struct recnow, cgroup), \
		  .arg = "PATH, --container ID", \
		  .help = "record now: those in this control group and below it, in this container" }, \
	{ \
		.name = "container", .kind = OPT_TEXT, .at = offsetof(struct recnow, container), .arg = "ID" \
	}
/* --user, --unit, --cgroup, --container of a struct slowfilter that has its arena. */
int requestopts_only(void *slowfilter, const struct optrow *o, const char *arg, struct err *err);
#define SLOWFILTER_ROW(option, t, place) .name = option, .kind = OPT_CALL, .take = t, .at = place, .live = true
/* --user and --unit, --cgroup and --container: t takes them; place: of what it sets. */
#define SLOWFILTER_ROWS_OWNER(t, place, h) \
	{ SLOWFILTER_ROW("user", t, place), .arg = "NAME, --unit NAME", .help = h }, \
	{ \
		SLOWFILTER_ROW("unit", t, place), .arg = "NAME" \
	}
#define SLOWFILTER_ROWS_GROUP(t, place, h) \
	{ SLOWFILTER_ROW("cgroup", t, place), .arg = "PATH, --container ID", .help = h }, \
	{ \
		SLOWFILTER_ROW("container", t, place), .arg = "ID" \
	}
#endif
