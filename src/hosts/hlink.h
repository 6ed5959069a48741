/* SPDX-License-Identifier: Apache-2.0 */
/* One remote machine of a run: the ssh process, and the frames (wire.h) sent and received over it. No call blocks. */
#ifndef DWELL_HOSTS_HLINK_H
#define DWELL_HOSTS_HLINK_H
#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>
#include "base/strb.h"
#include "hosts/place.h"
#include "hosts/wire.h"

#define HLINK_FDS 3		 /* for poll() */
#define HLINK_GREETING_MAX 65536 /* bytes that a login shell may print before dwell's line */
#define HLINK_MESSAGES_MAX 2000	 /* … of messages that tell why nothing came of it: the last of them */

enum hlink_state {
	HLINK_GREETING, /* dwell's line, or that there is no copy of it, is awaited */
	HLINK_COPYING,
	HLINK_RUNNING,
	HLINK_ENDED
};

/* Settings that all machines of a run share. */
struct hlink_common {
	struct place_ssh ssh;
	const char *binary;  /* a path: what is copied */
	const char *machine; /* what it is for, as uname -m says */
	struct strb request; /* a WIRE_REQUEST */
	/* Is given what comes, by WIRE_OUT and so on: 0, or -errno, which ends the link with that. */
	int (*frame)(void *ctx, size_t host, const struct wire_frame *f);
	void *ctx;
};

struct hlink {
	const struct hlink_common *common;
	size_t host; /* its number */
	struct place place;
	enum hlink_state state;
	pid_t pid;
	int in, out, err;		/* of ssh; -1: closed */
	struct strb to, from, messages; /* messages: what ssh wrote to its standard error */
	bool lacks;			/* it said that it has no copy of dwell */
	bool copied, interrupted;
	int status;				/* of the run; -1: it has none */
	char refusal[HLINK_MESSAGES_MAX + 512]; /* with status -1, when it has ended: why */
};

/* common lives longer. */
void hlink_start(struct hlink *l, const struct hlink_common *common, size_t host);
void hlink_poll(const struct hlink *l, struct pollfd fds[HLINK_FDS]);
void hlink_handle(struct hlink *l, const struct pollfd fds[HLINK_FDS]);
/* Says WIRE_ALIVE or WIRE_INTERRUPT, if it runs; the latter ends one that does not yet. */
void hlink_send(struct hlink *l, enum wire_kind kind);
/* Ends ssh. */
void hlink_kill(struct hlink *l, const char *text);
void hlink_free(struct hlink *l);
#endif
