/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread that is at the end of futex(2) waited for: see x86_64/futex.d. */
inline int futex_condition = (uregs[R_X1] & 0x7f) == 9 && ((uregs[R_X1] & 0x100) || uregs[R_X3]);
