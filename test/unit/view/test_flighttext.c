/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder's events as lines and as JSON: which events tell the story, and their words. */
#include "../unit.h"
#include "base/cleanup.h"
#include "store/flight.h"
#include "view/text/flighttext.h"

#define MS 1000000ull

struct made {
	struct rec_flight h;
	struct rec_flight_event v[64];
};

static void event(struct made *m, uint64_t ms, uint32_t cpu, const char *kind, uint32_t id, uint32_t info,
		  const char *text)
{
	struct rec_flight_event *e = &m->v[m->h.n++];

	*e = (struct rec_flight_event){ .ts = ms * MS, .cpu = cpu, .id = id, .info = info };
	memcpy(e->kind, kind, strlen(kind));
	memcpy(e->text, text, strlen(text));
}

/* Thread 9 is woken at 150 and gets CPU 1 at 190: hog had it for 38 ms, cat for 2. */
static struct made story(void)
{
	struct made m = {
		.h = { .from = 50 * MS, .to = 190 * MS, .covered = 50 * MS, .start = 150 * MS, .tid = 9, .end_cpu = 1 }
	};

	event(&m, 40, 1, "switch", 0, 1, "swapper/1");
	event(&m, 60, 1, "switch", 9, 0, "waiter");
	event(&m, 70, 1, "switch", 0, 2, "swapper/1");
	event(&m, 140, 1, "switch", 5, 0, "hog");
	event(&m, 150, 1, "wake", 9, 0, "waiter");
	event(&m, 151, 1, "softirq", 3, 0, "");
	event(&m, 152, 1, "softirq-end", 3, 0, "");
	event(&m, 160, 1, "irq", 24, 0, "virtio0");
	event(&m, 164, 1, "irq-end", 24, 0, "");
	event(&m, 170, 0, "io", 4096, 1, "vda");
	event(&m, 175, 0, "lock", 9, 0x20, "waiter");
	event(&m, 175, 0, "holder", 7, 0x20, "owner");
	event(&m, 176, 0, "own", 1, 2, "x");
	event(&m, 188, 1, "switch", 6, 0, "cat");
	event(&m, 190, 1, "switch", 9, 128, "waiter");
	return m;
}

static void assert_text(const struct made *m, bool all, const char *want)
{
	struct strb b = { 0 };
	struct flight_rec f;

	assert_int_equal(flight_open(m, sizeof(*m), &f), 0);
	flighttext(&b, &f, all);
	assert_string_equal(strb_str(&b), want);
	strb_free(&b);
}

static void what_matters(void **state)
{
	struct made m = story();

	(void)state;
	assert_text(&m, false,
		    "    flight recorder: 15 events, 140 ms before the end\n"
		    "      CPU 1 meanwhile: hog 5 38.0 ms, cat 6 2.00 ms; 5.00 ms of it in interrupts\n"
		    "        -130 ms  CPU 1  waiter 9 gets the CPU from idle\n"
		    "        -120 ms  CPU 1  idle: nobody wants the CPU, waiter 9 waits\n"
		    "       -50.0 ms  CPU 1  hog 5 gets the CPU from idle\n"
		    "       -40.0 ms  CPU 1  waiter 9 is woken up under hog 5\n"
		    "       -30.0 ms  CPU 1  interrupt 24 virtio0 begins\n"
		    "       -20.0 ms  CPU 0  write of vda at sector 4096 is issued\n"
		    "       -15.0 ms  CPU 0  waiter 9 waits for a mutex, held by owner 7\n"
		    "       -2.00 ms  CPU 1  cat 6 gets the CPU from hog 5, which could go on\n"
		    "           0 ns  CPU 1  waiter 9 gets the CPU from cat 6, which ends\n"
		    "      5 more: -v\n");
}

