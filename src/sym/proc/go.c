/* SPDX-License-Identifier: Apache-2.0 */
/* Finds programs of Go by a section that their linker writes, also when they are stripped. Tells where the goroutine
 * of a thread is: by the version, or by the debug information if the version is not known. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "runtime/go/go.h"
#include "sym/dwarf/dwarf.h"
#include "sym/proc/runtime.h"
#include "sym/proc/ufile.h"
#include "types/typesrc.h"

/* Facts about Go in a file. */
struct gofile {
	char version[GO_MAX_VERSION];
	struct go_proc places; /* curg 0: not known */
	const char *unknown;   /* why not */
};

/* -- places by debug information -- */

/* Bytes from the beginning of a struct to its member. False: there is none. */
static bool member_at(struct typesrc *ts, const char *name, const char *member, uint64_t *ret)
{
	struct tmember m = { 0 };
	struct tinfo info;
	struct tref ref;

	if (typesrc_find(ts, NULL, name, TKM(TK_STRUCT), &ref) < 0 || typesrc_get(ts, ref, &info) < 0)
		return false;
	for (uint32_t i = 0; i < info.nmembers; i++) {
		if (typesrc_member(ts, ref, i, &m) < 0 || strcmp(m.name, member) != 0)
			continue;
		*ret = m.bit_off / 8;
		return true;
	}
	return false;
}

static bool places_of_types(const struct dwarf_types *d, struct go_proc *ret)
{
	struct typesrc *ts;
	struct go_proc p = *ret;
	bool found;

	if (typesrc_open_mem("go", d->btf, d->len, &ts, NULL) < 0)
		return false;
	found = member_at(ts, "runtime.g", "m", &p.m) && member_at(ts, "runtime.g", "goid", &p.goid) &&
		member_at(ts, "runtime.m", "curg", &p.curg) && p.curg;
	typesrc_free(ts);
	if (found)
		*ret = p;
	return found;
}

static bool places_of_debug(const struct elf *e, struct go_proc *ret)
{
	struct dwarf_types t = { 0 };
	bool found = dwarf_read_types(e, NULL, NULL, &t) == 0 && places_of_types(&t, ret);

	dwarf_types_done(&t);
	return found;
}

/* -- the file -- */

/* Before 1.18 the section has the address of a string: its address and length. */
static void read_string(const struct elf *e, uint64_t at, char ret[GO_MAX_VERSION])
{
	struct elf_seg *seg;
	uint64_t head[2], off;
	unsigned n;

	if (elf_segments(e, &seg, &n) < 0)
		return;
	if (elf_seg_off(seg, n, at, &off) && elf_read(&e->src, off, head, sizeof(head)) == 0 &&
	    head[1] < GO_MAX_VERSION && elf_seg_off(seg, n, head[0], &off) && elf_read(&e->src, off, ret, head[1]) == 0)
		ret[head[1]] = '\0';
	else
		ret[0] = '\0';
	free(seg);
}

/* The symbol of the word for struct g; false: there is none. */
static bool find_tlsg(const struct elf *e, uint64_t *ret)
{
	const Elf64_Shdr *sh = elf_section_of_type(e, SHT_SYMTAB);
	_cleanup_free_ char *syms = NULL, *names = NULL;
	size_t nsyms, nnames;
	Elf64_Sym sym;

	if (!sh || sh->sh_link >= e->nsh || elf_section_read(e, sh, ELF_MAX_STRTAB, &syms, &nsyms) < 0 ||
	    elf_section_read(e, &e->sh[sh->sh_link], ELF_MAX_STRTAB, &names, &nnames) < 0)
		return false;
	for (size_t at = 0; at + sizeof(sym) <= nsyms; at += sizeof(sym)) {
		memcpy(&sym, syms + at, sizeof(sym));
		if (ELF64_ST_TYPE(sym.st_info) != STT_TLS || sym.st_name >= nnames ||
		    strcmp(names + sym.st_name, "runtime.tlsg") != 0)
			continue;
		*ret = sym.st_value;
		return true;
	}
	return false;
}

/* Where the word for struct g is. The program's own block of thread-local storage ends at the thread's base; a program
 * that says nothing of such a block has it below the base. */
static const char *find_tls(const struct elf *e, struct go_proc *ret)
{
	const Elf64_Phdr *tls = NULL;
	uint64_t at = 0, size;
	bool program = e->type == ET_EXEC;

	for (unsigned i = 0; i < e->nph; i++) {
		tls = e->ph[i].p_type == PT_TLS ? &e->ph[i] : tls;
		program = program || e->ph[i].p_type == PT_INTERP;
	}
	if (e->machine != EM_X86_64)
		return "goroutines are found on x86-64 only";
	if (!program)
		return "it is a library";
	ret->tls = -8;
	if (!tls || tls->p_memsz == 8)
		return NULL;
	if (tls->p_memsz > INT32_MAX || tls->p_align > INT32_MAX || !find_tlsg(e, &at))
		return "it is stripped and has thread-local storage of others, too";
	size = ROUND_UP(tls->p_memsz, tls->p_align ? tls->p_align : 1);
	ret->tls = (int64_t)at - (int64_t)size;
	return NULL;
}

static void look(struct ufile *f, const struct elf *e)
{
	const Elf64_Shdr *sh = elf_section(e, ".go.buildinfo");
	uint8_t info[GO_INFO_BYTES];
	struct go_proc places = { 0 };
	struct gofile *g;
	uint64_t at;
	size_t n;
	int r;

	if (!sh || f->go)
		return;
	n = sh->sh_size < sizeof(info) ? sh->sh_size : sizeof(info);
	g = f->go = calloc(1, sizeof(*g));
	if (!g)
		return;
	r = elf_read(&e->src, sh->sh_offset, info, n);
	r = r < 0 ? r : go_version_read(info, n, g->version, &at);
	if (r == 0 && at)
		read_string(e, at, g->version);
	g->unknown = find_tls(e, &places);
	if (!g->unknown && !go_places(go_version_minor(g->version), &places) && !places_of_debug(e, &places))
		g->unknown = "the places of 1.13 to 1.26 are known, and it has no debug information";
	if (!g->unknown)
		g->places = places;
}

static bool has(struct ufile *f)
{
	return f->go;
}

static int attach(const struct ufile *file, uint64_t bias, const struct rt_mem *m, void **state,
		  struct sym_runtime *ret)
{
	const struct gofile *g = file->go;

	(void)bias;
	(void)m;
	(void)state;
	ret->walk.go = g->places;
	if (g->unknown)
		snprintf(ret->unknown, sizeof(ret->unknown), "%s of %s: %s", g->version[0] ? g->version : "Go",
			 file->module, g->unknown);
	return 0;
}

static bool named(const void *state, uint64_t frame)
{
	(void)state;
	(void)frame;
	return false;
}

static const char *mark(const void *state, uint64_t frame, char *buf, size_t size)
{
	(void)state;
	(void)frame;
	(void)buf;
	(void)size;
	return "[a frame of another runtime]";
}

const struct runtime_kind runtime_go = {
	.module = "go",
	.function = "Go function",
	.look = look,
	.has = has,
	.attach = attach,
	.free = free,
	.named = named,
	.mark = mark,
};
