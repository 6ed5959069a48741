/* SPDX-License-Identifier: Apache-2.0 */
/* A process that lives. Its threads are stopped by ptrace, so that they go on by themselves if dwell is killed. */
#include "core/target/live.h"
#include "core/target/save.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "sym/proc/maps.h"

#define MAX_ROUNDS 16u /* through the list of threads, until it has no new one */

static uint32_t flags_of(int prot)
{
	return (prot & PROT_READ ? PF_R : 0u) | (prot & PROT_WRITE ? PF_W : 0u) | (prot & PROT_EXEC ? PF_X : 0u);
}

static int read_maps(struct core *c)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	char path[64];
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)c->pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (r == 0 && (len = getline(&line, &cap, f)) > 0) {
		struct maps_line m;

		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (!maps_parse_line(line, &m))
			continue;
		if (c->segs.n == CORE_MAX_SEGMENTS) {
			c->left_out++;
			continue;
		}
		r = vec_try_push(&c->segs, ((struct core_seg){ m.start, m.end, 0, m.end - m.start, flags_of(m.prot) }));
		if (r == 0 && !maps_is_anon(m.path) && m.path[0] == '/')
			r = core_add_map(c, m.start, m.end, m.off, m.path);
	}
	core_sort(c);
	return r == 0 && !c->segs.n ? -ESRCH : r;
}

static void read_text(pid_t pid, pid_t tid, const char *what, char *buf, size_t size)
{
	char path[96];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, what);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	for (ssize_t i = 0; i < n; i++)
		if (!buf[i] || buf[i] == '\n')
			buf[i] = ' ';
	while (n > 0 && buf[n - 1] == ' ')
		n--;
	buf[n > 0 ? n : 0] = '\0';
}

static void read_aux(struct core *c)
{
	uint64_t two[2];
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)c->pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && read(fd, two, sizeof(two)) == sizeof(two))
		if (two[0] == AT_PHDR)
			c->phdr = two[1];
}

/* Stops one thread and reads its registers. -ESRCH: it has ended. */
static int stop_thread(struct core_thread *t)
{
	struct iovec regs = { t->regs, sizeof(t->regs) };
	int status;

	if (ptrace(PTRACE_SEIZE, t->tid, NULL, NULL) < 0 || ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) < 0)
		return -errno;
	if (waitpid(t->tid, &status, __WALL) < 0 || !WIFSTOPPED(status))
		return -ESRCH;
	t->has_regs = ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_PRSTATUS, &regs) == 0;
	return 0;
}

/* Takes up the threads that are not known yet: how many, or -errno. */
static int new_threads(struct core *c, bool stop)
{
	char path[64];
	struct dirent *e;
	DIR *d;
	int n = 0, r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)c->pid);
	d = opendir(path);
	if (!d)
		return -errno;
	while (r == 0 && (e = readdir(d))) {
		struct core_thread t = { 0 };
		uint64_t tid;

		if (num_parse_u64(e->d_name, &tid) < 0 || core_thread(c, (pid_t)tid))
			continue;
		if (c->threads.n == CORE_MAX_THREADS) {
			c->left_out++;
			break;
		}
		t.tid = (pid_t)tid;
		read_text(c->pid, t.tid, "comm", t.comm, sizeof(t.comm));
		if (stop) {
			r = stop_thread(&t);
			if (r == -ESRCH) {
				r = 0;
				continue;
			}
		}
		if (r == 0)
			r = vec_try_push(&c->threads, t);
		n++;
	}
	closedir(d);
	return r < 0 ? r : n;
}

static int take_threads(struct core *c, bool stop, struct err *err)
{
	int r = 1;

	c->stopped = stop;
	for (unsigned i = 0; i < MAX_ROUNDS && r > 0; i++)
		r = new_threads(c, stop);
	if (r == -EPERM)
		return err_set(
			err, r,
			"its threads cannot be stopped: somebody else traces them, or it needs root (--no-stop does without)");
	return r < 0 ? err_set(err, r, "its threads cannot be stopped: %s", strerror(-r)) : 0;
}

static int open_dir(pid_t pid, const char *what, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	return open(path, flags | O_CLOEXEC | O_DIRECTORY);
}

int core_attach(pid_t pid, bool stop, struct core *ret, struct err *err)
{
	uint8_t byte;
	int r;

#if !defined(__x86_64__)
	return err_set(err, -ENOTSUP, "processes can be looked at on x86-64 only");
#endif
	*ret = (struct core){ .live = true, .pid = pid, .src = { .fd = -1 }, .rootfd = -1, .mapfd = -1 };
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return err_set(err, -ESRCH, "there is no such process");
	if (pid == getpid())
		return err_set(err, -EINVAL, "that is dwell itself");
	r = take_threads(ret, stop, err);
	if (r == 0) {
		r = read_maps(ret);
		if (r < 0)
			err_set(err, r, "its memory cannot be read: %s",
				r == -ESRCH ? "it has ended, or is a thread of the kernel" : strerror(-r));
	}
	if (r == 0) {
		r = core_read(ret, ret->segs.v[0].start, &byte, 1);
		if (r == -EPERM)
			err_set(err, r,
				"its memory cannot be read: it needs root, or the same user and no restriction of ptrace");
		else
			r = 0;
	}
	if (r < 0) {
		core_close(ret);
		return r;
	}
	read_aux(ret);
	read_text(pid, pid, "comm", ret->comm, sizeof(ret->comm));
	read_text(pid, pid, "cmdline", ret->cmdline, sizeof(ret->cmdline));
	ret->rootfd = open_dir(pid, "root", O_PATH);
	ret->mapfd = open_dir(pid, "map_files", O_RDONLY);
	return 0;
}

int core_copy(pid_t pid, uint64_t *stopped_ns, struct core *ret, struct err *err)
{
	const int root = open_dir(pid, "root", O_PATH), maps = open_dir(pid, "map_files", O_RDONLY);
	struct save_said said;
	_cleanup_close_ int fd = core_save_nameless(pid, &said, err);
	char path[64];
	int r = fd < 0 ? fd : 0;

	*ret = (struct core){ .src = { .fd = -1 }, .rootfd = -1, .mapfd = -1 };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (r == 0)
		r = core_open(path, NULL, ret, err);
	if (r < 0) {
		if (root >= 0)
			close(root);
		if (maps >= 0)
			close(maps);
		return r;
	}
	ret->copied = true;
	ret->rootfd = root;
	ret->mapfd = maps;
	*stopped_ns = said.stopped_ns;
	return 0;
}

void live_let_go(struct core *c)
{
	for (size_t i = 0; c->live && c->stopped && i < c->threads.n; i++)
		ptrace(PTRACE_DETACH, c->threads.v[i].tid, NULL, NULL);
	c->stopped = false;
}
