/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of one BPF ring buffer. */
#include "run/consume/ring.h"
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"

static uint64_t record_size(uint32_t len)
{
	return ROUND_UP((uint64_t)len + BPF_RINGBUF_HDR_SZ, 8);
}

/* Maps the producer's page and the first `window` bytes of the data after it. The kernel maps the data twice (2 * size
 * bytes in all), so that no record is cut at the end. It is enough to map the size of the largest record of the second
 * copy. */
static int map_data(struct ring *r, size_t window)
{
	void *p = mmap(NULL, r->page + window, PROT_READ, MAP_SHARED, r->fd, r->page);

	if (p == MAP_FAILED)
		return -errno;
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, r->page + (size_t)r->window);
	r->producer = p;
	r->data = (const uint8_t *)p + r->page;
	r->window = (uint32_t)window;
	return 0;
}

int ring_open(struct ring *r, int fd, uint32_t size, uint32_t largest, struct err *err)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	uint64_t spare = ROUND_UP(record_size(largest), page);
	void *p;
	int code;

	memset(r, 0, sizeof(*r));
	r->page = page;
	r->size = size;
	r->whole = size + (uint32_t)(spare < size ? spare : size);
	r->fd = fd;
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return err_set(err, -errno, "cannot map a ring buffer: %s", strerror(errno));
	r->consumer = p;
	code = map_data(r, 0);
	if (code < 0) {
		ring_close(r);
		return err_set(err, code, "cannot map a ring buffer: %s", strerror(-code));
	}
	return 0;
}

int ring_ready(struct ring *r)
{
	uint64_t end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);

	if (end == ring_start(r)) {
		r->idle += r->idle < RING_IDLE;
		return r->idle == RING_IDLE && r->window ? map_data(r, 0) : 0;
	}
	r->idle = 0;
	if (r->window == r->whole || (r->window && end <= r->window / 2))
		return 0;
	return map_data(r, end <= RING_WINDOW / 2 && r->whole > RING_WINDOW ? RING_WINDOW : r->whole);
}

void ring_close(struct ring *r)
{
	if (r->consumer)
		munmap(r->consumer, r->page);
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, r->page + (size_t)r->window);
	memset(r, 0, sizeof(*r));
}

uint64_t ring_start(const struct ring *r)
{
	return __atomic_load_n(r->consumer, __ATOMIC_RELAXED); /* only we write it */
}

uint32_t ring_used(const struct ring *r)
{
	return (uint32_t)(__atomic_load_n(r->producer, __ATOMIC_RELAXED) - ring_start(r));
}

uint64_t ring_record_pos(uint64_t end, uint32_t len)
{
	return end - record_size(len);
}

enum ring_state ring_read(const struct ring *r, uint64_t *pos, const void **data, uint32_t *len)
{
	uint64_t end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);

	if (r->window < r->whole && end > r->window)
		end = r->window; /* came since ring_ready(): the next drain's */
	while (*pos < end) {
		const uint8_t *at = r->data + (*pos & (r->size - 1));
		uint32_t word = __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
		uint32_t n = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (word & BPF_RINGBUF_BUSY_BIT)
			return RING_BUSY;
		if (n > r->size - BPF_RINGBUF_HDR_SZ || (*pos & (r->size - 1)) + record_size(n) > r->whole)
			return RING_BROKEN;
		if (*pos + record_size(n) > end)
			return RING_EMPTY;
		*pos += record_size(n);
		if (word & BPF_RINGBUF_DISCARD_BIT)
			continue;
		*data = at + BPF_RINGBUF_HDR_SZ;
		*len = n;
		return RING_RECORD;
	}
	return RING_EMPTY;
}

void ring_release(struct ring *r, uint64_t pos)
{
	__atomic_store_n(r->consumer, pos, __ATOMIC_RELEASE);
}
