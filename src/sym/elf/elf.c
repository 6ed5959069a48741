/* SPDX-License-Identifier: Apache-2.0 */
/* Reads headers, sections and notes of hostile ELF files. Source: elf(5), System V gABI chapters 4 and 5. */
#include "sym/elf/elf.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"

int elf_read(const struct elf_src *src, uint64_t off, void *buf, size_t len)
{
	if (off > src->size || len > src->size - off)
		return -ENODATA;
	if (src->mem) {
		memcpy(buf, src->mem + off, len);
		return 0;
	}
	for (char *p = buf; len > 0;) {
		ssize_t got = pread(src->fd, p, len, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -ENODATA;
		p += got;
		off += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

static void phdr_from32(Elf64_Phdr *d, const Elf32_Phdr *s)
{
	*d = (Elf64_Phdr){
		.p_type = s->p_type,
		.p_flags = s->p_flags,
		.p_offset = s->p_offset,
		.p_vaddr = s->p_vaddr,
		.p_filesz = s->p_filesz,
		.p_memsz = s->p_memsz,
		.p_align = s->p_align,
	};
}

static void shdr_from32(Elf64_Shdr *d, const Elf32_Shdr *s)
{
	*d = (Elf64_Shdr){
		.sh_name = s->sh_name,
		.sh_type = s->sh_type,
		.sh_flags = s->sh_flags,
		.sh_addr = s->sh_addr,
		.sh_offset = s->sh_offset,
		.sh_size = s->sh_size,
		.sh_link = s->sh_link,
		.sh_info = s->sh_info,
		.sh_entsize = s->sh_entsize,
	};
}

static void ehdr_from32(Elf64_Ehdr *d, const Elf32_Ehdr *s)
{
	*d = (Elf64_Ehdr){
		.e_type = s->e_type,
		.e_machine = s->e_machine,
		.e_phoff = s->e_phoff,
		.e_shoff = s->e_shoff,
		.e_phentsize = s->e_phentsize,
		.e_phnum = s->e_phnum,
		.e_shentsize = s->e_shentsize,
		.e_shnum = s->e_shnum,
		.e_shstrndx = s->e_shstrndx,
	};
}

static int read_ehdr(struct elf *e, Elf64_Ehdr *h)
{
	unsigned char id[EI_NIDENT];
	Elf32_Ehdr h32;
	const uint16_t one = 1;
	int data = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	int r = elf_read(&e->src, 0, id, sizeof(id));

	if (r < 0 || memcmp(id, ELFMAG, SELFMAG) != 0 || id[EI_DATA] != data)
		return -ENOEXEC;
	if (id[EI_CLASS] == ELFCLASS64) {
		e->is64 = true;
		r = elf_read(&e->src, 0, h, sizeof(*h));
	} else if (id[EI_CLASS] == ELFCLASS32) {
		r = elf_read(&e->src, 0, &h32, sizeof(h32));
		if (r == 0)
			ehdr_from32(h, &h32);
	} else {
		return -ENOEXEC;
	}
	return r < 0 ? -ENOEXEC : 0;
}

static int read_phdrs(struct elf *e, const Elf64_Ehdr *h)
{
	size_t size = e->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	if (h->e_phnum == 0)
		return 0;
	if (h->e_phnum > ELF_MAX_SEGMENTS || h->e_phentsize != size)
		return -ENOEXEC;
	_cleanup_free_ char *raw = malloc(h->e_phnum * size);

	e->ph = calloc(h->e_phnum, sizeof(*e->ph));
	if (!raw || !e->ph)
		return -ENOMEM;
	if (elf_read(&e->src, h->e_phoff, raw, h->e_phnum * size) < 0)
		return -ENOEXEC;
	e->nph = h->e_phnum;
	if (e->is64)
		memcpy(e->ph, raw, e->nph * size);
	for (unsigned i = 0; i < e->nph && !e->is64; i++)
		phdr_from32(&e->ph[i], (const Elf32_Phdr *)raw + i);
	return 0;
}

static int read_shdrs(struct elf *e, const Elf64_Ehdr *h)
{
	size_t size = e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);

	if (h->e_shnum == 0 || h->e_shnum > ELF_MAX_SECTIONS || h->e_shentsize != size)
		return 0;
	_cleanup_free_ char *raw = malloc(h->e_shnum * size);
	_cleanup_free_ Elf64_Shdr *sh = calloc(h->e_shnum, sizeof(*sh));

	if (!raw || !sh)
		return -ENOMEM;
	if (elf_read(&e->src, h->e_shoff, raw, h->e_shnum * size) < 0)
		return 0;
	if (e->is64)
		memcpy(sh, raw, h->e_shnum * size);
	for (unsigned i = 0; i < h->e_shnum && !e->is64; i++)
		shdr_from32(&sh[i], (const Elf32_Shdr *)raw + i);
	e->sh = take_ptr(sh);
	e->nsh = h->e_shnum;
	if (h->e_shstrndx >= e->nsh)
		return 0;
	int r = elf_section_read(e, &e->sh[h->e_shstrndx], ELF_MAX_SHSTRTAB, &e->shstr, &e->nshstr);

	return r == -ENOMEM ? r : 0;
}

/* Looks through one stretch of notes for the GNU build id. */
static bool find_build_id(struct elf *e, uint64_t off, uint64_t size)
{
	static const char gnu[4] = "GNU";
	char buf[ELF_MAX_NOTES];
	size_t len = size < sizeof(buf) ? (size_t)size : sizeof(buf);

	if (elf_read(&e->src, off, buf, len) < 0)
		return false;
	for (size_t at = 0; len - at >= sizeof(Elf64_Nhdr);) {
		Elf64_Nhdr n;

		memcpy(&n, buf + at, sizeof(n));
		at += sizeof(n);
		uint64_t name = ROUND_UP((uint64_t)n.n_namesz, 4);
		uint64_t desc = ROUND_UP((uint64_t)n.n_descsz, 4);

		if (name > len - at || desc > len - at - name)
			return false;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == sizeof(gnu) && n.n_descsz > 0 &&
		    n.n_descsz <= ELF_MAX_BUILD_ID && memcmp(buf + at, gnu, sizeof(gnu)) == 0) {
			memcpy(e->build_id, buf + at + name, n.n_descsz);
			e->nbuild_id = n.n_descsz;
			return true;
		}
		at += name + desc;
	}
	return false;
}

static void read_build_id(struct elf *e)
{
	const Elf64_Shdr *sh = elf_section(e, ".note.gnu.build-id");

	if (sh && sh->sh_type == SHT_NOTE && find_build_id(e, sh->sh_offset, sh->sh_size))
		return;
	for (unsigned i = 0; i < e->nph; i++) {
		if (e->ph[i].p_type == PT_NOTE && find_build_id(e, e->ph[i].p_offset, e->ph[i].p_filesz))
			return;
	}
}

int elf_open(struct elf *e, struct elf_src src)
{
	Elf64_Ehdr h;

	*e = (struct elf){ .src = src };
	int r = read_ehdr(e, &h);

	if (r < 0)
		return r;
	e->type = h.e_type;
	e->machine = h.e_machine;
	r = read_phdrs(e, &h);
	if (r == 0)
		r = read_shdrs(e, &h);
	if (r < 0) {
		elf_close(e);
		return r;
	}
	read_build_id(e);
	return 0;
}

void elf_close(struct elf *e)
{
	free(e->ph);
	free(e->sh);
	free(e->shstr);
	*e = (struct elf){ .src.fd = -1 };
}

const Elf64_Shdr *elf_section(const struct elf *e, const char *name)
{
	return elf_section_next(e, name, NULL);
}

const Elf64_Shdr *elf_section_next(const struct elf *e, const char *name, const Elf64_Shdr *after)
{
	for (unsigned i = after ? (unsigned)(after - e->sh) + 1 : 0; i < e->nsh; i++) {
		if (e->sh[i].sh_name < e->nshstr && strcmp(e->shstr + e->sh[i].sh_name, name) == 0)
			return &e->sh[i];
	}
	return NULL;
}

const Elf64_Shdr *elf_section_of_type(const struct elf *e, uint32_t type)
{
	for (unsigned i = 0; i < e->nsh; i++) {
		if (e->sh[i].sh_type == type)
			return &e->sh[i];
	}
	return NULL;
}

int elf_section_read(const struct elf *e, const Elf64_Shdr *sh, size_t max, char **ret, size_t *ret_len)
{
	if (sh->sh_type == SHT_NOBITS || sh->sh_size == 0 || (sh->sh_flags & SHF_COMPRESSED))
		return -ENOENT;
	if (sh->sh_size > max)
		return -EFBIG;
	/* Before allocating: a sparse claim of size must not cost memory. */
	if (sh->sh_offset > e->src.size || sh->sh_size > e->src.size - sh->sh_offset)
		return -ENODATA;
	_cleanup_free_ char *p = malloc(sh->sh_size + 1);

	if (!p)
		return -ENOMEM;
	int r = elf_read(&e->src, sh->sh_offset, p, sh->sh_size);

	if (r < 0)
		return r;
	p[sh->sh_size] = '\0';
	*ret_len = sh->sh_size;
	*ret = take_ptr(p);
	return 0;
}

int elf_segments(const struct elf *e, struct elf_seg **ret, unsigned *ret_n)
{
	struct elf_seg *seg = calloc(e->nph + 1, sizeof(*seg));
	unsigned n = 0;

	if (!seg)
		return -ENOMEM;
	for (unsigned i = 0; i < e->nph; i++) {
		const Elf64_Phdr *p = &e->ph[i];

		if (p->p_type != PT_LOAD || p->p_offset + p->p_filesz < p->p_offset ||
		    p->p_vaddr + p->p_memsz < p->p_vaddr)
			continue;
		seg[n++] = (struct elf_seg){
			.off = p->p_offset,
			.vaddr = p->p_vaddr,
			.filesz = p->p_filesz,
			.memsz = p->p_memsz,
			.flags = p->p_flags,
		};
	}
	*ret = seg;
	*ret_n = n;
	return 0;
}

/* How well the segment explains the offset: 0 not at all, by its pages, by the zeroed data after its bytes, or by its
 * bytes. The same protection counts more than all of these. */
static int seg_fits(const struct elf_seg *s, uint64_t off, bool exec, uint64_t page)
{
	uint64_t end = s->off + s->filesz;
	int fit = 0;

	if (off < (s->off & ~(page - 1)) || off >= ROUND_UP(end, page))
		return 0;
	if (off >= s->off && off < end)
		fit = 3;
	else if (off >= end && off - s->off < s->memsz)
		fit = 2;
	else
		fit = 1;
	return !!(s->flags & PF_X) == exec ? fit + 4 : fit;
}

bool elf_seg_vaddr(const struct elf_seg *seg, unsigned n, uint64_t off, bool exec, uint64_t *ret)
{
	const struct elf_seg *best = NULL;
	int best_fit = 0;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < n; i++) {
		int fit = seg_fits(&seg[i], off, exec, page);

		if (fit > best_fit) {
			best_fit = fit;
			best = &seg[i];
		}
	}
	if (!best)
		return false;
	*ret = off - best->off + best->vaddr;
	return true;
}

bool elf_seg_off(const struct elf_seg *seg, unsigned n, uint64_t vaddr, uint64_t *ret)
{
	for (unsigned i = 0; i < n; i++) {
		if (vaddr >= seg[i].vaddr && vaddr - seg[i].vaddr < seg[i].filesz) {
			*ret = vaddr - seg[i].vaddr + seg[i].off;
			return true;
		}
	}
	return false;
}
