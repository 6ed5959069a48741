/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches programs and keeps their links. All links are file descriptors, so the kernel detaches everything when
 * dwell dies. */
#ifndef DWELL_LOAD_LINK_H
#define DWELL_LOAD_LINK_H
#include "base/err.h"
#include "cg/entry.h"

struct link;

/* Attaches by entry kind: typed or raw tracepoint, perf event on every online CPU or one of them. */
int link_attach(const struct entry *e, int prog_fd, struct link **ret, struct err *err);
/* A program that walks threads, or the elements of a map (map_fd, else -1); link_iter_read() is the walk. */
int link_attach_iter(int prog_fd, int map_fd, struct link **ret, struct err *err);
/* Makes one walk: reads an iterator (bpfsys_iter_create()) to its end. Output that the program does not write to its
 * rings is ignored. 0 or -errno. */
int link_iter_read(int fd);
/* A further descriptor for the first one of a link, the caller's to close; -errno. */
int link_dup_fd(const struct link *l);
/* A link made of fds that the caller opened (closed in link_free). */
int link_from_fds(const int *fds, size_t n, struct link **ret);
/* The last n of its fds slow the others' closing: link_free_last() closes them before. */
void link_last(struct link *l, size_t n);
void link_free_last(struct link *l);
/* Has a perf event run the program, and starts it. fd is what perf_event_open(2) returned, with its errno when
 * negative. The descriptor; or -errno, and it is closed. */
int link_perf_start(int fd, int prog_fd);
/* Detaches. Does not wait for running programs: call link_barrier() once after the last. NULL is fine. */
void link_free(struct link *l);
/* Closes descriptors of probes, several threads many of them: each may wait for a grace period. */
void link_close_fds(const int *fds, size_t n);
/* Waits until no program that was detached still runs (membarrier). */
void link_barrier(void);
/* The type of perf events of a source ("kprobe", "uprobe"), by its file in sysfs. -ENODEV: the kernel has none. */
int link_pmu_type(const char *source);
/* Firings that the kernel could not give to the program, summed over the links of functions of the kernel. The kernel
 * tells (Linux 6.7) calls without a frame for their return, and recursion. */
uint64_t link_kprobe_missed(const struct link *l);
/* For misses of timer probes: total time in ns that the events were enabled, summed over their fds. */
int link_perf_enabled_ns(const struct link *l, uint64_t *ret_ns);
/* For misses of timer probes: how many periods have passed, each fd for itself, and how many fds there
 * are. -EINVAL when the link is no timer. */
int link_perf_periods(const struct link *l, uint64_t period_ns, uint64_t *ret, uint64_t *ret_nfds);
#endif
