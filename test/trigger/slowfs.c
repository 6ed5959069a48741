/* SPDX-License-Identifier: Apache-2.0 */
/* A file system with one file, "data", that takes its time: `slowfs FOLDER MB` mounts it there and serves it until
 * it is told to end. Reading, writing and fsync of the file take as many milliseconds as were last written to
 * the file "delay": "read write fsync". Speaks the kernel's protocol itself. Source: linux/fuse.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { NODE_ROOT = FUSE_ROOT_ID, NODE_DATA, NODE_DELAY };
enum { SLOW_READ, SLOW_WRITE, SLOW_FSYNC, SLOW_N };
#define IO_MAX (128 << 10)
#define BUF_SIZE (IO_MAX + 4096)
#define SLICE_NS 5000000u
#define THREADS 16 /* requests that are under way at a time */

static int dev;
static char *data;
static uint64_t size;
static long delay_ms[SLOW_N];
static const char *folder;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* In slices, so that a shorter delay lets go the threads that wait already. */
static void take_time(int what)
{
	uint64_t start = now_ns(), now, end;

	for (;;) {
		now = now_ns();
		end = start + (uint64_t)__atomic_load_n(&delay_ms[what], __ATOMIC_RELAXED) * 1000000u;
		if (now >= end)
			return;
		const struct timespec ts = { .tv_nsec = (long)(end - now < SLICE_NS ? end - now : SLICE_NS) };

		nanosleep(&ts, NULL);
	}
}

static void reply(const struct fuse_in_header *in, int error, const void *body, size_t n)
{
	struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + n), .error = -error, .unique = in->unique };
	struct iovec v[2] = { { &out, sizeof(out) }, { (void *)(uintptr_t)body, n } };

	if (writev(dev, v, 2) < 0 && errno != ENOENT)
		fprintf(stderr, "slowfs: reply: %s\n", strerror(errno));
}

static void fill_attr(struct fuse_attr *a, uint64_t node)
{
	memset(a, 0, sizeof(*a));
	a->ino = node;
	a->mode = node == NODE_ROOT ? S_IFDIR | 0755 : S_IFREG | 0644;
	a->nlink = 1;
	a->size = node == NODE_DATA ? size : 0;
	a->blksize = 4096;
	a->blocks = a->size / 512;
}

static void do_init(const struct fuse_in_header *in, const struct fuse_init_in *arg)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = 0,
		.flags = arg->flags & FUSE_BIG_WRITES,
		.max_background = 16,
		.congestion_threshold = 12,
		.max_write = IO_MAX,
		.time_gran = 1,
	};

	reply(in, 0, &out, sizeof(out));
}

static void do_lookup(const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out e = { .entry_valid = 3600, .attr_valid = 3600 };

	e.nodeid = !strcmp(name, "data") ? NODE_DATA : !strcmp(name, "delay") ? NODE_DELAY : 0;
	if (!e.nodeid || in->nodeid != NODE_ROOT) {
		reply(in, ENOENT, NULL, 0);
		return;
	}
	fill_attr(&e.attr, e.nodeid);
	reply(in, 0, &e, sizeof(e));
}

static void do_getattr(const struct fuse_in_header *in)
{
	struct fuse_attr_out a = { .attr_valid = 3600 };

	fill_attr(&a.attr, in->nodeid);
	reply(in, 0, &a, sizeof(a));
}

static void do_read(const struct fuse_in_header *in, const struct fuse_read_in *arg)
{
	uint64_t left = in->nodeid != NODE_DATA || arg->offset >= size ? 0 : size - arg->offset;
	uint32_t n = left < arg->size ? (uint32_t)left : arg->size;

	if (n)
		take_time(SLOW_READ);
	reply(in, 0, data + (n ? arg->offset : 0), n);
}

static void do_write(const struct fuse_in_header *in, const struct fuse_write_in *arg)
{
	struct fuse_write_out out = { .size = arg->size };
	const char *from = (const char *)(arg + 1);
	char text[64] = "";

	if (in->nodeid == NODE_DELAY) {
		memcpy(text, from, arg->size < sizeof(text) ? arg->size : sizeof(text) - 1);
		sscanf(text, "%ld %ld %ld", &delay_ms[SLOW_READ], &delay_ms[SLOW_WRITE], &delay_ms[SLOW_FSYNC]);
	} else if (arg->offset + arg->size <= size) {
		take_time(SLOW_WRITE);
		memcpy(data + arg->offset, from, arg->size);
	} else {
		reply(in, ENOSPC, NULL, 0);
		return;
	}
	reply(in, 0, &out, sizeof(out));
}

static void do_open(const struct fuse_in_header *in)
{
	struct fuse_open_out out = { .fh = in->nodeid,
				     .open_flags = in->nodeid == NODE_DELAY ? FOPEN_DIRECT_IO : FOPEN_KEEP_CACHE };

	reply(in, 0, &out, sizeof(out));
}

static void do_statfs(const struct fuse_in_header *in)
{
	struct fuse_statfs_out out = { .st = { .bsize = 4096, .frsize = 4096, .namelen = 255 } };

	reply(in, 0, &out, sizeof(out));
}

static void serve(const struct fuse_in_header *in, const void *arg)
{
	switch (in->opcode) {
	case FUSE_INIT: do_init(in, arg); break;
	case FUSE_LOOKUP: do_lookup(in, arg); break;
	case FUSE_GETATTR:
	case FUSE_SETATTR: do_getattr(in); break;
	case FUSE_OPEN:
	case FUSE_OPENDIR: do_open(in); break;
	case FUSE_READ: do_read(in, arg); break;
	case FUSE_WRITE: do_write(in, arg); break;
	case FUSE_STATFS: do_statfs(in); break;
	case FUSE_FSYNC:
		take_time(SLOW_FSYNC);
		reply(in, 0, NULL, 0);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_READDIR:
	case FUSE_DESTROY: reply(in, 0, NULL, 0); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	default: reply(in, ENOSYS, NULL, 0);
	}
}

static void *serve_all(void *arg)
{
	char *buf = malloc(BUF_SIZE);
	ssize_t n;

	while (buf && ((n = read(dev, buf, BUF_SIZE)) > 0 || errno == EINTR || errno == ENOENT))
		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			serve((void *)buf, buf + sizeof(struct fuse_in_header));
	free(buf);
	return arg;
}

static void on_term(int sig)
{
	(void)sig;
	umount2(folder, MNT_DETACH);
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t t;
	char opts[128];

	if (argc != 3)
		return 2;
	folder = argv[1];
	size = strtoull(argv[2], NULL, 0) << 20;
	data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(opts, sizeof(opts), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", dev);
	if (dev < 0 || data == MAP_FAILED || mount("slowfs", folder, "fuse", MS_NOSUID | MS_NODEV, opts) < 0) {
		fprintf(stderr, "slowfs: %s\n", strerror(errno));
		return 77;
	}
	signal(SIGTERM, on_term);
	signal(SIGINT, on_term);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	printf("ready\n");
	fflush(stdout);
	for (int i = 1; i < THREADS; i++)
		pthread_create(&t, NULL, serve_all, NULL);
	serve_all(NULL);
	umount2(folder, MNT_DETACH);
	return 0;
}
