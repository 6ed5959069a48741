/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell stat --waits`: records the causes for which a process and its descendants wait while they are counted. A
 * process of its own traces, since a session takes the thread that runs it. */
#ifndef DWELL_STAT_STATWAITS_H
#define DWELL_STAT_STATWAITS_H
#include <sys/types.h>
#include "engine/request.h"
#include "stat/statprint.h"

struct statwaits {
	pid_t pid; /* the tracer; 0: none */
	int from;  /* its pipe */
};

/* Puts the run into an empty request. */
void statwaits_request(struct request *c, pid_t target);
/* Starts it with an empty request, of which it uses a copy. Returns when it traces `target`. 0 or -errno,
 * told. */
int statwaits_start(struct statwaits *w, struct request *c, pid_t target);
/* Ends it, if the target has not ended, and takes what it saw: rows with the most time first, STAT_WAITS_MAX at most.
 * Rows that do not fit are summed as "others". 0 or -errno, told. */
int statwaits_finish(struct statwaits *w, struct stat_waits *ret, const struct listener *to);
#endif
