/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the processes that a request is about: those of -c and -p. */
#ifndef DWELL_ENGINE_RUN_TARGETS_H
#define DWELL_ENGINE_RUN_TARGETS_H
#include <stdbool.h>
#include "engine/front/compile.h"
#include "engine/request.h"
#include "run/target.h"

struct targets {
	struct target **v;
	size_t n;
};

/* Starts the commands, up to their exec, and finds the processes. All calls by one thread (ptrace). 0 or -errno, told;
 * targets_free() then, too. */
int targets_open(struct targets *t, const struct request *c);
/* $target: the first of them, or 0. */
long targets_first(const struct targets *t);
/* Lets commands run until their libraries are there to be probed, or as -x evaltime says. After compile_parse().
 * 0 or -errno, told. */
int targets_advance(const struct targets *t, const struct request *c, const struct compile_session *w);
/* Kills commands that still run. */
void targets_free(struct targets *t);
#endif
