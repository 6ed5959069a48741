/* SPDX-License-Identifier: Apache-2.0 */
/* The arena: alignment, zeroing, limits, and that AddressSanitizer sees an overrun. */
#include "../unit.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/arena.h"

static void objects_are_zeroed_aligned_and_apart(void **state)
{
	static const size_t sizes[] = { 0, 1, 7, 16, 17, 4096, 100000, 3 << 20, 24, 1 };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	unsigned char *p[200];

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		size_t n = sizes[i % 10];

		p[i] = arena_alloc(a, n);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(p[i][k], 0);
		memset(p[i], (int)i + 1, n);
	}
	for (size_t i = 0; i < 200; i++)
		for (size_t k = 0; k < sizes[i % 10]; k++)
			assert_int_equal(p[i][k], (unsigned char)(i + 1));
	arena_free(a);
}

static void exhausted_only_past_the_limit(void **state)
{
	struct arena *a = arena_new(64);

	(void)state;
	arena_alloc(a, 64);
	assert_int_equal(arena_used(a), 64);
	assert_false(arena_exhausted(a));
	assert_non_null(arena_alloc(a, 1));
	assert_true(arena_exhausted(a));
	arena_free(a);
}

static void strings_are_copied(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	char *big;

	(void)state;
	assert_string_equal(arena_strdup(a, "probe"), "probe");
	assert_string_equal(arena_strdup(a, ""), "");
	assert_string_equal(arena_strndup(a, "probe", 3), "pro");
	assert_string_equal(arena_strndup(a, "pr", 9), "pr");
	assert_string_equal(arena_printf(a, "%s:%d", "x", 7), "x:7");
	big = arena_printf(a, "%*d", 70000, 1);
	assert_int_equal(strlen(big), 70000);
	assert_memory_equal(arena_memdup(a, "a\0b", 3), "a\0b", 3);
	arena_free(a);
	arena_free(NULL);
}

/* Runs fn in a child; how it ended. */
static int run_child(void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		fclose(stderr);		  /* the sanitizer's report is expected */
		signal(SIGSEGV, SIG_DFL); /* else cmocka takes it for a failure of the test */
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void calloc_overflow(void)
{
	arena_calloc(arena_new(0), SIZE_MAX / 2, 4);
}

static void overflow_of_calloc_aborts(void **state)
{
	int status = run_child(calloc_overflow);

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

#if defined(__SANITIZE_ADDRESS__)
static void overrun(void)
{
	volatile char *p = arena_alloc(arena_new(0), 31);

	p[31] = 1; /* within the alignment of the next object */
}

static void use_after_free(void)
{
	struct arena *a = arena_new(0);
	volatile char *p = arena_alloc(a, 32);

	arena_free(a);
	p[0] = 1;
}

static void misuse_is_seen(void **state)
{
	(void)state;
	assert_int_not_equal(run_child(overrun), 0);
	assert_int_not_equal(run_child(use_after_free), 0);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_zeroed_aligned_and_apart),
		cmocka_unit_test(exhausted_only_past_the_limit),
		cmocka_unit_test(strings_are_copied),
		cmocka_unit_test(overflow_of_calloc_aborts),
#if defined(__SANITIZE_ADDRESS__)
		cmocka_unit_test(misuse_is_seen),
#endif
	};

	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
