/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lib/queue.h"

static const char event[] =
	"{\"type\":\"event\",\"output\":[{\"action\":\"trace\",\"value\":7},"
	"{\"action\":\"printf\",\"text\":\"a\\n\",\"args\":[]},{\"action\":\"exit\",\"status\":0}]}";

static void test_values(void **state)
{
	const struct rec_probe p = { .prov = "syscall", .mod = "vmlinux", .func = "read", .name = "entry" };
	const struct row row = { .ts = 5, .cpu = 3 };
	struct queue_item *i;
	struct queue q;

	(void)state;
	queue_init(&q);
	queue_put(&q, &row, &p, event, strlen(event));
	i = queue_take(&q);
	assert_int_equal(queue_item_parse(i), 0);
	assert_int_equal(i->row.kind, DWELL_ROW_EVENT);
	assert_int_equal(i->row.cpu, 3);
	assert_string_equal(i->row.function, "read");
	assert_int_equal(i->row.nvalues, 3);
	assert_int_equal(i->row.values[0].number, 7);
	assert_string_equal(i->row.values[1].text, "a\n");
	assert_int_equal(i->row.values[2].kind, DWELL_JSON);
	queue_item_free(i);
	assert_null(queue_take(&q));
	queue_free(&q);
}

/* At the limit rows are counted, and the count stands where they would. */
static void test_limit(void **state)
{
	const struct row row = { 0 };
	size_t put = 0, got = 0, lost = 0;
	struct queue_item *i;
	struct queue q;

	(void)state;
	queue_init(&q);
	while (q.lost < 10) {
		queue_put(&q, &row, NULL, event, strlen(event));
		put++;
	}
	assert_true(q.bytes <= QUEUE_BYTES_MAX);
	for (int k = 0; k < 3; k++) {
		queue_item_free(queue_take(&q));
		got++;
	}
	queue_put(&q, &row, NULL, event, strlen(event));
	while ((i = queue_take(&q))) {
		if (i->row.kind == DWELL_ROW_LOSS) {
			assert_non_null(strstr(i->json, "\"count\":10,"));
			assert_int_equal(got, put - 10);
			lost++;
		}
		got++;
		queue_item_free(i);
	}
	assert_int_equal(lost, 1);
	assert_int_equal(got, put - 10 + 2);
	queue_free(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
