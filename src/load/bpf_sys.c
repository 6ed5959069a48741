/* SPDX-License-Identifier: Apache-2.0 */
/* The bpf(2) commands that dwell needs. */
#include "load/bpf_sys.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The verifier gives up with EAGAIN when a signal is pending; more than this is somebody's storm. */
#define EAGAIN_TRIES 64
/* raw_tp test-run wants a context as large as the program reads: 12 arguments (MAX_BPF_FUNC_ARGS). */
#define TEST_RUN_ARGS 12

/* Kernels before 5.11 charge maps and programs to RLIMIT_MEMLOCK, and then say EPERM.
 * True when it could be raised: not for a second time. */
static bool raise_memlock(int cmd)
{
	struct rlimit rl;

	if (cmd != BPF_MAP_CREATE && cmd != BPF_PROG_LOAD && cmd != BPF_BTF_LOAD)
		return false;
	if (getrlimit(RLIMIT_MEMLOCK, &rl) < 0 || rl.rlim_cur == RLIM_INFINITY)
		return false;
	rl.rlim_cur = rl.rlim_max = RLIM_INFINITY;
	return setrlimit(RLIMIT_MEMLOCK, &rl) == 0;
}

int bpfsys(int cmd, union bpf_attr *attr, size_t size)
{
	for (int i = 0;; i++) {
		long r = syscall(SYS_bpf, cmd, attr, size);

		if (r >= 0)
			return (int)r;
		if (errno == EPERM) {
			if (!raise_memlock(cmd))
				return -EPERM;
			continue;
		}
		if (errno != EAGAIN || i == EAGAIN_TRIES)
			return -errno;
	}
}

/* Commands whose attr is { map_fd, key, value }. */
static int map_elem(int cmd, int fd, const void *key, const void *value)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (uint32_t)fd;
	a.key = BPFSYS_PTR(key);
	a.value = BPFSYS_PTR(value); /* next_key shares its place */
	return bpfsys(cmd, &a, sizeof(a));
}

int bpfsys_map_update(int fd, const void *key, const void *value)
{
	return map_elem(BPF_MAP_UPDATE_ELEM, fd, key, value);
}

int bpfsys_map_lookup(int fd, const void *key, void *value)
{
	return map_elem(BPF_MAP_LOOKUP_ELEM, fd, key, value);
}

int bpfsys_map_delete(int fd, const void *key)
{
	return map_elem(BPF_MAP_DELETE_ELEM, fd, key, NULL);
}

int bpfsys_map_next_key(int fd, const void *key, void *next)
{
	return map_elem(BPF_MAP_GET_NEXT_KEY, fd, key, next);
}

int bpfsys_map_freeze(int fd)
{
	return map_elem(BPF_MAP_FREEZE, fd, NULL, NULL);
}

int bpfsys_map_update_batch(int fd, const void *keys, const void *values, uint32_t *n)
{
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.batch.map_fd = (uint32_t)fd;
	a.batch.keys = BPFSYS_PTR(keys);
	a.batch.values = BPFSYS_PTR(values);
	a.batch.count = *n;
	r = bpfsys(BPF_MAP_UPDATE_BATCH, &a, sizeof(a));
	*n = a.batch.count;
	return r;
}

int bpfsys_map_delete_batch(int fd, const void *keys, uint32_t n)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.batch.map_fd = (uint32_t)fd;
	a.batch.keys = BPFSYS_PTR(keys);
	a.batch.count = n;
	return bpfsys(BPF_MAP_DELETE_BATCH, &a, sizeof(a));
}

int bpfsys_map_read_batch(int fd, bool take, const void *in, void *out, void *keys, void *values, uint32_t *n)
{
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.batch.map_fd = (uint32_t)fd;
	a.batch.in_batch = BPFSYS_PTR(in);
	a.batch.out_batch = BPFSYS_PTR(out);
	a.batch.keys = BPFSYS_PTR(keys);
	a.batch.values = BPFSYS_PTR(values);
	a.batch.count = *n;
	r = bpfsys(take ? BPF_MAP_LOOKUP_AND_DELETE_BATCH : BPF_MAP_LOOKUP_BATCH, &a, sizeof(a));
	*n = a.batch.count;
	return r;
}

int bpfsys_test_run(int prog_fd, int cpu, uint32_t *ret_retval)
{
	uint64_t ctx[TEST_RUN_ARGS] = { 0 };
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.test.prog_fd = (uint32_t)prog_fd;
	a.test.ctx_in = BPFSYS_PTR(ctx);
	a.test.ctx_size_in = sizeof(ctx);
	if (cpu >= 0) {
		a.test.flags = BPF_F_TEST_RUN_ON_CPU;
		a.test.cpu = (uint32_t)cpu;
	}
	r = bpfsys(BPF_PROG_TEST_RUN, &a, sizeof(a));
	if (r == 0 && ret_retval)
		*ret_retval = a.test.retval;
	return r;
}

int bpfsys_raw_tracepoint_open(int prog_fd, const char *name)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.raw_tracepoint.name = BPFSYS_PTR(name);
	a.raw_tracepoint.prog_fd = (uint32_t)prog_fd;
	return bpfsys(BPF_RAW_TRACEPOINT_OPEN, &a, sizeof(a));
}

int bpfsys_iter_link(int prog_fd, int map_fd)
{
	union bpf_iter_link_info info;
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	memset(&info, 0, sizeof(info));
	a.link_create.prog_fd = (uint32_t)prog_fd;
	a.link_create.attach_type = BPF_TRACE_ITER;
	if (map_fd >= 0) {
		info.map.map_fd = (uint32_t)map_fd;
		a.link_create.iter_info = BPFSYS_PTR(&info);
		a.link_create.iter_info_len = sizeof(info);
	}
	return bpfsys(BPF_LINK_CREATE, &a, sizeof(a));
}