static void all_of_it(void **state)
{
	struct made m = story();

	(void)state;
	m.h.n = 8;
	m.h.covered = 60 * MS;
	m.h.torn = 2;
	assert_text(
		&m, true,
		"    flight recorder: 8 events, 140 ms before the end, of which it covers the last 130 ms, 2 were being written\n"
		"      CPU 1 meanwhile: hog 5 40.0 ms; 1.00 ms of it in interrupts\n"
		"        -150 ms  CPU 1  idle: nobody wants the CPU\n"
		"        -130 ms  CPU 1  waiter 9 gets the CPU from idle\n"
		"        -120 ms  CPU 1  idle: nobody wants the CPU, waiter 9 waits\n"
		"       -50.0 ms  CPU 1  hog 5 gets the CPU from idle\n"
		"       -40.0 ms  CPU 1  waiter 9 is woken up under hog 5\n"
		"       -39.0 ms  CPU 1  soft interrupt net_rx begins\n"
		"       -38.0 ms  CPU 1  soft interrupt net_rx ends\n"
		"       -30.0 ms  CPU 1  interrupt 24 virtio0 begins\n");
	m = (struct made){ .h = { .from = 1, .to = 2, .covered = 2, .skipped = 1 } };
	assert_text(&m, true, "    flight recorder: not read, there were too many slow events in this second\n");
	m.h.skipped = 0;
	assert_text(&m, false,
		    "    flight recorder: 0 events, 1 ns before the end, of which it covers the last 0 ns\n");
	event(&m, 0, 3, "own", 1, 2, "x");
	event(&m, 0, 3, "softirq", 99, 0, "");
	event(&m, 0, 3, "io-end", 1, 99, "sda");
	event(&m, 0, 3, "lock-end", 4, 0, "cat");
	assert_text(&m, true,
		    "    flight recorder: 4 events, 1 ns before the end, of which it covers the last 0 ns\n"
		    "          -2 ns  CPU 3  own 1 2 x\n"
		    "          -2 ns  CPU 3  soft interrupt  begins\n"
		    "          -2 ns  CPU 3  operation of sda at sector 1 is done\n"
		    "          -2 ns  CPU 3  cat 4 has the lock\n");
}

/* The last lines only, and few from before the wait. */
static void few_lines(void **state)
{
	struct made m = {
		.h = { .from = 1, .to = 1000 * MS, .covered = 1, .start = 500 * MS, .tid = 9, .end_cpu = 1 }
	};
	struct strb b = { 0 };
	struct flight_rec f;
	unsigned lines = 0;

	(void)state;
	for (uint32_t i = 0; i < 50; i++)
		event(&m, 20 * i, 1, "wake", 9, 0, "waiter");
	assert_int_equal(flight_open(&m, sizeof(m), &f), 0);
	flighttext(&b, &f, false);
	for (const char *p = strb_str(&b); (p = strstr(p, "is woken")); p++)
		lines++;
	assert_int_equal(lines, FLIGHTTEXT_LINES);
	assert_non_null(strstr(strb_str(&b), "38 more: -v"));
	strb_reset(&b);
	m.h.start = 950 * MS;
	assert_int_equal(flight_open(&m, sizeof(m), &f), 0);
	flighttext(&b, &f, false);
	assert_non_null(strstr(strb_str(&b), "44 more: -v")); /* 960, 980, and FLIGHTTEXT_EARLIER before */
	strb_free(&b);
}

/* Among requests to disks, only those that took a part of the wait are told. */
static void requests(void **state)
{
	struct made m = {
		.h = { .from = 1, .to = 1000 * MS, .covered = 1, .start = 500 * MS, .tid = 9, .end_cpu = 1 }
	};
	struct strb b = { 0 };
	struct flight_rec f;

	(void)state;
	event(&m, 510, 0, "io", 1, 0, "sda");
	event(&m, 520, 1, "io", 2, 0, "sda");
	event(&m, 530, 1, "io-end", 1, 0, "sda"); /* 20 ms */
	event(&m, 560, 0, "io-end", 2, 0, "sda"); /* 40 ms */
	event(&m, 600, 0, "io-end", 3, 0, "sda"); /* it began at an unknown time */
	event(&m, 999, 0, "io", 4, 0, "sda");
	assert_int_equal(flight_open(&m, sizeof(m), &f), 0);
	flighttext(&b, &f, false);
	assert_null(strstr(strb_str(&b), "sector 1"));
	assert_non_null(strstr(strb_str(&b), "sector 2 is issued"));
	assert_non_null(strstr(strb_str(&b), "sector 2 is done"));
	assert_non_null(strstr(strb_str(&b), "sector 3 is done"));
	assert_null(strstr(strb_str(&b), "sector 4"));
	strb_free(&b);
}

static void as_json(void **state)
{
	struct made m = story();
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	struct flight_rec f;

	(void)state;
	m.h.n = 1;
	m.v[0].text[0] = '"';
	assert_int_equal(flight_open(&m, sizeof(m), &f), 0);
	flightjson(&w, NULL, &f);
	assert_string_equal(
		strb_str(&b),
		"{\"from\":50000000,\"to\":190000000,\"covered\":50000000,\"start\":150000000,\"tid\":9,\"cpu\":0,"
		"\"end_tid\":0,\"end_cpu\":1,\"torn\":0,\"skipped\":false,\"shares\":[{\"tid\":0,\"comm\":\"\\\"wapper/1\","
		"\"ns\":40000000}],\"events\":[{\"time\":40000000,\"cpu\":1,\"kind\":\"switch\",\"id\":0,\"info\":1,"
		"\"text\":\"\\\"wapper/1\"}]}");
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_matters), cmocka_unit_test(all_of_it), cmocka_unit_test(few_lines),
		cmocka_unit_test(requests),	cmocka_unit_test(as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
