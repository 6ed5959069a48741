/* SPDX-License-Identifier: Apache-2.0 */
/* Prints arguments about files, descriptors and memory. */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include "base/cleanup.h"
#include "strace/say_int.h"

void say_fd_of(struct say *s, int fd, unsigned place)
{
	const char *path = s->o && s->o->paths ? event_path(s->e, place) : NULL;

	strb_printf(s->b, "%d", fd);
	if (path)
		strb_printf(s->b, "<%s>", path);
}

SAY(say_fd)
{
	(void)t;
	say_fd_of(s, (int)s->e->arg[i], i);
}

SAY(say_dirfd)
{
	const char *path = s->o->paths ? event_path(s->e, i) : NULL;

	if ((int)s->e->arg[i] != AT_FDCWD) {
		say_fd(s, i, t);
		return;
	}
	strb_adds(s->b, "AT_FDCWD");
	if (path)
		strb_printf(s->b, "<%s>", path);
}

SAY(say_mode)
{
	(void)t;
	strb_printf(s->b, "%#03o", (unsigned)s->e->arg[i] & 07777);
}

/* The lowest bits are no flags but one of three. */
SAY(say_open)
{
	static const char *const ways[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };
	uint64_t v = (uint32_t)s->e->arg[i];

	strb_adds(s->b, ways[v & O_ACCMODE]);
	if (v & ~(uint64_t)O_ACCMODE) {
		strb_addc(s->b, '|');
		flag_bits(s->b, t, v & ~(uint64_t)O_ACCMODE);
	}
}

SAY(say_openmode)
{
	say_mode(s, i, t);
}

