/* SPDX-License-Identifier: Apache-2.0 */
/* Plants waits inside of the kernel whose owner is known: `owners KIND N MS DIR` prints "waiter=TID owner=TID" for each
 * of N waits of MS milliseconds.
 *
 *   read    an inode's lock that a reader has, while it lists a directory; the waiter makes a file in it
 *   write   an inode's lock that a writer has; the waiter writes to the same file
 *   mutex   the lock of a file's position; the waiter reads by the same descriptor
 *   work    a work item on a CPU that a real-time thread has; the waiter drains all lists of pages (owner=0)
 *
 * The owner of a lock sleeps with it, since the kernel copies from or to a page that another thread fills in only
 * later (userfaultfd). 77: this kernel does not let that be done. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define SETTLE_MS 20
#define SKIP 77

static struct {
	long ms;
	int faults, fd, dir;
	char *page, file[512], made[512];
	atomic_int owner;
	void (*own)(void);
	void (*want)(void);
} plan;

static int tid(void)
{
	return (int)syscall(SYS_gettid);
}

static void nap(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void list(void)
{
	long n = syscall(SYS_getdents64, plan.dir, plan.page, PAGE);

	(void)n;
}

static void make(void)
{
	mkdir(plan.made, 0700);
	rmdir(plan.made);
}

static void write_page(void)
{
	ssize_t n = pwrite(plan.fd, plan.page, PAGE, 0);

	(void)n;
}

static void write_byte(void)
{
	ssize_t n = pwrite(plan.fd, "x", 1, 0);

	(void)n;
}

static void read_page(void)
{
	ssize_t n = read(plan.fd, plan.page, PAGE);

	(void)n;
}

static void read_byte(void)
{
	char c;
	ssize_t n = read(plan.fd, &c, 1);

	(void)n;
}

static void *owner(void *arg)
{
	prctl(PR_SET_NAME, "owner");
	atomic_store(&plan.owner, tid());
	plan.own();
	return arg;
}

static void *waiter(void *arg)
{
	prctl(PR_SET_NAME, "waiter");
	printf("waiter=%d owner=%d\n", tid(), atomic_load(&plan.owner));
	fflush(stdout);
	plan.want();
	return arg;
}

/* The owner sleeps with the lock when its fault is told of; the page is there after some time. */
static int one_lock(void)
{
	static char data[PAGE];
	struct uffdio_copy copy = { .dst = (uintptr_t)plan.page, .src = (uintptr_t)data, .len = PAGE };
	struct uffd_msg msg;
	pthread_t own, want;
	int r;

	madvise(plan.page, PAGE, MADV_DONTNEED);
	lseek(plan.fd, 0, SEEK_SET);
	lseek(plan.dir, 0, SEEK_SET);
	pthread_create(&own, NULL, owner, NULL);
	if (read(plan.faults, &msg, sizeof(msg)) != sizeof(msg))
		return -1;
	pthread_create(&want, NULL, waiter, NULL);
	nap(plan.ms + SETTLE_MS);
	r = ioctl(plan.faults, UFFDIO_COPY, &copy);
	pthread_join(own, NULL);
	pthread_join(want, NULL);
	return r;
}

static int open_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { .len = PAGE }, .mode = UFFDIO_REGISTER_MODE_MISSING };

	plan.page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	plan.faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (plan.faults < 0 || plan.page == MAP_FAILED)
		return -1;
	reg.range.start = (uintptr_t)plan.page;
	return ioctl(plan.faults, UFFDIO_API, &api) < 0 ? -1 : ioctl(plan.faults, UFFDIO_REGISTER, &reg);
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Pages that this CPU has on its own list; then nobody else runs on it. */
static void *take_cpu(void *arg)
{
	struct sched_param first = { .sched_priority = 50 };
	struct timespec from, now;
	char *p = mmap(NULL, (size_t)5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	on_cpu(1);
	sched_setscheduler(0, SCHED_FIFO, &first);
	for (int i = 0; i < 5 && p != MAP_FAILED; i++)
		p[(size_t)i * PAGE] = 1;
	atomic_store(&plan.owner, tid());
	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < plan.ms);
	return arg;
}

static int one_work(void)
{
	int fd = open("/proc/sys/vm/compact_memory", O_WRONLY | O_CLOEXEC);
	pthread_t t;

	if (fd < 0 || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return -1;
	atomic_store(&plan.owner, 0);
	on_cpu(0);
	pthread_create(&t, NULL, take_cpu, NULL);
	while (!atomic_load(&plan.owner))
		nap(1);
	printf("waiter=%d owner=0\n", tid());
	fflush(stdout);
	if (write(fd, "1", 1) < 0)
		return -1;
	pthread_join(t, NULL);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*own)(void);
		void (*want)(void);
	} kinds[] = { { "read", list, make }, { "write", write_page, write_byte }, { "mutex", read_page, read_byte } };
	const char *kind = argc > 4 ? argv[1] : "";
	long n = argc > 4 ? strtol(argv[2], NULL, 10) : 0;

	plan.ms = argc > 4 ? strtol(argv[3], NULL, 10) : 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i].name)) {
			plan.own = kinds[i].own;
			plan.want = kinds[i].want;
		}
	if (!n || (!plan.own && strcmp(kind, "work") != 0)) {
		fprintf(stderr, "usage: owners read|write|mutex|work N MS DIR\n");
		return 2;
	}
	snprintf(plan.file, sizeof(plan.file), "%s/file", argv[4]);
	snprintf(plan.made, sizeof(plan.made), "%s/made", argv[4]);
	plan.fd = open(plan.file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	plan.dir = open(argv[4], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (plan.fd < 0 || plan.dir < 0 || ftruncate(plan.fd, (off_t)2 * PAGE) < 0)
		return 2;
	if (plan.own && open_faults() < 0)
		return SKIP;
	while (n-- > 0)
		if ((plan.own ? one_lock() : one_work()) < 0)
			return SKIP;
	return 0;
}
