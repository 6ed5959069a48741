/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are mapped: opened when they are needed, and used when their build id is that in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/target/kernel.h"
#include "sym/elf/elfsym.h"
#include "sym/elf/minidebug.h"
#include "sym/elf/open.h"

#define MAX_HEADERS 64u /* program headers in memory */

/* The build id in notes: bytes, 0 for none. */
static unsigned id_in(const uint8_t *p, size_t n, uint8_t ret[ELF_MAX_BUILD_ID])
{
	while (n >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		uint64_t name, all;

		memcpy(&h, p, sizeof(h));
		name = sizeof(h) + ROUND_UP((uint64_t)h.n_namesz, 4);
		all = name + ROUND_UP((uint64_t)h.n_descsz, 4);
		if (name + h.n_descsz > n)
			return 0;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && !memcmp(p + sizeof(h), "GNU", 4) &&
		    h.n_descsz <= ELF_MAX_BUILD_ID) {
			memcpy(ret, p + name, h.n_descsz);
			return h.n_descsz;
		}
		if (all > n)
			return 0;
		p += all;
		n -= (size_t)all;
	}
	return 0;
}

/* Memory that the core itself has: what comes from files proves nothing about them. */
static bool has_itself(const struct core *c, uint64_t addr, size_t n)
{
	const struct core_seg *s = core_seg_at(c, addr);

	return c->live || (s && addr - s->start < s->bytes && n <= s->bytes - (addr - s->start));
}

/* The build id of the file whose beginning is at `first` in memory. */
static unsigned id_in_memory(struct core *c, uint64_t first, uint8_t ret[ELF_MAX_BUILD_ID])
{
	uint8_t notes[4096];
	Elf64_Phdr ph[MAX_HEADERS];
	Elf64_Ehdr h;
	uint64_t base = 0;

	if (!first || !has_itself(c, first, sizeof(h)) || core_read(c, first, &h, sizeof(h)) < 0 ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_phnum > MAX_HEADERS || h.e_phentsize != sizeof(*ph) ||
	    !has_itself(c, first + h.e_phoff, h.e_phnum * sizeof(*ph)) ||
	    core_read(c, first + h.e_phoff, ph, h.e_phnum * sizeof(*ph)) < 0)
		return 0;
	for (unsigned i = 0; i < h.e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && !ph[i].p_offset)
			base = first - ph[i].p_vaddr;
	for (unsigned i = 0; i < h.e_phnum; i++) {
		const uint64_t at = base + ph[i].p_vaddr;
		const size_t n = ph[i].p_filesz < sizeof(notes) ? (size_t)ph[i].p_filesz : sizeof(notes);
		unsigned id;

		if (ph[i].p_type != PT_NOTE || !has_itself(c, at, n) || core_read(c, at, notes, n) < 0)
			continue;
		id = id_in(notes, n, ret);
		if (id)
			return id;
	}
	return 0;
}

/* Where the file begins in memory and ends, for /proc/PID/map_files. */
static int open_mapped(const struct core *c, const struct core_file *f, struct stat *st)
{
	char name[64];

	for (size_t i = 0; i < c->maps.n && c->mapfd >= 0; i++) {
		const struct core_map *m = &c->maps.v[i];

		if (&c->files.v[m->file] != f)
			continue;
		snprintf(name, sizeof(name), "%llx-%llx", (unsigned long long)m->start, (unsigned long long)m->end);
		return open_regular(c->mapfd, name, true, st);
	}
	return -ENOENT;
}

static int open_file(const struct core *c, const struct core_file *f, struct stat *st)
{
	int fd = -ENOENT;

	if (f->instead)
		return open_regular(AT_FDCWD, f->instead, true, st);
	if (c->live || c->copied)
		fd = open_mapped(c, f, st);
	if (fd < 0 && (c->live || c->copied) && c->rootfd >= 0)
		fd = open_regular_in_root(c->rootfd, f->path, true, st);
	if (fd < 0 && !c->live && !c->copied && f->path[0] == '/')
		fd = open_regular(AT_FDCWD, f->path, true, st);
	return fd;
}

static enum core_file_state look_at(struct core *c, struct core_file *f)
{
	uint8_t id[ELF_MAX_BUILD_ID];
	struct stat st;
	unsigned n;
	int fd = open_file(c, f, &st);

	if (fd < 0)
		return CORE_FILE_GONE;
	if (elf_open(&f->elf, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }) < 0 ||
	    elf_segments(&f->elf, &f->seg, &f->nseg) < 0) {
		elf_close(&f->elf);
		close(fd);
		return CORE_FILE_OTHER;
	}
	n = id_in_memory(c, f->first, id);
	if (!n)
		return CORE_FILE_GUESS;
	if (n != f->elf.nbuild_id || memcmp(id, f->elf.build_id, n) != 0)
		return CORE_FILE_OTHER;
	return CORE_FILE_GOOD;
}

struct core_file *core_file(struct core *c, uint32_t i)
{
	struct core_file *f = &c->files.v[i];

	if (f->state == CORE_FILE_NEW) {
		f->state = CORE_FILE_GONE; /* while its memory is read */
		f->state = look_at(c, f);
	}
	return f;
}

