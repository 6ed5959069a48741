/* SPDX-License-Identifier: Apache-2.0 */
/* Source: sys/types.h of Solaris. */
typedef enum boolean { B_FALSE = 0, B_TRUE = 1 } boolean_t;

/* The kinds of faults: arg4 of the ERROR probe. */
inline int DTRACEFLT_UNKNOWN = 0;
inline int DTRACEFLT_BADADDR = 1;    /* bad address */
inline int DTRACEFLT_BADALIGN = 2;   /* bad alignment */
inline int DTRACEFLT_ILLOP = 3;	     /* illegal operation */
inline int DTRACEFLT_DIVZERO = 4;    /* division by zero */
inline int DTRACEFLT_NOSCRATCH = 5;  /* out of scratch space */
inline int DTRACEFLT_KPRIV = 6;	     /* illegal access to kernel memory */
inline int DTRACEFLT_UPRIV = 7;	     /* illegal access to user memory */
inline int DTRACEFLT_TUPOFLOW = 8;   /* too many keys */
inline int DTRACEFLT_BADSTACK = 9;   /* bad stack */
