/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that are measured where they happen: `truth KIND …` makes them and prints a line "truth" with name=value for
 * each: tid, ns (how long), and what else is known of it; into the file that the variable TRUTHS names, if it is set.
 * Times are CLOCK_MONOTONIC. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "trigger.h"

#define PAGE 4096
#define SETTLE_MS 50 /* until a thread is where it is to wait */
#define HOG_AFTER_MS 10
#define SLOW_MAP_NS 3000000u
#define GAP_NS 2000000u /* a thread that spins and sees less has not lost the CPU for long */

static int truths = STDOUT_FILENO;

static int tid(void)
{
	return (int)syscall(SYS_gettid);
}

/* So that other load does not lengthen what is measured; where it is not allowed it does. */
static void first_of_all(void)
{
	const struct sched_param p = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_RR, &p);
}

static void nap(long ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static void tell(uint64_t start, uint64_t end, const char *more, int who)
{
	char line[160];
	int n = snprintf(line, sizeof(line), "truth tid=%d start=%llu ns=%llu%s%s%.0d\n", tid(),
			 (unsigned long long)start, (unsigned long long)(end - start), more ? " " : "",
			 more ? more : "", who);
	ssize_t w = write(truths, line, (size_t)n);

	(void)w;
}

static int truth_sleep(int argc, char **argv)
{
	for (long i = arg_num(argc, argv, 2, 3); i > 0; i--) {
		uint64_t start = now_ns();

		nap(arg_num(argc, argv, 1, 100));
		tell(start, now_ns(), NULL, 0);
	}
	return 0;
}

/* A child that computes is stopped for some time; its own clock shows for how long. */
static int truth_stop(int argc, char **argv)
{
	long ms = arg_num(argc, argv, 1, 200), n = arg_num(argc, argv, 2, 2);
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (uint64_t last = now_ns(), now;; last = now) {
			now = now_ns();
			if (now - last > (uint64_t)ms * 500000)
				tell(last, now, "by=", getppid());
		}
	}
	while (n-- > 0) {
		nap(SETTLE_MS);
		kill(child, SIGSTOP);
		waitpid(child, NULL, WUNTRACED);
		nap(ms);
		kill(child, SIGCONT);
	}
	nap(SETTLE_MS);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}

/* One thread has something, others want it. */
static struct {
	pthread_mutex_t lock;
	long ms;
	int fd, wanted_fd, holder;
	char *slow;
	void (*take)(void);
	atomic_bool over;
} held;

static void *want(void *arg)
{
	uint64_t start = now_ns();

	prctl(PR_SET_NAME, "waiter");
	held.take();
	tell(start, now_ns(), "holder=", held.holder);
	return arg;
}

static void take_mutex(void)
{
	pthread_mutex_lock(&held.lock);
	pthread_mutex_unlock(&held.lock);
}

static void *hold_mutex(void *arg)
{
	prctl(PR_SET_NAME, "holder");
	held.holder = tid();
	pthread_mutex_lock(&held.lock);
	nap(held.ms + SETTLE_MS);
	pthread_mutex_unlock(&held.lock);
	return arg;
}

static void take_file(void)
{
	ssize_t n = write(held.wanted_fd, "x", 1);

	(void)n;
}

static void take_inode(void)
{
	ssize_t n = pwrite(held.wanted_fd, "x", 1,
			   0); /* write() would have the threads wait for the position of their file first */

	(void)n;
}

/* The kernel copies from a page that is slow to read, with the lock held. */
static void *hold_file(void *arg)
{
	ssize_t n;

	prctl(PR_SET_NAME, "holder");
	held.holder = tid();
	n = write(held.fd, held.slow, PAGE);
	(void)n;
	return arg;
}

