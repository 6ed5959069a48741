/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/tracee/args.h"
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <zlib.h>
#include "replay/tracee/policy.h"

#define PIECE 65536u	/* bytes that are read at once */
#define ADDR_MAX 65536u /* bytes of an address or an option of a socket */

static void add(struct spans *s, uint64_t addr, uint64_t size)
{
	if (addr && size && vec_try_push(&s->v, ((struct span){ addr, size })) < 0)
		s->failed = true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The buffers of n struct iovec, up to `size` bytes. */
static void add_iov(struct tracee *t, uint64_t addr, uint64_t n, uint64_t size, struct spans *ret)
{
	for (uint64_t i = 0; i < n && i < ARGS_IOV_MAX && size; i++) {
		struct iovec v;
		uint64_t k;

		if (tracee_read(t, addr + i * sizeof(v), &v, sizeof(v)) != sizeof(v))
			return;
		k = least(v.iov_len, size);
		add(ret, (uint64_t)(uintptr_t)v.iov_base, k);
		size -= k;
	}
}

static void add_msg(struct tracee *t, uint64_t addr, uint64_t size, struct spans *ret)
{
	struct msghdr h; /* as the kernel's struct user_msghdr on 64 bits */

	if (tracee_read(t, addr, &h, sizeof(h)) != sizeof(h))
		return;
	add(ret, addr, sizeof(h));
	add(ret, (uint64_t)(uintptr_t)h.msg_name, least(h.msg_namelen, ADDR_MAX));
	add(ret, (uint64_t)(uintptr_t)h.msg_control, least(h.msg_controllen, ADDR_MAX));
	add_iov(t, (uint64_t)(uintptr_t)h.msg_iov, h.msg_iovlen, size, ret);
}

/* n struct mmsghdr, with their buffers; sizes: as far as each has them. */
static void add_msgs(struct tracee *t, uint64_t addr, uint64_t n, bool sizes, struct spans *ret)
{
	for (uint64_t i = 0; i < n && i < ARGS_IOV_MAX; i++, addr += sizeof(struct mmsghdr)) {
		const uint64_t at = addr + offsetof(struct mmsghdr, msg_len);
		uint32_t len = 0;

		if (sizes && tracee_read(t, at, &len, sizeof(len)) != sizeof(len))
			return;
		add(ret, at, sizeof(len));
		add_msg(t, addr, sizes ? len : UINT64_MAX, ret);
	}
}

/* Arguments that are pointers only at times, or of sizes that depend on others. */
static bool is_loose(enum arg_kind k)
{
	return k == A_FCNTLARG || k == A_IOCTLARG || k == A_PRCTLARG || k == A_FUTEXTIME;
}

/* Size of what argument i points to when the call begins; 0: nothing, or not known yet. */
static void add_read(struct tracee *t, const struct call_desc *c, unsigned i, const uint64_t *args, struct spans *ret)
{
	enum arg_kind k = c->args[i];
	const struct arg_desc *a = &arg_descs[k];
	uint64_t n = args[(unsigned)((int)i + a->rel) % CALL_ARGS];

	if (is_loose(k))
		return;
	if (a->cap == CAP_NONE && a->size)
		add(ret, args[i], a->size);
	if (a->cap == CAP_BUF)
		add(ret, args[i], n);
	else if (a->cap == CAP_ARRAY)
		add(ret, args[i], least(n, INT32_MAX) * a->size);
	else if (a->cap == CAP_IOV)
		add_iov(t, args[i], n, UINT64_MAX, ret);
	else if (a->cap == CAP_MSG)
		add_msg(t, args[i], UINT64_MAX, ret);
	else if (a->cap == CAP_FIX)
		add(ret, args[i], a->size);
}

size_t args_text(struct tracee *t, uint64_t addr, char buf[ARGS_TEXT_MAX])
{
	const uint64_t page = 4096;
	size_t n = 0;

	while (addr && n < ARGS_TEXT_MAX) {
		size_t k = least(page - (addr + n) % page, ARGS_TEXT_MAX - n), got;
		const char *end;

		got = tracee_read(t, addr + n, buf + n, k);
		end = memchr(buf + n, 0, got);
		if (end)
			return (size_t)(end - buf);
		n += got;
		if (got < k)
			break;
	}
	return n;
}

bool args_is_text(const struct call_desc *c, unsigned i)
{
	return call_kind(c, i) == CAP_STR && !is_loose(c->args[i]);
}

static uint32_t text_crc(struct tracee *t, uint64_t addr, uint32_t crc)
{
	char text[ARGS_TEXT_MAX];

	return (uint32_t)crc32(crc, (const Bytef *)text, (uInt)args_text(t, addr, text));
}

static uint32_t spans_crc(struct tracee *t, const struct spans *s, uint32_t crc)
{
	static uint8_t buf[PIECE];

	for (size_t i = 0; i < s->v.n; i++)
		for (uint64_t at = 0, n, got; at < s->v.v[i].size; at += n) {
			n = least(s->v.v[i].size - at, PIECE);
			got = tracee_read(t, s->v.v[i].addr + at, buf, n);
			crc = (uint32_t)crc32(crc, buf, (uInt)got);
			if (got < n)
				break;
		}
	return crc;
}

uint32_t args_read(struct tracee *t, const struct call_desc *c, const uint64_t args[CALL_ARGS])
{
	struct spans s = { 0 };
	uint32_t crc = 0;

	for (unsigned i = 0; i < c->nargs; i++)
		if (args_is_text(c, i))
			crc = text_crc(t, args[i], crc);
		else
			add_read(t, c, i, args, &s);
	if (c->nr == __NR_sendmmsg)
		add_msgs(t, args[1], args[2], false, &s);
	crc = spans_crc(t, &s, crc);
	vec_free(&s.v);
	return crc;
}

void args_data(struct tracee *t, const struct call_desc *c, const uint64_t args[CALL_ARGS], struct spans *ret)
{
	for (unsigned i = 0; i < c->nargs; i++)
		if (call_kind(c, i) == CAP_BUF || call_kind(c, i) == CAP_IOV)
			add_read(t, c, i, args, ret);
}

/* Arguments that the call reads and writes: also when it fails. */
static bool is_both(enum arg_kind k)
{
	return k == A_OFFP || k == A_TIMELEFT || k == A_TIMESPEC || k == A_TIMEVAL || k == A_FDSET || k == A_SOCKLEN ||
	       k == A_POLLFDS;
}

static uint64_t loose_size(const struct call_desc *c, unsigned i, const uint64_t *args)
{
	int n = 0;

	switch (c->args[i]) {
	case A_FCNTLARG:
		if (args[1] == F_GETLK || args[1] == F_OFD_GETLK)
			n = sizeof(struct flock);
		else if (args[1] == F_GETOWN_EX)
			n = 8;
		break;
	case A_IOCTLARG: n = policy_ioctl(args[1]); break;
	case A_PRCTLARG:
		if (args[0] == PR_GET_NAME)
			n = 16;
		else if (args[0] == PR_GET_PDEATHSIG || args[0] == PR_GET_CHILD_SUBREAPER)
			n = 4;
		break;
	default: break;
	}
	return n > 0 ? (uint64_t)n : 0;
}

static void add_addr(struct tracee *t, uint64_t addr, uint64_t length, struct spans *ret)
{
	uint32_t n;

	if (addr && tracee_read(t, length, &n, sizeof(n)) == sizeof(n))
		add(ret, addr, least(n, ADDR_MAX));
}

static void add_written(struct tracee *t, const struct call_desc *c, unsigned i, const uint64_t *args, uint64_t n,
			struct spans *ret)
{
	const struct arg_desc *a = &arg_descs[c->args[i]];
	uint64_t other = args[(unsigned)((int)i + a->rel) % CALL_ARGS];

	switch (a->cap) {
	case CAP_NONE: /* an address of something that strace does not show */
	case CAP_OUT: add(ret, args[i], a->size); break;
	case CAP_RET:
	case CAP_DIRENTS:
		/* The size is the argument after it; what is returned may be more. sched_getaffinity's is before. */
		add(ret, args[i], c->args[i] == A_CPUSETOUT ? n : least(n, args[i + 1]));
		break;
	case CAP_RETARRAY: add(ret, args[i], n * a->size); break;
	case CAP_IOVRET: add_iov(t, args[i], other, n, ret); break;
	case CAP_ADDR: add_addr(t, args[i], other, ret); break;
	case CAP_MSGRET: add_msg(t, args[i], n, ret); break;
	default: break;
	}
}

void args_written(struct tracee *t, const struct call_desc *c, const uint64_t args[CALL_ARGS], int64_t result,
		  struct spans *ret)
{
	for (unsigned i = 0; i < c->nargs; i++) {
		enum arg_kind k = c->args[i];

		if (is_both(k))
			add(ret, args[i], k == A_POLLFDS ? least(args[1], 1u << 20) * 8 : arg_descs[k].size);
		else if (result >= 0 && is_loose(k))
			add(ret, args[i], loose_size(c, i, args));
		else if (result >= 0)
			add_written(t, c, i, args, (uint64_t)result, ret);
	}
	if (result > 0 && (c->nr == __NR_sendmmsg || c->nr == __NR_recvmmsg))
		add_msgs(t, args[1], (uint64_t)result, c->nr == __NR_recvmmsg, ret);
}
