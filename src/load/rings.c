/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the ring buffers: one per possible CPU, in an array of maps indexed by CPU.
 *
 * A child process fills the array, because that call takes 5-20 ms. The kernel waits for an RCU grace period after it,
 * until no program uses an old inner map. Here are no old inner maps, and the new ones are visible before that wait
 * begins. So dwell goes on when the slots are set, and never waits for the child. A thread would not do: a process ends
 * only when all its threads do. The child closes all descriptors but those of the maps. So it delays neither the reader
 * of a pipe nor the end of a link. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/cpus.h"
#include "load/load_int.h"

#define RING_LEAST (64u << 10) /* smaller ones would lose too much to be of use */
#define RING_OFFLINE \
	RING_LEAST /* of a CPU that is not online: it may come, but machines have room for hundreds that never do */
#define FILL_POLL_NS 50000
#define FILL_POLLS 200000 /* 10 s: old kernels wait a grace period for each CPU */

static int ring_create(const struct img_map *m, uint32_t size, struct err *err)
{
	union bpf_attr a;
	int fd;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_RINGBUF;
	a.max_entries = size;
	memcpy(a.map_name, m->name, sizeof(a.map_name) - 1);
	fd = bpfsys(BPF_MAP_CREATE, &a, sizeof(a));
	if (fd < 0)
		return err_set(err, fd, "cannot create a ring buffer of %u bytes: %s%s", size, strerror(-fd),
			       fd == -ENOMEM ? " (smaller: -b)" : "");
	return fd;
}

static int outer_create(struct load_map *map, const struct img_map *m, struct err *err)
{
	union bpf_attr a;
	int fd;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS;
	a.key_size = a.value_size = sizeof(uint32_t);
	a.max_entries = map->nrings;
	a.inner_map_fd = (uint32_t)map->rings[0];
	memcpy(a.map_name, m->name, sizeof(a.map_name) - 1);
	fd = bpfsys(BPF_MAP_CREATE, &a, sizeof(a));
	if (fd < 0)
		return err_set(err, fd, "cannot create the array of ring buffers: %s", strerror(-fd));
	return fd;
}

/* Sets all slots, in one call where the kernel can. */
static int fill(const struct load_map *map)
{
	_cleanup_free_ uint32_t *keys = calloc(map->nrings, sizeof(*keys));
	uint32_t n = map->nrings;
	int r;

	if (!keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		keys[i] = i;
	r = bpfsys_map_update_batch(map->fd, keys, map->rings, &n);
	if (r == 0)
		return 0;
	/* Before 5.14 array-of-maps have no batch: slot by slot. */
	for (uint32_t i = 0; i < map->nrings; i++) {
		r = bpfsys_map_update(map->fd, &keys[i], &map->rings[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_map_fd(const struct load_map *map, int fd)
{
	for (uint32_t i = 0; i < map->nrings; i++) {
		if (map->rings[i] == fd)
			return true;
	}
	return map->fd == fd;
}

/* The child: keeps only the descriptors of the maps, fills, ends. */
__attribute__((noreturn)) static void fill_in_child(const struct load_map *map)
{
	int hi = map->fd;

	for (uint32_t i = 0; i < map->nrings; i++)
		hi = map->rings[i] > hi ? map->rings[i] : hi;
	for (int fd = 0; fd < hi; fd++) {
		if (!is_map_fd(map, fd))
			close(fd);
	}
	close_range((unsigned)hi + 1, ~0U, 0);
	_exit(fill(map) == 0 ? 0 : 1);
}

/* Sets the size of the ring of each CPU. */
static void set_sizes(const struct loaded *l, uint32_t size, struct load_map *ret)
{
	struct cpulist online = { 0 };
	uint32_t other = !l->rings_exact && size > RING_OFFLINE && cpulist_online(&online) == 0 ? RING_OFFLINE : size;

	ret->ring_size = size;
	for (uint32_t i = 0; i < l->ncpus; i++)
		ret->ring_sizes[i] = other;
	for (size_t i = 0; i < online.n; i++)
		if (online.v[i] < l->ncpus)
			ret->ring_sizes[online.v[i]] = size;
	cpulist_done(&online);
}

/* One ring per CPU; none stays when it fails. */
static int create_all(const struct loaded *l, const struct img_map *m, uint32_t size, struct load_map *ret,
		      struct err *err)
{
	set_sizes(l, size, ret);
	for (uint32_t i = 0; i < l->ncpus; i++) {
		int fd = ring_create(m, ret->ring_sizes[i], err);

		if (fd < 0) {
			while (ret->nrings)
				close(ret->rings[--ret->nrings]);
			return fd;
		}
		ret->rings[i] = fd;
		ret->nrings = i + 1;
	}
	return 0;
}

int load_rings_create(struct loaded *l, const struct img_map *m, struct load_map *ret, struct err *err)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	uint32_t size = (uint32_t)m->inner_size;
	struct err reason = { 0 };
	pid_t pid;
	int r;

#ifdef DWELL_STRESS_RING
	size = page;
#endif
	if (size < page || (size & (size - 1)) || m->inner_size > INT32_MAX)
		return err_set(err, -EINVAL, "ring buffers cannot have %llu bytes", (unsigned long long)m->inner_size);
	ret->rings = calloc(l->ncpus, sizeof(*ret->rings));
	ret->ring_sizes = calloc(l->ncpus, sizeof(*ret->ring_sizes));
	if (!ret->rings || !ret->ring_sizes)
		return err_set(err, -ENOMEM, "out of memory");
	r = create_all(l, m, size, ret, &reason);
	while (r == -ENOMEM && !l->rings_exact && size / 2 >= RING_LEAST) {
		size /= 2;
		r = create_all(l, m, size, ret, &reason);
	}
	if (r < 0)
		return err_set(err, r, "%s", reason.msg);
	ret->fd = outer_create(ret, m, err);
	if (ret->fd < 0)
		return ret->fd;
	pid = fork();
	if (pid == 0)
		fill_in_child(ret);
	if (pid > 0) {
		l->filler = pid;
		return 0;
	}
	return fill(ret); /* no process can be started: wait here */
}

/* 1: the child has ended in failure. 0: it lives or succeeded. */
static int filler_failed(struct loaded *l)
{
	int status;

	if (!l->filler || waitpid(l->filler, &status, WNOHANG) != l->filler)
		return 0;
	l->filler = 0;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

void load_reap(struct loaded *l)
{
	if (l->filler && waitpid(l->filler, NULL, WNOHANG) != 0)
		l->filler = 0;
}

void load_end_filler(struct loaded *l)
{
	if (!l->filler)
		return;
	kill(l->filler, SIGKILL);
	while (waitpid(l->filler, NULL, 0) < 0 && errno == EINTR)
		;
	l->filler = 0;
}

int load_rings_wait(struct loaded *l, struct err *err)
{
	const struct timespec pause = { .tv_nsec = FILL_POLL_NS };
	const struct load_map *map;
	uint32_t last, id;
	int r = -ETIMEDOUT;

	if (l->rings_map == UINT32_MAX)
		return 0;
	map = &l->maps[l->rings_map];
	last = map->nrings - 1;
	for (int i = 0; i < FILL_POLLS; i++) {
		r = bpfsys_map_lookup(map->fd, &last, &id);
		if (r != -ENOENT)
			break;
		if (filler_failed(l)) {
			r = fill(map);
			break;
		}
		nanosleep(&pause, NULL);
	}
	if (r < 0)
		return err_set(err, r, "cannot set up the ring buffers: %s", strerror(-r));
	return 0;
}
