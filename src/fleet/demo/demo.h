/* SPDX-License-Identifier: Apache-2.0 */
/* A whole fleet on one machine, to try it: NATS, ClickHouse, simulated hosts next to this one, a collector and the
 * page. They are children that never outlive their parent, in a folder that is removed with them. */
#ifndef DWELL_FLEET_DEMO_DEMO_H
#define DWELL_FLEET_DEMO_DEMO_H
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include "base/err.h"

#define DEMO_PARTS_MAX 10
#define DEMO_START_S 60	 /* what a server may take to start */
#define DEMO_END_S 10	 /* … and to end, before it is killed */
#define DEMO_RECORD_S 20 /* of this machine, before simulated hosts send it */
#define DEMO_URL_MAX 48
#define DEMO_ARGS_MAX 24

struct demo_part {
	const char *name;
	pid_t pid;
};
struct demo {
	char folder[PATH_MAX / 4];
	char bus[DEMO_URL_MAX], store[DEMO_URL_MAX]; /* addresses, once they run */
	struct demo_part parts[DEMO_PARTS_MAX];	     /* in the order in which they were started */
	size_t n;
	int guard; /* its end tells the process that removes the folder that this one has gone */
	bool (*stop)(void *ctx);
	void *ctx;
};

/* The folder, and a process that removes it when this one has ended, however. 0 or -errno with *err. */
int demo_begin(struct demo *d, struct err *err);
/* Starts a program as a part; its messages go to the file NAME.log of the folder. out: its standard output, or -1. It
 * is killed when this process ends. 0 or -errno. */
int demo_start(struct demo *d, const char *name, char *const *argv, int out, struct err *err);
/* NATS and ClickHouse, on free ports of loopback; waits until they answer. -ENOENT: one is not installed. -EINTR: it is
 * to stop. */
int demo_engines(struct demo *d, struct err *err);
/* Waits until it is to stop, for `seconds` at most (0: for ever). 0; -ECHILD with *err: a part has ended. */
int demo_watch(struct demo *d, unsigned seconds, struct err *err);
/* Ends all parts in order, the last first; removes the folder. */
void demo_end(struct demo *d);
#endif
