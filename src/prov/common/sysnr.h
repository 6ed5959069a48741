/* SPDX-License-Identifier: Apache-2.0 */
/* D texts over the parameters of the tracepoints sys_enter (regs, id) and sys_exit (regs, ret) that tell
 * system calls by number, for 32-bit callers too. Private to src/prov.
 * Source: kernel arch/x86/entry/syscalls/, arch/x86/include/asm/thread_info.h (TS_COMPAT),
 * include/uapi/asm-generic/unistd.h, arch/arm/tools/syscall.tbl, arch/arm64/include/asm/thread_info.h
 * (TIF_32BIT). */
#ifndef DWELL_PROV_COMMON_SYSNR_H
#define DWELL_PROV_COMMON_SYSNR_H

/* The one of four texts that holds for this architecture: both ways of calling. */
#if defined(__x86_64__)
#define SYSNR_IS32 "(curthread->thread_info.status & 2)"
#define SYSNR_LEFT "regs->orig_ax" /* at sys_exit: the number of the call that ends */
#define SYSNR_ARG0 "(" SYSNR_IS32 " ? regs->bx : regs->di)"
#define SYSNR_ARG1 "(" SYSNR_IS32 " ? regs->cx : regs->si)"
#define SYSNR_PICK(x86_64, i386, arm64, arm) "(" SYSNR_IS32 " ? (" i386 ") : (" x86_64 "))"
#elif defined(__aarch64__)
#define SYSNR_IS32 "(curthread->thread_info.flags & 0x400000)"
#define SYSNR_LEFT "regs->syscallno"
#define SYSNR_ARG0 "regs->orig_x0"
#define SYSNR_ARG1 "regs->regs[1]"
#define SYSNR_PICK(x86_64, i386, arm64, arm) "(" SYSNR_IS32 " ? (" arm ") : (" arm64 "))"
#endif

/* v: the text of the number */
#define SYSNR_1(v, a) v " == " #a
#define SYSNR_2(v, a, b) SYSNR_1(v, a) " || " SYSNR_1(v, b)
#define SYSNR_3(v, a, b, c) SYSNR_2(v, a, b) " || " SYSNR_1(v, c)
#define SYSNR_4(v, a, b, c, d) SYSNR_2(v, a, b) " || " SYSNR_2(v, c, d)

#define SYSNR_EXEC(v) /* execve, execveat */ \
	SYSNR_PICK(SYSNR_2(v, 59, 322), SYSNR_2(v, 11, 358), SYSNR_2(v, 221, 281), SYSNR_2(v, 11, 387))
#define SYSNR_EXECVEAT(v) SYSNR_PICK(SYSNR_1(v, 322), SYSNR_1(v, 358), SYSNR_1(v, 281), SYSNR_1(v, 387))
#define SYSNR_FORK(v) /* clone, fork, vfork, clone3 */ \
	SYSNR_PICK(SYSNR_4(v, 56, 57, 58, 435), SYSNR_4(v, 120, 2, 190, 435), SYSNR_2(v, 220, 435), \
		   SYSNR_4(v, 120, 2, 190, 435))
#define SYSNR_SIGWAIT(v) /* rt_sigtimedwait and its variant for 64-bit times */ \
	SYSNR_PICK(SYSNR_1(v, 128), SYSNR_2(v, 177, 421), SYSNR_1(v, 137), SYSNR_2(v, 177, 421))
#define SYSNR_YIELD(v) /* sched_yield */ SYSNR_PICK(SYSNR_1(v, 24), SYSNR_1(v, 158), SYSNR_1(v, 124), SYSNR_1(v, 158))
#endif
