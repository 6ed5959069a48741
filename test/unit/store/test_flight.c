/* SPDX-License-Identifier: Apache-2.0 */
/* Shares and waits by the flight recorder's events: threads on a CPU, what a thread did; into a file and back. */
#include "../unit.h"
#include <errno.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "recsample.h"
#include "store/flight.h"
#include "store/file/recquery.h"

#define MAX 32

/* A record being made, on the stack. */
struct made {
	struct rec_flight h;
	struct rec_flight_event v[MAX];
};

static void event(struct made *m, uint64_t ts, uint32_t cpu, const char *kind, uint32_t id, uint32_t info,
		  const char *text)
{
	struct rec_flight_event *e = &m->v[m->h.n++];

	*e = (struct rec_flight_event){ .ts = ts, .cpu = cpu, .id = id, .info = info };
	memcpy(e->kind, kind, strnlen(kind, sizeof(e->kind)));
	memcpy(e->text, text, strnlen(text, sizeof(e->text)));
}

static struct flight_rec opened(const struct made *m)
{
	struct flight_rec f;

	assert_int_equal(flight_open(m, sizeof(m->h) + m->h.n * sizeof(m->v[0]), &f), 0);
	return f;
}

/* CPU 1: idle to 100, hog 100-300, cat 300-340, idle from 340; the waiter 9 is woken at 150, and runs on CPU 0 from
 * 350. */
static struct made story(void)
{
	struct made m = { .h = { .from = 50, .to = 350, .start = 150, .tid = 9, .end_cpu = 1 } };

	event(&m, 20, 1, "switch", 0, 1, "swapper/1");
	event(&m, 100, 1, "switch", 5, 1, "hog");
	event(&m, 120, 0, "switch", 9, 0, "waiter");
	event(&m, 130, 0, "switch", 0, 1, "swapper/0");
	event(&m, 150, 1, "wake", 9, 0, "waiter");
	event(&m, 160, 1, "softirq", 3, 0, "");
	event(&m, 165, 1, "irq", 24, 0, "virtio0");
	event(&m, 170, 1, "irq-end", 24, 0, "");
	event(&m, 180, 1, "softirq-end", 3, 0, "");
	event(&m, 190, 1, "irq", 24, 0, "virtio0");
	event(&m, 195, 1, "irq-end", 24, 0, "");
	event(&m, 300, 1, "switch", 6, 0, "cat");
	event(&m, 340, 1, "switch", 0, 1, "swapper/1");
	event(&m, 350, 0, "switch", 9, 0, "waiter");
	return m;
}

static void cpu_was_had(void **state)
{
	struct made m = story();
	struct flight_rec f = opened(&m);
	struct flight_shares s;

	(void)state;
	flight_shares(&f, 1, 150, 350, &s);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.v[0].comm, "hog");
	assert_int_equal(s.v[0].tid, 5);
	assert_int_equal(s.v[0].ns, 150);
	assert_int_equal(s.v[1].ns, 40);
	assert_int_equal(s.v[2].tid, 0);
	assert_int_equal(s.v[2].ns, 10);
	assert_int_equal(s.irq, 25); /* the first interrupt is part of the soft one */
	assert_int_equal(s.unknown + s.others, 0);
	flight_shares(&f, 1, 0, 30, &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].ns, 10);
	assert_int_equal(s.unknown, 20); /* before the first switch */
	flight_shares(&f, 7, 0, 30, &s);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.unknown, 30);
}

/* More threads than are told apart: those with the most are named, nothing is lost. */
static void many_have_the_cpu(void **state)
{
	struct made m = { .h = { .to = 1000 } };
	struct flight_shares s;
	struct flight_rec f;
	uint64_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		event(&m, 10 * i, 0, "switch", 100 + i, 0, "t"); /* the last has most */
	f = opened(&m);
	flight_shares(&f, 0, 0, 1000, &s);
	assert_int_equal(s.n, FLIGHT_MAX_SHARES);
	assert_int_equal(s.v[0].tid, 119);
	assert_int_equal(s.v[0].ns, 1000 - 190);
	for (size_t i = 0; i < s.n; i++)
		sum += s.v[i].ns;
	assert_int_equal(sum + s.others, 1000);
}

