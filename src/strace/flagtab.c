/* SPDX-License-Identifier: Apache-2.0 */
/* Holds names of flags of files, memory and descriptors. Values: the headers of the kernel and of the C library. */
#include "strace/flagtab.h"
#include <fcntl.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "strace/flagtab_int.h"

/* The kernel's own: the C library has 0 for it where long is 64 bits wide. Source: <asm-generic/fcntl.h>. */
#if defined(__aarch64__)
#define KERNEL_O_LARGEFILE 0400000
#else
#define KERNEL_O_LARGEFILE 0100000
#endif

TABLE(open, "O_???", N(O_SYNC), N(O_TMPFILE), N(O_CREAT), N(O_EXCL), N(O_NOCTTY), N(O_TRUNC), N(O_APPEND),
      N(O_NONBLOCK), N(O_DSYNC), N(O_ASYNC), N(O_DIRECT), V(KERNEL_O_LARGEFILE, "O_LARGEFILE"), N(O_NOFOLLOW),
      N(O_NOATIME), N(O_CLOEXEC), N(O_PATH), N(O_DIRECTORY))
TABLE(access, "?_OK", N(F_OK), N(R_OK), N(W_OK), N(X_OK))
TABLE(prot, "PROT_???", N(PROT_NONE), N(PROT_READ), N(PROT_WRITE), N(PROT_EXEC), N(PROT_GROWSDOWN), N(PROT_GROWSUP))
TABLE(maptype, "MAP_???", N(MAP_SHARED), N(MAP_PRIVATE), N(MAP_SHARED_VALIDATE))
TABLE(map, "MAP_???", N(MAP_FIXED), N(MAP_ANONYMOUS), N(MAP_GROWSDOWN), N(MAP_DENYWRITE), N(MAP_EXECUTABLE),
      N(MAP_LOCKED), N(MAP_NORESERVE), N(MAP_POPULATE), N(MAP_NONBLOCK), N(MAP_STACK), N(MAP_HUGETLB), N(MAP_SYNC),
      N(MAP_FIXED_NOREPLACE))
TABLE(mremap, "MREMAP_???", N(MREMAP_MAYMOVE), N(MREMAP_FIXED), N(MREMAP_DONTUNMAP))
TABLE(madv, "MADV_???", N(MADV_NORMAL), N(MADV_RANDOM), N(MADV_SEQUENTIAL), N(MADV_WILLNEED), N(MADV_DONTNEED),
      N(MADV_FREE), N(MADV_REMOVE), N(MADV_DONTFORK), N(MADV_DOFORK), N(MADV_MERGEABLE), N(MADV_UNMERGEABLE),
      N(MADV_HUGEPAGE), N(MADV_NOHUGEPAGE), N(MADV_DONTDUMP), N(MADV_DODUMP), N(MADV_WIPEONFORK), N(MADV_KEEPONFORK),
      N(MADV_COLD), N(MADV_PAGEOUT), N(MADV_POPULATE_READ), N(MADV_POPULATE_WRITE))
TABLE(msync, "MS_???", N(MS_ASYNC), N(MS_INVALIDATE), N(MS_SYNC))
TABLE(mlockall, "MCL_???", N(MCL_CURRENT), N(MCL_FUTURE), N(MCL_ONFAULT))
TABLE(seek, "SEEK_???", N(SEEK_SET), N(SEEK_CUR), N(SEEK_END), N(SEEK_DATA), N(SEEK_HOLE))
TABLE(fcntl, "F_???", N(F_DUPFD), N(F_GETFD), N(F_SETFD), N(F_GETFL), N(F_SETFL), N(F_GETLK), N(F_SETLK), N(F_SETLKW),
      N(F_SETOWN), N(F_GETOWN), N(F_SETSIG), N(F_GETSIG), N(F_SETOWN_EX), N(F_GETOWN_EX), N(F_OFD_GETLK),
      N(F_OFD_SETLK), N(F_OFD_SETLKW), N(F_SETLEASE), N(F_GETLEASE), N(F_NOTIFY), N(F_DUPFD_CLOEXEC), N(F_SETPIPE_SZ),
      N(F_GETPIPE_SZ), N(F_ADD_SEALS), N(F_GET_SEALS))