/* Some arguments have a meaning only with others. */
bool say_skips(const struct event *e, unsigned i)
{
	enum arg_kind k = e->call->args[i];

	switch (k) {
	case A_OPENMODE: return !(e->arg[i - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
	case A_FCNTLARG:
		return (int)e->arg[1] == F_GETFD || (int)e->arg[1] == F_GETFL || (int)e->arg[1] == F_GETOWN ||
		       (int)e->arg[1] == F_GETSIG || (int)e->arg[1] == F_GETLEASE || (int)e->arg[1] == F_GETPIPE_SZ ||
		       (int)e->arg[1] == F_GET_SEALS;
	case A_IOCTLARG: return e->arg[1] == FIOCLEX || e->arg[1] == FIONCLEX;
	case A_DEV: return (e->arg[i - 1] & S_IFMT) != S_IFCHR && (e->arg[i - 1] & S_IFMT) != S_IFBLK;
	case A_CLONEPTID:
	case A_FUTEXVAL:
	case A_FUTEXTIME:
	case A_FUTEXADDR:
	case A_FUTEXVAL3: return say_skips_proc(e, i);
	case A_P: /* without MREMAP_FIXED; clone()'s stack stands in front */
		return (e->nr == __NR_mremap && i == 4 && !(e->arg[3] & 2)) || (e->nr == __NR_clone && i == 1);
	case A_X: return e->nr == __NR_prctl && say_skips_proc(e, i);
	default: return false;
	}
}

void say_devno(struct strb *b, uint64_t major, uint64_t minor)
{
	strb_printf(b, "makedev(%#" PRIx64 ", %#" PRIx64 ")", major, minor);
}

SAY(say_dev)
{
	(void)t;
	say_devno(s->b, major(s->e->arg[i]), minor(s->e->arg[i]));
}

#define MAP_TYPE_BITS 3

SAY(say_map)
{
	uint64_t v = (uint32_t)s->e->arg[i];

	flag_choice(s->b, &flags_maptype, v & MAP_TYPE_BITS);
	if (v & ~(uint64_t)MAP_TYPE_BITS) {
		strb_addc(s->b, '|');
		flag_bits(s->b, t, v & ~(uint64_t)MAP_TYPE_BITS);
	}
}

SAY(say_atstatx)
{
	uint64_t v = (uint32_t)s->e->arg[i], sync = AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC;

	flag_choice(s->b, &flags_atsync, v & sync);
	if (v & ~sync) {
		strb_addc(s->b, '|');
		flag_bits(s->b, t, v & ~sync);
	}
}

SAY(say_dirents)
{
	int n = s->e->count[i];

	(void)t;
	say_address(s->b, s->e->arg[i]);
	if (n >= 0)
		strb_printf(s->b, " /* %d%s entries */", n, n >= EVENT_DIRENTS ? " or more" : "");
}

void say_iovs(struct say *s, const uint8_t *p, uint32_t n, uint64_t count)
{
	bool in = s->e->call->ret == RET_DEC &&
		  (arg_descs[s->e->call->args[1]].cap == CAP_IOV || arg_descs[s->e->call->args[1]].cap == CAP_MSG);
	uint64_t room = s->e->ret > 0 ? (uint64_t)s->e->ret : 0;

	strb_addc(s->b, '[');
	for (uint32_t k = 0; k * 16 + 16 <= n; k++) {
		uint64_t base = say_u64(p + k * 16), len = say_u64(p + k * 16 + 8), all = len;
		uint32_t have;
		const uint8_t *d = event_part(s->e, k + 1, &have);

		if (!in) {
			all = len < room ? len : room;
			room -= all;
		}
		strb_printf(s->b, "%s{iov_base=", k ? ", " : "");
		if (base && all == 0 && (in || say_ok(s->e)))
			strb_adds(s->b, "\"\"");
		else if (d)
			say_quoted(s->b, d, have, s->o->size, all > have);
		else
			say_address(s->b, base);
		strb_printf(s->b, ", iov_len=%" PRIu64 "}", len);
	}
	strb_adds(s->b, count > n / 16 ? ", ...]" : "]");
}

SAY(say_iov)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (p && (say_ok(s->e) || arg_descs[s->e->call->args[i]].cap == CAP_IOV))
		say_iovs(s, p, n, s->e->arg[i + 1]);
	else if (s->e->arg[i] && s->e->arg[i + 1] == 0)
		strb_adds(s->b, "[]");
	else
		say_address(s->b, s->e->arg[i]);
}

void say_filemode(struct strb *b, uint32_t mode)
{
	const char *name = flag_name(&flags_filetype, mode & S_IFMT);

	if (name)
		strb_printf(b, "%s|", name);
	if (mode & S_ISUID)
		strb_adds(b, "S_ISUID|");
	if (mode & S_ISGID)
		strb_adds(b, "S_ISGID|");
	if (mode & S_ISVTX)
		strb_adds(b, "S_ISVTX|");
	strb_printf(b, "%#03o", mode & (name ? 0777 : 0777u | (mode & S_IFMT)));
}

SAY(say_stat)
{
	struct stat st;

	(void)t;
	if (!say_struct(s, i, false, &st, sizeof(st)))
		return;
	strb_adds(s->b, "{st_mode=");
	say_filemode(s->b, st.st_mode);
	if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) {
		strb_adds(s->b, ", st_rdev=");
		say_devno(s->b, major(st.st_rdev), minor(st.st_rdev));
	} else {
		strb_printf(s->b, ", st_size=%lld", (long long)st.st_size);
	}
	strb_adds(s->b, ", ...}");
}

SAY(say_statx)
{
	struct statx st;

	(void)t;
	if (!say_struct(s, i, false, &st, sizeof(st)))
		return;
	strb_adds(s->b, "{stx_mask=");
	flag_bits(s->b, &flags_statx, st.stx_mask);
	strb_adds(s->b, ", stx_attributes=");
	flag_bits(s->b, &flags_statxattr, st.stx_attributes);
	strb_adds(s->b, ", stx_mode=");
	say_filemode(s->b, st.stx_mode);
	strb_printf(s->b, ", stx_size=%llu, ...}", (unsigned long long)st.stx_size);
}

SAY(say_statfs)
{
	struct statfs f;

	(void)t;
	if (!say_struct(s, i, false, &f, sizeof(f)))
		return;
	strb_adds(s->b, "{f_type=");
	if (flag_name(&flags_fstype, (uint64_t)f.f_type))
		strb_adds(s->b, flag_name(&flags_fstype, (uint64_t)f.f_type));
	else
		strb_printf(s->b, "%#lx", (long)f.f_type);
	strb_printf(s->b, ", f_bsize=%ld, f_blocks=%llu, f_bfree=%llu, f_bavail=%llu, f_files=%llu, f_ffree=%llu",
		    (long)f.f_bsize, (unsigned long long)f.f_blocks, (unsigned long long)f.f_bfree,
		    (unsigned long long)f.f_bavail, (unsigned long long)f.f_files, (unsigned long long)f.f_ffree);
	strb_printf(s->b,
		    ", f_fsid={val=[%#x, %#x]}, f_namelen=%ld, f_frsize=%ld, f_flags=", (unsigned)f.f_fsid.__val[0],
		    (unsigned)f.f_fsid.__val[1], (long)f.f_namelen, (long)f.f_frsize);
	flag_bits(s->b, &flags_statfs, (uint64_t)f.f_flags);
	strb_addc(s->b, '}');
}

