/* SPDX-License-Identifier: Apache-2.0 */
/* Selects slow events by the process, user, control group, unit or container of their thread. The thread may have ended
 * by the time the event is looked at: see run/follow/process_filter.h. */
#ifndef DWELL_ENGINE_RUN_SLOWFILTER_H
#define DWELL_ENGINE_RUN_SLOWFILTER_H
#include <stdbool.h>
#include <stdint.h>
#include "engine/request.h"
#include "run/follow/process_filter.h"
#include "store/slow.h"

struct slowfilter {
	struct arena *arena;		       /* of texts that slowfilter_only() makes; the caller's */
	const char *comm, *cgroup, *container; /* NULL: any */
	const char *unit;		       /* with its suffix; NULL: any */
	const char *user;		       /* as it was given; NULL: any */
	uint32_t uid;			       /* of user */
	uint32_t root;			       /* process: it and its descendants; 0: any */
	bool told;			       /* elsewhere: nobody is in the unit */
	struct process_filter *process_filter; /* NULL: none of these is asked for */
};

/* "/sys/fs/cgroup/a", "/a", "a": as /proc/PID/cgroup has it: "/a". */
const char *slowfilter_cgroup(struct arena *a, const char *path);
/* Asks for one thing: of is "comm", "user", "cgroup", "container" or "unit", as options are called. -EINVAL with a
 * message: there is no such user. */
int slowfilter_only(struct slowfilter *f, const char *of, const char *name, struct err *err);
/* Puts what is asked for into the options of D of the same names. */
void slowfilter_options(const struct slowfilter *f, struct request *c);
/* The program that tells of moves between control groups and of users, if that matters. */
void slowfilter_program(const struct slowfilter *f, struct request *c);
/* Reads which processes are meant now. 0, or -ENOMEM with words in err. */
int slowfilter_read(struct slowfilter *f, struct err *err);
/* Before a run that does not wait for its control group: -EINVAL with a message if there is none of this name. */
int slowfilter_exists(const struct slowfilter *f, struct err *err);
/* Before a look at what is now: -EINVAL with a message if nobody is in the container or the unit. */
int slowfilter_somebody(struct slowfilter *f, struct err *err);
/* Before anything is attached; what is asked for is known. 0, or -ENOMEM with words in err. */
int slowfilter_open(struct slowfilter *f, const struct listener *to, struct err *err);
/* Each row, in order, before it is looked at. True: the row was one of that program, and is consumed. */
bool slowfilter_row(struct slowfilter *f, const struct rec_schema *s, const struct row *row);
bool slowfilter_matches(struct slowfilter *f, const struct slow_event *e);
bool slowfilter_any(const struct slowfilter *f); /* is anything left out? */
/* Tells what was not seen. */
void slowfilter_done(struct slowfilter *f, const struct listener *to);
#endif
