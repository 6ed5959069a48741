/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/lineout.h"
#include "unit.h"

/* A stream whose writes, write(2) by write(2), come out of a socket that keeps them apart. */
struct pieces {
	int fds[2];
	FILE *f;
};

static void begin(struct pieces *p)
{
	int size = 4 << 20;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, p->fds), 0);
	setsockopt(p->fds[0], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	p->f = lineout_open(p->fds[0]);
	assert_non_null(p->f);
}

/* The next piece's size; 0: none. */
static size_t piece(struct pieces *p, char *buf, size_t size)
{
	ssize_t n = recv(p->fds[1], buf, size, MSG_DONTWAIT);

	return n < 0 ? 0 : (size_t)n;
}

static void end(struct pieces *p)
{
	close(p->fds[0]);
	close(p->fds[1]);
}

static void whole_lines_at_once(void **state)
{
	static char buf[1 << 20];
	struct pieces p;
	size_t n, total = 0, pieces = 0;

	(void)state;
	begin(&p);
	for (int i = 0; i < 2000; i++)
		fprintf(p.f, "line %d%.*s\n", i, i % 70,
			"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
	assert_int_equal(fflush(p.f), 0);
	while ((n = piece(&p, buf, sizeof(buf)))) {
		assert_int_equal(buf[n - 1], '\n');
		assert_true(n <= LINEOUT_PACKET);
		assert_memory_equal(buf, "line ", 5);
		total += n;
		pieces++;
	}
	assert_true(total > 80000 && pieces >= total / LINEOUT_PACKET && pieces < 100);
	fclose(p.f);
	end(&p);
}

/* Lines of one byte less than a packet, of a packet, of one byte more, and of many. */
static void long_lines(void **state)
{
	static const size_t sizes[] = { LINEOUT_PACKET - 1, LINEOUT_PACKET, LINEOUT_PACKET + 1, 2 * LINEOUT_PACKET,
					100000 };
	static char buf[1 << 20], line[100001];
	struct pieces p;

	(void)state;
	memset(line, 'x', sizeof(line));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin(&p);
		fputs("before\n", p.f);
		fwrite(line, 1, sizes[i] - 1, p.f);
		fputs("\nbehind\n", p.f);
		fflush(p.f);
		assert_int_equal(piece(&p, buf, sizeof(buf)), 7);
		assert_int_equal(piece(&p, buf, sizeof(buf)), sizes[i]);
		assert_int_equal(buf[sizes[i] - 1], '\n');
		assert_int_equal(piece(&p, buf, sizeof(buf)), 7);
		assert_int_equal(piece(&p, buf, sizeof(buf)), 0);
		fclose(p.f);
		end(&p);
	}
}

static void no_line_yet(void **state)
{
	char buf[100];
	struct pieces p;

	(void)state;
	begin(&p);
	fputs("begun", p.f);
	assert_int_equal(piece(&p, buf, sizeof(buf)), 0);
	fflush(p.f);
	assert_int_equal(piece(&p, buf, sizeof(buf)), 5);
	fputs(" and ended", p.f);
	assert_int_equal(fclose(p.f), 0);
	assert_int_equal(piece(&p, buf, sizeof(buf)), 10);
	end(&p);
}

static void errors_are_told(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	FILE *f = lineout_open(fd);

	(void)state;
	fputs("x\n", f);
	errno = 0;
	assert_int_equal(fflush(f), EOF);
	assert_int_equal(errno, ENOSPC);
	fclose(f);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(whole_lines_at_once), cmocka_unit_test(long_lines),
					    cmocka_unit_test(no_line_yet), cmocka_unit_test(errors_are_told) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
