/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and reads perf events. */
#include "stat/perfcount.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"

struct counter_row {
	const char *name;
	uint32_t type;
	uint64_t config;
};
static const struct counter_row rows[] = {
#define COUNTER(id, name, type, config) { name, PERF_TYPE_##type, PERF_COUNT_##config },
#include "stat/counter.def"
#undef COUNTER
};

struct perfcount {
	VEC(int) fds[CTR_COUNT];
	bool user_only[CTR_COUNT];
	const char *reason[CTR_COUNT]; /* constants */
	unsigned nthreads;
};

int perfcount_new(struct perfcount **ret)
{
	struct rlimit files;

	*ret = calloc(1, sizeof(**ret));
	/* A descriptor per event and thread. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return *ret ? 0 : -ENOMEM;
}

void perfcount_close(struct perfcount *c)
{
	if (!c)
		return;
	for (size_t k = 0; k < CTR_COUNT; k++) {
		for (size_t i = 0; i < c->fds[k].n; i++)
			close(c->fds[k].v[i]);
		vec_free(&c->fds[k]);
	}
	free(c);
}

static int open_one(const struct counter_row *row, pid_t tid, bool at_exec, bool user_only)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = row->type,
		.config = row->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.inherit = 1,
		.disabled = at_exec,
		.enable_on_exec = at_exec,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void explain(struct perfcount *c, size_t k, int e)
{
	const char *text = strerrordesc_np(-e);

	if (rows[k].type == PERF_TYPE_HARDWARE && (e == -ENOENT || e == -EOPNOTSUPP || e == -ENODEV))
		text = "no such counter (common in guests)";
	else if (e == -EACCES || e == -EPERM)
		text = "not permitted: it takes root, CAP_PERFMON, or kernel.perf_event_paranoid=2 for own processes";
	else if (e == -EMFILE)
		text = "too many threads for the limit of open files (ulimit -n)";
	c->reason[k] = text ? text : "refused by the kernel";
}

int perfcount_add(struct perfcount *c, pid_t tid, bool at_exec)
{
	if (c->nthreads == PERFCOUNT_MAX_THREADS)
		return -E2BIG;
	for (size_t k = 0; k < CTR_COUNT; k++) {
		int fd;

		if (c->reason[k])
			continue;
		fd = open_one(&rows[k], tid, at_exec, c->user_only[k]);
		if (!c->user_only[k] && (fd == -EACCES || fd == -EPERM) && !c->fds[k].n) {
			fd = open_one(&rows[k], tid, at_exec, true);
			c->user_only[k] = fd >= 0;
		}
		if (fd == -ESRCH)
			return fd;
		if (fd < 0) {
			explain(c, k, fd);
		} else if (vec_try_push(&c->fds[k], fd) < 0) {
			close(fd);
			return -ENOMEM;
		}
	}
	c->nthreads++;
	return 0;
}

void perfcount_read(const struct perfcount *c, struct count ret[CTR_COUNT])
{
	for (size_t k = 0; k < CTR_COUNT; k++) {
		uint64_t one[3], enabled = 0, running = 0;
		long double sum = 0;

		ret[k] = (struct count){
			.counted = !c->reason[k], .user_only = c->user_only[k], .reason = c->reason[k], .share = 1
		};
		for (size_t i = 0; i < c->fds[k].n; i++) {
			if (read(c->fds[k].v[i], one, sizeof(one)) != sizeof(one))
				continue;
			enabled += one[1];
			running += one[2];
			/* Events that take turns on a counter: what would have been counted. */
			sum += one[2] && one[2] < one[1] ? (long double)one[0] * one[1] / one[2] : one[0];
		}
		ret[k].n = (uint64_t)sum;
		if (enabled)
			ret[k].share = (double)running / (double)enabled;
	}
}

const char *perfcount_name(enum counter k)
{
	return rows[k].name;
}
