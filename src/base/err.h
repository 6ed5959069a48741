/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time errors: a negative errno is returned, the context is in the optional last parameter. */
#ifndef DWELL_BASE_ERR_H
#define DWELL_BASE_ERR_H
#include <stddef.h>

#define ERR_MSG_MAX 1024

struct err {
	int code;	       /* negative errno; 0: no error */
	char msg[ERR_MSG_MAX]; /* one sentence without newline: what, where, why, what instead */
	char *detail;	       /* long text such as a verifier log, malloc'ed, or NULL */
};

/* Sets the error (e may be NULL) and returns code, so that `return err_set(e, -EPERM, "…")` works.
 * Leaves detail alone: a caller with a long text sets it before or after. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Puts text in front: "cannot attach syscall::read:entry: " + old message. */
void err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_done(struct err *e); /* frees detail and clears; accepts NULL */
#endif
