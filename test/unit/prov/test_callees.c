/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that a function calls, by the code of this very program; the limits of the list. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/callees.h"
#include "unit.h"

int callee_one(int n);
int callee_caller(int n, int (*by_pointer)(int));

__attribute__((noinline, noclone, used)) int callee_one(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noinline, noclone, used)) int callee_caller(int n, int (*by_pointer)(int))
{
	int (*volatile again)(int) = by_pointer;
	int (*reg)(int) = again;

	__asm__ volatile("" : "+r"(reg));
	return callee_one(n) + reg(n) + callee_one(n + 1) + puts("called") + n;
}

static bool has(const struct callees *c, const char *mod, const char *func)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].mod, mod) && !strcmp(c->v[i].func, func) && !c->v[i].reason)
			return true;
	return false;
}

static void of_this_program(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct err err = { 0 };
	struct callees c;
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int r;

	(void)state;
	assert_true(n > 0);
	self[n] = '\0';
	assert_true(callee_caller(1, callee_one) > 0);
	r = callees_user(a, self, 0, "a.out", "callee_caller", &c, &err);
	if (r == -ENOSYS) {
		print_message("%s\n", err.msg);
	} else {
		assert_int_equal(r, 0);
		assert_true(has(&c, "a.out", "callee_one"));
		assert_true(has(&c, "", "puts") || c.unknown > 0 || c.n > 1); /* linked without a table: by address */
		assert_int_equal(c.nsites, 1);
		assert_int_equal(callees_user(a, self, 0, "a.out", "no_such", &c, &err), -ENOENT);
		assert_non_null(strstr(err.msg, "has no function no_such"));
	}
	assert_true(callees_user(a, "/proc/self/status", 0, "a.out", "main", &c, &err) < 0);
	err_done(&err);
	arena_free(a);
}

static void limit(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct callees c = { 0 };
	size_t without = 0;
	char name[16];

	(void)state;
	callees_add(a, &c, "m", "refused", "a reason");
	for (unsigned i = 0; i <= CALLEES_MAX; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		callees_add(a, &c, "m", name, NULL);
		callees_add(a, &c, "m", name, NULL);
	}
	assert_int_equal(c.n, CALLEES_MAX + 2);
	for (size_t i = 0; i < c.n; i++)
		without += c.v[i].reason != NULL;
	assert_int_equal(without, 2);
	assert_non_null(strstr(c.v[c.n - 1].reason, "one more"));
	callees_add(a, &c, "other", "f1", NULL);
	assert_int_equal(c.n, CALLEES_MAX + 3);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_this_program),
		cmocka_unit_test(limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
