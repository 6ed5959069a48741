/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the table of processes. A number alone does not identify a process, the start time does. /proc gives it in
 * clock ticks, BPF in nanoseconds, so times closer than a tick are equal. */
#include "sym/proc/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "sym/proc/int.h"
#include "sym/proc/runtime.h"

/* Unasked re-reading may take this part of the time at most: 1 / 16. */
#define PROC_RETRY_SHARE 16u

static void init_clock(struct uprocs *u)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/timens_offsets", "re");
	char line[128];
	long hz = sysconf(_SC_CLK_TCK);
	long long sec, nsec;

	u->tick_ns = NSEC_PER_SEC / (uint64_t)(hz > 0 ? hz : 100);
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "boottime %lld %lld", &sec, &nsec) == 2)
			u->time_ns_off = sec * (int64_t)NSEC_PER_SEC + nsec;
	}
}

int proc_start_ticks(int procfd, uint64_t *ret)
{
	_cleanup_close_ int fd = openat(procfd, "stat", O_RDONLY | O_CLOEXEC);
	char buf[1024];

	if (fd < 0)
		return -ESRCH;
	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	if (n <= 0)
		return -ESRCH;
	buf[n] = '\0';
	/* The name, in parentheses, may hold anything. */
	const char *p = strrchr(buf, ')');

	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p || sscanf(p, " %" SCNu64, ret) != 1)
		return -EPROTO;
	return 0;
}

static bool same_start(const struct uprocs *u, uint64_t start_ns, uint64_t ticks)
{
	uint64_t want = (start_ns + (uint64_t)u->time_ns_off) / u->tick_ns;
	uint64_t diff = want > ticks ? want - ticks : ticks - want;

	return diff <= 1;
}

static bool is_process(const struct uprocs *u, const struct uproc *p, uint64_t start)
{
	if (start == 0)
		return true;
	if (p->start_ns != 0) {
		uint64_t diff = start > p->start_ns ? start - p->start_ns : p->start_ns - start;

		return diff < u->tick_ns;
	}
	return p->ticks != 0 && same_start(u, start, p->ticks);
}

struct uproc *proc_find(struct sym *s, uint32_t tgid, uint64_t start)
{
	struct uproc *p;

	HASH_FIND(hh, s->procs.by_tgid, &tgid, sizeof(tgid), p);
	while (p && !is_process(&s->procs, p, start))
		p = p->older;
	if (p && p->start_ns == 0)
		p->start_ns = start;
	return p;
}

static struct uproc **list_of(struct uprocs *u, const struct uproc *p)
{
	return p->dead ? &u->dead : &u->alive;
}

static void set_dead(struct uprocs *u, struct uproc *p)
{
	if (p->dead)
		return;
	DL_DELETE(u->alive, p);
	p->dead = true;
	DL_APPEND(u->dead, p);
}

/* Takes p out of its number's chain, whose head is in the hash table. */
static void unlink_proc(struct uprocs *u, struct uproc *p)
{
	struct uproc *head;

	HASH_FIND(hh, u->by_tgid, &p->tgid, sizeof(p->tgid), head);
	if (head != p) {
		while (head && head->older != p)
			head = head->older;
		if (head)
			head->older = p->older;
		return;
	}
	HASH_DEL(u->by_tgid, p);
	if (p->older)
		HASH_ADD(hh, u->by_tgid, tgid, sizeof(p->older->tgid), p->older);
}

static void drop(struct sym *s, struct uproc *p)
{
	struct uproc **list = list_of(&s->procs, p);

	unlink_proc(&s->procs, p);
	DL_DELETE(*list, p);
	s->procs.n--;
	s->procs.nopen_jit -= p->jit.fd >= 0;
	maps_free(s, &p->maps);
	runtime_free(s, p);
	perfmap_free(&p->jit);
	free(p);
}

static struct uproc *new_proc(struct sym *s, uint32_t tgid, uint64_t start)
{
	struct uprocs *u = &s->procs;
	struct uproc *p = calloc(1, sizeof(*p)), *head;

	if (!p)
		return NULL;
	if (u->tick_ns == 0)
		init_clock(u);
	if (u->n >= SYM_MAX_PROCS)
		drop(s, u->dead ? u->dead : u->alive);
	p->tgid = tgid;
	p->start_ns = start;
	p->stale = true;
	perfmap_init(&p->jit);
	HASH_FIND(hh, u->by_tgid, &tgid, sizeof(tgid), head);
	if (head) {
		set_dead(u, head);
		HASH_DEL(u->by_tgid, head);
	}
	p->older = head;
	HASH_ADD(hh, u->by_tgid, tgid, sizeof(p->tgid), p);
	if (!p->hh.tbl) {
		free(p); /* head stays in its list and is freed with it */
		return NULL;
	}
	DL_APPEND(u->alive, p);
	u->n++;
	return p;
}

