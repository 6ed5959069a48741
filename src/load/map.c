/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the maps of an image: creates, initialises and freezes them, and maps those into memory that user space
 * reads or writes. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/load_int.h"
#include "load/probe_caps.h"
#include "load/reasons.h"

/* Keys of hash maps before 5.18. Source: kernel/bpf/hashtab.c, htab_map_alloc_check(): MAX_BPF_STACK. */
#define OLD_MAX_FRAMES 60 /* frames of 8 bytes, with the header of a user stack */
#define NAME_PREFIX 4	  /* of "d_v_NAME" */
#define ENTRY_OVERHEAD 64 /* bytes of the kernel's own per entry, about */

static const char *const role_names[] = {
	[IMG_MAP_RINGS] = "ring buffers",
	[IMG_MAP_COUNTERS] = "counters",
	[IMG_MAP_HITS] = "hits of probes",
	[IMG_MAP_STATE] = "global variables",
	[IMG_MAP_RODATA] = "constants",
	[IMG_MAP_SCRATCH] = "scratch memory",
	[IMG_MAP_TLS] = "thread-local variables",
	[IMG_MAP_CHILL] = "chill",
	[IMG_MAP_SPECS] = "speculations",
	[IMG_MAP_SPECFREE] = "free speculations",
	[IMG_MAP_ASSOC] = "associative array",
	[IMG_MAP_AGG] = "aggregation",
	[IMG_MAP_UW_TABLES] = "unwinding tables",
	[IMG_MAP_UW_AREAS] = "mappings of processes",
	[IMG_MAP_UW_PROCS] = "processes",
	[IMG_MAP_UW_WANT] = "processes to look at",
	[IMG_MAP_TRACK] = "open events of a tracker",
	[IMG_MAP_TRACKHIST] = "histograms of a tracker",
	[IMG_MAP_TRACKDUE] = "keys of a tracker that are due",
	[IMG_MAP_TRACKCGROUPS] = "thresholds of cgroups",
	[IMG_MAP_UW_FILES] = "files",
	[IMG_MAP_UW_SCRATCH] = "user stacks",
	[IMG_MAP_PY_PROCS] = "Python interpreters",
	[IMG_MAP_V8_PROCS] = "processes with V8",
	[IMG_MAP_HS_PROCS] = "processes with HotSpot",
	[IMG_MAP_GO_PROCS] = "processes with Go",
	[IMG_MAP_FLIGHT] = "flight recorder",
	[IMG_MAP_SHAPE] = "maps of one shape",
};

/* Adds flags that the role of the map needs and the compiler did not ask for. */
static uint32_t role_flags(const struct img_map *m)
{
	switch (m->role) {
	case IMG_MAP_STATE: return BPF_F_MMAPABLE;
	case IMG_MAP_RODATA: return BPF_F_RDONLY_PROG;
	case IMG_MAP_TLS: return m->type == BPF_MAP_TYPE_TASK_STORAGE ? BPF_F_NO_PREALLOC : 0;
	default: /* aggregations: large values are preallocated, small ones not, as the compiler says */ return 0;
	}
}

/* Kernels that do not let hash maps grow while a program runs: all memory is taken now. The compiler's
 * number of entries is for one CPU's values; more CPUs make it fewer entries, not more memory. */
static void preallocate(const struct loaded *l, union bpf_attr *a)
{
	uint64_t bytes = (uint64_t)a->max_entries * (a->key_size + a->value_size + ENTRY_OVERHEAD);
	uint64_t cpus = a->map_type == BPF_MAP_TYPE_PERCPU_HASH ? l->ncpus : 1;
	uint64_t n = bytes / (a->key_size + a->value_size * cpus + ENTRY_OVERHEAD);

	a->map_flags &= ~(uint32_t)BPF_F_NO_PREALLOC;
	a->max_entries = n ? (uint32_t)n : 1;
}

/* The map as the user knows it: "aggregation @x", "associative array n", "constants". Names of maps are "d_v_NAME", cut
 * to what the kernel takes. */
static void describe(const struct image *img, const struct img_map *m, char *buf, size_t size)
{
	bool named = m->role == IMG_MAP_ASSOC || m->role == IMG_MAP_TRACK || m->role == IMG_MAP_TRACKDUE;

	if (m->role == IMG_MAP_AGG && m->agg < img->naggs && img->aggs[m->agg])
		snprintf(buf, size, "%s @%s", role_names[m->role], img->aggs[m->agg]->name);
	else
		snprintf(buf, size, "%s%s%s", role_names[m->role], named ? " " : "",
			 named && strlen(m->name) > NAME_PREFIX ? m->name + NAME_PREFIX : "");
}

static int create(union bpf_attr *a, const struct image *img, const struct img_map *m, struct err *err)
{
	int fd = bpfsys(BPF_MAP_CREATE, a, sizeof(*a));
	struct reason words;
	char what[64];

	if (fd >= 0)
		return fd;
	describe(img, m, what, sizeof(what));
	if (fd == -E2BIG && m->key_size > CAPS_OLD_MAX_KEY)
		return err_set(
			err, fd,
			"the key of the %s has %u bytes, and kernels before 5.11 take %d: fewer strings or frames, as in "
			"ustack(%d), or -x ustackframes=%d for all",
			what, m->key_size, CAPS_OLD_MAX_KEY, OLD_MAX_FRAMES, OLD_MAX_FRAMES);
	return err_set(err, fd, "cannot create the map for the %s (key %u, value %u, %u entries): %s", what,
		       m->key_size, m->value_size, m->max_entries, reason_bpf(fd, &words));
}

/* Bytes that n values of an array take for user space. */
static size_t array_len(const struct img_map *m, uint32_t n)
{
	return ROUND_UP(ROUND_UP((size_t)m->value_size, 8) * n, (size_t)sysconf(_SC_PAGESIZE));
}

