/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the messages of the engine. The engine itself writes nothing to standard error.
 *
 * A function that has a listener gives 0 or -errno like any other. The text of an error has gone to the listener by
 * then: "told" in the comments of such functions. */
#ifndef DWELL_ENGINE_LISTENER_H
#define DWELL_ENGINE_LISTENER_H
#include <errno.h>
#include "base/diag.h"

/* The user asked for something wrong, such as a name that does not exist. Everything else is an error of the run. */
#define LISTENER_WRONG (-EBADRQC)

struct listener {
	void *ctx;
	/* An error, a warning or a note: one message, which may have several lines, without a line's end. */
	void (*message)(void *ctx, const char *text);
	/* A text that was asked for and has its own form: -S, -x tree, the verifier's log. Ends with a line's end. */
	void (*text)(void *ctx, const char *text);
	/* A diagnostic of a D program as a value, before the message about it; may be NULL. */
	void (*diag)(void *ctx, const struct diag *g);
	/* With -x oformat=json: a diagnostic as an object, with a line's end. */
	void (*json)(void *ctx, const char *line);
};

void listener_msg(const struct listener *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, and returns error, which is -errno; -EIO where that is not known (0). */
int listener_fail(const struct listener *to, int error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#endif
