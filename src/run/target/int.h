/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct target, and what target.c, run.c and jvm.c have of each other. */
#ifndef DWELL_RUN_TARGET_INT_H
#define DWELL_RUN_TARGET_INT_H
#include <stdint.h>
#include "run/target.h"

struct target {
	pid_t pid;
	pid_t tid;    /* the thread that is stopped, if it is not the first one; or 0 */
	int fd;	      /* pidfd */
	bool child;   /* -c */
	bool stopped; /* -c, until target_go() */
	char *held;   /* -c, before its exec: the command's name for messages */
	int report;   /* … the pipe through which an errno comes when that fails; -1 else */
	bool ended;
	bool known; /* how: */
	int status; /* as of waitpid(2) */
};

/* A command before its exec: lets it come after it. */
int target_exec(struct target *t, struct err *err);

struct sym;
/* A word of code that was replaced by a breakpoint. */
struct breakpoint {
	uint64_t addr;
	long word;
};
/* The thread is stopped. 0 or -errno. */
int breakpoint_set(pid_t pid, uint64_t addr, struct breakpoint *ret);
int breakpoint_take_out(pid_t pid, struct breakpoint *b);
/* Takes it out, and has the thread, which met it, go on there. */
int breakpoint_clear(pid_t pid, struct breakpoint *b);
/* Where the dynamic linker calls out before and after it maps. -ENOENT: it has none, or one without the symbol. */
int target_linker(pid_t pid, struct sym *sym, uint64_t *ret);
/* A function of a library that the process has mapped, by the library's file name. -ENOENT: not so far. */
int target_function(pid_t pid, struct sym *sym, const char *library, const char *name, uint64_t *ret);
/* TARGET_JVM. A thread that made a JVM is stopped then, and nothing else. -ECHILD: the command has ended, or has none;
 * -ETIMEDOUT. */
int target_run_to_jvm(struct target *t, struct sym *sym, struct err *err);
#endif
