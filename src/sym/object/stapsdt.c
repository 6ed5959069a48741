/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .note.stapsdt. Source: systemtap wiki, "UserSpaceProbeImplementation": notes of type 3 and name "stapsdt". The
 * descriptor is the address of the probe, that of .stapsdt.base when it was linked, and that of the semaphore, all of
 * the file's word size. Then come three texts. */
#include "sym/object/stapsdt.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/object/uobj.h"

#define NOTE_TYPE 3
static const char note_name[] = "stapsdt";

struct reading {
	struct arena *a;
	const struct elf *e;
	uint64_t base; /* where .stapsdt.base is now */
	bool has_base;
	VEC(struct stapsdt) v;
};

static uint64_t word(const struct elf *e, const char *p)
{
	uint64_t v64;
	uint32_t v32;

	if (e->is64) {
		memcpy(&v64, p, sizeof(v64));
		return v64;
	}
	memcpy(&v32, p, sizeof(v32));
	return v32;
}

/* The next text of the descriptor; NULL when it does not end inside, or is too long. */
static const char *text(struct arena *a, const char **p, const char *end, size_t max)
{
	const char *s = *p, *nul = memchr(s, '\0', (size_t)(end - s));

	if (!nul || (size_t)(nul - s) > max)
		return NULL;
	*p = nul + 1;
	return arena_strdup(a, s);
}

/* Offset in the file of data; bss has none. */
static int data_off(const struct elf *e, uint64_t addr, uint64_t *ret)
{
	for (unsigned i = 0; i < e->nph; i++) {
		const Elf64_Phdr *p = &e->ph[i];

		if (p->p_type != PT_LOAD || addr < p->p_vaddr || addr - p->p_vaddr >= p->p_filesz ||
		    p->p_offset + p->p_filesz < p->p_offset)
			continue;
		*ret = addr - p->p_vaddr + p->p_offset;
		return 0;
	}
	return -ENOENT;
}

/* A descriptor that makes no sense is left out. */
static int add(struct reading *rd, const char *desc, size_t len)
{
	size_t w = rd->e->is64 ? 8 : 4;
	const char *p = desc + 3 * w, *end = desc + len;
	struct stapsdt s = { 0 };
	uint64_t delta;

	if (len < 3 * w + 3 || rd->v.n >= STAPSDT_MAX_NOTES)
		return 0;
	/* Prelinking moved the file after the notes were made: by as much as the base. */
	delta = rd->has_base ? rd->base - word(rd->e, desc + w) : 0;
	s.addr = word(rd->e, desc) + delta;
	s.sem_addr = word(rd->e, desc + 2 * w);
	s.prov = text(rd->a, &p, end, STAPSDT_MAX_NAME);
	s.name = s.prov ? text(rd->a, &p, end, STAPSDT_MAX_NAME) : NULL;
	s.args = s.name ? text(rd->a, &p, end, STAPSDT_MAX_ARGS) : NULL;
	if (!s.args || !*s.prov || !*s.name || uobj_code_off(rd->e, s.addr, &s.off) < 0)
		return 0;
	if (s.sem_addr) {
		s.sem_addr += delta;
		if (data_off(rd->e, s.sem_addr, &s.sem_off) < 0)
			s.sem_addr = s.sem_off = 0;
	}
	return vec_try_push(&rd->v, s);
}

static int walk(struct reading *rd, const char *buf, size_t len)
{
	for (size_t at = 0; len - at >= sizeof(Elf64_Nhdr);) {
		Elf64_Nhdr n;

		memcpy(&n, buf + at, sizeof(n));
		at += sizeof(n);
		uint64_t name = ROUND_UP((uint64_t)n.n_namesz, 4), desc = ROUND_UP((uint64_t)n.n_descsz, 4);

		if (name > len - at || n.n_descsz > len - at - name)
			return -EBADMSG;
		if (n.n_type == NOTE_TYPE && n.n_namesz == sizeof(note_name) &&
		    memcmp(buf + at, note_name, sizeof(note_name)) == 0) {
			int r = add(rd, buf + at + name, n.n_descsz);

			if (r < 0)
				return r;
		}
		if (desc > len - at - name) /* the last one's padding may be missing */
			return 0;
		at += name + desc;
	}
	return 0;
}

int stapsdt_read(struct arena *a, const struct elf *e, struct stapsdt **ret, size_t *ret_n)
{
	const Elf64_Shdr *sh = elf_section(e, ".note.stapsdt"), *base = elf_section(e, ".stapsdt.base");
	struct reading rd = { .a = a, .e = e, .base = base ? base->sh_addr : 0, .has_base = base != NULL };
	_cleanup_free_ char *buf = NULL;
	size_t len = 0;
	int r;

	*ret = NULL;
	*ret_n = 0;
	if (!sh || sh->sh_type != SHT_NOTE)
		return 0;
	r = elf_section_read(e, sh, STAPSDT_MAX_SECTION, &buf, &len);
	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = walk(&rd, buf, len);
	if (rd.v.n) {
		*ret = arena_memdup(a, rd.v.v, rd.v.n * sizeof(*rd.v.v));
		*ret_n = rd.v.n;
	}
	vec_free(&rd.v);
	return r;
}
