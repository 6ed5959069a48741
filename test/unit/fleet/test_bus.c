/* SPDX-License-Identifier: Apache-2.0 */
/* Names in subjects, there and back; subjects that nobody of ours sends. */
#include "../unit.h"
#include "fleet/wire/bus.h"

static void tokens(void **state)
{
	char token[BUS_NAME_MAX + 1], name[BUS_NAME_MAX + 2];

	(void)state;
	assert_true(bus_token("web-1.example.org", token));
	assert_string_equal(token, "web-1~example~org");
	assert_false(bus_token("", token));
	assert_false(bus_token("a b", token));
	assert_false(bus_token("a*", token));
	assert_false(bus_token(">", token));
	assert_false(bus_token("a~b", token));
	memset(name, 'a', sizeof(name));
	name[BUS_NAME_MAX] = '\0';
	assert_true(bus_token(name, token)); /* at the limit */
	name[BUS_NAME_MAX] = 'a';
	name[BUS_NAME_MAX + 1] = '\0';
	assert_false(bus_token(name, token));
}

static void subjects(void **state)
{
	static const char *const bad[] = { "",
					   "dwell.v1",
					   "dwell.v1.t.s.h",
					   "dwell.v1.t.s.h.",
					   "dwell.v2.t.s.h.hist",
					   "dwell.v1.t..h.hist",
					   "dwell.v1.t.s.h.hist.x",
					   "dwell.v1.t.s.a/b.hist" };
	char longest[BUS_NAME_MAX + 40];
	struct bus_subject s;

	(void)state;
	assert_true(bus_parse("dwell.v1.acme.eu-1.web~1.hist", &s));
	assert_string_equal(s.tenant, "acme");
	assert_string_equal(s.site, "eu-1");
	assert_string_equal(s.host, "web.1");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(bus_parse(bad[i], &s));
	snprintf(longest, sizeof(longest), "dwell.v1.t.s.%0*d.hist", (int)BUS_NAME_MAX, 0);
	assert_true(bus_parse(longest, &s));
	snprintf(longest, sizeof(longest), "dwell.v1.t.s.%0*d.hist", (int)BUS_NAME_MAX + 1, 0);
	assert_false(bus_parse(longest, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tokens), cmocka_unit_test(subjects) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
