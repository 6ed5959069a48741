/* SPDX-License-Identifier: Apache-2.0 */
/* The bpf(2) commands that dwell needs, one thin function each: no probing, no output.
 * All return 0 or a file descriptor, or -errno. Descriptors are close-on-exec (the kernel's own).
 * libbpf's equivalents probe kernel features on first use, which costs more than all of dwell's start. */
#ifndef DWELL_LOAD_BPF_SYS_H
#define DWELL_LOAD_BPF_SYS_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* enum bpf_attach_type BPF_TRACE_UPROBE_MULTI of Linux 6.6, which Debian's header lacks. */
#define BPFSYS_UPROBE_MULTI 48
#define BPFSYS_KPROBE_MULTI 42	 /* BPF_TRACE_KPROBE_MULTI of Linux 5.18 */
#define BPFSYS_KPROBE_SESSION 56 /* BPF_TRACE_KPROBE_SESSION of Linux 6.10 */
#define BPFSYS_PTR(p) ((uint64_t)(uintptr_t)(p))

/* bpf(cmd, attr, size); -EAGAIN (a signal during verification) is tried again, and where the kernel
 * charges RLIMIT_MEMLOCK (before 5.11) that limit is raised when it is reached. */
int bpfsys(int cmd, union bpf_attr *attr, size_t size);

int bpfsys_map_update(int fd, const void *key, const void *value);
int bpfsys_map_lookup(int fd, const void *key, void *value);
int bpfsys_map_delete(int fd, const void *key);
int bpfsys_map_next_key(int fd, const void *key, void *next);
int bpfsys_map_freeze(int fd);
/* Writes n entries with one call: for maps-in-maps only one grace period is waited for (since 6.8).
 * *n: how many were written, also on error. */
int bpfsys_map_update_batch(int fd, const void *keys, const void *values, uint32_t *n);
/* Reads up to *n entries and, with take, removes them. in: NULL to start, else what `out` was filled with.
 * 0: more may follow; -ENOENT: these were the last; -ENOSPC: a bucket is larger than *n, nothing was read. */
int bpfsys_map_read_batch(int fd, bool take, const void *in, void *out, void *keys, void *values, uint32_t *n);
static inline int bpfsys_map_take_batch(int fd, const void *in, void *out, void *keys, void *values, uint32_t *n)
{
	return bpfsys_map_read_batch(fd, true, in, out, keys, values, n);
}
int bpfsys_map_delete_batch(int fd, const void *keys, uint32_t n);

/* Runs a raw_tp program once in this thread, on the CPU if it is not -1; *ret_retval may be NULL. */
int bpfsys_test_run(int prog_fd, int cpu, uint32_t *ret_retval);
int bpfsys_raw_tracepoint_open(int prog_fd, const char *name);
/* Attaches an iterator program; map_fd: of the map whose elements it walks, or -1. */
int bpfsys_iter_link(int prog_fd, int map_fd);
/* Makes a link. part: the beginning of union bpf_attr's link_create, as the caller declares it where Debian's header is
 * too old; size: of part. An fd, or -errno. */
int bpfsys_link_create(const void *part, size_t size);
int bpfsys_iter_create(int link_fd); /* fd; reading it is the walk */
int bpfsys_btf_load(const void *data, uint32_t size);
/* fd; statistics are kept while it is open. -EPERM: that takes CAP_SYS_ADMIN, or kernel.bpf_stats_enabled. */
int bpfsys_enable_run_stats(void);
int bpfsys_prog_info(int prog_fd, struct bpf_prog_info *ret);
/* The number of firings that the kernel counts as missed at a link of kprobes. Source: struct bpf_link_info of Linux
 * 6.7. */
int bpfsys_link_missed(int link_fd, uint64_t *ret);
/* The next id after `id` of all programs of the machine. -ENOENT: there is none. */
int bpfsys_prog_next(uint32_t id, uint32_t *ret);
/* fd of a program or link by its id. -ENOENT: it is gone. */
int bpfsys_prog_by_id(uint32_t id);
int bpfsys_link_by_id(uint32_t id);
/* The program of a perf event of a process: its id, its enum bpf_task_fd_type, and the place: an address in the
 * kernel, or an offset in the file `name`. -EOPNOTSUPP: the event is no probe (a clock perhaps), or has no program. */
struct bpfsys_fd_query {
	uint32_t prog, type;
	uint64_t addr, offset;
};
int bpfsys_task_fd_query(uint32_t pid, uint32_t fd, char *name, uint32_t size, struct bpfsys_fd_query *ret);
/* Fills info for the object of fd: a structure of the caller's, which may be newer than Debian's header. */
int bpfsys_obj_info(int fd, void *info, uint32_t size);
/* fd of the kernel's BTF object of a module ("vmlinux" too); -ENOENT. */
int bpfsys_module_btf(const char *name);
#endif