int bpfsys_link_create(const void *part, size_t size)
{
	union bpf_attr a;

	if (size > sizeof(a))
		return -E2BIG;
	memset(&a, 0, sizeof(a));
	memcpy(&a, part, size);
	return bpfsys(BPF_LINK_CREATE, &a, sizeof(a));
}

int bpfsys_iter_create(int link_fd)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.iter_create.link_fd = (uint32_t)link_fd;
	return bpfsys(BPF_ITER_CREATE, &a, sizeof(a));
}

int bpfsys_btf_load(const void *data, uint32_t size)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.btf = BPFSYS_PTR(data);
	a.btf_size = size;
	return bpfsys(BPF_BTF_LOAD, &a, sizeof(a));
}

int bpfsys_enable_run_stats(void)
{
	union bpf_attr a;
	char on = 0;
	int fd;

	memset(&a, 0, sizeof(a));
	a.enable_stats.type = BPF_STATS_RUN_TIME;
	fd = bpfsys(BPF_ENABLE_STATS, &a, sizeof(a));
	if (fd != -EPERM)
		return fd;
	/* only CAP_SYS_ADMIN may ask for them; others may have turned them on */
	fd = open("/proc/sys/kernel/bpf_stats_enabled", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, &on, 1) == 1 && on == '1')
		return fd;
	if (fd >= 0)
		close(fd);
	return -EPERM;
}

int bpfsys_obj_info(int fd, void *info, uint32_t size)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = (uint32_t)fd;
	a.info.info_len = size;
	a.info.info = BPFSYS_PTR(info);
	return bpfsys(BPF_OBJ_GET_INFO_BY_FD, &a, sizeof(a));
}

/* struct bpf_link_info, newer than Debian's header. */
struct link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint64_t addrs;
			uint32_t count, flags;
			uint64_t missed, cookies;
		} multi;
		struct {
			uint32_t type, pad;
			uint64_t func_name;
			uint32_t name_len, offset;
			uint64_t addr, missed, cookie;
		} perf;
	};
};

enum { LINK_PERF_EVENT = 7, LINK_KPROBE_MULTI = 8, PERF_KPROBE = 3, PERF_KRETPROBE = 4 };

int bpfsys_link_missed(int link_fd, uint64_t *ret)
{
	struct link_info info = { 0 };
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = (uint32_t)link_fd;
	a.info.info_len = sizeof(info);
	a.info.info = BPFSYS_PTR(&info);
	r = bpfsys(BPF_OBJ_GET_INFO_BY_FD, &a, sizeof(a));
	if (r < 0)
		return r;
	*ret = info.type == LINK_KPROBE_MULTI ? info.multi.missed
	       : info.type == LINK_PERF_EVENT && (info.perf.type == PERF_KPROBE || info.perf.type == PERF_KRETPROBE)
		       ? info.perf.missed
		       : 0;
	return 0;
}

int bpfsys_prog_info(int prog_fd, struct bpf_prog_info *ret)
{
	memset(ret, 0, sizeof(*ret));
	return bpfsys_obj_info(prog_fd, ret, sizeof(*ret));
}

int bpfsys_prog_next(uint32_t id, uint32_t *ret)
{
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.start_id = id;
	r = bpfsys(BPF_PROG_GET_NEXT_ID, &a, sizeof(a));
	if (r < 0)
		return r;
	*ret = a.next_id;
	return 0;
}

static int by_id(int cmd, uint32_t id)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_id = id; /* the same place as of link_id */
	return bpfsys(cmd, &a, sizeof(a));
}

int bpfsys_prog_by_id(uint32_t id)
{
	return by_id(BPF_PROG_GET_FD_BY_ID, id);
}

int bpfsys_link_by_id(uint32_t id)
{
	return by_id(BPF_LINK_GET_FD_BY_ID, id);
}

int bpfsys_task_fd_query(uint32_t pid, uint32_t fd, char *name, uint32_t size, struct bpfsys_fd_query *ret)
{
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.task_fd_query.pid = pid;
	a.task_fd_query.fd = fd;
	a.task_fd_query.buf = BPFSYS_PTR(name);
	a.task_fd_query.buf_len = size;
	name[0] = '\0';
	r = bpfsys(BPF_TASK_FD_QUERY, &a, sizeof(a));
	if (r < 0)
		return r;
	*ret = (struct bpfsys_fd_query){ a.task_fd_query.prog_id, a.task_fd_query.fd_type, a.task_fd_query.probe_addr,
					 a.task_fd_query.probe_offset };
	return 0;
}

/* True when the BTF object is the kernel's own of this name. */
static bool btf_is(int fd, const char *name)
{
	char buf[64] = "";
	struct bpf_btf_info info;

	memset(&info, 0, sizeof(info));
	info.name = BPFSYS_PTR(buf);
	info.name_len = sizeof(buf);
	return bpfsys_obj_info(fd, &info, sizeof(info)) == 0 && info.kernel_btf && strcmp(buf, name) == 0;
}

int bpfsys_module_btf(const char *name)
{
	union bpf_attr a;
	uint32_t id = 0;

	for (;;) {
		int fd;

		memset(&a, 0, sizeof(a));
		a.start_id = id;
		if (bpfsys(BPF_BTF_GET_NEXT_ID, &a, sizeof(a)) < 0)
			return -ENOENT;
		id = a.next_id;
		memset(&a, 0, sizeof(a));
		a.btf_id = id;
		fd = bpfsys(BPF_BTF_GET_FD_BY_ID, &a, sizeof(a));
		if (fd < 0)
			continue;
		if (btf_is(fd, name))
			return fd;
		close(fd);
	}
}
