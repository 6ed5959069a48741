/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell -l --stats`: the probes of sessions that run, how often each fired while it was looked, what that cost, and
 * the instruction that it stands at. The sessions are other processes; they are asked over their control sockets. */
#ifndef DWELL_PS_PROBESTATS_H
#define DWELL_PS_PROBESTATS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/arena.h"

#define PROBESTATS_NS 1000000000ull /* how long is looked by default */
/* Probes whose instructions are looked for, those that fired most first. */
#define PROBESTATS_MAX_INSNS 1000
#define PROBESTATS_MAX_SESSIONS 1024

struct probestats {
	bool json;
	const long *pids; /* sessions; none: all that this user may ask */
	size_t npids;
	const char *const *words; /* each is to be somewhere in "provider:module:function:name" */
	size_t nwords;
	uint64_t ns;	 /* how long is looked */
	struct arena *a; /* for texts */
	FILE *out;
	void (*msg)(void *ctx, const char *text); /* what could not be had; a line without its end */
	void *ctx;
};

/* A line for each probe, and one for each program. 0; -ESRCH: there are no such sessions, or none could be asked, which
 * a message told; -errno: out cannot be written. */
int probestats_show(struct probestats *s);

/* For tests: reads an answer of a session (run/session/hits.h), as probestats_show() does with it. -EBADMSG: it is
 * none.
 */
int probestats_read(struct arena *a, const char *text, size_t len, size_t *ret_programs, size_t *ret_probes);
#endif
