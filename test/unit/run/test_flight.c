/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the rings of the flight recorder: which entries are taken, which are not believed, which are
 * reported as missing. */
#include "../unit.h"
#include "base/cleanup.h"
#include "base/flightfmt.h"
#include "run/consume/flight.h"
#include "store/flight.h"

#define ENTRIES 16u
#define CPUS 3u

static const char *const kinds[] = { "switch", "wake", "own", "lock", "holder", "irq", "irq-end" };
enum { SWITCH = 1, WAKE, OWN, LOCK, HOLDER, IRQ, IRQ_END };

struct fix {
	struct img_map map;
	struct image img;
	struct load_map lmap;
	struct loaded l;
	struct flight *f;
	struct row row;
	struct flight_rec rec;
};

static const size_t cpu_size = sizeof(struct flight_cpu) + ENTRIES * sizeof(struct flight_entry);

static void set_up(struct fix *x, uint64_t back, uint64_t began)
{
	memset(x, 0, sizeof(*x));
	x->map = (struct img_map){ .role = IMG_MAP_FLIGHT, .value_size = (uint32_t)cpu_size, .max_entries = CPUS };
	x->img = (struct image){ .maps = &x->map, .nmaps = 1, .flights = kinds, .nflights = 7 };
	x->lmap.mem = aligned_alloc(64, ROUND_UP(CPUS * cpu_size, 64));
	assert_non_null(x->lmap.mem);
	memset(x->lmap.mem, 0, CPUS * cpu_size);
	x->l = (struct loaded){ .img = &x->img, .maps = &x->lmap };
	assert_int_equal(flight_new(&x->l, back, began, &x->f), 0);
}

static void tear_down(struct fix *x)
{
	flight_free(x->f);
	free(x->lmap.mem);
}

static struct flight_entry *write_entry(struct fix *x, uint32_t cpu, uint64_t ts, unsigned kind, uint32_t id)
{
	struct flight_cpu *c = (void *)((uint8_t *)x->lmap.mem + cpu * cpu_size);
	uint64_t seq = c->head++;
	struct flight_entry *e = &c->v[seq % ENTRIES];

	*e = (struct flight_entry){ .ts = ts, .id = id, .kind = (uint8_t)kind, .lap = (uint8_t)(seq / ENTRIES) };
	snprintf(e->text, sizeof(e->text), "t%u", id);
	return e;
}

/* Thread 9 waited on CPU 0 from `from` to `to`. */
static void take(struct fix *x, uint64_t from, uint64_t to)
{
	struct slow_event e = { .fixed = { .start = from, .delay = to - from, .tid = 9, .end_tid = 8 } };

	assert_int_equal(flight_collect(x->f, &e, to, &x->row), 0);
	assert_int_equal(x->row.kind, ROW_FLIGHT);
	assert_int_equal(flight_open(x->row.data, x->row.len, &x->rec), 0);
}

static void no_flight_recorder(void **state)
{
	struct image img = { 0 };
	struct loaded l = { .img = &img };
	struct flight *f;

	(void)state;
	assert_int_equal(flight_new(&l, 1, 1, &f), 0);
	assert_null(f);
	flight_free(f);
}

/* The window, who had the CPU when it began, and in the order of time; what is younger is left out. */
static void the_window(void **state)
{
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	write_entry(&x, 0, 100, SWITCH, 1);
	write_entry(&x, 0, 150, SWITCH, 2);
	write_entry(&x, 0, 190, OWN, 3); /* before the window */
	write_entry(&x, 0, 210, OWN, 4);
	write_entry(&x, 0, 400, SWITCH, 9);
	write_entry(&x, 0, 401, OWN, 5); /* after it */
	take(&x, 300, 400);
	assert_int_equal(x.rec.h.n, 3);
	assert_int_equal(flight_event(&x.rec, 0).id, 2);
	assert_string_equal(flight_event(&x.rec, 0).kind, "switch");
	assert_string_equal(flight_event(&x.rec, 0).text, "t2");
	assert_int_equal(flight_event(&x.rec, 1).id, 4);
	assert_int_equal(flight_event(&x.rec, 2).ts, 400);
	assert_int_equal(x.rec.h.from, 200);
	assert_int_equal(x.rec.h.covered, 200);
	tear_down(&x);
}

