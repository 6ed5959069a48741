/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the notes of a core file, as the kernel does. Source: struct elf_prstatus, elf_prpsinfo of x86-64, and
 * fs/binfmt_elf.c, fill_files_note(), of Linux 6.12. */
#include "core/target/savenotes.h"
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/target/int.h"

#define PAGE 4096u
#define MAX_AUX 1024u

static void add(struct strb *b, uint32_t type, const void *bytes, size_t n)
{
	static const char name[8] = "CORE", zero[4];
	const Elf64_Nhdr h = { 5, (uint32_t)n, type };

	strb_add(b, &h, sizeof(h));
	strb_add(b, name, sizeof(name));
	strb_add(b, bytes, n);
	strb_add(b, zero, (4 - n % 4) % 4);
}

static void add_thread(struct strb *b, const struct core *c, const struct core_thread *t)
{
	uint8_t status[STATUS_BYTES] = { 0 };
	const int32_t tid = t->tid, pid = c->pid;

	memcpy(status + STATUS_PID, &tid, sizeof(tid));
	memcpy(status + STATUS_PID + 8, &pid, sizeof(pid)); /* its group */
	memcpy(status + STATUS_REGS, t->regs, sizeof(t->regs));
	add(b, NT_PRSTATUS, status, sizeof(status));
}

static void add_info(struct strb *b, const struct core *c)
{
	uint8_t info[INFO_BYTES] = { 0 };
	const int32_t pid = c->pid;

	memcpy(info + INFO_PID, &pid, sizeof(pid));
	memcpy(info + INFO_NAME, c->comm, strnlen(c->comm, CORE_COMM - 1));
	memcpy(info + INFO_ARGS, c->cmdline, strnlen(c->cmdline, INFO_ARGS_BYTES - 1));
	add(b, NT_PRPSINFO, info, sizeof(info));
}

static void add_aux(struct strb *b, const struct core *c)
{
	uint8_t aux[MAX_AUX];
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)c->pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	n = fd < 0 ? -1 : read(fd, aux, sizeof(aux));
	if (n > 0)
		add(b, NT_AUXV, aux, (size_t)n);
}

static void add_files(struct strb *b, const struct core *c)
{
	struct strb all = { 0 };
	const uint64_t head[2] = { c->maps.n, PAGE };

	strb_add(&all, head, sizeof(head));
	for (size_t i = 0; i < c->maps.n; i++) {
		const struct core_map *m = &c->maps.v[i];
		const uint64_t row[3] = { m->start, m->end, m->off / PAGE };

		strb_add(&all, row, sizeof(row));
	}
	for (size_t i = 0; i < c->maps.n; i++) {
		const char *path = c->files.v[c->maps.v[i].file].path;

		strb_add(&all, path, strlen(path) + 1);
	}
	if (all.failed)
		b->failed = true;
	else
		add(b, NT_FILE, all.s, all.n);
	strb_free(&all);
}

void savenotes_add(const struct core *c, struct strb *b)
{
	for (size_t i = 0; i < c->threads.n; i++) {
		if (c->threads.v[i].has_regs)
			add_thread(b, c, &c->threads.v[i]);
		if (!i)
			add_info(b, c);
	}
	add_aux(b, c);
	add_files(b, c);
}