const void *load_view(const struct loaded *l, uint32_t map, uint32_t first, uint32_t n, size_t *len)
{
	const struct img_map *m = &l->img->maps[map];
	void *mem;

	*len = array_len(m, n);
	mem = mmap(NULL, *len, PROT_READ, MAP_SHARED, l->maps[map].fd, (off_t)array_len(m, first));
	return mem == MAP_FAILED ? NULL : mem;
}

/* Maps an array: shared with the programs from now on. */
static int map_memory(const struct img_map *m, struct load_map *ret, struct err *err)
{
	size_t len = array_len(m, m->max_entries);
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, ret->fd, 0);

	if (mem == MAP_FAILED)
		return err_set(err, -errno, "cannot map the %s: %s", role_names[m->role], strerror(errno));
	ret->mem = mem;
	ret->mem_len = len;
	return 0;
}

static int map_state(struct loaded *l, const struct img_map *m, struct load_map *ret, struct err *err)
{
	int r = map_memory(m, ret, err);
	void *mem = ret->mem;

	if (r < 0)
		return r;
	if (m->init)
		memcpy(mem, m->init, m->value_size);
	if (m->value_size >= sizeof(struct img_state))
		l->state = mem;
	return 0;
}

/* Gives entry 0 its initial value. */
static int init_value(struct loaded *l, const struct img_map *m, struct load_map *ret, struct err *err)
{
	uint32_t key = 0;
	int r = 0;

	if (m->role == IMG_MAP_STATE)
		return map_state(l, m, ret, err);
	if (m->role == IMG_MAP_UW_TABLES || m->role == IMG_MAP_UW_AREAS || m->role == IMG_MAP_FLIGHT)
		return map_memory(m, ret, err);
	if (m->init)
		r = bpfsys_map_update(ret->fd, &key, m->init);
	if (r == 0 && m->role == IMG_MAP_RODATA)
		r = bpfsys_map_freeze(ret->fd);
	if (r < 0)
		return err_set(err, r, "cannot fill the map \"%s\": %s", m->name, strerror(-r));
	return 0;
}

/* Puts the maps into the one that programs find them in: in one call where the kernel can, since it waits for running
 * programs after each. */
static int fill_shape(const struct loaded *l, uint32_t shape, int fd)
{
	uint32_t n = 0, done;
	_cleanup_free_ uint32_t *slots = calloc(l->img->nmaps, sizeof(*slots));
	_cleanup_free_ int *fds = calloc(l->img->nmaps, sizeof(*fds));
	int r;

	if (!slots || !fds)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->img->nmaps; i++) {
		if (l->img->maps[i].outer != shape + 1)
			continue;
		slots[n] = l->img->maps[i].slot;
		fds[n++] = l->maps[i].fd;
	}
	done = n;
	r = bpfsys_map_update_batch(fd, slots, fds, &done);
	for (uint32_t i = 0; r < 0 && i < n; i++) { /* before 5.14 */
		int one = bpfsys_map_update(fd, &slots[i], &fds[i]);

		if (one < 0)
			return one;
	}
	return 0;
}

int load_shape_create(struct loaded *l, uint32_t i, struct err *err)
{
	const struct img_map *m = &l->img->maps[i];
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.map_type = m->type;
	a.key_size = m->key_size;
	a.value_size = m->value_size;
	a.max_entries = m->max_entries;
	memcpy(a.map_name, m->name, sizeof(a.map_name) - 1);
	for (uint32_t k = 0; k < l->img->nmaps; k++)
		if (l->img->maps[k].outer == i + 1)
			a.inner_map_fd = (uint32_t)l->maps[k].fd;
	l->maps[i].fd = create(&a, l->img, m, err);
	if (l->maps[i].fd < 0)
		return l->maps[i].fd;
	r = fill_shape(l, i, l->maps[i].fd);
	return r < 0 ? err_set(err, r, "cannot fill the map \"%s\": %s", m->name, strerror(-r)) : 0;
}

int load_map_create(struct loaded *l, uint32_t i, uint32_t btf_key, uint32_t btf_value, struct err *err)
{
	const struct img_map *m = &l->img->maps[i];
	struct load_map *ret = &l->maps[i];
	union bpf_attr a;

	if (m->role == IMG_MAP_RINGS) {
		l->rings_map = i;
		return load_rings_create(l, m, ret, err);
	}
	memset(&a, 0, sizeof(a));
	a.map_type = m->type;
	a.key_size = m->key_size;
	a.value_size = m->value_size;
	a.max_entries = m->max_entries;
	a.map_flags = m->flags | role_flags(m);
	memcpy(a.map_name, m->name, sizeof(a.map_name) - 1);
	if (btf_value) {
		a.btf_fd = (uint32_t)l->btf_fd;
		a.btf_key_type_id = btf_key;
		a.btf_value_type_id = btf_value;
	}
	if (!l->hash_alloc && (m->type == BPF_MAP_TYPE_HASH || m->type == BPF_MAP_TYPE_PERCPU_HASH) &&
	    (a.map_flags & BPF_F_NO_PREALLOC))
		preallocate(l, &a);
	ret->fd = create(&a, l->img, m, err);
	if (ret->fd < 0)
		return ret->fd;
	return init_value(l, m, ret, err);
}

void load_map_free(struct load_map *m)
{
	for (uint32_t i = 0; m->rings && i < m->nrings; i++)
		closep(&m->rings[i]);
	free(m->rings);
	free(m->ring_sizes);
	m->rings = NULL;
	m->ring_sizes = NULL;
	if (m->mem)
		munmap(m->mem, m->mem_len);
	m->mem = NULL;
	closep(&m->fd);
	m->fd = -1;
}
