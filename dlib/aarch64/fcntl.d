/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of open(2) that differ between processors. Source: arch/arm64/include/uapi/asm/fcntl.h. */
inline int O_DIRECT = 00200000;
inline int O_LARGEFILE = 00400000;
inline int O_DIRECTORY = 00040000;
inline int O_NOFOLLOW = 00100000;
