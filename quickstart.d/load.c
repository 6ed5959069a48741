/* SPDX-License-Identifier: Apache-2.0 */
/* The load that ./quickstart looks at: four processes that write, sync and read a file, compress,
 * start short-lived processes, and let two threads contend for a lock. Ends with its parent, with
 * SIGTERM, or after LOAD_SECONDS; its only file is unlinked as soon as it is open. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define LOAD_SECONDS 120
#define FILE_BYTES (256 << 10)
#define TEXT_BYTES (128 << 10)

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void fill(unsigned char *p, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		p[i] = "etaoin shrdlu cm"[seed >> 28];
	}
}

/* Blocks of growing size, so that the sizes have a distribution. */
static void write_and_read(int fd, unsigned char *buf)
{
	size_t size = 512;

	lseek(fd, 0, SEEK_SET);
	for (size_t done = 0; done + size <= FILE_BYTES; done += size, size = size * 3 / 2 % 65536 + 64)
		if (write(fd, buf + done, size) < 0)
			_exit(1);
	fsync(fd);
	lseek(fd, 0, SEEK_SET);
	for (size = 64; read(fd, buf, size) > 0; size = size * 2 % 65536 + 64)
		;
}

static void load_files(void)
{
	static unsigned char buf[FILE_BYTES + 65536];
	char name[] = "/var/tmp/quickstart-XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC);

	if (fd < 0)
		_exit(1);
	unlink(name);
	fill(buf, sizeof(buf), 1);
	for (;;) {
		write_and_read(fd, buf);
		pause_ms(20);
	}
}

static void compress_text(const unsigned char *text, unsigned char *out, uLong room)
{
	uLongf n = room;

	compress2(out, &n, text, TEXT_BYTES, 6);
}

static void load_compress(void)
{
	static unsigned char text[TEXT_BYTES], out[2 * TEXT_BYTES];

	for (uint32_t round = 1;; round++) {
		fill(text, sizeof(text), round);
		compress_text(text, out, sizeof(out));
		pause_ms(5);
	}
}

static void load_spawn(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(127);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
		pause_ms(10);
	}
}

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t shared_sum;
static volatile sig_atomic_t working = 1; /* always; a function that never returns has no caller's line */

/* noinline: so that it is seen as a function of its own in a user stack */
__attribute__((noinline)) static void work_under_lock(void)
{
	pthread_mutex_lock(&contended);
	for (int i = 0; i < 200000; i++)
		shared_sum += (uint64_t)i;
	pthread_mutex_unlock(&contended);
}

static void *contend(void *arg)
{
	while (working) {
		work_under_lock();
		pause_ms(1);
	}
	return arg;
}

static void load_contend(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, contend, NULL) == 0)
		contend(NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{"load-files", load_files},
	{"load-compress", load_compress},
	{"load-spawn", load_spawn},
	{"load-contend", load_contend},
};

static pid_t start(size_t part, pid_t parent, const sigset_t *unblocked)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	sigprocmask(SIG_SETMASK, unblocked, NULL);
	prctl(PR_SET_NAME, parts[part].name);
	parts[part].run();
	_exit(1);
}

int main(void)
{
	pid_t pids[sizeof(parts) / sizeof(parts[0])], me = getpid();
	const size_t n = sizeof(parts) / sizeof(parts[0]);
	sigset_t end, before;

	signal(SIGINT, SIG_IGN); /* quickstart itself ends the load */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, &before);
	for (size_t i = 0; i < n; i++)
		pids[i] = start(i, me, &before);
	sigtimedwait(&end, NULL, &(struct timespec){.tv_sec = LOAD_SECONDS});
	for (size_t i = 0; i < n; i++) {
		if (pids[i] < 0)
			continue;
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return 0;
}
