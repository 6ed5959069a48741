/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the thread is in a system call that waits for futexes (futex, futex_waitv, futex_wait), and whether that
 * has a timeout. R_ERR: the number of the call. */
inline int futex_call = uregs[R_ERR] == 202 || uregs[R_ERR] == 449 || uregs[R_ERR] == 455;
inline int futex_timeout = ((uregs[R_ERR] == 202 || uregs[R_ERR] == 449) && uregs[R_R10]) ||
    (uregs[R_ERR] == 455 && uregs[R_R8]);
/* Is it in a call that waits for events (epoll_wait, epoll_pwait, epoll_pwait2)? Programs make locks of them, too. */
inline int epoll_call = uregs[R_ERR] == 232 || uregs[R_ERR] == 281 || uregs[R_ERR] == 441;
/* Does a thread at the end of futex(2) wait for a condition? 1: very likely. It is a condition, a semaphore, the end of
 * a thread (glibc), and not a lock. They take FUTEX_WAIT_BITSET (9) by the clock of the day (FUTEX_CLOCK_REALTIME,
 * 0x100), or until some time; locks FUTEX_WAIT. Locks for readers and writers look the same. Other C libraries may use
 * other operations. Source: glibc, nptl/futex-internal.c. */
inline int futex_condition = (uregs[R_RSI] & 0x7f) == 9 && ((uregs[R_RSI] & 0x100) || uregs[R_R10]);