TABLE(fdflags, "FD_???", N(FD_CLOEXEC))
TABLE(locktype, "F_???", N(F_RDLCK), N(F_WRLCK), N(F_UNLCK))
TABLE(at, "AT_???", N(AT_SYMLINK_NOFOLLOW), N(AT_SYMLINK_FOLLOW), N(AT_NO_AUTOMOUNT), N(AT_EMPTY_PATH), N(AT_RECURSIVE))
TABLE(atremove, "AT_???", N(AT_REMOVEDIR))
TABLE(ataccess, "AT_???", N(AT_EACCESS), N(AT_SYMLINK_NOFOLLOW), N(AT_EMPTY_PATH))
TABLE(atlink, "AT_???", N(AT_SYMLINK_FOLLOW), N(AT_EMPTY_PATH))
TABLE(atsync, "AT_STATX_???", N(AT_STATX_SYNC_AS_STAT), N(AT_STATX_FORCE_SYNC), N(AT_STATX_DONT_SYNC))
TABLE(statx, "STATX_???", N(STATX_ALL), N(STATX_BASIC_STATS), N(STATX_TYPE), N(STATX_MODE), N(STATX_NLINK),
      N(STATX_UID), N(STATX_GID), N(STATX_ATIME), N(STATX_MTIME), N(STATX_CTIME), N(STATX_INO), N(STATX_SIZE),
      N(STATX_BLOCKS), N(STATX_BTIME), N(STATX_MNT_ID), N(STATX_DIOALIGN))
TABLE(statxattr, "STATX_ATTR_???", N(STATX_ATTR_COMPRESSED), N(STATX_ATTR_IMMUTABLE), N(STATX_ATTR_APPEND),
      N(STATX_ATTR_NODUMP), N(STATX_ATTR_ENCRYPTED), N(STATX_ATTR_AUTOMOUNT), N(STATX_ATTR_MOUNT_ROOT),
      N(STATX_ATTR_VERITY), N(STATX_ATTR_DAX))
TABLE(rename, "RENAME_???", N(RENAME_NOREPLACE), N(RENAME_EXCHANGE), N(RENAME_WHITEOUT))
TABLE(pipe, "O_???", N(O_NONBLOCK), N(O_CLOEXEC), N(O_DIRECT))
TABLE(flock, "LOCK_???", N(LOCK_SH), N(LOCK_EX), N(LOCK_NB), N(LOCK_UN))
TABLE(fadvise, "POSIX_FADV_???", N(POSIX_FADV_NORMAL), N(POSIX_FADV_RANDOM), N(POSIX_FADV_SEQUENTIAL),
      N(POSIX_FADV_WILLNEED), N(POSIX_FADV_DONTNEED), N(POSIX_FADV_NOREUSE))
TABLE(falloc, "FALLOC_FL_???", N(FALLOC_FL_KEEP_SIZE), N(FALLOC_FL_PUNCH_HOLE), N(FALLOC_FL_COLLAPSE_RANGE),
      N(FALLOC_FL_ZERO_RANGE), N(FALLOC_FL_INSERT_RANGE), N(FALLOC_FL_UNSHARE_RANGE))
TABLE(rwf, "RWF_???", N(RWF_HIPRI), N(RWF_DSYNC), N(RWF_SYNC), N(RWF_NOWAIT), N(RWF_APPEND))
TABLE(splice, "SPLICE_F_???", N(SPLICE_F_MOVE), N(SPLICE_F_NONBLOCK), N(SPLICE_F_MORE), N(SPLICE_F_GIFT))
TABLE(eventfd, "EFD_???", N(EFD_SEMAPHORE), N(EFD_NONBLOCK), N(EFD_CLOEXEC))
TABLE(epollcreate, "EPOLL_???", N(EPOLL_CLOEXEC))
TABLE(epollctl, "EPOLL_CTL_???", N(EPOLL_CTL_ADD), N(EPOLL_CTL_DEL), N(EPOLL_CTL_MOD))
TABLE(epoll, "EPOLL???", N(EPOLLIN), N(EPOLLPRI), N(EPOLLOUT), N(EPOLLRDNORM), N(EPOLLRDBAND), N(EPOLLWRNORM),
      N(EPOLLWRBAND), N(EPOLLMSG), N(EPOLLERR), N(EPOLLHUP), N(EPOLLRDHUP), N(EPOLLEXCLUSIVE), N(EPOLLWAKEUP),
      N(EPOLLONESHOT), N(EPOLLET))
