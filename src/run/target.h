/* SPDX-License-Identifier: Apache-2.0 */
/* Starts or watches the process that a D program is about: options -c and -p. */
#ifndef DWELL_RUN_TARGET_H
#define DWELL_RUN_TARGET_H
#include <stdbool.h>
#include <sys/types.h>
#include "base/err.h"

struct target;

/* How far a command is let run before the D program is compiled (-x evaltime). */
enum target_point {
	TARGET_BEFORE,	 /* it is not executed yet: its exec is traced, too */
	TARGET_EXEC,	 /* its first instruction */
	TARGET_PREINIT,	 /* its libraries are mapped */
	TARGET_POSTINIT, /* … and initialised: at the program's entry */
	TARGET_MAIN,	 /* at main(), or at the entry of a program without symbols */
	TARGET_JVM,	 /* it has made a JVM, and has not begun to use it; the JVM's own threads run */
};

/* -c: starts the command (words split at white space, found in PATH) and stops it after its exec, before
 * its first instruction; or, for TARGET_BEFORE, before the exec. It is killed when the target is freed and still runs,
 * and when dwell dies. */
int target_command(const char *command, enum target_point at, struct target **ret, struct err *err);
/* The same, of words as they are; argv ends with NULL and has one at least. */
int target_words(char *const argv[], enum target_point at, struct target **ret, struct err *err);
/* -p: -ESRCH with a message when there is no such process. */
int target_process(pid_t pid, struct target **ret, struct err *err);
struct sym;
/* Runs it there. It does nothing for -p. Once, before target_go(). -ECHILD: it has ended on the way. */
int target_run_to(struct target *t, struct sym *sym, enum target_point to, struct err *err);
/* A command that target_go() has not let run yet. */
bool target_waits(const struct target *t);
pid_t target_pid(const struct target *t); /* $target, in dwell's pid namespace */
/* Lets a command run; nothing for -p. Once, after everything is attached. If the exec of a command fails that stands
 * before it, that is an error of this. */
int target_go(struct target *t, struct err *err);
/* A pidfd: readable when the process has ended. Stays the target's. */
int target_fd(const struct target *t);
/* True once it has ended. */
bool target_ended(struct target *t);
#define TARGET_HOW_MAX 64
/* How it ended, as DTrace says it: "has exited", "exited with status 3", "terminated by SIGSEGV". The kernel tells it
 * of a process of -p while that is a zombie, or from 6.15 on; else it "has exited". False: "has exited", or it runs
 * still.
 */
bool target_failed(struct target *t, char *buf, size_t size);
void target_free(struct target *t); /* accepts NULL */
#endif
