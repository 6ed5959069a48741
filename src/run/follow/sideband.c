/* SPDX-License-Identifier: Apache-2.0 */
/* The side band of perf. Records are copied out of the rings before they are decoded: they may wrap, and
 * the events of all CPUs are sorted by time. */
#include "run/follow/sideband.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "base/vec.h"
#include "load/cpus.h"

struct side_ring {
	int fd;
	struct perf_event_mmap_page *page; /* then SIDEBAND_RING bytes */
};

struct copied {
	uint64_t time;
	size_t off, len; /* in sideband.buf */
};

struct sideband {
	struct side_ring *rings;
	size_t n, page_size;
	VEC(uint8_t) buf;
	VEC(struct copied) list;
	uint64_t lost;
};

/* All records end in this (sample_id_all with PERF_SAMPLE_TIME). */
struct trailer {
	uint64_t time;
};

static int open_cpu(unsigned cpu, enum sideband_what what)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_BOOTTIME,
	};
	int fd;

	if (what == SIDEBAND_TASKS)
		a.mmap = a.mmap2 = a.comm = a.comm_exec = 0;
	if (what == SIDEBAND_MAPPINGS) {
		a.comm = a.comm_exec = a.task = 0;
		/* after a byte, which is after every record */
		a.watermark = 1;
		a.wakeup_watermark = 1;
	}
	fd = (int)syscall(SYS_perf_event_open, &a, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_ring(struct sideband *s, unsigned cpu, enum sideband_what what)
{
	struct side_ring *r = &s->rings[s->n];
	void *p;

	r->fd = open_cpu(cpu, what);
	if (r->fd < 0)
		return r->fd == -ENODEV ? 0 : r->fd; /* went offline: nothing runs there */
	p = mmap(NULL, s->page_size + SIDEBAND_RING, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (p == MAP_FAILED) {
		int code = -errno;

		close(r->fd);
		return code;
	}
	r->page = p;
	s->n++;
	return 0;
}

int sideband_open(enum sideband_what what, struct sideband **ret)
{
	struct sideband *s = calloc(1, sizeof(*s));
	struct cpulist cpus = { 0 };
	int r = s ? cpulist_online(&cpus) : -ENOMEM;

	if (r == 0) {
		s->page_size = (size_t)sysconf(_SC_PAGESIZE);
		s->rings = calloc(cpus.n, sizeof(*s->rings));
		r = s->rings ? 0 : -ENOMEM;
	}
	for (size_t i = 0; r == 0 && i < cpus.n; i++)
		r = open_ring(s, cpus.v[i], what);
	cpulist_done(&cpus);
	if (r < 0) {
		sideband_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void sideband_close(struct sideband *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		munmap(s->rings[i].page, s->page_size + SIDEBAND_RING);
		close(s->rings[i].fd);
	}
	free(s->rings);
	vec_free(&s->buf);
	vec_free(&s->list);
	free(s);
}

/* Copies n bytes at position pos out of a ring, which may wrap. */
static void copy_out(const struct sideband *s, const struct side_ring *r, uint64_t pos, void *to, size_t n)
{
	const uint8_t *data = (const uint8_t *)r->page + s->page_size;
	size_t at = pos % SIDEBAND_RING, first = SIDEBAND_RING - at;

	first = first < n ? first : n;
	memcpy(to, data + at, first);
	memcpy((uint8_t *)to + first, data, n - first);
}

static int copy_record(struct sideband *s, const struct side_ring *r, uint64_t pos, size_t len)
{
	struct copied c = { .off = s->buf.n, .len = len };

	if (vec_reserve_raw((void **)&s->buf.v, &s->buf.cap, s->buf.n + len, 1) < 0)
		return -ENOMEM;
	copy_out(s, r, pos, s->buf.v + s->buf.n, len);
	memcpy(&c.time, s->buf.v + s->buf.n + len - sizeof(struct trailer), sizeof(c.time));
	s->buf.n += len;
	return vec_try_push(&s->list, c);
}

static int copy_ring(struct sideband *s, struct side_ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t pos = r->page->data_tail; /* only we write it */
	int e = 0;

	while (e == 0 && pos < head) {
		struct perf_event_header h;

		copy_out(s, r, pos, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - pos) {
			pos = head; /* cannot be: skip what is there */
			break;
		}
		if (h.type == PERF_RECORD_LOST) {
			uint64_t lost[2];

			copy_out(s, r, pos + sizeof(h), lost, sizeof(lost));
			s->lost += lost[1];
		} else if (h.size >= sizeof(h) + sizeof(struct trailer)) {
			e = copy_record(s, r, pos, h.size);
		}
		pos += h.size;
	}
	__atomic_store_n(&r->page->data_tail, pos, __ATOMIC_RELEASE);
	return e;
}

static bool decode_task(const struct perf_event_header *h, const uint8_t *body, size_t len, struct side_event *ret)
{
	uint32_t v[4]; /* pid, ppid, tid, ptid */

	if (len < sizeof(v))
		return false;
	memcpy(v, body, sizeof(v));
	ret->kind = h->type == PERF_RECORD_FORK ? SIDE_FORK : SIDE_EXIT;
	ret->tgid = v[0];
	ret->parent = v[1];
	if (h->type == PERF_RECORD_FORK)
		return v[0] != v[1]; /* else a thread */
	return v[0] == v[2];	     /* the leader's end stands for the process' */
}

static bool decode_mmap(const uint8_t *body, size_t len, struct side_event *ret)
{
	/* pid, tid, addr, len, pgoff; maj, min, ino, ino_generation or a build id; prot, flags; name */
	enum { FIXED = 2 * 4 + 3 * 8 + 24 + 2 * 4 };
	uint32_t id[2];
	uint64_t v[3];

	if (len <= FIXED || !memchr(body + FIXED, '\0', len - FIXED))
		return false;
	memcpy(id, body, sizeof(id));
	memcpy(v, body + 8, 3 * sizeof(*v));
	ret->tgid = id[0];
	ret->tid = id[1];
	ret->kind = SIDE_MMAP;
	ret->addr = v[0];
	ret->len = v[1];
	ret->off = v[2];
	ret->path = (const char *)body + FIXED;
	memcpy(id, body + 32, sizeof(id));
	memcpy(v, body + 40, 2 * sizeof(*v));
	ret->dev = makedev(id[0], id[1]);
	ret->ino = v[0];
	ret->gen = v[1];
	return true;
}

bool sideband_decode(const void *rec, size_t len, struct side_event *ret)
{
	struct perf_event_header h;
	const uint8_t *body = (const uint8_t *)rec + sizeof(h);
	struct side_event e = { 0 };
	bool ok = false;

	if (len < sizeof(h) + sizeof(struct trailer))
		return false;
	memcpy(&h, rec, sizeof(h));
	len -= sizeof(h) + sizeof(struct trailer);
	memcpy(&e.time, body + len, sizeof(e.time));
	if (h.type == PERF_RECORD_FORK || h.type == PERF_RECORD_EXIT) {
		ok = decode_task(&h, body, len, &e);
	} else if (h.type == PERF_RECORD_MMAP2) {
		ok = decode_mmap(body, len, &e);
	} else if (h.type == PERF_RECORD_COMM && (h.misc & PERF_RECORD_MISC_COMM_EXEC) && len >= 8) {
		memcpy(&e.tgid, body, sizeof(e.tgid));
		e.kind = SIDE_EXEC;
		if (memchr(body + 8, '\0', len - 8))
			e.path = (const char *)body + 8;
		ok = true;
	}
	/* 0 and -1: not to be seen from our pid namespace, or gone. */
	if (!ok || e.tgid == 0 || e.tgid == UINT32_MAX)
		return false;
	*ret = e;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct copied *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

int sideband_drain(struct sideband *s, void (*fn)(void *ctx, const struct side_event *e), void *ctx)
{
	int r = 0;

	s->buf.n = s->list.n = 0;
	for (size_t i = 0; i < s->n && r == 0; i++)
		r = copy_ring(s, &s->rings[i]);
	if (s->list.n > 1)
		qsort(s->list.v, s->list.n, sizeof(s->list.v[0]), by_time);
	for (size_t i = 0; i < s->list.n; i++) {
		struct side_event e;

		if (sideband_decode(s->buf.v + s->list.v[i].off, s->list.v[i].len, &e))
			fn(ctx, &e);
	}
	return r;
}

size_t sideband_nfds(const struct sideband *s)
{
	return s->n;
}

int sideband_fd(const struct sideband *s, size_t i)
{
	return s->rings[i].fd;
}

uint64_t sideband_lost(const struct sideband *s)
{
	return s->lost;
}
