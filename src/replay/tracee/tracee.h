/* SPDX-License-Identifier: Apache-2.0 */
/* A stopped process under ptrace(2): its registers and its memory. */
#ifndef DWELL_REPLAY_TRACEE_TRACEE_H
#define DWELL_REPLAY_TRACEE_TRACEE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include "replay/trace/event.h"

#define VECTORS_MAX 16384u /* bytes of the vector registers as PTRACE_GETREGSET tells them */
#define SYSCALL_STOP (5 | 0x80)
#define TRACEE_FLAGS 0x10100ull /* in eflags, resume and trap: the debugger's */

struct breaks;
struct tracee {
	pid_t pid;	       /* 0: none */
	int mem;	       /* /proc/PID/mem; -1: not open */
	struct breaks *breaks; /* of its memory, which has another owner; NULL: none */
	int request;	       /* of the last tracee_go() */
	bool poked;	       /* a SIGSTOP of dwell is on its way to it */
};
/* Opens the memory; again after execve(2). 0 or -errno. */
int tracee_open(struct tracee *t);
void tracee_close(struct tracee *t); /* kills it if it still is there */
/* Lets it go on by the ptrace request. 0 or -errno. */
int tracee_go(struct tracee *t, int request, int signo);
/* Waits for its next stop or its end. The status of waitpid(2), or -errno. */
int tracee_wait(struct tracee *t);
/* Notes the status of its waitpid(2): that it may have ended. The status. */
int tracee_waited(struct tracee *t, int status);
/* Interrupts waitpid() of this process after `first` ns, and then each `again` ns of real time. 0, 0: not any more. */
void tracee_timer(uint64_t first, uint64_t again);
bool tracee_is_poke(const struct tracee *t, int status); /* it stopped by that SIGSTOP */
int tracee_regs(struct tracee *t, struct user_regs_struct *ret);
int tracee_set_regs(struct tracee *t, const struct user_regs_struct *r);
/* The program cannot tell them apart. */
bool tracee_same_regs(const struct user_regs_struct *a, const struct user_regs_struct *b);
/* Vector registers: bytes of them, or -errno. */
ssize_t tracee_vectors(struct tracee *t, uint8_t buf[VECTORS_MAX]);
int tracee_set_vectors(struct tracee *t, const void *bytes, size_t n);
/* How many bytes could be read; less than n at the end of what is mapped. */
/* The memory as the program has it, without breakpoints. */
size_t tracee_read(struct tracee *t, uint64_t addr, void *buf, size_t n);
int tracee_write(struct tracee *t, uint64_t addr, const void *buf, size_t n); /* 0 or -errno */
/* The same with the breakpoints, and under them. */
size_t tracee_peek(struct tracee *t, uint64_t addr, void *buf, size_t n);
int tracee_poke(struct tracee *t, uint64_t addr, const void *buf, size_t n);
/* A system call of it while it is at `at`, an instruction syscall: its result. Its registers are lost. */
long tracee_inject(struct tracee *t, uint64_t at, long nr, const uint64_t args[6], int *error);
/* The same with one stop in place of two, for calls that make no process and do not wait. */
long tracee_inject_quick(struct tracee *t, uint64_t at, long nr, const uint64_t args[6], int *error);
/* Registers as events have them; at the beginning of a system call. */
void tracee_call_regs(const struct user_regs_struct *r, uint64_t ret[CALL_REGS]);
#endif