struct uproc *proc_get(struct sym *s, uint32_t tgid, uint64_t start)
{
	struct uproc *p = proc_find(s, tgid, start);

	if (!p)
		return new_proc(s, tgid, start);
	struct uproc **list = list_of(&s->procs, p);

	if (p->next) { /* not the most recently used one */
		DL_DELETE(*list, p);
		DL_APPEND(*list, p);
	}
	return p;
}

int proc_open(struct sym *s, const struct uproc *p)
{
	char path[32];
	uint64_t ticks;

	snprintf(path, sizeof(path), "/proc/%" PRIu32, p->tgid);
	_cleanup_close_ int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || proc_start_ticks(fd, &ticks) < 0)
		return -ESRCH;
	if (p->ticks ? p->ticks != ticks : p->start_ns && !same_start(&s->procs, p->start_ns, ticks))
		return -ESRCH;
	return take_fd(fd);
}

static bool has_code_of_no_file(const struct uproc *p)
{
	for (size_t i = 0; i < p->maps.n; i++) {
		const struct umap *m = &p->maps.v[i];

		if (!m->exec || m->stale)
			continue;
		if (m->f ? strncmp(m->f->path, "/memfd:", 7) == 0 : strcmp(m->name, "[anon]") == 0)
			return true;
	}
	return false;
}

static void open_jit(struct uprocs *u, struct uproc *p, int procfd)
{
	bool was_open = p->jit.fd >= 0;

	perfmap_open(&p->jit, procfd);
	if (was_open || p->jit.fd < 0)
		return;
	if (u->nopen_jit < PROC_MAX_OPEN_JIT) {
		u->nopen_jit++;
		return;
	}
	perfmap_read(&p->jit);
	closep(&p->jit.fd);
	p->jit.fd = -1;
}

int proc_read(struct sym *s, struct uproc *p)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);
	_cleanup_close_ int fd = proc_open(s, p);
	struct umaps fresh;

	if (fd < 0) {
		set_dead(&s->procs, p);
		return fd;
	}
	if (p->ticks == 0)
		proc_start_ticks(fd, &p->ticks);
	int r = maps_read(s, fd, &fresh);

	if (r == 0) {
		maps_merge(s, &p->maps, &fresh);
		if (has_code_of_no_file(p))
			open_jit(&s->procs, p, fd);
	} else if (r == -ESRCH) {
		set_dead(&s->procs, p);
	}
	p->stale = false;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	p->next_ns = now + (now - begun) * PROC_RETRY_SHARE;
	return r;
}

bool proc_retry(struct sym *s, struct uproc *p)
{
	if (p->dead || (clock_ns(CLOCK_MONOTONIC) < p->next_ns && !p->stale))
		return false;
	return proc_read(s, p) == 0;
}

/* Without a start time, p may be a former process of the number. Gives the present one, which may
 * be new; p when there is none; NULL without memory. */
static struct uproc *whoever_lives(struct sym *s, struct uproc *p)
{
	struct uproc any = { .tgid = p->tgid };
	uint64_t ticks;

	if (!p->dead && p->ticks == 0)
		return p; /* nothing is known of it yet */
	_cleanup_close_ int fd = proc_open(s, &any);

	if (fd < 0 || proc_start_ticks(fd, &ticks) < 0 || ticks == p->ticks)
		return p;
	return new_proc(s, p->tgid, 0);
}

int sym_proc_touch(struct sym *s, uint32_t tgid, uint64_t start)
{
	struct uproc *p = proc_get(s, tgid, start);

	if (!p)
		return -ENOMEM;
	if (start == 0)
		p = whoever_lives(s, p);
	if (!p)
		return -ENOMEM;
	if (p->dead)
		return -ESRCH;
	return p->stale ? proc_read(s, p) : 0;
}

int sym_proc_refresh(struct sym *s, uint32_t tgid, uint64_t start)
{
	struct uproc *p = proc_get(s, tgid, start);

	if (!p)
		return -ENOMEM;
	return p->dead ? -ESRCH : proc_read(s, p);
}

void sym_proc_exec(struct sym *s, uint32_t tgid, uint64_t start)
{
	struct uproc *p = proc_get(s, tgid, start);

	if (p && !p->dead) {
		p->stale = true;
		proc_read(s, p);
	}
}

void sym_proc_exit(struct sym *s, uint32_t tgid, uint64_t start)
{
	struct uproc *p = proc_find(s, tgid, start);

	if (p)
		set_dead(&s->procs, p);
}

void procs_free(struct sym *s)
{
	struct uproc *p, *tmp;

	HASH_CLEAR(hh, s->procs.by_tgid);
	for (int dead = 0; dead < 2; dead++) {
		struct uproc **list = dead ? &s->procs.dead : &s->procs.alive;

		DL_FOREACH_SAFE(*list, p, tmp)
		{
			maps_free(s, &p->maps);
			runtime_free(s, p);
			perfmap_free(&p->jit);
			free(p);
		}
		*list = NULL;
	}
}
