/* SPDX-License-Identifier: Apache-2.0 */
/* Records a program as execve(2) leaves it: its mappings with their contents, and its registers. The replay rebuilds
 * the process from this. So the replay depends neither on addresses that its kernel would choose nor on the files. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/record/int.h"
#include "sym/proc/maps.h"

#define VECTOR_MAX 1048576u /* words of the arguments and the environment */
#define CS_64 0x33
#define PAGE 4096ull
#define PAGES_AT_ONCE 512u
#define PAGE_THERE (3ull << 62) /* in /proc/PID/pagemap: present, swapped out */

/* A mapping as /proc/PID/maps tells of it. */
struct mapping {
	struct ev_map m;
	struct maps_line l;
};

/* The program's text and what else of its file it cannot have changed: once in the trace for all tasks that run it.
 * False: it is not that. */
static bool put_file(struct rec *r, struct mapping *p, int *e)
{
	_cleanup_close_ int fd = -1;
	uint64_t end = p->l.off + (p->m.end - p->m.start);
	struct stat st;

	if ((p->m.prot & PROT_WRITE) || p->l.path[0] != '/')
		return false;
	fd = open(p->l.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_ino != p->l.ino || st.st_dev != p->l.dev)
		return false;
	end = end < (uint64_t)st.st_size ? end : (uint64_t)st.st_size;
	if (end <= p->l.off)
		return false;
	*e = rec_blob_file(r, fd, p->l.path, p->l.off, end, &p->m.arena);
	return true;
}

/* Memory without a file: pages that nobody has touched are zeros. */
static int put_touched(struct rec *r, uint64_t start, uint64_t end)
{
	uint64_t words[PAGES_AT_ONCE];
	_cleanup_close_ int fd = -1;
	char path[64];
	int e = 0;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)r->k->t.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return rec_put_mem(r, &(struct span){ start, end - start });
	for (uint64_t at = start; at < end && e == 0; at += sizeof(words) / sizeof(*words) * PAGE) {
		const ssize_t n = pread(fd, words, sizeof(words), (off_t)(at / PAGE * sizeof(*words)));

		for (size_t i = 0; i < ARRAY_SIZE(words) && at + i * PAGE < end && e == 0; i++)
			if (n != (ssize_t)sizeof(words) || words[i] & PAGE_THERE)
				e = rec_put_mem(r, &(struct span){ at + i * PAGE, PAGE });
	}
	return e;
}

static int put_map(struct rec *r, struct mapping *p, bool stack)
{
	struct ev_map *m = &p->m;
	struct rlimit lim = { TRACE_STACK_MAX, TRACE_STACK_MAX };
	uint64_t bottom = m->end;
	int e;

	m->arena = ARENA_NONE;
	if (stack) { /* all that it may grow to: the kernel maps more when it is used */
		prlimit(r->k->t.pid, RLIMIT_STACK, NULL, &lim);
		bottom = m->end - (lim.rlim_cur > TRACE_STACK_MAX ? TRACE_STACK_MAX : lim.rlim_cur / 4096 * 4096);
	}
	if (bottom < m->start) {
		const struct ev_map more = { bottom, m->start, ARENA_NONE, m->prot, 0 };

		e = rec_event(r, EV_MAP, &more, sizeof(more), NULL, 0);
		if (e < 0)
			return e;
	}
	if (!p->l.ino)
		e = put_touched(r, m->start, m->end);
	else if (!put_file(r, p, &e))
		e = rec_blob_memory(r, m->start, m->end - m->start, &m->arena);
	if (e == 0)
		e = rec_event(r, EV_MAP, m, sizeof(*m), NULL, 0);
	if (e == 0 && (m->prot & PROT_EXEC) && p->l.path[0] == '/')
		e = rec_tsc_code(r, p->l.path, m->start, m->end, p->l.off);
	return e;
}

static int put_maps(struct rec *r)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)r->k->t.pid);
	f = fopen(path, "re");
	if (!f)
		return rec_broken(r, -errno);
	while (getline(&line, &room, f) > 0) {
		struct mapping p;
		int e;

		line[strcspn(line, "\n")] = '\0';
		if (!maps_parse_line(line, &p.l))
			return rec_broken(r, -EBADMSG);
		if (!strncmp(p.l.path, "[v", 2)) /* the kernel's pages: vdso, vvar, vsyscall */
			continue;
		p.m = (struct ev_map){ .start = p.l.start, .end = p.l.end, .prot = (uint32_t)p.l.prot };
		e = put_map(r, &p, !strcmp(p.l.path, "[stack]"));
		if (e < 0)
			return e;
	}
	return 0;
}

/* The kernel's functions inside the program (vdso) read the clock without a system call: the program is told that there
 * are none. */
static int hide_vdso(struct rec *r, uint64_t sp)
{
	uint64_t word[2], at = sp + sizeof(uint64_t); /* after argc */
	int ends = 0;

	for (unsigned i = 0; i < VECTOR_MAX && ends < 2; i++, at += sizeof(uint64_t)) {
		if (tracee_read(&r->k->t, at, word, sizeof(*word)) != sizeof(*word))
			return rec_broken(r, -EFAULT);
		ends += word[0] == 0; /* of the arguments, of the environment */
	}
	for (unsigned i = 0; i < VECTOR_MAX; i++, at += sizeof(word)) {
		const uint64_t ignore = AT_IGNORE;

		if (tracee_read(&r->k->t, at, word, sizeof(word)) != sizeof(word))
			return rec_broken(r, -EFAULT);
		if (word[0] == AT_NULL)
			break;
		if (word[0] == AT_SYSINFO_EHDR && tracee_write(&r->k->t, at, &ignore, sizeof(ignore)) < 0)
			return rec_broken(r, -EFAULT);
	}
	return 0;
}

static int check_program(struct rec *r, const struct user_regs_struct *regs)
{
	char path[64];
	struct stat st;

	if (regs->cs != CS_64)
		return rec_stop(r, "a 32-bit program cannot be recorded");
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)r->k->t.pid);
	if (stat(path, &st) == 0 && (((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
				     ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid())))
		return rec_stop(
			r, "a set-user-id program cannot be recorded: under ptrace it runs without its privileges");
	return 0;
}

int rec_snapshot(struct rec *r)
{
	struct ev_state s = { .rip = 0 };
	int e = tracee_regs(&r->k->t, &s.regs);

	r->k->inside = r->k->at_exit = false;
	if (e == 0)
		e = tracee_open(&r->k->t);
	r->k->space->mem = r->k->t.mem;
	if (e < 0)
		return rec_broken(r, e);
	e = check_program(r, &s.regs);
	if (e == 0)
		e = hide_vdso(r, s.regs.rsp);
	if (e == 0)
		e = put_maps(r);
	if (e == 0)
		e = rec_put_name(r);
	if (e == 0)
		e = rec_put_state(r, EV_EXEC, &s);
	return e < 0 ? e : buf_map(r, &s.regs);
}
