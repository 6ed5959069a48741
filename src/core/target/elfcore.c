/* SPDX-License-Identifier: Apache-2.0 */
/* Core files as the kernel and gcore write them. Source: core(5); fs/binfmt_elf.c and include/linux/elfcore.h of Linux
 * 6.12: struct elf_prstatus, elf_prpsinfo; System V gABI, chapter 5. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/target/int.h"
#include "core/target/packed.h"
#include "core/target.h"
#include "sym/elf/open.h"

struct bytes {
	const uint8_t *p;
	size_t n;
};

static uint64_t word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int32_t number(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* A text of at most n bytes; ret has n + 1. */
static void text(char *ret, const uint8_t *p, size_t n)
{
	const size_t len = strnlen((const char *)p, n);

	memcpy(ret, p, len);
	ret[len] = '\0';
}

static int take_thread(struct core *c, const uint8_t *p, size_t n)
{
	struct core_thread t = { .has_regs = true };

	if (n < STATUS_BYTES)
		return 0;
	if (c->threads.n == CORE_MAX_THREADS) {
		c->left_out++;
		return 0;
	}
	t.tid = number(p + STATUS_PID);
	memcpy(t.regs, p + STATUS_REGS, sizeof(t.regs));
	if (!c->threads.n && !c->signal)
		c->signal = p[STATUS_SIGNAL];
	return vec_try_push(&c->threads, t);
}

static void take_info(struct core *c, const uint8_t *p, size_t n)
{
	if (n < INFO_BYTES)
		return;
	c->pid = number(p + INFO_PID);
	text(c->comm, p + INFO_NAME, CORE_COMM - 1);
	text(c->cmdline, p + INFO_ARGS, INFO_ARGS_BYTES);
	for (size_t k = strlen(c->cmdline); k && c->cmdline[k - 1] == ' ';)
		c->cmdline[--k] = '\0';
}

/* Numbers of files and pages, then a start, end and page of each, then their paths. */
static int take_files(struct core *c, const uint8_t *p, size_t n)
{
	uint64_t count, page;
	size_t at;
	int r = 0;

	if (n < 16)
		return 0;
	count = word(p);
	page = word(p + 8);
	if (!page || count > (n - 16) / 24)
		return 0;
	at = 16 + (size_t)count * 24;
	for (uint64_t i = 0; i < count && r == 0 && at < n; i++) {
		const uint8_t *e = p + 16 + i * 24;
		const size_t len = strnlen((const char *)p + at, n - at);
		uint64_t off;

		if (at + len == n)
			break; /* the last path is cut */
		if (!__builtin_mul_overflow(word(e + 16), page, &off))
			r = core_add_map(c, word(e), word(e + 8), off, (const char *)p + at);
		at += len + 1;
	}
	return r;
}

static void take_signal(struct core *c, const uint8_t *p, size_t n)
{
	if (n < 24)
		return;
	c->signal = number(p);
	c->code = number(p + 8);
	c->fault = word(p + 16);
}

static void take_aux(struct core *c, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 16 <= n; i += 16)
		if (word(p + i) == AT_PHDR)
			c->phdr = word(p + i + 8);
}

static int take_note(struct core *c, uint32_t type, struct bytes d)
{
	switch (type) {
	case NT_PRSTATUS: return take_thread(c, d.p, d.n);
	case NT_PRPSINFO: take_info(c, d.p, d.n); return 0;
	case NT_FILE: return take_files(c, d.p, d.n);
	case NT_SIGINFO: take_signal(c, d.p, d.n); return 0;
	case NT_AUXV: take_aux(c, d.p, d.n); return 0;
	default: return 0;
	}
}

static int take_notes(struct core *c, const uint8_t *p, size_t n)
{
	while (n >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		uint64_t name, all;
		int r = 0;

		memcpy(&h, p, sizeof(h));
		name = sizeof(h) + ROUND_UP((uint64_t)h.n_namesz, 4);
		all = name + ROUND_UP((uint64_t)h.n_descsz, 4);
		if (name + h.n_descsz > n)
			return 0; /* cut */
		if (h.n_namesz == 5 && !memcmp(p + sizeof(h), "CORE", 5))
			r = take_note(c, h.n_type, (struct bytes){ p + name, h.n_descsz });
		if (r < 0)
			return r;
		if (all > n)
			return 0;
		p += all;
		n -= (size_t)all;
	}
	return 0;
}

static int read_notes(struct core *c, const Elf64_Phdr *ph)
{
	size_t n = ph->p_filesz < CORE_MAX_NOTES ? (size_t)ph->p_filesz : CORE_MAX_NOTES;
	_cleanup_free_ uint8_t *buf = NULL;

	if (ph->p_offset >= c->src.size)
		return 0;
	if (n > c->src.size - ph->p_offset)
		n = (size_t)(c->src.size - ph->p_offset);
	buf = malloc(n + 1);
	if (!buf)
		return -ENOMEM;
	if (core_read_file(c, ph->p_offset, buf, n) < 0)
		return 0;
	return take_notes(c, buf, n);
}

