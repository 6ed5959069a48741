/* SPDX-License-Identifier: Apache-2.0 */
/* Merging rings by time: rings are made in plain memory here, laid out as the kernel does, so that order,
 * blocking and late records can be arranged exactly. */
#include "../unit.h"
#include <errno.h>
#include <linux/bpf.h>
#include "run/consume/order.h"

enum { SIZE = 4096, NRINGS = 3 };

static struct fake {
	uint64_t consumer, producer;
	_Alignas(8) uint8_t data[2 * SIZE];
} fakes[NRINGS];
static struct ring rings[NRINGS];

static struct {
	uint64_t ts[4096];
	unsigned cpu[4096];
	size_t n, early, batches;
	int fail_at; /* record at which the sink fails; -1: never */
} got;

static void setup_rings(void)
{
	memset(fakes, 0, sizeof(fakes));
	memset(&got, 0, sizeof(got));
	got.fail_at = -1;
	for (int i = 0; i < NRINGS; i++)
		rings[i] = (struct ring){
			&fakes[i].consumer, &fakes[i].producer, fakes[i].data, SIZE, 4096, 2 * SIZE, -1, 2 * SIZE, 0
		};
}

/* The data are mapped twice: writes both copies. */
static void put_bytes(struct fake *f, uint64_t pos, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = (pos + i) % SIZE;

		f->data[at] = f->data[at + SIZE] = ((const uint8_t *)p)[i];
	}
}

/* Adds a record with this time; flags: BUSY or DISCARD bits. Its position. */
static uint64_t put(int ring, uint64_t ts, uint32_t flags)
{
	struct fake *f = &fakes[ring];
	struct rec_hdr h = { .ts = ts, .fmt = 1 };
	uint32_t head[2] = { sizeof(h) | flags, 0 };
	uint64_t pos = f->producer;

	assert_true(f->producer - f->consumer + sizeof(h) + 8 <= SIZE);
	put_bytes(f, pos, head, sizeof(head));
	put_bytes(f, pos + 8, &h, sizeof(h));
	f->producer += 8 + sizeof(h);
	return pos;
}

static void commit(int ring, uint64_t pos)
{
	uint32_t len = sizeof(struct rec_hdr);

	put_bytes(&fakes[ring], pos, &len, sizeof(len));
}

static void on_early(void *ctx, const void *data, uint32_t len)
{
	(void)ctx;
	(void)data;
	(void)len;
	got.early++;
}

static int on_record(void *ctx, unsigned cpu, const void *data, uint32_t len)
{
	struct rec_hdr h;

	(void)ctx;
	assert_int_equal(len, sizeof(h));
	memcpy(&h, data, sizeof(h));
	if (got.fail_at == (int)got.n)
		return -EPIPE;
	got.ts[got.n] = h.ts;
	got.cpu[got.n++] = cpu;
	return 0;
}

static int on_batch(void *ctx)
{
	(void)ctx;
	got.batches++;
	return 0;
}

static const struct order_sink sink = { on_early, on_record, on_batch, NULL };

static void assert_got(size_t n, const uint64_t *ts)
{
	assert_int_equal(got.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got.ts[i], ts[i]);
	got.n = 0;
}
#define GOT(...) assert_got(sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (uint64_t[]){ __VA_ARGS__ })

static struct order *start(void)
{
	struct order *o = NULL;

	setup_rings();
	assert_int_equal(order_new(rings, NRINGS, &o), 0);
	return o;
}

static void rings_are_merged_by_time(void **state)
{
	struct order *o = start();

	(void)state;
	put(0, 10, 0);
	put(0, 40, 0);
	put(1, 20, 0);
	put(2, 20, 0);
	put(1, 30, 0);
	assert_int_equal(order_drain(o, 0, UINT64_MAX, &sink), 0);
	assert_int_equal(got.cpu[1], 1); /* equal times: by CPU */
	GOT(10, 20, 20, 30, 40);
	assert_int_equal(got.early, 5);
	for (int i = 0; i < NRINGS; i++)
		assert_int_equal(ring_used(&rings[i]), 0);
	assert_int_equal(order_drain(o, 0, UINT64_MAX, &sink), 0);
	assert_int_equal(got.n, 0);
	assert_false(order_pending(o));
	order_free(o);
}

static void what_is_young_waits(void **state)
{
	struct order *o = start();

	(void)state;
	put(0, 10, 0);
	put(0, 100, 0);
	put(1, 99, 0);
	assert_int_equal(order_drain(o, 0, 100, &sink), 0);
	GOT(10, 99);
	assert_true(order_pending(o));
	assert_int_equal(ring_used(&rings[0]), 24);
	put(1, 100, 0);
	put(1, 101, 0);
	assert_int_equal(order_drain(o, 0, 200, &sink), 0);
	GOT(100, 100, 101);
	assert_int_equal(got.early, 5); /* each once */
	assert_int_equal(order_nmisordered(o), 0);
	order_free(o);
}

