/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's words to the service manager, and where its metrics can be. */
#include "../unit.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "daemon/daemon.h"
#include "daemon/metricsserve.h"
#include "daemon/sdnotify.h"

static char told[4096];

static void keep(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(told, sizeof(told), "%s", text);
}

static const struct listener to = { .message = keep };

static void the_manager_gets_datagrams(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char dir[] = "/tmp/dwell-notify-XXXXXX", buf[64] = "";
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/s", dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	setenv("NOTIFY_SOCKET", a.sun_path, 1);
	sdnotify("READY=1");
	assert_int_equal(recv(fd, buf, sizeof(buf) - 1, MSG_DONTWAIT), 7);
	assert_string_equal(buf, "READY=1");
	unsetenv("NOTIFY_SOCKET");
	sdnotify("READY=1"); /* nobody is there */
	close(fd);
	unlink(a.sun_path);
	rmdir(dir);
}

static void the_watchdog_is_half_of_the_patience(void **state)
{
	char pid[16];

	(void)state;
	unsetenv("WATCHDOG_USEC");
	assert_int_equal(sdnotify_watchdog(), 0);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	setenv("WATCHDOG_USEC", "2000000", 1);
	assert_int_equal(sdnotify_watchdog(), 1000000000);
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

static void a_wrong_place_of_metrics_is_told(void **state)
{
	static const struct {
		const char *where, *what;
	} cases[] = {
		{ "nowhere", "--metrics: 'nowhere' is no PORT, ADDRESS:PORT or unix:PATH" },
		{ "localhost:99999", "--metrics: 'localhost:99999' is no PORT, ADDRESS:PORT or unix:PATH" },
		{ "somewhere:1", "--metrics: 'somewhere:1': an address in numbers is wanted, such as 127.0.0.1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct metricsserve *s = NULL;

		told[0] = '\0';
		assert_int_equal(metricsserve_start(cases[i].where, -1, &to, &s), LISTENER_WRONG);
		assert_string_equal(told, cases[i].what);
		metricsserve_stop(s);
	}
}

static void without_a_daemon_nothing_happens(void **state)
{
	struct request c;

	(void)state;
	request_init(&c, "dwell", &to);
	assert_int_equal(daemon_begin(NULL, &c), 0);
	assert_string_equal(c.opts.record, "");
	assert_int_equal(daemon_schema(NULL, NULL, NULL, NULL), 0);
	daemon_row(NULL, NULL);
	daemon_tick(NULL, NULL, true);
	daemon_stopping(NULL);
	daemon_free(NULL);
	request_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_manager_gets_datagrams),
		cmocka_unit_test(the_watchdog_is_half_of_the_patience),
		cmocka_unit_test(a_wrong_place_of_metrics_is_told),
		cmocka_unit_test(without_a_daemon_nothing_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