/* Locks of files belong to processes. */
static int truth_filelock(int argc, char **argv)
{
	long ms = arg_num(argc, argv, 3, 100);
	bool by_fcntl = argc > 2 && !strcmp(argv[2], "fcntl");
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = argc < 2 ? -1 : open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600), r;
	pid_t child;
	uint64_t start;

	if (fd < 0)
		return 2;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "holder");
		fd = open(argv[1], O_RDWR | O_CLOEXEC); /* its own lock */
		r = by_fcntl ? fcntl(fd, F_SETLK, &all) : flock(fd, LOCK_EX);
		nap(ms + SETTLE_MS);
		_exit(r); /* which unlocks */
	}
	nap(SETTLE_MS);
	start = now_ns();
	r = by_fcntl ? fcntl(fd, F_SETLKW, &all) : flock(fd, LOCK_EX);
	tell(start, now_ns(), r ? "failed=" : "holder=", child);
	waitpid(child, NULL, 0);
	return 0;
}

static void *map_and_unmap(void *arg)
{
	while (!atomic_load(&held.over)) {
		uint64_t start = now_ns(), end;
		void *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		end = now_ns();
		if (end - start > SLOW_MAP_NS)
			tell(start, end, "holder=", held.holder);
		munmap(p, PAGE);
		nap(1);
	}
	return arg;
}

/* Asks what is in memory, which reads the mappings. */
static void *look_at_map(void *arg)
{
	unsigned char in[1];

	while (!atomic_load(&held.over)) {
		uint64_t start = now_ns(), end;
		int r = mincore(arg, PAGE, in);

		end = now_ns();
		if (r == 0 && end - start > SLOW_MAP_NS)
			tell(start, end, "holder=", held.holder);
		nap(1);
	}
	return arg;
}

