/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a system call as text, in the form of strace(1). */
#ifndef DWELL_STRACE_SAY_H
#define DWELL_STRACE_SAY_H
#include "base/strb.h"
#include "strace/event.h"

struct say_opts {
	unsigned size; /* of data: -s */
	bool paths;    /* of descriptors: -y */
};

/* "openat(AT_FDCWD, "x", O_RDONLY)" */
void say_call(struct strb *b, const struct event *e, const struct say_opts *o);
/* "= 3", "= -1 ENOENT (No such file or directory)" */
void say_result(struct strb *b, const struct event *e, const struct say_opts *o);
/* "--- SIGCHLD {si_signo=SIGCHLD, …} ---"; info: n bytes of the kernel's siginfo. */
void say_signal(struct strb *b, int sig, const uint8_t *info, size_t n);
/* "+++ exited with 0 +++"; code: as of wait(2). */
void say_exit(struct strb *b, int code);
/* Bytes in quotes, size at most; more: there are others after them. */
void say_quoted(struct strb *b, const uint8_t *p, size_t n, size_t size, bool more);
/* "SIGCHLD", "SIGRT_1"; 0: "0" */
void say_signal_name(struct strb *b, int sig);
#endif