TABLE(poll, "POLL???", N(POLLIN), N(POLLPRI), N(POLLOUT), N(POLLRDNORM), N(POLLWRNORM), N(POLLRDBAND), N(POLLWRBAND),
      N(POLLERR), N(POLLHUP), N(POLLNVAL), N(POLLMSG), N(POLLRDHUP))
TABLE(inotifyinit, "IN_???", N(IN_NONBLOCK), N(IN_CLOEXEC))
TABLE(inotify, "IN_???", N(IN_ACCESS), N(IN_MODIFY), N(IN_ATTRIB), N(IN_CLOSE_WRITE), N(IN_CLOSE_NOWRITE), N(IN_OPEN),
      N(IN_MOVED_FROM), N(IN_MOVED_TO), N(IN_CREATE), N(IN_DELETE), N(IN_DELETE_SELF), N(IN_MOVE_SELF), N(IN_ONLYDIR),
      N(IN_DONT_FOLLOW), N(IN_EXCL_UNLINK), N(IN_MASK_CREATE), N(IN_MASK_ADD), N(IN_ISDIR), N(IN_ONESHOT))
TABLE(timerfd, "TFD_???", N(TFD_NONBLOCK), N(TFD_CLOEXEC))
TABLE(timerfdset, "TFD_TIMER_???", N(TFD_TIMER_ABSTIME), N(TFD_TIMER_CANCEL_ON_SET))
TABLE(signalfd, "SFD_???", N(SFD_NONBLOCK), N(SFD_CLOEXEC))
TABLE(memfd, "MFD_???", N(MFD_CLOEXEC), N(MFD_ALLOW_SEALING), N(MFD_HUGETLB))
TABLE(random, "GRND_???", N(GRND_NONBLOCK), N(GRND_RANDOM), N(GRND_INSECURE))
TABLE(xattr, "XATTR_???", N(XATTR_CREATE), N(XATTR_REPLACE))
TABLE(closerange, "CLOSE_RANGE_???", V(2, "CLOSE_RANGE_UNSHARE"), V(4, "CLOSE_RANGE_CLOEXEC"))
TABLE(filetype, "S_IF???", N(S_IFREG), N(S_IFDIR), N(S_IFLNK), N(S_IFCHR), N(S_IFBLK), N(S_IFIFO), N(S_IFSOCK))

const char *flag_name(const struct flag_table *t, uint64_t v)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].value == v)
			return t->v[i].name;
	return NULL;
}

void flag_bits(struct strb *b, const struct flag_table *t, uint64_t v)
{
	const char *zero = v ? NULL : flag_name(t, 0), *sep = "";

	if (!v) {
		strb_adds(b, zero ? zero : "0");
		return;
	}
	for (size_t i = 0; i < t->n && v; i++) {
		if (!t->v[i].value || (v & t->v[i].value) != t->v[i].value)
			continue;
		strb_printf(b, "%s%s", sep, t->v[i].name);
		v &= ~t->v[i].value;
		sep = "|";
	}
	if (v && sep[0])
		strb_printf(b, "|%#" PRIx64, v);
	else if (v)
		strb_printf(b, "%#" PRIx64 " /* %s */", v, t->unknown);
}

void flag_choice(struct strb *b, const struct flag_table *t, uint64_t v)
{
	const char *name = flag_name(t, v);

	if (name)
		strb_adds(b, name);
	else
		strb_printf(b, "%#" PRIx64 " /* %s */", v, t->unknown);
}