/* A process of many mappings forks: nobody else can map, or look at them, meanwhile. */
static int truth_maps(int argc, char **argv)
{
	long n = arg_num(argc, argv, 1, 50000), forks = arg_num(argc, argv, 2, 3);
	char *p = mmap(NULL, (size_t)n * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t t;

	if (p == MAP_FAILED)
		return 77;
	held.holder = tid();
	for (long i = 0; i < n; i += 2)
		if (mprotect(p + i * PAGE, PAGE, PROT_NONE) < 0)
			break;
	pthread_create(&t, NULL, argc > 3 ? look_at_map : map_and_unmap, p);
	prctl(PR_SET_NAME, "holder");
	while (forks-- > 0) {
		pid_t child;

		nap(SETTLE_MS);
		child = fork();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	nap(SETTLE_MS);
	atomic_store(&held.over, true);
	pthread_join(t, NULL);
	return 0;
}

static int run_held(void *(*hold)(void *), long waiters)
{
	pthread_t h, w[16];

	pthread_create(&h, NULL, hold, NULL);
	nap(SETTLE_MS);
	for (long i = 0; i < waiters && i < 16; i++)
		pthread_create(&w[i], NULL, want, NULL);
	for (long i = 0; i < waiters && i < 16; i++)
		pthread_join(w[i], NULL);
	pthread_join(h, NULL);
	return 0;
}

static int truth_futex(int argc, char **argv)
{
	pthread_mutex_init(&held.lock, NULL);
	held.ms = arg_num(argc, argv, 1, 200);
	held.take = take_mutex;
	return run_held(hold_mutex, arg_num(argc, argv, 2, 1));
}

/* Workers of a pool that wait for work on a condition: a piece of it every so often, for one of them. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	long pieces; /* -1: it is over */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

static void *work(void *arg)
{
	prctl(PR_SET_NAME, "worker");
	pthread_mutex_lock(&pool.lock);
	while (pool.pieces >= 0) {
		if (pool.pieces > 0)
			pool.pieces--;
		else
			pthread_cond_wait(&pool.more, &pool.lock);
	}
	pthread_mutex_unlock(&pool.lock);
	return arg;
}

static void give(long pieces)
{
	pthread_mutex_lock(&pool.lock);
	pool.pieces = pieces;
	pthread_mutex_unlock(&pool.lock);
	pthread_cond_broadcast(&pool.more);
}

/* … which comes from who has slept until then, or after threads that want a mutex. */
static int truth_pool(int argc, char **argv)
{
	pthread_t w[4];

	pthread_mutex_init(&held.lock, NULL);
	held.ms = arg_num(argc, argv, 1, 200);
	held.take = take_mutex;
	for (size_t i = 0; i < 4; i++)
		pthread_create(&w[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++) {
		if (arg_num(argc, argv, 2, 1))
			run_held(hold_mutex, 2);
		else
			usleep((useconds_t)held.ms * 1000);
		give(2);
	}
	give(-1);
	for (size_t i = 0; i < 4; i++)
		pthread_join(w[i], NULL);
	return 0;
}

/* A chain of three: the last one sleeps with a lock that the one before wants, while that one has the lock that is
 * waited for. */
static pthread_mutex_t further = PTHREAD_MUTEX_INITIALIZER;
static int last_holder;

static void *hold_further(void *arg)
{
	prctl(PR_SET_NAME, "last");
	last_holder = tid();
	pthread_mutex_lock(&further);
	nap(held.ms);
	pthread_mutex_unlock(&further);
	return arg;
}

static void *hold_and_want(void *arg)
{
	prctl(PR_SET_NAME, "holder");
	held.holder = tid();
	pthread_mutex_lock(&held.lock);
	nap(held.ms / 3);
	pthread_mutex_lock(&further);
	pthread_mutex_unlock(&further);
	pthread_mutex_unlock(&held.lock);
	return arg;
}

static int truth_futexes(int argc, char **argv)
{
	pthread_t t;

	pthread_mutex_init(&held.lock, NULL);
	held.ms = arg_num(argc, argv, 1, 200);
	held.take = take_mutex;
	pthread_create(&t, NULL, hold_further, NULL);
	nap(1);
	run_held(hold_and_want, 1);
	pthread_join(t, NULL);
	tell(0, 0, "last=", last_holder);
	return 0;
}

static int truth_mutex(int argc, char **argv)
{
	int fds[2];

	if (argc < 3 || pipe2(fds, O_CLOEXEC) < 0)
		return 2;
	held.slow = slow_page(argv[1], arg_num(argc, argv, 2, 0));
	held.fd = held.wanted_fd = fds[1];
	held.take = take_file;
	return run_held(hold_file, arg_num(argc, argv, 3, 1));
}

static int truth_rwsem(int argc, char **argv)
{
	char path[] = "/tmp/dwell-truth.XXXXXX";

	if (argc < 3)
		return 2;
	held.slow = slow_page(argv[1], arg_num(argc, argv, 2, 0));
	held.fd = mkstemp(path);
	held.wanted_fd = open(path, O_WRONLY | O_CLOEXEC); /* with a position of its own, and so a lock for that */
	unlink(path);
	held.take = take_inode;
	return run_held(hold_file, arg_num(argc, argv, 3, 1));
}

static int truth_fsync(int argc, char **argv)
{
	static const char buf[PAGE];
	int fd = argc < 2 ? -1 : open(argv[1], O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return 2;
	for (long i = arg_num(argc, argv, 2, 3); i > 0; i--) {
		uint64_t start;
		ssize_t n = pwrite(fd, buf, sizeof(buf), i * PAGE);

		(void)n;
		start = now_ns();
		fsync(fd);
		tell(start, now_ns(), NULL, 0);
	}
	return 0;
}

static int truth_read(int argc, char **argv)
{
	int fd = argc < 2 ? -1 : open(argv[1], O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *buf = aligned_alloc(PAGE, PAGE);

	if (fd < 0 || !buf)
		return 2;
	for (long i = arg_num(argc, argv, 2, 3); i > 0; i--) {
		uint64_t start = now_ns();
		ssize_t n = pread(fd, buf, PAGE, i * (1 << 20));

		tell(start, now_ns(), n == PAGE ? "sector=" : "failed=", (int)(i * (1 << 20) / 512));
	}
	return 0;
}

/* Touches pages of a file that are not in memory. */
static int truth_fault(int argc, char **argv)
{
	long first = arg_num(argc, argv, 2, 0), n = arg_num(argc, argv, 3, 3);

	if (argc < 2)
		return 2;
	for (long i = 0; i < n; i++) {
		volatile char *p = slow_page(argv[1], first + i);
		uint64_t start = now_ns();
		char c = p[0];

		(void)c;
		tell(start, now_ns(), "offset=", (int)(first + i) * PAGE);
	}
	return 0;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *hog(void *arg)
{
	const struct sched_param p = { .sched_priority = 10 };

	prctl(PR_SET_NAME, "hog");
	pin((int)(intptr_t)arg);
	held.holder = tid();
	nap(HOG_AFTER_MS); /* the threads that shall suffer sleep by then */
	if (sched_setscheduler(0, SCHED_FIFO, &p) < 0)
		exit(77);
	for (uint64_t end = now_ns() + (uint64_t)held.ms * 1000000; now_ns() < end;)
		;
	return NULL;
}

/* A thread wants to go on while a real-time thread has its CPU. */
static int truth_fifo(int argc, char **argv)
{
	int cpu = (int)arg_num(argc, argv, 2, 0);
	uint64_t due;
	pthread_t t;

	held.ms = arg_num(argc, argv, 1, 100);
	pin(cpu);
	for (long i = arg_num(argc, argv, 3, 1); i > 0; i--) {
		due = now_ns() + 20000000;
		pthread_create(&t, NULL, hog, (void *)(intptr_t)cpu);
		sleep_until(due);
		tell(due, now_ns(), "holder=", held.holder);
		pthread_join(t, NULL);
	}
	return 0;
}

/* Computes, and sees when it could not. */
static int truth_gaps(int argc, char **argv)
{
	uint64_t end = now_ns() + (uint64_t)arg_num(argc, argv, 1, 1000) * 1000000;

	for (uint64_t last = now_ns(), now; last < end; last = now) {
		now = now_ns();
		if (now - last > GAP_NS)
			tell(last, now, NULL, 0);
	}
	return 0;
}

/* -- packets that take long to receive -- */

#define FLOOD_SOCKETS 8	 /* each filters every packet */
#define FLOOD_PACKETS 40 /* at a time: fewer than one poll takes (64) */
#define FLOOD_AHEAD_MS 2 /* of the time when somebody wants to go on */
#define FLOOD_EVERY_MS 60
#define FLOOD_GAP_NS 1000000u
#define FLOOD_SOON_NS 500000u /* from what was asked for or sent to what comes of it */
#define FLOOD_TRIES 10	      /* floods for each one that must be as it should */
#define SWITCH_NS 1000u	      /* what is over sooner was no switch to another thread */

static struct {
	struct sockaddr_in to;
	int fd, cpu;
	_Atomic uint64_t at;	/* when the next packets are to be sent; 0: not now, 1: never again */
	_Atomic uint64_t began; /* when the last ones were */
} flood;

/* A filter that divides as often as it may, and wants no packet. */
static int slow_filter(int fd)
{
	static struct sock_filter code[BPF_MAXINSNS];
	const struct sock_fprog prog = { BPF_MAXINSNS, code };

	for (int i = 0; i < BPF_MAXINSNS - 1; i++)
		code[i] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 3);
	code[BPF_MAXINSNS - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog));
}

/* Packets of the loopback device are received on this CPU. */
static int steer(int cpu)
{
	char dir[] = "/tmp/dwell-truth.XXXXXX", path[128];
	FILE *f;
	int r = -1;

	if (!mkdtemp(dir) || mount("sysfs", dir, "sysfs", 0, NULL) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/class/net/lo/queues/rx-0/rps_cpus", dir);
	f = fopen(path, "we");
	if (f) {
		r = fprintf(f, "%x\n", 1u << cpu) < 0;
		r |= fclose(f);
	}
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	return r;
}

/* A network of its own, with a loopback device that is slow to receive. */
static int flood_begin(int cpu)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	socklen_t n = sizeof(flood.to);
	int fd;

	flood.to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    steer(cpu) != 0)
		return -1;
	flood.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (flood.fd < 0 || ioctl(flood.fd, SIOCSIFFLAGS, &lo) < 0 || bind(flood.fd, (void *)&flood.to, n) < 0 ||
	    getsockname(flood.fd, (void *)&flood.to, &n) < 0)
		return -1;
	for (int i = 0; i < FLOOD_SOCKETS; i++) {
		/* Sockets of one protocol see received packets only. */
		fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_IP));
		if (fd < 0 || slow_filter(fd) < 0)
			return -1;
	}
	flood.cpu = cpu;
	return 0;
}

static void *send_flood(void *arg)
{
	uint64_t at;

	pin(flood.cpu ? 0 : 1);
	while ((at = atomic_load(&flood.at)) != 1) {
		if (at == 0) {
			nap(1);
			continue;
		}
		sleep_until(at);
		atomic_store(&flood.began, now_ns());
		for (int i = 0; i < FLOOD_PACKETS; i++)
			sendto(flood.fd, "x", 1, MSG_DONTWAIT, (void *)&flood.to, sizeof(flood.to));
		atomic_compare_exchange_strong(&flood.at, &at, 0);
	}
	return arg;
}

/* How often this thread has left its CPU against its will. */
static long preempted(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nivcsw;
}

static bool within(uint64_t a, uint64_t b, uint64_t ns)
{
	return (a > b ? a - b : b - a) < ns;
}

/* A thread that computes sees for how long it could not. Only gaps that begin with a flood are told of: others come
 * from other threads, which preempt this one, or are pauses of a virtual CPU. */
static void suffer_running(long n)
{
	long before = preempted(), tries = n * FLOOD_TRIES;

	for (uint64_t last = now_ns(), now, next = last; n > 0; last = now) {
		now = now_ns();
		if (now - last > SWITCH_NS) {
			long switches = preempted();

			if (now - last > FLOOD_GAP_NS && switches == before &&
			    within(last, atomic_load(&flood.began), FLOOD_SOON_NS)) {
				tell(last, now, NULL, 0);
				n--;
			}
			before = switches;
		}
		if (now < next)
			continue;
		if (tries-- == 0)
			break;
		atomic_store(&flood.at, now);
		next = now + FLOOD_EVERY_MS * 1000000u;
	}
}

/* A thread that wants to go on, while packets are received: sent when they should be, and not received before. */
static void suffer_waking(long n)
{
	for (long tries = n * FLOOD_TRIES; n > 0 && tries > 0; tries--) {
		uint64_t due = now_ns() + FLOOD_EVERY_MS * 1000000u, at = due - FLOOD_AHEAD_MS * 1000000u, now;
		long before = preempted();

		atomic_store(&flood.at, at);
		sleep_until(due);
		now = now_ns();
		if (now - due > FLOOD_GAP_NS && preempted() == before &&
		    within(at, atomic_load(&flood.began), FLOOD_SOON_NS)) {
			tell(due, now, NULL, 0);
			n--;
		}
	}
}

static int truth_softirq(int argc, char **argv)
{
	int cpu = (int)arg_num(argc, argv, 1, 1);
	long n = arg_num(argc, argv, 2, 5);
	pthread_t t;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || flood_begin(cpu) < 0)
		return 77;
	pthread_create(&t, NULL, send_flood, NULL);
	pin(cpu);
	if (argc > 3 && !strcmp(argv[3], "waking"))
		suffer_waking(n);
	else
		suffer_running(n);
	atomic_store(&flood.at, 1);
	pthread_join(t, NULL);
	return 0;
}

