/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes that give a few bytes at a time, with signals in between; the end before the buffer is full; limits; errors. */
#include "../unit.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/readall.h"
#include "base/strb.h"

#define BYTES 200001u /* more than a pipe holds, and no multiple of a piece */
#define STEP 4999u    /* bytes that are written at once */

static char got[BYTES + 1];

static void on_alarm(int sig)
{
	(void)sig;
}

static char byte_at(size_t n)
{
	return (char)(n % 251);
}

/* Sleeps between its writes, so that read() is interrupted, and gives a part only. */
static _Noreturn void writer(int fd)
{
	char buf[STEP];

	for (size_t at = 0; at < BYTES; at += STEP) {
		const size_t n = BYTES - at < STEP ? BYTES - at : STEP;

		for (size_t i = 0; i < n; i++)
			buf[i] = byte_at(at + i);
		if (write(fd, buf, n) != (ssize_t)n)
			_exit(1);
		usleep(2500);
	}
	_exit(0);
}

struct source {
	int fd;
	pid_t pid;
	struct sigaction before;
};

/* A pipe with BYTES bytes, and a signal each millisecond, without SA_RESTART. */
static void begin(struct source *s)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	const struct sigaction sa = { .sa_handler = on_alarm };
	int p[2];

	assert_int_equal(pipe(p), 0);
	s->fd = p[0];
	s->pid = fork();
	if (s->pid == 0) {
		close(p[0]);
		writer(p[1]);
	}
	close(p[1]);
	sigaction(SIGALRM, &sa, &s->before);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void end(struct source *s)
{
	const struct itimerval never = { 0 };
	int status;

	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &s->before, NULL);
	close(s->fd);
	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void check_bytes(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p[i], byte_at(i));
}

static void a_buffer(void **state)
{
	struct source s;
	size_t n = 0;

	(void)state;
	begin(&s);
	assert_int_equal(read_all(s.fd, got, STEP + 1, &n), 0); /* more than one write() */
	assert_int_equal(n, STEP + 1);
	assert_int_equal(read_all(s.fd, got + n, sizeof(got) - n, &n), 0); /* its end is before the buffer's */
	assert_int_equal(n, BYTES - STEP - 1);
	check_bytes(got, BYTES);
	assert_int_equal(read_all(s.fd, got, 1, &n), 0);
	assert_int_equal(n, 0);
	end(&s);
}

static void a_stream(void **state)
{
	struct strb b = { 0 };
	struct source s;

	(void)state;
	begin(&s);
	strb_adds(&b, "x");
	assert_int_equal(read_stream(s.fd, &b, BYTES), 0); /* just what is allowed */
	assert_int_equal(b.n, 1 + BYTES);
	assert_int_equal(b.s[0], 'x');
	check_bytes(b.s + 1, BYTES);
	end(&s);
	strb_free(&b);
}

/* A file of n zeros. */
static int zeros(size_t n)
{
	char path[] = "/tmp/dwell-readall-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	return fd;
}

static int stream_of(size_t bytes, size_t max)
{
	int fd = zeros(bytes);
	struct strb b = { 0 };
	int e = read_stream(fd, &b, max);

	assert_true(b.n <= max);
	assert_true(e != 0 || b.n == bytes);
	strb_free(&b);
	close(fd);
	return e;
}

static void limits(void **state)
{
	(void)state;
	assert_int_equal(stream_of(0, 0), 0);
	assert_int_equal(stream_of(1, 0), -EFBIG);
	assert_int_equal(stream_of(65536, 65536), 0); /* one piece */
	assert_int_equal(stream_of(65537, 65536), -EFBIG);
	assert_int_equal(stream_of(131072, SIZE_MAX), 0);
}

static void exactly(void **state)
{
	int fd = zeros(100);

	(void)state;
	assert_int_equal(read_exactly(fd, got, 60), 0);
	assert_int_equal(read_exactly(fd, got, 60), -EIO);
	assert_int_equal(read_exactly(fd, got, 0), 0);
	close(fd);
}

static void errors(void **state)
{
	int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct strb b = { 0 };
	size_t n = 7;

	(void)state;
	assert_int_equal(read_all(folder, got, 1, &n), -EISDIR);
	assert_int_equal(n, 7); /* not written */
	assert_int_equal(read_exactly(-1, got, 1), -EBADF);
	assert_int_equal(read_stream(folder, &b, 100), -EISDIR);
	close(folder);
	b.failed = true;
	folder = zeros(10);
	assert_int_equal(read_stream(folder, &b, 100), -ENOMEM);
	close(folder);
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_buffer), cmocka_unit_test(a_stream),
					    cmocka_unit_test(limits), cmocka_unit_test(exactly),
					    cmocka_unit_test(errors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
