/* SPDX-License-Identifier: Apache-2.0 */
/* Minutes that are added up again: stretches with gaps between them, of which there are few. */
#include "../unit.h"
#include "fleet/carry/roll.h"

static void expect(const struct roll_stretches *s, const char *want)
{
	struct strb b = { 0 };

	for (unsigned i = 0; i < s->n; i++)
		strb_printf(&b, "%s%d-%d", i ? " " : "", (int)(s->v[i].from / 60), (int)(s->v[i].to / 60));
	assert_string_equal(strb_str(&b), want);
	strb_free(&b);
}

static void add(struct roll_stretches *s, unsigned from, unsigned to)
{
	roll_stretch(s, from * 60, to * 60);
}

static void joins(void **state)
{
	struct roll_stretches s = { 0 };

	(void)state;
	roll_stretch(&s, 100, 100);
	roll_stretch(&s, 200, 100);
	expect(&s, "");
	roll_stretch(&s, 61, 62); /* whole minutes */
	expect(&s, "1-2");
	add(&s, 10, 11);
	add(&s, 4, 5);
	expect(&s, "1-2 4-5 10-11");
	add(&s, 4, 5); /* the same */
	add(&s, 5, 6); /* what follows */
	add(&s, 3, 4); /* what is before */
	expect(&s, "1-2 3-6 10-11");
	add(&s, 2, 3); /* between two */
	expect(&s, "1-6 10-11");
	add(&s, 4, 5); /* within */
	expect(&s, "1-6 10-11");
	add(&s, 0, 20); /* around */
	expect(&s, "0-20");
	roll_stretch(&s, UINT64_MAX - 5, UINT64_MAX); /* what cannot be rounded up */
	expect(&s, "0-20");
}

/* The minute of a clock that is years late stays a stretch of its own; what is close together becomes one. */
static void few(void **state)
{
	struct roll_stretches s = { 0 };
	uint64_t sum = 0;

	(void)state;
	add(&s, 7, 8);
	for (unsigned i = 0; i < ROLL_STRETCHES; i++)
		add(&s, 1000000 + i * 10, 1000001 + i * 10);
	assert_int_equal(s.n, ROLL_STRETCHES);
	assert_int_equal(s.v[0].to, 8 * 60);
	assert_int_equal(s.v[1].to - s.v[1].from, 11 * 60); /* the first two that are closest */
	for (unsigned i = 0; i < 100000; i++)
		add(&s, 1000000 + i * 7919 % 100000, 1000001 + i * 7919 % 100000);
	for (unsigned i = 0; i < s.n; i++) {
		assert_true(s.v[i].from < s.v[i].to);
		assert_true(!i || s.v[i - 1].to < s.v[i].from);
		sum += s.v[i].to - s.v[i].from;
	}
	assert_int_equal(s.v[0].to, 8 * 60);
	assert_int_equal(sum, 100001 * 60); /* no minute is missing */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(joins), cmocka_unit_test(few) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
