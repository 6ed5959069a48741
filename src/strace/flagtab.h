/* SPDX-License-Identifier: Apache-2.0 */
/* Names of flags and choices, with the values that the kernel's headers give them. */
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
	const char *unknown; /* "PROT_???": behind a value that has no name */
	const struct flag_name *v;
	size_t n;
};

#define FLAG_TABLES(X) \
	X(open) \
	X(access) \
	X(prot) \
	X(maptype) X(map) X(mremap) X(madv) X(msync) X(mlockall) X(seek) X(fcntl) X(fdflags) X(at) X(atremove) X( \
		ataccess) X(atlink) X(atsync) X(statx) X(statxattr) X(rename) X(pipe) X(flock) X(fadvise) X(falloc) \
		X(rwf) X(splice) X(eventfd) X(epollcreate) X(epollctl) X(epoll) X(poll) X(inotifyinit) X(inotify) X( \
			timerfd) X(timerfdset) X(signalfd) X(memfd) X(random) X(xattr) X(sighow) X(saflags) X(sscode) \
			X(wait) X(waitid) X(clock) X(timerabs) X(itimer) X(rlimit) X(rusage) X(prio) X(sched) X(prctl) \
				X(archprctl) X(clone) X(membarrier) X(family) X(socktype) X(sockflags) X(inetproto) \
					X(shut) X(sockopt_level) X(sockopt) X(tcpopt) X(ipopt) X(ip6opt) X(msg) \
						X(cmsg) X(closerange) X(mount) X(umount) X(futex) X(ioctl) X(fstype) \
							X(locktype) X(sicode) X(chldcode) X(segvcode) X(buscode) \
								X(fpecode) X(illcode) X(filetype) X(netlink) X(statfs)
#define X(name) extern const struct flag_table flags_##name;
FLAG_TABLES(X)
#undef X

/* A set of bits: "PROT_READ|PROT_WRITE", "PROT_READ|0x40", a number with what it might be, or the name of 0. */
void flag_bits(struct strb *b, const struct flag_table *t, uint64_t v);
/* One of several: the name, or the number and what it might be. */
void flag_choice(struct strb *b, const struct flag_table *t, uint64_t v);
/* NULL: it has none. */
const char *flag_name(const struct flag_table *t, uint64_t v);
#endif