SAY(say_fdpair)
{
	int v[2];

	(void)t;
	if (say_struct(s, i, false, v, sizeof(v)))
		strb_printf(s->b, "[%d, %d]", v[0], v[1]);
}

/* An offset that the call moves on. */
SAY(say_offp)
{
	uint32_t n;
	const uint8_t *after = event_bytes(s->e, i, false, &n);
	int64_t v, w;

	(void)t;
	if (!say_struct(s, i, true, &v, sizeof(v)))
		return;
	strb_printf(s->b, "[%" PRId64 "]", v);
	if (after && n >= 8 && say_ok(s->e)) {
		w = (int64_t)say_u64(after);
		if (w != v)
			strb_printf(s->b, " => [%" PRId64 "]", w);
	}
}

static void say_lock(struct say *s, unsigned i)
{
	struct flock l;

	if (!say_struct(s, i, false, &l, sizeof(l)))
		return;
	strb_adds(s->b, "{l_type=");
	flag_choice(s->b, &flags_locktype, (uint64_t)l.l_type);
	strb_adds(s->b, ", l_whence=");
	flag_choice(s->b, &flags_seek, (uint64_t)l.l_whence);
	strb_printf(s->b, ", l_start=%lld, l_len=%lld", (long long)l.l_start, (long long)l.l_len);
	if (s->e->arg[1] == F_GETLK && say_ok(s->e))
		strb_printf(s->b, ", l_pid=%d", (int)l.l_pid);
	strb_addc(s->b, '}');
}

SAY(say_fcntlarg)
{
	switch ((int)s->e->arg[1]) {
	case F_SETFD: flag_bits(s->b, &flags_fdflags, s->e->arg[i]); break;
	case F_SETFL: say_open(s, i, &flags_open); break;
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW: say_lock(s, i); break;
	case F_SETSIG: say_sig(s, i, t); break;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETPIPE_SZ:
	case F_SETOWN: say_int(s, i, t); break;
	case F_SETLEASE: flag_choice(s->b, &flags_locktype, s->e->arg[i]); break;
	default: say_hex(s, i, t); break;
	}
}

static const char *direction(uint64_t request)
{
	switch (_IOC_DIR(request)) {
	case _IOC_NONE: return "_IOC_NONE";
	case _IOC_READ: return "_IOC_READ";
	case _IOC_WRITE: return "_IOC_WRITE";
	default: return "_IOC_READ|_IOC_WRITE";
	}
}

SAY(say_ioctl)
{
	uint64_t v = (uint32_t)s->e->arg[i];
	const char *name = flag_name(&flags_ioctl, v);

	(void)t;
	if (name)
		strb_adds(s->b, name);
	else
		strb_printf(s->b, "_IOC(%s, %#x, %#x, %#x)", direction(v), (unsigned)_IOC_TYPE(v), (unsigned)_IOC_NR(v),
			    (unsigned)_IOC_SIZE(v));
}

SAY(say_ioctlarg)
{
	struct winsize w;
	int v;

	switch (s->e->arg[1]) {
	case TIOCGWINSZ:
	case TIOCSWINSZ:
		if (s->e->arg[1] == TIOCGWINSZ && !say_ok(s->e))
			say_address(s->b, s->e->arg[i]);
		else if (say_struct(s, i, false, &w, sizeof(w)))
			strb_printf(s->b, "{ws_row=%d, ws_col=%d, ws_xpixel=%d, ws_ypixel=%d}", w.ws_row, w.ws_col,
				    w.ws_xpixel, w.ws_ypixel);
		break;
	case FIONREAD:
	case TIOCGPGRP:
		if (!say_ok(s->e)) {
			say_address(s->b, s->e->arg[i]);
			break;
		}
		__attribute__((fallthrough));
	case FIONBIO:
	case FIOASYNC:
	case TIOCSPGRP:
		if (say_struct(s, i, false, &v, sizeof(v)))
			strb_printf(s->b, "[%d]", v);
		break;
	case TIOCSCTTY: say_int(s, i, t); break;
	default: say_hex(s, i, t); break;
	}
}
