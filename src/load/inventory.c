/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the BPF programs of all processes: goes through the kernel's ids and through /proc/PID/fdinfo. */
#include "load/inventory.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "load/bpf_sys.h"
#include "load/inventory_int.h"
#include "load/reasons.h"

#define FDINFO_BYTES 4096
#define COMMAND_BYTES 512 /* longer ones are cut */

struct reading {
	struct arena *a;
	VEC(struct inv_prog) progs;
	VEC(struct inv_link) links;
	VEC(struct inv_proc) procs;
	struct inventory_limits max;
	size_t left_out, links_left_out;
};

/* The BPF objects that one process holds. */
struct holding {
	VEC(uint32_t) progs;
	VEC(uint32_t) links;
	VEC(uint32_t) maps; /* ids */
	uint64_t map_memory;
	size_t events;
};

bool inventory_field(const char *text, const char *key, uint64_t *ret)
{
	size_t n = strlen(key);

	for (const char *l = text; l; l = strchr(l, '\n') ? strchr(l, '\n') + 1 : NULL) {
		if (strncmp(l, key, n) != 0 || l[n] != ':')
			continue;
		*ret = strtoull(l + n + 1, NULL, 10);
		return true;
	}
	return false;
}

static const char *type_name(uint32_t type)
{
	static const char *const names[] = {
		"unspec",	  "socket_filter", "kprobe",	     "sched_cls",     "sched_act",
		"tracepoint",	  "xdp",	   "perf_event",     "cgroup_skb",    "cgroup_sock",
		"lwt_in",	  "lwt_out",	   "lwt_xmit",	     "sock_ops",      "sk_skb",
		"cgroup_dev",	  "sk_msg",	   "raw_tp",	     "cgroup_addr",   "lwt_seg6local",
		"lirc_mode2",	  "reuseport",	   "flow_dissector", "cgroup_sysctl", "raw_tp_w",
		"cgroup_sockopt", "tracing",	   "struct_ops",     "ext",	      "lsm",
		"sk_lookup",	  "syscall",	   "netfilter",
	};

	return type < ARRAY_SIZE(names) ? names[type] : "?";
}

static bool stats_of(uint32_t id, struct bpf_prog_info *info)
{
	_cleanup_close_ int fd = bpfsys_prog_by_id(id);

	return fd >= 0 && bpfsys_prog_info(fd, info) == 0;
}

static int read_progs(struct reading *r)
{
	struct bpf_prog_info i;
	uint32_t id = 0;
	int e;

	while ((e = bpfsys_prog_next(id, &id)) == 0) {
		if (r->progs.n >= r->max.progs) {
			r->left_out++;
			continue;
		}
		if (!stats_of(id, &i))
			continue; /* it is gone */
		struct inv_prog p = { .id = id,
				      .type = type_name(i.type),
				      .name = arena_strndup(r->a, i.name, strnlen(i.name, sizeof(i.name))),
				      .ns0 = i.run_time_ns,
				      .runs0 = i.run_cnt,
				      .misses = i.recursion_misses };

		if (vec_try_push(&r->progs, p) < 0)
			return -ENOMEM;
	}
	return e == -ENOENT ? 0 : e;
}