static void thread_did(void **state)
{
	struct made m = story();
	struct flight_rec f = opened(&m);
	struct flight_did d;

	(void)state;
	flight_did(&f, 9, 100, 400, &d);
	assert_int_equal(d.unknown, 20);
	assert_int_equal(d.ran, 10 + 50);
	assert_int_equal(d.slept, 20);
	assert_int_equal(d.ready, 200);
	flight_did(&f, 5, 50, 350, &d);
	assert_int_equal(d.ran, 200);
	assert_int_equal(d.ready, 50); /* it could have gone on at 300 */
	flight_did(&f, 77, 50, 350, &d);
	assert_int_equal(d.unknown, 300);
	assert_int_equal(flight_running(&f, 4), 1);
	assert_int_equal(flight_running(&f, 0), -1);
}

/* Thread 9 sleeps for a mutex that 7 has, is woken by 7, waits for the CPU that 5 has. CPU 0 is not whole. */
static struct made wait_story(void)
{
	struct made m = { .h = { .from = 0, .to = 1000, .start = 100, .tid = 9, .cpu = 1, .end_cpu = 1 } };

	event(&m, 10, 1, "switch", 9, 1, "waiter");
	event(&m, 50, 0, "switch", 7, 1, "owner");
	event(&m, 120, 1, "holder", 7, 0x21, "owner");
	event(&m, 120, 1, "lock", 9, 0x21, "waiter");
	event(&m, 125, 1, "holder", 6, 0x20, "later");
	event(&m, 125, 1, "lock", 9, 0x20, "waiter");
	event(&m, 130, 1, "lock", 9, 1, "waiter"); /* a spinlock meanwhile */
	event(&m, 140, 1, "lock-end", 9, 0, "waiter");
	event(&m, 150, 1, "switch", 5, 2, "hog");
	event(&m, 600, 0, "wake", 9, 0, "waiter");
	event(&m, 900, 1, "switch", 9, 0, "waiter");
	event(&m, 910, 1, "lock-end", 9, 0, "waiter");
	return m;
}

static void longest_wait(void **state)
{
	struct made m = wait_story();
	struct flight_rec f = opened(&m);
	struct flight_wait w;

	(void)state;
	flight_longest_wait(&f, 9, 0, 1000, &w);
	assert_int_equal(w.what, FLIGHT_LOCKED);
	assert_int_equal(w.from, 120);
	assert_int_equal(w.to, 910);
	assert_int_equal(w.by_tid, 7); /* had it when the wait began */
	assert_string_equal(w.by_comm, "owner");
	assert_string_equal(flight_lock_name(w.lock), "mutex");
	flight_longest_wait(&f, 9, 200, 500, &w); /* a part of it: as long as the sleep */
	assert_int_equal(w.what, FLIGHT_LOCKED);
	for (uint32_t i = 2; i < 8; i++)
		strcpy(m.v[i].kind, "own"); /* without the lock's events */
	flight_longest_wait(&f, 9, 0, 1000, &w);
	assert_int_equal(w.what, FLIGHT_SLEPT);
	assert_int_equal(w.from, 150);
	assert_int_equal(w.to, 600);
	assert_int_equal(w.by_tid, 7);
	m.v[9].info = 2; /* a timer, say */
	flight_longest_wait(&f, 9, 0, 1000, &w);
	assert_true(w.by_irq);
	assert_int_equal(w.by_tid, 0);
	flight_longest_wait(&f, 9, 500, 1000, &w);
	assert_int_equal(w.what, FLIGHT_READY);
	assert_int_equal(w.to - w.from, 300);
	assert_int_equal(w.by_tid, 5);
	assert_int_equal(w.cpu, 1);
	m.h.cpu = m.h.end_cpu = 3; /* of that CPU not everything is there */
	f = opened(&m);
	flight_longest_wait(&f, 9, 500, 1000, &w);
	assert_int_equal(w.by_tid, 0);
	flight_longest_wait(&f, 7, 0, 1000, &w); /* it runs all the time */
	assert_int_equal(w.what, FLIGHT_NO_WAIT);
	flight_longest_wait(&f, 77, 0, 1000, &w);
	assert_int_equal(w.what, FLIGHT_NO_WAIT);
}

