/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a CPU's frequency are told from other events. */
#include "../unit.h"
#include "view/export/trace.h"

#define KHZ 3400000u
#define CPU 17u

static uint32_t record[] = { 0, 0, KHZ, CPU };
static struct recfield fields[] = { { .kind = FLD_INT, .off = 8, .size = 4 },
				    { .kind = FLD_INT, .off = 12, .size = 4 } };
static struct recact acts[] = { { .fields = &fields[0], .nfields = 1 }, { .fields = &fields[1], .nfields = 1 } };
static struct recfmt fmt;
static const struct recfmt *const fmts[] = { &fmt };
static struct rec_probe probe;

static bool is_frequency(const char *prov, const char *name, size_t nacts, struct trace_counter *c)
{
	struct rec_schema schema = { .probes = &probe, .nprobes = 1, .fmts = fmts, .nfmts = 1 };
	const struct row row = {
		.kind = ROW_EVENT, .ts = 5, .probe = 9, .id = 1, .data = record, .len = sizeof(record)
	};

	probe = (struct rec_probe){ .id = 9, .prov = prov, .mod = "power", .func = "", .name = name };
	fmt = (struct recfmt){ .acts = acts, .nacts = nacts };
	return trace_frequency(&schema, &row, c);
}

static void a_change_of_frequency(void **state)
{
	struct trace_counter c;

	(void)state;
	assert_true(is_frequency("sdt", "cpu_frequency", 2, &c));
	assert_true(c.frequency);
	assert_int_equal(c.value, KHZ);
	assert_int_equal(c.cpu, CPU);
	assert_int_equal(c.at, 5);
}

static void other_events(void **state)
{
	struct trace_counter c;

	(void)state;
	assert_false(is_frequency("sdt", "cpu_idle", 2, &c));
	assert_false(is_frequency("syscall", "cpu_frequency", 2, &c));
	assert_false(is_frequency("sdt", "cpu_frequency", 1, &c));
	fields[1].kind = FLD_STRING;
	assert_false(is_frequency("sdt", "cpu_frequency", 2, &c));
	fields[1].kind = FLD_INT;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_change_of_frequency), cmocka_unit_test(other_events) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
