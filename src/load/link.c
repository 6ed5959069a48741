/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches and detaches programs. A link is a set of file descriptors; closing them detaches. */
#include "load/link.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/cpus.h"
#include "load/reasons.h"

struct link {
	size_t n, last;
	bool perf;
	int fds[];
};

/* Closing a perf event may wait for its CPU; with many, several threads do it. */
#define CLOSE_PARALLEL_FROM 32
#define CLOSE_THREADS 16
#define BARRIER_SLEEP_NS 100000000
#define ITER_READ 256

static struct link *link_new(size_t n)
{
	struct link *l = malloc(sizeof(*l) + n * sizeof(l->fds[0]));

	if (l) {
		l->n = l->last = 0;
		l->perf = false;
	}
	return l;
}

int link_from_fds(const int *fds, size_t n, struct link **ret)
{
	struct link *l = link_new(n);

	if (!l)
		return -ENOMEM;
	memcpy(l->fds, fds, n * sizeof(*fds));
	l->n = n;
	*ret = l;
	return 0;
}

void link_last(struct link *l, size_t n)
{
	l->last = n < l->n ? n : l->n;
}

void link_free_last(struct link *l)
{
	for (; l && l->last > 0; l->last--)
		close(l->fds[--l->n]);
}

/* Typed tracepoints carry their target in the program; raw ones are named here. */
static int attach_tracepoint(const struct entry *e, int prog_fd, struct link **ret, struct err *err)
{
	int fd = bpfsys_raw_tracepoint_open(prog_fd, e->kind == ENTRY_TP_BTF ? NULL : e->target);

	if (fd < 0)
		return err_set(err, fd, "cannot attach to tracepoint %s: %s%s", e->target, strerror(-fd),
			       fd == -ENOENT ? " (the kernel does not have it)" : "");
	if (link_from_fds(&fd, 1, ret) < 0) {
		close(fd);
		return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

int link_perf_start(int fd, int prog_fd)
{
	int r;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

/* A cpu-clock event on one CPU that runs the program; the descriptor. */
static int open_clock(const struct entry *e, int cpu, int prog_fd)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1,
	};

	if (e->period_ns) {
		a.sample_period = e->period_ns;
	} else {
		a.freq = 1;
		a.sample_freq = e->freq;
	}
	return link_perf_start((int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC), prog_fd);
}

static int attach_clock(const struct entry *e, int prog_fd, struct link **ret, struct err *err)
{
	struct cpulist cpus = { 0 };
	struct reason words;
	struct link *l;
	int fd, r;

	r = e->cpu >= 0 ? cpulist_one(&cpus, (unsigned)e->cpu) : cpulist_online(&cpus);
	l = r < 0 ? NULL : link_new(cpus.n);
	if (!l) {
		cpulist_done(&cpus);
		return err_set(err, r < 0 ? r : -ENOMEM, "cannot tell which CPUs are online");
	}
	l->perf = true;
	for (size_t i = 0; i < cpus.n; i++) {
		fd = open_clock(e, (int)cpus.v[i], prog_fd);
		if (fd == -ENODEV && e->cpu < 0)
			continue; /* went offline meanwhile */
		if (fd < 0) {
			err_set(err, fd, "cannot start a timer on CPU %u: %s", cpus.v[i], reason_perf(fd, &words));
			cpulist_done(&cpus);
			link_free(l);
			return fd;
		}
		l->fds[l->n++] = fd;
	}
	cpulist_done(&cpus);
	*ret = l;
	return 0;
}

int link_attach_iter(int prog_fd, int map_fd, struct link **ret, struct err *err)
{
	int fd = bpfsys_iter_link(prog_fd, map_fd);

	if (fd < 0)
		return err_set(err, fd, "cannot attach the walk over %s: %s", map_fd < 0 ? "threads" : "keys",
			       strerror(-fd));
	if (link_from_fds(&fd, 1, ret) < 0) {
		close(fd);
		return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

int link_iter_read(int fd)
{
	char buf[ITER_READ];
	ssize_t n;

	/* EAGAIN: the kernel has looked at many objects, and lets others have the CPU. */
	do
		n = read(fd, buf, sizeof(buf));
	while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	return n < 0 ? -errno : 0;
}

int link_dup_fd(const struct link *l)
{
	int fd = l->n ? fcntl(l->fds[0], F_DUPFD_CLOEXEC, 0) : -1;

	return fd < 0 ? (l->n ? -errno : -EBADF) : fd;
}

int link_attach(const struct entry *e, int prog_fd, struct link **ret, struct err *err)
{
	switch (e->kind) {
	case ENTRY_TP_BTF:
	case ENTRY_RAW_TP: return attach_tracepoint(e, prog_fd, ret, err);
	case ENTRY_PERF_EVENT: return attach_clock(e, prog_fd, ret, err);
	default: return err_set(err, -EOPNOTSUPP, "programs of kind %d are attached by their provider", (int)e->kind);
	}
}

struct closer {
	const int *fds;
	size_t n, next; /* next: taken by atomic add */
};

static void *close_some(void *arg)
{
	struct closer *c = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->n)
		close(c->fds[i]);
	return NULL;
}

void link_close_fds(const int *fds, size_t n)
{
	struct closer c = { .fds = fds, .n = n };
	pthread_t threads[CLOSE_THREADS];
	unsigned k = 0;

	while (n >= CLOSE_PARALLEL_FROM && k < CLOSE_THREADS && pthread_create(&threads[k], NULL, close_some, &c) == 0)
		k++;
	close_some(&c);
	while (k > 0)
		pthread_join(threads[--k], NULL);
}

void link_free(struct link *l)
{
	if (!l)
		return;
	link_free_last(l);
	link_close_fds(l->fds, l->n);
	free(l);
}

void link_barrier(void)
{
	/* Every BPF program of ours runs inside an RCU read-side section, and this is a grace period.
	 * Source: membarrier(2), kernel/sched/membarrier.c: GLOBAL is synchronize_rcu(); it is refused
	 * where CPUs run without ticks (nohz_full): there we give the programs time. */
	const struct timespec pause = { .tv_nsec = BARRIER_SLEEP_NS };

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
		nanosleep(&pause, NULL);
}

uint64_t link_kprobe_missed(const struct link *l)
{
	uint64_t sum = 0, n;

	for (size_t i = 0; l && i < l->n; i++)
		if (bpfsys_link_missed(l->fds[i], &n) == 0)
			sum += n;
	return sum;
}

int link_pmu_type(const char *source)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[128];
	int type;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", source);
	f = fopen(path, "re");
	return f && fscanf(f, "%d", &type) == 1 ? type : -ENODEV;
}

static int enabled_ns(const struct link *l, size_t i, uint64_t *ret)
{
	uint64_t v[2]; /* count, time enabled */

	if (read(l->fds[i], v, sizeof(v)) != (ssize_t)sizeof(v))
		return -EIO;
	*ret = v[1];
	return 0;
}

int link_perf_enabled_ns(const struct link *l, uint64_t *ret_ns)
{
	uint64_t sum = 0, ns;

	if (!l->perf)
		return -EINVAL;
	for (size_t i = 0; i < l->n; i++) {
		if (enabled_ns(l, i, &ns) < 0)
			return -EIO;
		sum += ns;
	}
	*ret_ns = sum;
	return 0;
}

int link_perf_periods(const struct link *l, uint64_t period_ns, uint64_t *ret, uint64_t *ret_nfds)
{
	uint64_t sum = 0, ns;

	if (!l->perf || !period_ns)
		return -EINVAL;
	for (size_t i = 0; i < l->n; i++) {
		if (enabled_ns(l, i, &ns) < 0)
			return -EIO;
		sum += ns / period_ns;
	}
	*ret = sum;
	*ret_nfds = l->n;
	return 0;
}
