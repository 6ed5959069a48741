/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for arguments of system calls that are flags (O_RDONLY|O_CLOEXEC) or one of several constants (SEEK_SET):
 * names, with the values of the kernel's headers. */
#ifndef DWELL_STRACE_FLAGTAB_H
#define DWELL_STRACE_FLAGTAB_H
#include <stddef.h>
#include <stdint.h>
#include "base/strb.h"

struct flag_name {
	uint64_t value;
	const char *name;
};

struct flag_table {
	const char *unknown; /* "PROT_???": after a value that has no name */
	const struct flag_name *v;
	size_t n;
};

/* One for each kind of flag. */
extern const struct flag_table flags_open, flags_access, flags_prot, flags_maptype, flags_map;
extern const struct flag_table flags_mremap, flags_madv, flags_msync, flags_mlockall, flags_seek;
extern const struct flag_table flags_fcntl, flags_fdflags, flags_at, flags_atremove, flags_ataccess;
extern const struct flag_table flags_atlink, flags_atsync, flags_statx, flags_statxattr, flags_rename;
extern const struct flag_table flags_pipe, flags_flock, flags_fadvise, flags_falloc, flags_rwf;
extern const struct flag_table flags_splice, flags_eventfd, flags_epollcreate, flags_epollctl, flags_epoll;
extern const struct flag_table flags_poll, flags_inotifyinit, flags_inotify, flags_timerfd, flags_timerfdset;
extern const struct flag_table flags_signalfd, flags_memfd, flags_random, flags_xattr, flags_sighow;
extern const struct flag_table flags_saflags, flags_sscode, flags_wait, flags_waitid, flags_clock;
extern const struct flag_table flags_timerabs, flags_itimer, flags_rlimit, flags_rusage, flags_prio;
extern const struct flag_table flags_sched, flags_prctl, flags_archprctl, flags_clone, flags_membarrier;
extern const struct flag_table flags_family, flags_socktype, flags_sockflags, flags_inetproto, flags_shut;
extern const struct flag_table flags_sockopt_level, flags_sockopt, flags_tcpopt, flags_ipopt, flags_ip6opt;
extern const struct flag_table flags_msg, flags_cmsg, flags_closerange, flags_mount, flags_umount;
extern const struct flag_table flags_futex, flags_ioctl, flags_fstype, flags_locktype, flags_sicode;
extern const struct flag_table flags_chldcode, flags_segvcode, flags_buscode, flags_fpecode, flags_illcode;
extern const struct flag_table flags_filetype, flags_netlink, flags_statfs;

/* A set of bits: "PROT_READ|PROT_WRITE", "PROT_READ|0x40", a number with what it might be, or the name of 0. */
void flag_bits(struct strb *b, const struct flag_table *t, uint64_t v);
/* One of several: the name, or the number and what it might be. */
void flag_choice(struct strb *b, const struct flag_table *t, uint64_t v);
/* NULL: it has none. */
const char *flag_name(const struct flag_table *t, uint64_t v);
#endif
