/* SPDX-License-Identifier: Apache-2.0 */
/* Every recorded call is in the table of system calls, and a call that the table does not know is refused. */
#include "replay/tracee/policy.h"
#include <asm/unistd.h>
#include <errno.h>
#include "replay/trace/stub.h"
#include "unit.h"

static void every_recorded_call_has_its_arguments_in_the_table(void **state)
{
	static const uint32_t nrs[] = {
#define RESULT(name) __NR_##name,
#define MAP(name) __NR_##name,
#define OWN(name) __NR_##name,
#define TASK(name) __NR_##name,
#define DENY(name, error)
#include "replay/tracee/policy.def"
#undef RESULT
#undef MAP
#undef OWN
#undef TASK
#undef DENY
	};

	(void)state;
	for (size_t i = 0; i < sizeof(nrs) / sizeof(*nrs); i++) {
		assert_non_null(call_by_nr(nrs[i]));
		assert_int_not_equal(policy_of(nrs[i]).act, POLICY_STOP);
	}
}

/* A call may be recorded as a result only if the table says where it writes: P is an address of which nothing is known.
 * The calls that have such an address only read there, or take the address itself. */
static void no_recorded_call_writes_where_the_table_does_not_say(void **state)
{
	static const char *const only_read[] = { "utime",	 "utimes",	    "futimesat",       "mknod",
						 "timer_create", "set_tid_address", "set_robust_list", "msync",
						 "getcpu",	 "mlock",	    "mlock2",	       "munlock",
						 "openat2",	 "sendmmsg",	    "recvmmsg" /* args.c */ };

	(void)state;
	for (size_t i = 0; i < call_table_n; i++) {
		const struct call_desc *c = &call_table[i];
		bool known = false;

		if (policy_of(c->nr).act != POLICY_RESULT)
			continue;
		for (size_t k = 0; k < sizeof(only_read) / sizeof(*only_read); k++)
			known |= !strcmp(c->name, only_read[k]);
		for (unsigned k = 0; k < c->nargs; k++)
			if (c->args[k] == A_P && !known)
				fail_msg("%s", c->name);
	}
}

static void what_is_not_known_is_refused(void **state)
{
	char buf[32];

	(void)state;
	assert_int_equal(policy_of(__NR_ptrace).act, POLICY_STOP);
	assert_int_equal(policy_of(__NR_unshare).act, POLICY_STOP);
	assert_int_equal(policy_of(__NR_clone3).act, POLICY_TASK);
	assert_int_equal(policy_of(CALL_NR_MAX).act, POLICY_NONE);
	assert_int_equal(policy_of(CALL_NR_MAX - 1).act, POLICY_NONE);
	assert_int_equal(policy_of(~0ull).act, POLICY_NONE);
	assert_int_equal(policy_call(~0ull)->nargs, 0);
	assert_string_equal(policy_call(__NR_openat)->name, "openat");
	assert_int_equal(policy_of(__NR_io_uring_setup).act, POLICY_DENY);
	assert_int_equal(policy_of(__NR_io_uring_setup).error, ENOSYS);
	assert_string_equal(policy_name(__NR_openat, buf), "openat");
	assert_string_equal(policy_name(9999, buf), "number 9999");
	assert_string_equal(policy_name(~0ull, buf), "number -1");
	assert_int_equal(policy_ioctl(0xdead), IOCTL_UNKNOWN);
	assert_int_equal(policy_ioctl(0x5401), 36);
	assert_int_equal(policy_ioctl(0xc020660b), IOCTL_DENIED);
}

static void the_stub_has_room(void **state)
{
	(void)state;
	assert_in_range(stub_end - stub_begin, 1, STUB_SITES - STUB_BODY);
	assert_in_range(stub_enter - stub_begin, 0, stub_end - stub_begin);
	assert_int_equal(sizeof(struct stub_site), 64);
	assert_true(STUB_SITES + STUB_SITES_MAX * sizeof(struct stub_site) <= STUB_STATE);
	assert_int_equal(offsetof(struct stub_site, call), STUB_TRACED);
	assert_int_equal(offsetof(struct stub_site, leave), STUB_DONE);
	assert_true(sizeof(struct stub_state) + 2048 <= STUB_STACK - STUB_STATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recorded_call_has_its_arguments_in_the_table),
		cmocka_unit_test(no_recorded_call_writes_where_the_table_does_not_say),
		cmocka_unit_test(what_is_not_known_is_refused),
		cmocka_unit_test(the_stub_has_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
