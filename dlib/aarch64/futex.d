/* SPDX-License-Identifier: Apache-2.0 */
/* Tells futex(2) and epoll_wait(2) apart by the registers of arm64, as x86_64/futex.d does for x86-64. */
inline int futex_call = uregs[R_X8] == 98 || uregs[R_X8] == 449 || uregs[R_X8] == 455;
inline int futex_timeout = ((uregs[R_X8] == 98 || uregs[R_X8] == 449) && uregs[R_X3]) ||
    (uregs[R_X8] == 455 && uregs[R_X4]);
inline int epoll_call = uregs[R_X8] == 22 || uregs[R_X8] == 441;
/* The wait of a thread that is at the end of futex(2): see x86_64/futex.d. */
inline int futex_condition = (uregs[R_X1] & 0x7f) == 9 && ((uregs[R_X1] & 0x100) || uregs[R_X3]);