static int take_load(struct core *c, const Elf64_Phdr *ph)
{
	struct core_seg s = { ph->p_vaddr, 0, ph->p_offset, ph->p_filesz, ph->p_flags };
	uint64_t end;

	if (__builtin_add_overflow(ph->p_vaddr, ph->p_memsz > ph->p_filesz ? ph->p_memsz : ph->p_filesz, &s.end))
		return 0;
	if (__builtin_add_overflow(ph->p_offset, ph->p_filesz, &end))
		return 0;
	if (end > c->src.size && end - c->src.size > c->missing)
		c->missing = end - c->src.size;
	return vec_try_push(&c->segs, s);
}

/* How many segments there are; a core of more than 65,534 has the number elsewhere. */
static uint64_t count_segments(const struct core *c, const Elf64_Ehdr *h)
{
	Elf64_Shdr first;

	if (h->e_phnum != PN_XNUM)
		return h->e_phnum;
	return core_read_file(c, h->e_shoff, &first, sizeof(first)) < 0 ? 0 : first.sh_info;
}

static int read_segments(struct core *c, const Elf64_Ehdr *h)
{
	uint64_t n = count_segments(c, h);
	int r = 0;

	if (n > CORE_MAX_SEGMENTS) {
		c->left_out += (size_t)(n - CORE_MAX_SEGMENTS);
		n = CORE_MAX_SEGMENTS;
	}
	for (uint64_t i = 0; i < n && r == 0; i++) {
		Elf64_Phdr ph;

		if (core_read_file(c, h->e_phoff + i * sizeof(ph), &ph, sizeof(ph)) < 0)
			break; /* cut */
		if (ph.p_type == PT_NOTE)
			r = read_notes(c, &ph);
		else if (ph.p_type == PT_LOAD)
			r = take_load(c, &ph);
	}
	return r;
}

static int read_core(struct core *c, struct err *err)
{
	Elf64_Ehdr h;
	int r = packed_is(&c->src) ? packed_open(&c->src, &c->packed, &c->src.size, err) : 0;

	if (r < 0)
		return r;
	c->size = c->src.size;
	if (core_read_file(c, 0, &h, sizeof(h)) < 0 || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
		return err_set(err, -ENOEXEC, "it is no ELF file");
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_X86_64)
		return err_set(err, -ENOTSUP, "it is of another machine: only cores of x86-64 can be read");
	if (h.e_type != ET_CORE)
		return err_set(err, -ENOEXEC, "it is no core file but a program or library");
	if (h.e_phentsize != sizeof(Elf64_Phdr))
		return err_set(err, -ENOEXEC, "its program headers have another size");
	r = read_segments(c, &h);
	if (r < 0)
		return err_set(err, r, "%s", strerror(-r));
	core_sort(c);
	if (!c->segs.n)
		return err_set(err, -ENODATA, "it has no memory: it is cut after %llu bytes",
			       (unsigned long long)c->src.size);
	return 0;
}

int core_open_memory(const uint8_t *mem, size_t size, struct core *ret, struct err *err)
{
	int r;

	*ret = (struct core){ .src = { .fd = -1, .mem = mem, .size = size }, .rootfd = -1, .mapfd = -1 };
	r = read_core(ret, err);
	if (r < 0)
		core_close(ret);
	return r;
}

int core_open(const char *path, const char *binary, struct core *ret, struct err *err)
{
	struct stat st;
	int fd = open_regular(AT_FDCWD, path, true, &st), r;
	struct core_file *f;

	if (fd < 0)
		return err_set(err, fd, "%s", strerror(-fd));
	*ret = (struct core){ .src = { .fd = fd, .size = (uint64_t)st.st_size }, .rootfd = -1, .mapfd = -1 };
	r = read_core(ret, err);
	f = r == 0 && binary ? core_program(ret) : NULL;
	if (r == 0 && binary && !f)
		r = err_set(err, -ENOENT, "it does not say which file the program is: %s cannot be used", binary);
	if (f) {
		f->instead = strdup(binary);
		f = core_file(ret, (uint32_t)(f - ret->files.v));
		if (f->state == CORE_FILE_OTHER || f->state == CORE_FILE_GONE)
			r = err_set(err, -ENOEXEC, "%s %s", binary,
				    f->state == CORE_FILE_GONE ? "cannot be opened"
							       : "is another build than the program of the core");
	}
	if (r < 0)
		core_close(ret);
	return r;
}
