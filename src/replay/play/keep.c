/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a watched replay. Each memory is kept by a fork that never runs; of tasks only registers are kept,
 * since a replayed task has nothing else. Going back ends the tasks that there are, and makes new ones of the forks. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/tracee/breaks.h"
#include "replay/play/int.h"

#define KEPT_TASKS_MAX 64u /* a process each to go back; more take too long */

struct kept_task {
	struct rtask *holder; /* of its memory; NULL: it shares that of task number `with` */
	size_t with;
	uint32_t id;
	bool entered;
	struct ev_name name;
	struct user_regs_struct regs;
	uint8_t *vectors;
	size_t nvectors;
};
struct watch_kept {
	VEC(struct kept_task) tasks;
	struct before place; /* of the next group, or of that whose log it is in */
	uint64_t log_at;
	enum event_kind kind; /* of the group that is done */
	struct replay_result result;
	size_t files;
};

void watch_drop(struct watch_kept *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->tasks.n; i++) {
		build_free(k->tasks.v[i].holder);
		free(k->tasks.v[i].vectors);
	}
	vec_free(&k->tasks);
	free(k);
}

static int keep_registers(struct rtask *from, struct kept_task *k)
{
	static uint8_t buf[VECTORS_MAX];
	int e = tracee_regs(&from->t, &k->regs);
	ssize_t n = e == 0 ? tracee_vectors(&from->t, buf) : e;

	if (n < 0)
		return (int)n;
	k->vectors = malloc((size_t)n + 1);
	if (!k->vectors)
		return -ENOMEM;
	memcpy(k->vectors, buf, (size_t)n);
	k->nvectors = (size_t)n;
	return 0;
}

/* The number of the first task that has the memory of number i. */
static size_t first_with(const struct replay *r, size_t i)
{
	size_t k = 0;

	while (r->tasks.v[k]->memory != r->tasks.v[i]->memory)
		k++;
	return k;
}

static int keep_task(struct replay *r, struct watch_kept *to, size_t i)
{
	struct rtask *from = r->tasks.v[i];
	struct kept_task *k;
	int e;

	if (!from->t.pid)
		return -EBUSY;
	e = vec_try_push(&to->tasks, ((struct kept_task){ .id = from->id, .entered = from->entered }));
	if (e < 0)
		return e;
	k = &to->tasks.v[i];
	k->name = from->name;
	k->with = first_with(r, i);
	e = keep_registers(from, k);
	if (e < 0 || k->with != i)
		return e;
	k->holder = build_alone(from->id);
	return k->holder ? build_child(from, k->holder, false) : -ENOMEM;
}

int watch_keep(struct replay *r, struct watch_kept **ret)
{
	struct watch_kept *k;
	int e = 0;

	if (r->tasks.n > KEPT_TASKS_MAX)
		return -EBUSY;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->place = r->log_at ? r->before : (struct before){ trace_tell(r->in), r->g.number, r->g.task };
	k->log_at = r->log_at;
	k->kind = r->g.kind;
	k->result = r->result;
	k->files = r->files.n;
	for (size_t i = 0; i < r->tasks.n && e == 0; i++)
		e = keep_task(r, k, i);
	if (e < 0)
		watch_drop(k);
	else
		*ret = k;
	return e;
}

static pid_t holder_of(const struct watch_kept *k)
{
	for (size_t i = 0; i < k->tasks.n; i++)
		if (k->tasks.v[i].id == 0)
			return k->tasks.v[k->tasks.v[i].with].holder->t.pid;
	return 0;
}

/* The page as /proc/PID/pagemap has it, where it is no file's and nobody shares it; 0: it is not known, as without
 * CAP_SYS_ADMIN. */
static uint64_t page_of(pid_t pid, uint64_t addr)
{
	const uint64_t number = (1ull << 55) - 1, present = 1ull << 63, shared = 1ull << 61;
	_cleanup_close_ int fd = -1;
	char path[64];
	uint64_t word = 0;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	fd = pid ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || pread(fd, &word, sizeof(word), (off_t)(addr / 4096 * sizeof(word))) != (ssize_t)sizeof(word))
		return 0;
	return (word & (present | shared)) == present ? word & number : 0;
}

bool watch_same_page(const struct watch_kept *a, const struct watch_kept *b, uint64_t addr)
{
	const uint64_t page = page_of(holder_of(a), addr);

	return page && page == page_of(holder_of(b), addr);
}

void watch_back(struct replay *r, struct watch_kept *k)
{
	r->back = k;
}

static int restore_task(struct replay *r, struct kept_task *from)
{
	struct rtask *k = build_task(r, from->id);
	int e = !k ? -ENOMEM : build_child(from->holder ? from->holder : r->tasks.v[from->with], k, !from->holder);

	if (e == 0)
		e = tracee_set_vectors(&k->t, from->vectors, from->nvectors);
	if (e < 0)
		return e;
	k->entered = from->entered;
	k->name = from->name;
	return tracee_set_regs(&k->t, &from->regs);
}

int keep_restore(struct replay *r)
{
	const struct watch_kept *k = r->back;
	int e = trace_seek(r->in, &k->place.place);

	r->back = NULL;
	while (r->tasks.n)
		build_end(r, r->tasks.v[r->tasks.n - 1]);
	for (size_t i = 0; i < k->tasks.n && e == 0; i++)
		e = restore_task(r, &k->tasks.v[i]);
	if (e < 0)
		return replay_broken(r, e);
	while (r->files.n > k->files)
		free(r->files.v[--r->files.n].path);
	r->result = k->result;
	r->g.number = k->place.number;
	r->g.kind = k->kind;
	r->g.task = k->place.task;
	r->spot = r->seven = 0;
	r->exact = r->step = false;
	r->log_at = k->log_at;
	r->resumed = k->log_at != 0;
	r->k = build_find(r, k->place.task);
	return r->resumed ? 0 : watched_tell(r, WATCH_DONE); /* WATCH_LOG_DONE comes with the group */
}