/* Ids ascend. */
static uint32_t find_prog(const struct reading *r, uint64_t id)
{
	size_t lo = 0, hi = r->progs.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->progs.v[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->progs.n && r->progs.v[lo].id == id ? (uint32_t)lo : UINT32_MAX;
}

static uint32_t find_link(struct reading *r, uint32_t id, uint32_t prog)
{
	struct inv_link l = { .id = id, .prog = prog };

	for (size_t i = 0; i < r->links.n; i++)
		if (r->links.v[i].id && r->links.v[i].id == id)
			return (uint32_t)i;
	if (r->links.n >= r->max.links) {
		r->links_left_out++;
		return UINT32_MAX;
	}
	inventory_link(r->a, &l);
	return vec_try_push(&r->links, l) < 0 ? UINT32_MAX : (uint32_t)r->links.n - 1;
}

#define ADD_ONCE(vec, x) \
	do { \
		bool there_ = false; \
		for (size_t i_ = 0; i_ < (vec)->n; i_++) \
			there_ |= (vec)->v[i_] == (x); \
		if (!there_) \
			(void)vec_try_push(vec, x); \
	} while (0)

static void hold_prog(struct reading *r, struct holding *h, uint64_t id)
{
	uint32_t at = find_prog(r, id);

	if (at == UINT32_MAX)
		return;
	r->progs.v[at].held = true;
	ADD_ONCE(&h->progs, at);
}

static void hold_map(struct holding *h, uint32_t id, uint64_t memory)
{
	for (size_t i = 0; i < h->maps.n; i++)
		if (h->maps.v[i] == id)
			return;
	if (vec_try_push(&h->maps, id) == 0)
		h->map_memory += memory;
}

/* A perf event by itself, as kernels before 5.15 have them for each probe. */
static void look_at_event(struct reading *r, struct holding *h, pid_t pid, int fd)
{
	struct inv_link l;

	if (!inventory_event(r->a, pid, fd, &l)) {
		h->events++;
		return;
	}
	hold_prog(r, h, l.prog);
	if (r->links.n >= r->max.links)
		r->links_left_out++;
	else if (vec_try_push(&r->links, l) == 0)
		(void)vec_try_push(&h->links, (uint32_t)r->links.n - 1);
}

static void look_at(struct reading *r, struct holding *h, pid_t pid, int proc, const char *name, const char *target)
{
	char path[64], text[FDINFO_BYTES];
	uint64_t prog = 0, id, memory = 0;
	ssize_t n;

	if (!strcmp(target, "anon_inode:[perf_event]"))
		look_at_event(r, h, pid, atoi(name));
	if (strncmp(target, "anon_inode:bpf", 14) != 0)
		return;
	snprintf(path, sizeof(path), "fdinfo/%s", name);
	_cleanup_close_ int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);

	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return;
	text[n] = '\0';
	inventory_field(text, "memlock", &memory);
	if (inventory_field(text, "prog_id", &prog))
		hold_prog(r, h, prog);
	if (inventory_field(text, "map_id", &id))
		hold_map(h, (uint32_t)id, memory);
	if (inventory_field(text, "link_id", &id)) {
		uint32_t at = find_link(r, (uint32_t)id, (uint32_t)prog);

		if (at != UINT32_MAX)
			ADD_ONCE(&h->links, at);
	}
}

static void look_at_files(struct reading *r, struct holding *h, pid_t pid, int proc)
{
	int fd = openat(proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	char target[64];

	if (!d) {
		closep(&fd);
		return;
	}
	while ((e = readdir(d))) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1);

		if (n <= 0)
			continue;
		target[n] = '\0';
		look_at(r, h, pid, proc, e->d_name, target);
	}
	closedir(d);
}

static const char *command_of(struct arena *a, int proc)
{
	char text[COMMAND_BYTES];
	_cleanup_close_ int fd = openat(proc, "cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

	if (n > 0) {
		while (n && !text[n - 1])
			n--;
		for (ssize_t i = 0; i < n; i++)
			text[i] = text[i] ? text[i] : ' ';
		return arena_strndup(a, text, (size_t)n);
	}
	_cleanup_close_ int comm = openat(proc, "comm", O_RDONLY | O_CLOEXEC);

	n = comm < 0 ? 0 : read(comm, text, sizeof(text));
	return arena_printf(a, "[%.*s]", n > 0 ? (int)n - 1 : 0, text);
}

static uint32_t *kept(struct arena *a, const uint32_t *v, size_t n)
{
	uint32_t *k = arena_new_arr(a, uint32_t, n + 1);

	if (n)
		memcpy(k, v, n * sizeof(*k));
	return k;
}

static int add_process(struct reading *r, const char *name, int proc, struct holding *h)
{
	struct inv_proc p = { .pid = (pid_t)atoi(name),
			      .nprogs = h->progs.n,
			      .nlinks = h->links.n,
			      .nmaps = h->maps.n,
			      .nevents = h->events,
			      .map_memory = h->map_memory };
	struct stat st;

	if (fstat(proc, &st) == 0)
		p.uid = st.st_uid;
	p.command = command_of(r->a, proc);
	p.progs = kept(r->a, h->progs.v, h->progs.n);
	p.links = kept(r->a, h->links.v, h->links.n);
	return vec_try_push(&r->procs, p);
}

static int read_procs(struct reading *r)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int x = 0;

	if (!d)
		return -errno;
	while (x == 0 && (e = readdir(d))) {
		struct holding h = { 0 };
		int proc = isdigit((unsigned char)e->d_name[0])
				   ? openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
				   : -1;

		if (proc < 0)
			continue;
		look_at_files(r, &h, (pid_t)atoi(e->d_name), proc);
		if (h.progs.n || h.links.n)
			x = add_process(r, e->d_name, proc, &h);
		close(proc);
		vec_free(&h.progs);
		vec_free(&h.links);
		vec_free(&h.maps);
	}
	closedir(d);
	return x;
}

