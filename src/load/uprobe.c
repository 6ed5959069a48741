/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches uprobes. libbpf 1.1 has no multi-uprobes, and one descriptor for each of thousands of probes is slow,
 * so the link is made by the system call itself. Source: <linux/bpf.h> of Linux 6.6 and newer; kernel commit
 * 89ae89f53d20 "bpf: Add multi uprobe link". */
#include "load/uprobe.h"
#include <errno.h>
#include <fcntl.h>
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

#define KERNEL_ENOTSUPP 524	       /* the kernel's own number, for instructions that it cannot move */
#define UPROBE_MAX_PER_LINK (1u << 20) /* Source: MAX_UPROBE_MULTI_CNT, kernel/trace/bpf_trace.c */
#define PERF_RET_BIT 1ull	       /* of attr.config, see /sys/bus/event_source/devices/uprobe/format */
#define PERF_REF_CTR_SHIFT 32

/* union bpf_attr's link_create part, newer than Debian's header. */
struct link_create {
	uint32_t prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			uint64_t path, offsets, ref_ctr_offsets, cookies;
			uint32_t cnt, flags, pid;
		} multi;
		struct {
			uint64_t cookie;
		} perf;
	};
};
#define MULTI_RETURN 1u

static int open_multi(const struct uprobe_place *p, const struct uprobe_site *v, size_t n, int prog_fd)
{
	_cleanup_free_ uint64_t *a = malloc(3 * n * sizeof(*a));
	struct link_create l = { .prog_fd = (uint32_t)prog_fd, .attach_type = BPFSYS_UPROBE_MULTI };
	bool counters = false;

	if (!a)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		a[i] = v[i].off;
		a[n + i] = v[i].cookie;
		a[2 * n + i] = v[i].ref_ctr;
		counters |= v[i].ref_ctr != 0;
	}
	l.multi.path = BPFSYS_PTR(p->path);
	l.multi.offsets = BPFSYS_PTR(a);
	l.multi.cookies = BPFSYS_PTR(a + n);
	l.multi.ref_ctr_offsets = counters ? BPFSYS_PTR(a + 2 * n) : 0;
	l.multi.cnt = (uint32_t)n;
	l.multi.flags = p->ret ? MULTI_RETURN : 0;
	l.multi.pid = (uint32_t)p->pid;
	return bpfsys_link_create(&l, sizeof(l));
}

/* A link on a perf event of its own, which lives as long as the link. */
static int open_single(const struct uprobe_place *p, const struct uprobe_site *v, int prog_fd)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct link_create l = { .prog_fd = (uint32_t)prog_fd, .attach_type = BPF_PERF_EVENT };
	_cleanup_close_ int fd = -1;
	int type = link_pmu_type("uprobe");

	if (type < 0)
		return type;
	attr.type = (uint32_t)type;
	attr.uprobe_path = BPFSYS_PTR(p->path);
	attr.probe_offset = v->off;
	attr.config = (p->ret ? PERF_RET_BIT : 0) | v->ref_ctr << PERF_REF_CTR_SHIFT;
	fd = (int)syscall(SYS_perf_event_open, &attr, p->pid ? p->pid : -1, p->pid ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	l.target_fd = (uint32_t)fd;
	l.perf.cookie = v->cookie;
	return bpfsys_link_create(&l, sizeof(l));
}

static bool is_refusal(int r)
{
	return r == -EINVAL || r == -EOPNOTSUPP || r == -KERNEL_ENOTSUPP || r == -EIO || r == -EEXIST;
}

static void refuse(struct uprobe_fds *ret, int code, const struct uprobe_site *v, size_t n)
{
	if (n && !ret->refused) {
		ret->refusal = code;
		ret->refused_cookie = v->cookie;
	}
	ret->refused += n;
}

/* Halves what is refused until the culprits are alone; each failure costs the kernel a grace period. */
static int attach_some(const struct uprobe_place *p, const struct uprobe_site *v, size_t n, int prog_fd,
		       bool all_or_none, struct uprobe_fds *ret)
{
	size_t half = n / 2;
	int r = n > UPROBE_MAX_PER_LINK ? -EINVAL
		: p->multi		? open_multi(p, v, n, prog_fd)
		: n == 1		? open_single(p, v, prog_fd)
					: -EINVAL;

	if (r >= 0) {
		int fd = r;

		r = vec_try_push(&ret->fds, fd);
		if (r < 0)
			close(fd);
		ret->attached += n;
		return r;
	}
	if (!is_refusal(r))
		return r;
	if (n == 1 || all_or_none) {
		refuse(ret, r, v, n);
		return 0;
	}
	r = attach_some(p, v, half, prog_fd, false, ret);
	return r < 0 ? r : attach_some(p, v + half, n - half, prog_fd, false, ret);
}