/* Waits that are not over, and waits that began before the recorder's first event. */
static void waits_without_ends(void **state)
{
	struct made m = { .h = { .from = 0, .to = 1000, .covered = 30, .start = 100, .tid = 9 } };
	struct flight_rec f;
	struct flight_wait w;

	(void)state;
	event(&m, 400, 0, "wake", 9, 0, "waiter");
	event(&m, 410, 0, "switch", 9, 0, "waiter");
	event(&m, 420, 0, "lock", 9, 4, "waiter");
	event(&m, 430, 0, "switch", 0, 2, "swapper/0");
	f = opened(&m);
	flight_longest_wait(&f, 9, 0, 450, &w);
	assert_int_equal(w.what, FLIGHT_SLEPT);
	assert_int_equal(w.from, 30);
	assert_int_equal(w.to, 400);
	assert_int_equal(w.by_tid, 0); /* nobody knows who had the CPU then */
	flight_longest_wait(&f, 9, 0, 1000, &w);
	assert_int_equal(w.what, FLIGHT_LOCKED);
	assert_int_equal(w.from, 420);
	assert_int_equal(w.to, 1000);
	assert_int_equal(w.by_tid, 0);
	assert_string_equal(flight_lock_name(w.lock), "rwsem");
}

static void damaged_records(void **state)
{
	struct made m = story();
	struct flight_rec f;
	size_t len = sizeof(m.h) + m.h.n * sizeof(m.v[0]);

	(void)state;
	assert_int_equal(flight_open(&m, len - 1, &f), -EBADMSG);
	assert_int_equal(flight_open(&m, sizeof(m.h) - 1, &f), -EBADMSG);
	assert_int_equal(flight_open(NULL, 0, &f), -EBADMSG);
	m.h.n = FLIGHT_MAX_EVENTS + 1;
	assert_int_equal(flight_open(&m, SIZE_MAX / 2, &f), -EBADMSG);
	m.h.n = 1;
	memset(m.v[0].kind, 'k', sizeof(m.v[0].kind)); /* names without an end */
	memset(m.v[0].text, 't', sizeof(m.v[0].text));
	f = opened(&m);
	assert_string_equal(flight_event(&f, 0).kind, "kkkkkkkkkkkk");
	assert_string_equal(flight_event(&f, 0).text, "tttttttttttttttt");
}

static void entries_of_a_ring(void **state)
{
	(void)state;
	assert_int_equal(flight_entries(200000000, 0), 32768); /* 20,000 and more */
	assert_int_equal(flight_entries(1000000, 0), FLIGHT_MIN_ENTRIES);
	assert_int_equal(flight_entries(60000000000, 0), FLIGHT_MAX_ENTRIES);
	assert_int_equal(flight_entries(60000000000, 16 << 10), 512);
	assert_int_equal(flight_entries(1000000, (64 << 20) + 5), 2 << 20);
}

/* -- files -- */

static void put(struct recfile *f, const struct made *m)
{
	struct row row = {
		.kind = ROW_FLIGHT, .ts = m->h.to, .data = m, .len = sizeof(m->h) + m->h.n * sizeof(m->v[0])
	};

	assert_int_equal(recfile_append(f, &row, NULL), 0);
}

static void comes_back_behind_its_event(void **state)
{
	struct recfile *f = sample_make(0, 0, 0);
	struct made m = story(), none = { .h = { .from = 5, .to = 6, .covered = 6, .skipped = 1 } };
	struct flight_rec got;
	struct recread *r;
	struct row row;

	(void)state;
	put(f, &m); /* of no event: not kept */
	sample_slow(f, 0, 150, 200, SLOW_NORMAL, "waiter");
	m.h.covered = 60;
	m.h.torn = 3;
	put(f, &m);
	sample_slow(f, 0, 400, 10, SLOW_NORMAL, "no");
	sample_slow(f, 0, 500, 10, SLOW_NORMAL, "skipped");
	put(f, &none);
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	assert_true(recread_next(r, &row, NULL).more);
	assert_int_equal(row.kind, ROW_EVENT);
	assert_true(recread_next(r, &row, NULL).more);
	assert_int_equal(row.kind, ROW_FLIGHT);
	assert_int_equal(flight_open(row.data, row.len, &got), 0);
	assert_int_equal(got.h.n, m.h.n);
	assert_memory_equal(got.v, m.v, m.h.n * sizeof(m.v[0]));
	assert_int_equal(got.h.from, 50);
	assert_int_equal(got.h.to, 350);
	assert_int_equal(got.h.covered, 60);
	assert_int_equal(got.h.torn, 3);
	assert_int_equal(got.h.start, 150);
	for (int i = 0; i < 2; i++) {
		assert_true(recread_next(r, &row, NULL).more);
		assert_int_equal(row.kind, ROW_EVENT);
	}
	assert_true(recread_next(r, &row, NULL).more);
	assert_int_equal(flight_open(row.data, row.len, &got), 0);
	assert_int_equal(got.h.skipped, 1);
	assert_int_equal(got.h.n, 0);
	assert_false(recread_next(r, &row, NULL).more);
	recread_close(r);
}