const char *core_file_word(enum core_file_state s)
{
	static const char *const words[] = { [CORE_FILE_NEW] = "not looked at",
					     [CORE_FILE_GOOD] = "same build",
					     [CORE_FILE_GUESS] = "no build id in memory",
					     [CORE_FILE_OTHER] = "another build, not used",
					     [CORE_FILE_GONE] = "cannot be opened" };

	return words[s];
}

struct core_file *core_program(struct core *c)
{
	const struct core_map *m = c->phdr ? core_map_at(c, c->phdr) : NULL;

	if (!m && c->maps.n)
		m = &c->maps.v[0];
	return m ? &c->files.v[m->file] : NULL;
}

static void load_names(struct core_file *f)
{
	if (f->named)
		return;
	f->named = true;
	if (elfsym_load(&f->elf, SHT_SYMTAB, &f->names) < 0) {
		elfsym_load(&f->elf, SHT_DYNSYM, &f->names);
		minidebug_load(&f->elf, &f->names);
	}
	elfsym_load_plt(&f->elf, &f->names);
	if (symtab_finish(&f->names) < 0)
		symtab_done(&f->names);
}

bool core_name(struct core *c, uint64_t addr, struct core_symbol *ret)
{
	const struct core_map *m = core_map_at(c, addr);
	const struct core_seg *s = core_seg_at(c, addr);
	const struct usym *u;
	struct core_file *f;
	uint64_t at;

	if (c->kernel)
		return kernel_name(c, addr, ret);
	*ret = (struct core_symbol){ 0 };
	if (!m)
		return false;
	f = core_file(c, m->file);
	ret->path = f->path;
	ret->file_off = m->off + (addr - m->start);
	if (f->state != CORE_FILE_GOOD && f->state != CORE_FILE_GUESS)
		return false;
	load_names(f);
	if (!elf_seg_vaddr(f->seg, f->nseg, ret->file_off, s && s->flags & PF_X, &at))
		return false;
	u = symtab_at(&f->names, at);
	if (!u)
		return false;
	ret->name = demangle(&c->demangler, &c->names, f->names.text + u->name);
	ret->addr = addr - (at - u->addr);
	ret->size = u->size;
	return ret->name != NULL;
}

/* -- addresses of names -- */

/* The difference between addresses in the process and addresses as linked. */
static bool bias_of(const struct core *c, uint32_t file, uint64_t *ret)
{
	const struct core_file *f = &c->files.v[file];

	for (size_t i = 0; i < c->maps.n; i++) {
		const struct core_map *m = &c->maps.v[i];
		const struct core_seg *s = core_seg_at(c, m->start);
		uint64_t at;

		if (m->file == file && elf_seg_vaddr(f->seg, f->nseg, m->off, s && s->flags & PF_X, &at)) {
			*ret = m->start - at;
			return true;
		}
	}
	return false;
}

/* A file with its names. *bias: see above. NULL: it has none. */
static struct core_file *with_names(struct core *c, uint32_t file, uint64_t *bias)
{
	struct core_file *f = core_file(c, file);

	if ((f->state != CORE_FILE_GOOD && f->state != CORE_FILE_GUESS) || !bias_of(c, file, bias))
		return NULL;
	load_names(f);
	return f;
}

bool core_file_called(const struct core_file *f, const char *name, size_t n)
{
	const char *base = basename(f->path);

	return !strncmp(base, name, n) && (!base[n] || !strncmp(base + n, ".so", 3));
}

bool core_file_in_order(struct core *c, size_t i, uint32_t *ret)
{
	const struct core_file *p = core_program(c);
	const size_t program = p ? (size_t)(p - c->files.v) : c->files.n;

	if (i >= c->files.n)
		return false;
	*ret = (uint32_t)(p && i == 0 ? program : p && i <= program ? i - 1 : i);
	return true;
}

int core_address(struct core *c, const char *name, uint64_t *ret)
{
	const char *tick = strchr(name, '`'), *what = tick ? tick + 1 : name;
	uint32_t file;

	if (c->kernel)
		return kernel_address(c, name, ret);
	for (size_t i = 0; core_file_in_order(c, i, &file); i++) {
		uint64_t bias;
		struct core_file *f;

		if (tick && !core_file_called(&c->files.v[file], name, (size_t)(tick - name)))
			continue;
		f = with_names(c, file, &bias);
		if (!f)
			continue;
		for (size_t k = 0; k < f->names.n; k++) {
			if (!strcmp(f->names.text + f->names.v[k].name, what)) {
				*ret = f->names.v[k].addr + bias;
				return 0;
			}
		}
	}
	return -ENOENT;
}

int core_each_name(struct core *c, const char *prefix, int (*fn)(void *arg, const struct core_symbol *y), void *arg)
{
	const size_t n = strlen(prefix);
	uint32_t file;

	if (c->kernel)
		return kernel_each_name(c, prefix, fn, arg);
	for (size_t i = 0; core_file_in_order(c, i, &file); i++) {
		uint64_t bias;
		struct core_file *f = with_names(c, file, &bias);

		for (size_t k = 0; f && k < f->names.n; k++) {
			const struct usym *u = &f->names.v[k];
			const struct core_symbol y = { .name = f->names.text + u->name,
						       .addr = u->addr + bias,
						       .path = f->path,
						       .size = u->size };
			int r = strncmp(y.name, prefix, n) ? 0 : fn(arg, &y);

			if (r)
				return r;
		}
	}
	return 0;
}