/* -- one waits for the next -- */

static struct {
	int file, pipe[2], device;
	const char *path;
} links;

static void read_device(long mb)
{
	void *buf = aligned_alloc(PAGE, PAGE);
	uint64_t start;
	ssize_t n;

	prctl(PR_SET_NAME, "reader");
	nap(3 * SETTLE_MS);
	start = now_ns();
	n = buf ? pread(links.device, buf, PAGE, mb << 20) : 0;
	tell(start, now_ns(), "link=", 3);
	n = write(links.pipe[1], "x", 1);
	_exit(n != 1);
}

static void hold_and_read_pipe(void)
{
	int fd = open(links.path, O_RDWR | O_CLOEXEC);
	uint64_t start;
	ssize_t n;
	char c;

	prctl(PR_SET_NAME, "holder");
	flock(fd, LOCK_EX);
	nap(SETTLE_MS);
	start = now_ns();
	n = read(links.pipe[0], &c, 1);
	tell(start, now_ns(), "link=", 2);
	_exit(n != 1); /* which unlocks */
}

/* One process wants the lock of a file. The process that has it reads a pipe, into which a third one writes data from a
 * slow device. */
static int truth_chain(int argc, char **argv)
{
	uint64_t start;

	if (argc < 3 || pipe2(links.pipe, O_CLOEXEC) < 0)
		return 2;
	links.path = argv[1];
	links.device = open(argv[2], O_RDONLY | O_DIRECT | O_CLOEXEC);
	links.file = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (links.device < 0 || links.file < 0)
		return 2;
	if (fork() == 0)
		hold_and_read_pipe();
	if (fork() == 0)
		read_device(arg_num(argc, argv, 3, 1));
	nap(2 * SETTLE_MS);
	start = now_ns();
	flock(links.file, LOCK_EX);
	tell(start, now_ns(), "link=", 1);
	while (wait(NULL) > 0)
		;
	return 0;
}

