/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches kprobes. Makes the link over many functions by the system call itself, since libbpf 1.1 does not handle
 * its cookies well. Source: <linux/bpf.h> of Linux 5.18; kernel commits 0dcac2725406 "bpf: Add multi kprobe link"
 * and ca74823c6e16 "bpf: Add cookie support to programs attached with kprobe multi link". */
#include "load/kprobe.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/link.h"
#include "load/reasons.h"

#define KERNEL_ENOTSUPP 524
#define PERF_RET_BIT 1ull /* of attr.config, see /sys/bus/event_source/devices/kprobe/format */
#define MULTI_RETURN 1u	  /* BPF_F_KPROBE_MULTI_RETURN */

/* union bpf_attr's link_create part, newer than Debian's header. */
struct link_create {
	uint32_t prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			uint32_t flags, cnt;
			uint64_t syms, addrs, cookies;
		} multi;
		struct {
			uint64_t cookie;
		} perf;
	};
};

static int open_multi(enum kprobe_way way, bool ret, const struct kprobe_site *v, size_t n, int prog_fd)
{
	_cleanup_free_ uint64_t *a = malloc(2 * n * sizeof(*a));
	struct link_create l = { .prog_fd = (uint32_t)prog_fd,
				 .attach_type = way == KPROBE_SESSION ? BPFSYS_KPROBE_SESSION : BPFSYS_KPROBE_MULTI };

	if (!a)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		a[i] = v[i].addr;
		a[n + i] = v[i].cookie;
	}
	l.multi.flags = ret && way == KPROBE_MULTI ? MULTI_RETURN : 0;
	l.multi.cnt = (uint32_t)n;
	l.multi.addrs = BPFSYS_PTR(a);
	l.multi.cookies = BPFSYS_PTR(a + n);
	return bpfsys_link_create(&l, sizeof(l));
}

/* The event is on one CPU by name only: its program runs on all. */
static int open_single(bool cookie, bool ret, const struct kprobe_site *v, int prog_fd)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = !cookie };
	struct link_create l = { .prog_fd = (uint32_t)prog_fd, .attach_type = BPF_PERF_EVENT };
	int type = link_pmu_type("kprobe"), fd, r;

	if (type < 0)
		return type;
	attr.type = (uint32_t)type;
	attr.kprobe_addr = v->addr;
	attr.config = ret ? PERF_RET_BIT : 0;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (!cookie || fd < 0)
		return link_perf_start(fd, prog_fd);
	l.target_fd = (uint32_t)fd;
	l.perf.cookie = v->cookie;
	r = bpfsys_link_create(&l, sizeof(l));
	close(fd);
	return r;
}

static bool is_refusal(int r)
{
	return r == -EINVAL || r == -EOPNOTSUPP || r == -KERNEL_ENOTSUPP || r == -EIO || r == -EEXIST || r == -ENOENT ||
	       r == -ESRCH || r == -EILSEQ || r == -EADDRNOTAVAIL;
}

static bool is_multi(enum kprobe_way way)
{
	return way == KPROBE_MULTI || way == KPROBE_SESSION;
}

/* Halves what is refused until the culprits are alone. */
static int attach_some(enum kprobe_way way, bool ret, const struct kprobe_site *v, size_t n, int prog_fd,
		       int (*stop)(void), struct kprobe_fds *fds)
{
	size_t half = n / 2;
	int r;

	if (stop && stop())
		return -EINTR;
	r = is_multi(way) ? open_multi(way, ret, v, n, prog_fd)
	    : n == 1	  ? open_single(way == KPROBE_COOKIE, ret, v, prog_fd)
			  : -EINVAL;
	if (r >= 0) {
		int fd = r;

		r = vec_try_push(&fds->fds, fd);
		if (r < 0)
			close(fd);
		fds->attached += n;
		return r;
	}
	if (!is_refusal(r))
		return r;
	if (n == 1) {
		if (!fds->refused++) {
			fds->refusal = r;
			fds->refused_cookie = v->cookie;
		}
		return 0;
	}
	r = attach_some(way, ret, v, half, prog_fd, stop, fds);
	return r < 0 ? r : attach_some(way, ret, v + half, n - half, prog_fd, stop, fds);
}

int kprobe_attach(enum kprobe_way way, bool ret, const struct kprobe_site *v, size_t n, int prog_fd, int (*stop)(void),
		  struct kprobe_fds *fds, struct err *err)
{
	struct reason words;
	int r = 0;

	if (!is_multi(way) && n > KPROBE_MAX_SINGLE)
		return err_set(
			err, -E2BIG,
			"%zu functions would be attached one at a time, which takes this kernel minutes or hours: "
			"name fewer, at most %d",
			n, KPROBE_MAX_SINGLE);
	for (size_t i = 0; i < n && r == 0; i += KPROBE_PIECE)
		r = attach_some(way, ret, v + i, n - i < KPROBE_PIECE ? n - i : KPROBE_PIECE, prog_fd, stop, fds);
	if (r < 0 && r != -EINTR)
		err_set(err, r, "cannot attach to functions of the kernel: %s",
			is_multi(way) ? reason_bpf(r, &words) : reason_perf(r, &words));
	return r;
}