int inventory_read(struct arena *a, const struct inventory_limits *max, struct inventory *ret, struct err *err)
{
	struct reading r = { .a = a,
			     .max = max ? *max
					: (struct inventory_limits){ INVENTORY_MAX_PROGS, INVENTORY_MAX_LINKS } };
	struct reason words;
	int e = read_progs(&r);

	if (e == -EPERM)
		err_set(err, e, "all programs of the machine are for root only (CAP_SYS_ADMIN)");
	else if (e < 0)
		err_set(err, e, "cannot list the BPF programs: %s", reason_bpf(e, &words));
	if (e == 0) {
		e = read_procs(&r);
		if (e < 0)
			err_set(err, e, "cannot list processes: %s%s", strerror(-e), reason_proc());
	}
	if (e == 0) {
		*ret = (struct inventory){ .nprogs = r.progs.n,
					   .nlinks = r.links.n,
					   .nprocs = r.procs.n,
					   .left_out = r.left_out,
					   .links_left_out = r.links_left_out };
		ret->progs = arena_new_arr(a, struct inv_prog, r.progs.n + 1);
		ret->links = arena_new_arr(a, struct inv_link, r.links.n + 1);
		ret->procs = arena_new_arr(a, struct inv_proc, r.procs.n + 1);
		if (r.progs.n)
			memcpy(ret->progs, r.progs.v, r.progs.n * sizeof(*r.progs.v));
		if (r.links.n)
			memcpy(ret->links, r.links.v, r.links.n * sizeof(*r.links.v));
		if (r.procs.n)
			memcpy(ret->procs, r.procs.v, r.procs.n * sizeof(*r.procs.v));
	}
	vec_free(&r.progs);
	vec_free(&r.links);
	vec_free(&r.procs);
	return e;
}

static void read_base(struct inventory *v)
{
	struct bpf_prog_info i;

	for (size_t k = 0; k < v->nprogs; k++) {
		if (!stats_of(v->progs[k].id, &i))
			continue;
		v->progs[k].ns0 = i.run_time_ns;
		v->progs[k].runs0 = i.run_cnt;
	}
}

int inventory_measure(struct inventory *v, uint64_t ns, struct err *err)
{
	_cleanup_close_ int stats = bpfsys_enable_run_stats();
	const struct timespec pause = clock_timespec(ns);
	uint64_t begin;
	struct bpf_prog_info i;

	if (stats < 0)
		return err_set(err, stats, "the kernel does not measure BPF programs: %s", strerror(-stats));
	read_base(v);
	begin = clock_ns(CLOCK_MONOTONIC);
	nanosleep(&pause, NULL);
	for (size_t k = 0; k < v->nprogs; k++) {
		struct inv_prog *p = &v->progs[k];

		if (!stats_of(p->id, &i))
			continue;
		p->run_ns = i.run_time_ns - p->ns0;
		p->runs = i.run_cnt - p->runs0;
		p->misses = i.recursion_misses;
	}
	v->interval_ns = clock_ns(CLOCK_MONOTONIC) - begin;
	v->measured = true;
	return 0;
}
