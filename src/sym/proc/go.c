/* SPDX-License-Identifier: Apache-2.0 */
/* Finds programs of Go by a section that their linker writes, also when they are stripped. Tells where the goroutine
 * of a thread is: by the version, or by the debug information if the version is not known. */
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "runtime/go/go.h"
#include "sym/dwarf/dwarf.h"
#include "sym/proc/runtime.h"
#include "sym/proc/ufile.h"

/* Facts about Go in a file. */
struct gofile {
	char version[GO_MAX_VERSION];
	struct go_proc places; /* curg 0: not known */
	const char *unknown;   /* why not */
};

/* -- places by debug information -- */

struct btf_text {
	const struct dwarf_types *t;
	struct btf_header h;
};

static const char *btf_name(const struct btf_text *b, uint32_t off)
{
	return off < b->h.str_len ? (const char *)b->t->btf + b->h.hdr_len + b->h.str_off + off : "";
}

/* Bytes after struct btf_type of a record. */
static size_t record_tail(const struct btf_type *t)
{
	const size_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG: return sizeof(uint32_t);
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64: return n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO: return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC: return n * sizeof(struct btf_var_secinfo);
	default: return 0;
	}
}

/* The member of this name in a struct: bytes from its beginning, or -1. */
static int64_t member_at(const struct btf_text *b, const struct btf_type *t, const char *name)
{
	const struct btf_member *m = (const struct btf_member *)(const void *)(t + 1);

	for (unsigned i = 0; i < BTF_INFO_VLEN(t->info); i++)
		if (!strcmp(btf_name(b, m[i].name_off), name))
			return (BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset) / 8;
	return -1;
}

static void take_struct(const struct btf_text *b, const struct btf_type *t, int64_t *m, int64_t *curg, int64_t *goid)
{
	if (BTF_INFO_KIND(t->info) != BTF_KIND_STRUCT || !BTF_INFO_VLEN(t->info))
		return;
	if (!strcmp(btf_name(b, t->name_off), "runtime.g")) {
		*m = member_at(b, t, "m");
		*goid = member_at(b, t, "goid");
	} else if (!strcmp(btf_name(b, t->name_off), "runtime.m")) {
		*curg = member_at(b, t, "curg");
	}
}

static bool places_of_types(const struct dwarf_types *d, struct go_proc *ret)
{
	struct btf_text b = { .t = d };
	int64_t m = -1, curg = -1, goid = -1;
	size_t at, end;

	if (d->len < sizeof(b.h))
		return false;
	memcpy(&b.h, d->btf, sizeof(b.h));
	at = (size_t)b.h.hdr_len + b.h.type_off;
	end = at + b.h.type_len;
	if (end > d->len || (uint64_t)b.h.hdr_len + b.h.str_off + b.h.str_len > d->len)
		return false;
	while (at + sizeof(struct btf_type) <= end) {
		const struct btf_type *t = (const struct btf_type *)(const void *)(d->btf + at);

		at += sizeof(*t) + record_tail(t);
		if (at > end)
			return false;
		take_struct(&b, t, &m, &curg, &goid);
	}
	if (m < 0 || curg <= 0 || goid < 0)
		return false;
	ret->m = (uint64_t)m;
	ret->curg = (uint64_t)curg;
	ret->goid = (uint64_t)goid;
	return true;
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
	if (r == 1)
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