/* Instructions with which not everything is well. Source: arch/x86/kernel/uprobes.c, is_prefix_bad() and
 * the tables of good opcodes; Intel SDM volume 2, chapter 2.
 * Vector instructions (VEX, EVEX, XOP) are never probed. The kernel looks at their opcode as if it stood alone. It
 * refuses some. It emulates others as the jump or push that this byte means elsewhere (vpbroadcastb as jp), which would
 * break the process. The others are tried apart from the good ones, each kind with one call. If that is refused, all of
 * the kind are left out, since every failure costs a grace period. */
enum suspect { SUSPECT_NO, SUSPECT_LOCK, SUSPECT_XBEGIN, SUSPECT_VECTOR, SUSPECT_KINDS };
#define LOOK_BYTES 8

static enum suspect suspect_kind(const uint8_t *b)
{
#if defined(__x86_64__)
	unsigned i = 0;

	while (i < LOOK_BYTES - 2 && memchr("\x66\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x67", b[i], 10))
		i++;
	if (b[i] == 0xf0)
		return SUSPECT_LOCK;
	if (b[i] == 0xc4 || b[i] == 0xc5 || b[i] == 0x62 || b[i] == 0xd5 || (b[i] == 0x8f && (b[i + 1] & 0x1f) >= 8))
		return SUSPECT_VECTOR;
	if ((b[i] == 0xc7 || b[i] == 0xc6) && b[i + 1] == 0xf8)
		return SUSPECT_XBEGIN;
#else
	(void)b;
#endif
	return SUSPECT_NO;
}

/* A copy of the sites, those of kind k at [at[k], at[k + 1]). Malloc'ed. */
static int sort_suspects(const char *path, const struct uprobe_site *v, size_t n, size_t *at, struct uprobe_site **ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ struct uprobe_site *s = malloc((n + 1) * sizeof(*s));
	_cleanup_free_ uint8_t *kinds = calloc(n + 1, 1);
	size_t k = 0;

	if (fd < 0)
		return -errno;
	if (!s || !kinds)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint8_t b[LOOK_BYTES] = { 0 };

		if (pread(fd, b, sizeof(b), (off_t)v[i].off) <= 0)
			return -EIO;
		kinds[i] = (uint8_t)suspect_kind(b);
	}
	for (unsigned kind = 0; kind < SUSPECT_KINDS; kind++) {
		for (size_t i = 0; i < n; i++)
			if (kinds[i] == kind)
				s[k++] = v[i];
		at[kind + 1] = k;
	}
	*ret = take_ptr(s);
	return 0;
}

int uprobe_attach(const struct uprobe_place *p, const struct uprobe_site *v, size_t n, int prog_fd,
		  struct uprobe_fds *ret, struct err *err)
{
	size_t at[SUSPECT_KINDS + 1] = { 0 };
	_cleanup_free_ struct uprobe_site *s = NULL;
	struct reason words;
	int r;

	if (!p->multi && n > UPROBE_MAX_SINGLE)
		return err_set(
			err, -E2BIG,
			"%zu places of %s would be attached one at a time, which takes this kernel minutes: name "
			"fewer, at most %d",
			n, p->name ? p->name : p->path, UPROBE_MAX_SINGLE);
	r = sort_suspects(p->path, v, n, at, &s);
	for (unsigned k = 0; k < SUSPECT_VECTOR && r == 0; k++)
		if (at[k + 1] > at[k])
			r = attach_some(p, s + at[k], at[k + 1] - at[k], prog_fd, p->multi && k > 0, ret);
	if (r == 0)
		refuse(ret, -EOPNOTSUPP, s + at[SUSPECT_VECTOR], at[SUSPECT_KINDS] - at[SUSPECT_VECTOR]);
	if (r == -ESRCH)
		return err_set(err, r, "process %d is gone", p->pid);
	if (r < 0)
		return err_set(err, r, "cannot attach to %s: %s", p->name ? p->name : p->path,
			       p->multi ? reason_bpf(r, &words) : reason_perf(r, &words));
	return 0;
}
