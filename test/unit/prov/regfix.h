/* SPDX-License-Identifier: Apache-2.0 */
/* Fixture for tests of providers against the running kernel: its types, a registry, an arena. */
#ifndef TEST_REGFIX_H
#define TEST_REGFIX_H
#include "../unit.h"
#include "prov/prov_int.h"

static struct typesrc *ts;
static struct registry *reg;
static const struct probe_source *src;
static struct arena *arena;
static const struct caps caps = { .btf = true, .tp_btf = true, .possible_cpus = 1 };

/* Runs the tests with all of that open; the exit status. */
static int regfix_run(const char *name, const struct CMUnitTest *tests, size_t n)
{
	struct err err = { 0 };
	int r;

	if (typesrc_open_kernel(&ts, &err) < 0)
		return skip_all(err.msg);
	if (registry_new(ts, &caps, 0, &reg) < 0)
		return 1;
	src = registry_source(reg);
	arena = arena_new((size_t)1 << 28);
	r = _cmocka_run_group_tests(name, tests, n, NULL, NULL);
	arena_free(arena);
	registry_free(reg);
	typesrc_free(ts);
	return r;
}
#endif
