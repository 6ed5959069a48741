/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the kernel about its modules: which of them count, and that nobody else's do. */
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "run/follow/modwatch.h"
#include "unit.h"

static void messages(void **state)
{
	static const struct {
		const char *msg, *name; /* NULL: no module */
	} rows[] = {
		{ "add@/module/dummy", "dummy" },
		{ "remove@/module/dummy", NULL },
		{ "add@/module/", NULL },
		{ "add@/module/dummy/sections", NULL },
		{ "add@/devices/virtual/net/dummy0", NULL },
		{ "libudev", NULL },
		{ "", NULL },
	};
	char name[MODWATCH_MAX_NAME], longest[32 + MODWATCH_MAX_NAME] = "add@/module/";
	size_t n = strlen(longest);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(modwatch_parse(rows[i].msg, name), rows[i].name != NULL);
		if (rows[i].name)
			assert_string_equal(name, rows[i].name);
	}
	memset(longest + n, 'm', MODWATCH_MAX_NAME - 1);
	assert_true(modwatch_parse(longest, name));
	assert_int_equal(strlen(name), MODWATCH_MAX_NAME - 1);
	longest[n + MODWATCH_MAX_NAME - 1] = 'm';
	assert_false(modwatch_parse(longest, name));
}

/* No event waits at first, and a message of a process is not taken for the kernel's. */
static void senders(void **state)
{
	static const char text[] = "add@/module/evil";
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	socklen_t len = sizeof(to);
	char name[MODWATCH_MAX_NAME];
	int fd = modwatch_open(), other = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	(void)state;
	assert_true(fd >= 0 && other >= 0);
	assert_false(modwatch_next(fd, name).more);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&to, &len), 0);
	to.nl_groups = 0;
	(void)sendto(other, text, sizeof(text), 0, (struct sockaddr *)&to,
		     sizeof(to)); /* refused without CAP_SYS_ADMIN */
	assert_false(modwatch_next(fd, name).more);
	close(fd);
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
		cmocka_unit_test(senders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