/* All events in the ring are younger than the window. */
static void all_is_younger(void **state)
{
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	for (unsigned i = 0; i < 2 * ENTRIES; i++)
		write_entry(&x, 0, 390 + i, SWITCH, 1);
	take(&x, 300, 400);
	assert_int_equal(x.rec.h.n, 0);
	assert_int_equal(x.rec.h.covered, 400);
	tear_down(&x);
}

/* The CPU of an end has no ring: nothing is covered, and the counts of programs are told once. */
static void a_cpu_without_a_ring(void **state)
{
	struct slow_event e = {
		.fixed = { .start = 300, .delay = 100, .tid = 9, .end_tid = 8, .cpu = 0, .end_cpu = CPUS }
	};
	struct rec_schema schema = { 0 };
	struct recording *rec;
	struct row row;
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	write_entry(&x, 0, 250, SWITCH, 9);
	assert_int_equal(flight_collect(x.f, &e, 400, &x.row), 0);
	assert_int_equal(flight_open(x.row.data, x.row.len, &x.rec), 0);
	assert_int_equal(x.rec.h.n, 1);
	assert_int_equal(x.rec.h.covered, 400);
	((struct flight_cpu *)x.lmap.mem)->missed = 7;
	assert_int_equal(recording_new_memory(&schema, &rec), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(flight_report(x.f, 500, rec), 0);
	assert_true(recording_next(rec, &row));
	assert_int_equal(row.id, CNT_FLIGHT_MISSED);
	assert_int_equal(row.count, 7);
	assert_false(recording_next(rec, &row));
	recording_free(rec);
	tear_down(&x);
}

/* On other CPUs only what the threads of the event did, and who took the CPU from them. */
static void other_cpus(void **state)
{
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	write_entry(&x, 0, 100, SWITCH, 1);
	write_entry(&x, 2, 100, SWITCH, 4);
	write_entry(&x, 2, 220, SWITCH, 8); /* the one that ended it */
	write_entry(&x, 2, 230, OWN, 9);    /* no thread, though the number is one */
	write_entry(&x, 2, 240, SWITCH, 5);
	write_entry(&x, 2, 250, SWITCH, 6);
	write_entry(&x, 2, 260, WAKE, 9);
	take(&x, 300, 400);
	assert_int_equal(x.rec.h.n, 5);
	assert_int_equal(flight_event(&x.rec, 1).ts, 220);
	assert_int_equal(flight_event(&x.rec, 2).ts, 240);
	assert_int_equal(flight_event(&x.rec, 3).ts, 250); /* the thread on the CPU when 9 was woken up */
	assert_int_equal(flight_event(&x.rec, 4).ts, 260);
	tear_down(&x);
}

/* On other CPUs: the holder of a lock for which one waits, and what the holder did, once. */
static void further_threads(void **state)
{
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	write_entry(&x, 0, 100, SWITCH, 1);
	write_entry(&x, 1, 100, SWITCH, 9);
	write_entry(&x, 1, 290, HOLDER, 5)->info = 0x20;
	write_entry(&x, 1, 290, LOCK, 9)->info = 0x20;
	write_entry(&x, 1, 291, HOLDER, 6)->info = 0x20; /* of another's lock */
	write_entry(&x, 1, 291, LOCK, 7)->info = 0x20;
	write_entry(&x, 1, 292, SWITCH, 7);
	write_entry(&x, 2, 250, SWITCH, 5);
	write_entry(&x, 2, 260, SWITCH, 8)->info = 1;
	write_entry(&x, 2, 390, SWITCH, 5);
	take(&x, 300, 400);
	static const uint64_t want[] = { 100, 100, 250, 260, 290, 290, 292, 390 };
	assert_int_equal(x.rec.h.n, ARRAY_SIZE(want));
	for (uint32_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(flight_event(&x.rec, i).ts, want[i]);
	tear_down(&x);
}

/* A thread is woken up in an interrupt, on CPUs that are read whole or not. */
static void in_interrupts(void **state)
{
	struct fix x;

	(void)state;
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		set_up(&x, 100, 10);
		write_entry(&x, cpu, 100, SWITCH, 1);
		write_entry(&x, cpu, 310, IRQ, 0);
		write_entry(&x, cpu, 311, WAKE, 9); /* in it */
		write_entry(&x, cpu, 312, IRQ_END, 0);
		write_entry(&x, cpu, 320, WAKE, 9);
		write_entry(&x, cpu, 330, IRQ, 0);
		write_entry(&x, cpu, 331, IRQ, 0);
		write_entry(&x, cpu, 332, IRQ_END, 0);
		write_entry(&x, cpu, 333, WAKE, 9); /* in the outer one */
		write_entry(&x, cpu, 334, IRQ_END, 0);
		write_entry(&x, cpu, 340, SWITCH, 2);
		write_entry(&x, cpu, 350, WAKE, 9);
		take(&x, 300, 400);
		static const uint64_t in[] = { 311, 333 };
		unsigned wakes = 0;
		for (uint32_t i = 0; i < x.rec.h.n; i++) {
			struct flight_event e = flight_event(&x.rec, i);

			wakes += flight_is(&e, "wake");
			if (flight_is(&e, "wake"))
				assert_int_equal(e.info, e.ts == in[0] || e.ts == in[1]);
		}
		assert_int_equal(wakes, 4);
		tear_down(&x);
	}
}

/* Without a switch before it nothing is known. */
static void no_switch_before(void **state)
{
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	for (unsigned i = 0; i < ENTRIES; i++)
		write_entry(&x, 0, 301 + i, i ? WAKE : IRQ, 9); /* no switch: nothing can be known */
	take(&x, 300, 400);
	for (uint32_t i = 0; i < x.rec.h.n; i++)
		assert_int_equal(flight_event(&x.rec, i).info, 0);
	tear_down(&x);
}

static void written_over(void **state)
{
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	take(&x, 300, 400); /* nothing at all: since the run began, there was nothing */
	assert_int_equal(x.rec.h.n, 0);
	assert_int_equal(x.rec.h.covered, 200);
	take(&x, 50, 60);
	assert_int_equal(x.rec.h.covered, 10); /* and the window begins before that */
	for (unsigned i = 0; i < 3 * ENTRIES + 5; i++)
		write_entry(&x, 0, 300 + i, OWN, i);
	take(&x, 300, 400);
	assert_int_equal(x.rec.h.n, ENTRIES);
	assert_int_equal(flight_event(&x.rec, 0).id, 2 * ENTRIES + 5);
	assert_int_equal(x.rec.h.covered, 300 + 2 * ENTRIES + 5);
	assert_int_equal(x.rec.h.torn, 0);
	tear_down(&x);
}

/* Places that are taken and not yet filled still have the entry of the lap before; others were left by a fault. */
static void unfinished(void **state)
{
	struct flight_entry *e;
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	for (unsigned i = 0; i < ENTRIES; i++)
		write_entry(&x, 0, 300 + i, OWN, i);
	e = write_entry(&x, 0, 350, OWN, 100);
	e->lap = 0; /* its last word is not there yet */
	take(&x, 300, 400);
	assert_int_equal(x.rec.h.torn, 1);
	assert_int_equal(x.rec.h.n, ENTRIES - 1);
	assert_int_equal(flight_event(&x.rec, 0).id, 1); /* and 0 is gone */
	e->kind = 77;					 /* no such kind */
	e->lap = 1;
	take(&x, 300, 400);
	assert_int_equal(x.rec.h.torn, 1);
	tear_down(&x);
}

/* A lap is counted modulo 256. */
static void laps_begin_again(void **state)
{
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	for (unsigned i = 0; i < ENTRIES * 256 + 2; i++)
		write_entry(&x, 0, 300, OWN, i);
	take(&x, 300, 400);
	assert_int_equal(x.rec.h.n, ENTRIES);
	assert_int_equal(x.rec.h.torn, 0);
	tear_down(&x);
}

static void so_many_a_second(void **state)
{
	struct fix x;

	(void)state;
	set_up(&x, 100, 10);
	write_entry(&x, 0, 350, OWN, 1);
	for (unsigned i = 0; i < FLIGHT_PER_SECOND + 3; i++) {
		take(&x, 300, 400);
		assert_int_equal(x.rec.h.skipped, i >= FLIGHT_PER_SECOND);
		assert_int_equal(x.rec.h.n, i < FLIGHT_PER_SECOND);
	}
	take(&x, 300, 1000000400);
	assert_int_equal(x.rec.h.skipped, 0);
	tear_down(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_flight_recorder),	cmocka_unit_test(the_window),
		cmocka_unit_test(other_cpus),		cmocka_unit_test(further_threads),
		cmocka_unit_test(in_interrupts),	cmocka_unit_test(no_switch_before),
		cmocka_unit_test(written_over),		cmocka_unit_test(all_is_younger),
		cmocka_unit_test(a_cpu_without_a_ring), cmocka_unit_test(unfinished),
		cmocka_unit_test(laps_begin_again),	cmocka_unit_test(so_many_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
