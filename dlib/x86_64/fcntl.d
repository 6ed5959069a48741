/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of open(2) that differ between processors. Source: include/uapi/asm-generic/fcntl.h. */
inline int O_DIRECT = 00040000;
inline int O_LARGEFILE = 00100000;
inline int O_DIRECTORY = 00200000;
inline int O_NOFOLLOW = 00400000;
