/* SPDX-License-Identifier: Apache-2.0 */
/* Versions in bytes of .go.buildinfo, whole, cut and damaged, and places by version. */
#include "unit.h"
#include <errno.h>
#include <string.h>
#include "runtime/go/go.h"

#define HEAD "\xff Go buildinf:\x08"

static void versions_are_read_and_damage_is_refused(void **state)
{
	uint8_t info[GO_INFO_BYTES] = HEAD "\x02";
	char v[GO_MAX_VERSION];
	uint64_t at;

	(void)state;
	memcpy(info + 32, "\x08go1.19.8", 9);
	assert_int_equal(go_version_read(info, sizeof(info), v, &at), 0);
	assert_string_equal(v, "go1.19.8");
	for (size_t n = 0; n < 41; n++)
		assert_int_equal(go_version_read(info, n, v, &at), -EBADMSG);
	info[32] = 0x7f;
	assert_int_equal(go_version_read(info, sizeof(info), v, &at), -EBADMSG);
	info[32] = 90;
	assert_int_equal(go_version_read(info, sizeof(info), v, &at), 0);
	assert_int_equal(v[GO_MAX_VERSION - 1], 0);
	info[1] = 'x';
	assert_int_equal(go_version_read(info, sizeof(info), v, &at), -EBADMSG);
}

static void old_versions_are_behind_an_address(void **state)
{
	uint8_t info[32] = HEAD;
	char v[GO_MAX_VERSION];
	uint64_t at, want = 0x520000;

	(void)state;
	memcpy(info + 16, &want, sizeof(want));
	assert_int_equal(go_version_read(info, sizeof(info), v, &at), 0);
	assert_string_equal(v, "");
	assert_int_equal(at, want);
	info[15] = 1; /* the other byte order */
	assert_int_equal(go_version_read(info, sizeof(info), v, &at), -EBADMSG);
	info[15] = 0;
	memset(info + 16, 0, sizeof(want)); /* no address */
	assert_int_equal(go_version_read(info, sizeof(info), v, &at), -EBADMSG);
}

static void places_are_those_of_known_versions(void **state)
{
	struct go_proc p = { 0 };

	(void)state;
	assert_int_equal(go_version_minor("go1.21rc2"), 21);
	assert_int_equal(go_version_minor("devel go1.21"), 0);
	assert_int_equal(go_version_minor("go1.99999"), 0);
	assert_false(go_places(0, &p));
	assert_false(go_places(12, &p));
	assert_false(go_places(27, &p));
	assert_true(go_places(19, &p) && p.curg == 192 && p.goid == 152);
	assert_true(go_places(24, &p) && p.curg == 192 && p.goid == 160);
	assert_true(go_places(26, &p) && p.curg == 184 && p.goid == 152);
}

static void where_stacks_end_has_a_reason(void **state)
{
	(void)state;
	assert_string_equal(go_stack_end("runtime.mstart.abi0"), "");
	assert_string_equal(go_stack_end("runtime.systemstack"), "Go runs this on a stack of its own");
	assert_string_equal(go_stack_end("runtime.asmcgocall.abi0"), "Go runs this on a stack of its own");
	assert_string_equal(go_stack_end("runtime.mcall"), "the goroutine has left the thread");
	assert_null(go_stack_end("runtime.mcaller"));
	assert_null(go_stack_end("runtime.mstart0"));
	assert_null(go_stack_end("main.main"));
	assert_null(go_stack_end(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_read_and_damage_is_refused),
		cmocka_unit_test(old_versions_are_behind_an_address),
		cmocka_unit_test(places_are_those_of_known_versions),
		cmocka_unit_test(where_stacks_end_has_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