static int count(void *ctx, const struct row *row)
{
	struct flight_rec f;

	assert_int_equal(flight_open(row->data, row->len, &f), 0);
	*(unsigned *)ctx += 1;
	return 0;
}

/* Files that a stranger may have changed; and a file of version 2, which has no such events. */
static void foreign_files(void **state)
{
	static const char *const bad[] = {
		"DROP TABLE flight", "DROP TABLE flight_event",
		"DROP TABLE flight_event; CREATE VIEW flight_event AS SELECT 1",
		"ALTER TABLE flight_event DROP COLUMN info",
		"WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) INSERT INTO flight_event SELECT 1, i, 0, 0, 'x', 0, 0, '' FROM n"
	};
	struct made m = story();
	unsigned n = 0;
	struct row row;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad) + 2; i++) {
		struct recfile *f = sample_make(0, 0, 0);
		struct recread *r = NULL;
		struct err err = { 0 };
		struct step step = step_end();
		int e;

		sample_slow(f, 0, 150, 200, SLOW_NORMAL, "waiter");
		put(f, &m);
		assert_int_equal(recfile_close(f, NULL), 0);
		sample_sql(i < ARRAY_SIZE(bad) ? bad[i]
			   : i == ARRAY_SIZE(bad)
				   ? "UPDATE flight_event SET kind = NULL, text = x'ff', cpu = -1, ts = 'x'"
				   : "DROP TABLE flight; DROP TABLE flight_event; PRAGMA user_version = 2");
		e = recread_open(sample_path, &r, &err);
		while (e == 0 && (step = recread_next(r, &row, &err)).more)
			n += i >= ARRAY_SIZE(bad) && row.kind == ROW_FLIGHT;
		e = e ? e : step.error;
		assert_int_equal(e < 0, i < ARRAY_SIZE(bad));
		if (e == 0)
			assert_int_equal(recread_flights(r, count, &n, NULL), 0);
		recread_close(r);
	}
	assert_int_equal(n, 2); /* the odd one, twice */
}

/* The oldest give way with their events. */
static void old_ones_go(void **state)
{
	struct recfile *f = sample_make(0, 0, 5 * SEC);
	struct made m = story();
	struct recread *r;
	unsigned n = 0;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		sample_slow(f, 0, i * SEC, 50, SLOW_NORMAL, "x");
		put(f, &m);
		assert_int_equal(recfile_tick(f, (i + 1) * SEC, NULL), 0);
	}
	recfile_close(f, NULL);
	sample_sql(
		"INSERT INTO meta SELECT 'orphans', count(*) FROM flight_event WHERE flight NOT IN (SELECT id FROM flight)");
	r = sample_open();
	assert_int_equal(recread_flights(r, count, &n, NULL), 0);
	assert_in_range(n, 3, 9);
	assert_string_equal(recread_meta(r, "orphans"), "0");
	assert_non_null(recread_meta(r, "retired"));
	recread_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_was_had),	      cmocka_unit_test(many_have_the_cpu),
		cmocka_unit_test(thread_did),	      cmocka_unit_test(longest_wait),
		cmocka_unit_test(waits_without_ends), cmocka_unit_test(damaged_records),
		cmocka_unit_test(entries_of_a_ring),  cmocka_unit_test(comes_back_behind_its_event),
		cmocka_unit_test(foreign_files),      cmocka_unit_test(old_ones_go),
	};

	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}