static const struct trigger kinds[] = {
	{ "sleep", "MS N", truth_sleep },
	{ "stop", "MS N: a child is stopped", truth_stop },
	{ "futex", "MS [WAITERS]: a mutex of pthreads is held", truth_futex },
	{ "pool", "MS MUTEX: workers of a pool wait for work; MUTEX: that of pthreads is held meanwhile", truth_pool },
	{ "futexes", "MS: the holder of a mutex waits for another mutex", truth_futexes },
	{ "mutex", "SLOW PAGE [WAITERS]: a mutex of the kernel is held while a page of SLOW is read", truth_mutex },
	{ "rwsem", "SLOW PAGE [WAITERS]: a file's lock, held in the same way", truth_rwsem },
	{ "filelock", "FILE flock|fcntl MS: another process has it", truth_filelock },
	{ "maps", "N FORKS [read]: of a process with N mappings; another thread maps, or looks at them", truth_maps },
	{ "fsync", "FILE N: writes and fsync", truth_fsync },
	{ "read", "DEVICE N: reads past the page cache", truth_read },
	{ "fault", "FILE PAGE N: touches pages that are not in memory", truth_fault },
	{ "fifo", "MS CPU [N]: a real-time thread takes the CPU", truth_fifo },
	{ "softirq", "CPU N [waking]: packets take long to receive there, while a thread computes or wants to go on",
	  truth_softirq },
	{ "chain", "FILE DEVICE [MB]: a lock, a pipe, a request", truth_chain },
	{ "gaps", "MS: computes, and tells when it lost the CPU", truth_gaps },
};

int main(int argc, char **argv)
{
	const char *path = getenv("TRUTHS");

	if (path)
		truths = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (argc > 1 && strcmp(argv[1], "gaps") != 0 && strcmp(argv[1], "fifo") != 0)
		first_of_all();
	return trigger_main("truth", kinds, sizeof(kinds) / sizeof(kinds[0]), argc, argv);
}
