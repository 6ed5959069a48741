/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the notes of the dynamic linker's file, which is found by the mapping at its base. */
#include "gdb/loader.h"
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "sym/elf/elfsym.h"
#include "sym/object/stapsdt.h"
#include "sym/proc/maps.h"

static int open_at(pid_t pid, uint64_t base)
{
	char line[4352];
	_cleanup_fclose_ FILE *f = NULL;
	int fd = -1;

	snprintf(line, sizeof(line), "/proc/%d/maps", (int)pid);
	f = fopen(line, "re");
	while (f && fd < 0 && fgets(line, sizeof(line), f)) {
		struct maps_line m;

		line[strcspn(line, "\n")] = 0;
		if (maps_parse_line(line, &m) && m.start == base && m.path)
			fd = open(m.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	}
	return fd;
}

void loader_find(struct loader *l, pid_t pid, uint64_t base)
{
	_cleanup_close_ int fd = base ? open_at(pid, base) : -1;
	struct stapsdt *v = NULL;
	struct arena *a;
	struct stat st;
	struct elf e;
	uint64_t debug;
	size_t n = 0;

	*l = (struct loader){ 0 };
	if (fd < 0 || fstat(fd, &st) < 0 ||
	    elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }) < 0)
		return;
	a = arena_new(1u << 24);
	if (stapsdt_read(a, &e, &v, &n) == 0)
		for (size_t i = 0; i < n && l->n < LOADER_PLACES; i++)
			if (!strcmp(v[i].prov, "rtld"))
				l->place[l->n++] = base + v[i].addr;
	if (elfsym_find(&e, "_r_debug", strlen("_r_debug"), false, &debug) == 0)
		l->brk_at = base + debug + offsetof(struct r_debug, r_brk);
	arena_free(a);
	elf_close(&e);
}

bool loader_has(const struct loader *l, uint64_t brk, uint64_t addr)
{
	if (addr && addr == brk)
		return true;
	for (size_t i = 0; i < l->n; i++)
		if (l->place[i] == addr)
			return true;
	return false;
}
