/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the descriptors of a recorded program that its processes wait for each other with: pipes, socketpairs,
 * eventfds, timers, epoll. It knows which task read, wrote and closed what, and when. */
#ifndef DWELL_RETRO_WAITFDS_H
#define DWELL_RETRO_WAITFDS_H
#include <stdbool.h>
#include "base/vec.h"
#include "replay/trace/calls.h"

#define CHAN_ACTS 32u /* of a kind that are remembered; older ones are forgotten */

struct doer {
	uint32_t tgid, tid;
	char comm[16];
};
struct act {
	uint64_t ns;
	struct doer by;
};
enum chan_kind { CHAN_PIPE, CHAN_SOCKET, CHAN_EVENT, CHAN_TIMER, CHAN_EPOLL };
enum chan_act { CHAN_READ, CHAN_WRITTEN, CHAN_CLOSED, CHAN_KINDS };
/* One direction of what somebody writes and somebody reads. */
struct chan {
	enum chan_kind kind;
	unsigned refs, writers; /* descriptors of it; of them: open for writing */
	struct act acts[CHAN_KINDS][CHAN_ACTS];
	size_t n[CHAN_KINDS];
	VEC(struct chan *) watched; /* epoll */
};
struct fdent {
	int fd;
	bool cloexec;
	struct chan *in, *out; /* what is read from it, what is written to it, or NULL */
};
struct fdproc {
	uint32_t tgid;
	VEC(struct fdent) v;
};
struct fds {
	VEC(struct fdproc) procs;
};

void fds_free(struct fds *f);
/* NULL: nothing that is followed. */
const struct fdent *fds_find(const struct fds *f, uint32_t tgid, int fd);
/* A call has returned. 0 or -ENOMEM. */
int fds_returned(struct fds *f, struct calls *c, const struct calls_event *e, const struct doer *by);
int fds_forked(struct fds *f, uint32_t parent, uint32_t child);
void fds_ended(struct fds *f, const struct act *a); /* the process of a */
void chan_note(struct chan *c, enum chan_act kind, const struct act *a);
/* The first one since then, NULL: none. */
const struct act *chan_since(const struct chan *c, enum chan_act kind, uint64_t ns);
#endif