static void nested_contexts_are_put_right(void **state)
{
	struct order *o = start();

	(void)state;
	/* An interrupt's record (50, 55) lies before that of the clause it interrupted (45). */
	put(0, 50, 0);
	put(0, 55, 0);
	put(0, 45, 0);
	put(0, 60, 0);
	put(1, 47, 0);
	/* Horizon inside: 45 and 47 are shown although older positions stay in the ring. */
	assert_int_equal(order_drain(o, 0, 50, &sink), 0);
	GOT(45, 47);
	assert_int_equal(ring_used(&rings[0]), 4 * 24); /* nothing could be released */
	assert_int_equal(order_drain(o, 0, 51, &sink), 0);
	GOT(50);
	assert_int_equal(ring_used(&rings[0]), 3 * 24);
	put(0, 58, 0);
	assert_int_equal(order_drain(o, 0, UINT64_MAX, &sink), 0);
	GOT(55, 58, 60); /* 45 not again */
	assert_int_equal(ring_used(&rings[0]), 0);
	assert_int_equal(order_nmisordered(o), 0);
	order_free(o);
}

static void a_busy_record_stops_the_others(void **state)
{
	struct order *o = start();
	uint64_t pos;

	(void)state;
	put(0, 10, 0);
	pos = put(0, 20, BPF_RINGBUF_BUSY_BIT);
	put(0, 30, 0);
	put(1, 15, 0);
	assert_int_equal(order_drain(o, 1000, 18, &sink), 0);
	GOT(10, 15);
	put(1, 25, 0);
	assert_int_equal(order_drain(o, 2000, 100, &sink), 0); /* horizon stays at 18 */
	assert_int_equal(got.n, 0);
	commit(0, pos);
	assert_int_equal(order_drain(o, 3000, 200, &sink), 0);
	GOT(20, 25, 30);
	assert_int_equal(order_nmisordered(o), 0);
	order_free(o);
}

static void a_record_busy_for_long_is_overtaken_and_counted(void **state)
{
	struct order *o = start();
	uint64_t pos;

	(void)state;
	pos = put(0, 20, BPF_RINGBUF_BUSY_BIT);
	put(1, 25, 0);
	assert_int_equal(order_drain(o, 1, 18, &sink), 0);
	assert_int_equal(order_drain(o, ORDER_BLOCKED_NS, 100, &sink), 0);
	assert_int_equal(got.n, 0);
	assert_int_equal(order_drain(o, 1 + ORDER_BLOCKED_NS, 100, &sink), 0);
	GOT(25);
	commit(0, pos);
	assert_int_equal(order_drain(o, 2 + ORDER_BLOCKED_NS, 100, &sink), 0);
	GOT(20);
	assert_int_equal(order_nmisordered(o), 1);
	order_free(o);
}

static void discarded_and_short_records_are_skipped(void **state)
{
	struct order *o = start();
	const uint32_t head[2] = { 4, 0 };

	(void)state;
	put(0, 1, BPF_RINGBUF_DISCARD_BIT);
	put(0, 2, 0);
	put_bytes(&fakes[0], fakes[0].producer, head, sizeof(head));
	fakes[0].producer += 16;
	put(0, 3, 0);
	put(0, 4, BPF_RINGBUF_DISCARD_BIT);
	assert_int_equal(order_drain(o, 0, UINT64_MAX, &sink), 0);
	GOT(2, 3);
	assert_int_equal(order_damaged(o), 1);
	assert_int_equal(ring_used(&rings[0]), 0);
	order_free(o);
}

static void a_broken_header_is_an_error(void **state)
{
	struct order *o = start();
	const uint32_t head[2] = { SIZE, 0 };

	(void)state;
	put_bytes(&fakes[0], 0, head, sizeof(head));
	fakes[0].producer = 16;
	assert_int_equal(order_drain(o, 0, UINT64_MAX, &sink), -EBADMSG);
	order_free(o);
}

static void a_failing_sink_stops_the_drain(void **state)
{
	struct order *o = start();

	(void)state;
	put(0, 1, 0);
	put(0, 2, 0);
	got.fail_at = 1;
	assert_int_equal(order_drain(o, 0, UINT64_MAX, &sink), -EPIPE);
	GOT(1);
	order_free(o);
}

/* Random times with local disorder, over many drains with wrap-around: all come once and in order. */
static void random_traffic_stays_in_order(void **state)
{
	struct order *o = start();
	uint64_t now = 1000, last = 0;
	size_t in = 0, out = 0;

	(void)state;
	srand(1);
	for (int round = 0; round < 500; round++) {
		for (int i = rand() % 100; i > 0; i--) {
			int ring = rand() % NRINGS;

			if (ring_used(&rings[ring]) > SIZE - 64)
				continue;
			/* up to 40 late against the clock, horizon 50 earlier */
			put(ring, now - (uint64_t)(rand() % 40), 0);
			in++;
			now += (uint64_t)(rand() % 4);
		}
		assert_int_equal(order_drain(o, now, now - 50, &sink), 0);
		for (size_t i = 0; i < got.n; i++) {
			assert_true(got.ts[i] >= last);
			last = got.ts[i];
		}
		out += got.n;
		got.n = 0;
		now += (uint64_t)(rand() % 30);
	}
	assert_int_equal(order_drain(o, now, UINT64_MAX, &sink), 0);
	assert_int_equal(out + got.n, in);
	assert_int_equal(got.early, in);
	assert_int_equal(order_nmisordered(o), 0);
	order_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_are_merged_by_time),
		cmocka_unit_test(what_is_young_waits),
		cmocka_unit_test(nested_contexts_are_put_right),
		cmocka_unit_test(a_busy_record_stops_the_others),
		cmocka_unit_test(a_record_busy_for_long_is_overtaken_and_counted),
		cmocka_unit_test(discarded_and_short_records_are_skipped),
		cmocka_unit_test(a_broken_header_is_an_error),
		cmocka_unit_test(a_failing_sink_stops_the_drain),
		cmocka_unit_test(random_traffic_stays_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
