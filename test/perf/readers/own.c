/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a file as dwell's own readers give them: see facts.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "facts.h"
#include "sym/dwarf/dwarf.h"
#include "sym/dwarf/srcline.h"
#include "sym/elf/debugfile.h"
#include "sym/elf/elfsym.h"
#include "sym/elf/minidebug.h"
#include "sym/unwind/ehtab.h"
#include "types/typesrc.h"

#define MAX_HOPS 64u /* of typedefs and the like */

static int open_elf(const char *path, struct elf *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	struct stat st;

	if (fd < 0)
		return -errno;
	r = fstat(fd, &st) < 0 ? -errno : elf_open(e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size });
	if (r < 0)
		close(fd);
	else
		facts_cut(path);
	return r;
}

static void close_elf(struct elf *e)
{
	close(e->src.fd);
	elf_close(e);
}

/* -- symbols -- */

static int print_symbol(void *out, const Elf64_Sym *s, const char *name, uint64_t room)
{
	(void)room;
	if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_size)
		fprintf(out, "%" PRIx64 " %" PRIu64 " %s\n", (uint64_t)s->st_value, (uint64_t)s->st_size, name);
	return 0;
}

static int symbols(FILE *out, const char *path)
{
	struct minidebug m;
	struct debugfile d;
	struct elf e;
	int r = open_elf(path, &e);

	if (r < 0)
		return r;
	r = elfsym_each(&e, SHT_SYMTAB, print_symbol, out);
	if (r == -ENOENT && debugfile_open(&e, path, DEBUGFILE_DIR, 0, &d) == 0) {
		r = elfsym_each(&d.elf, SHT_SYMTAB, print_symbol, out);
		debugfile_close(&d);
	}
	if (r == -ENOENT) {
		elfsym_each(&e, SHT_DYNSYM, print_symbol, out);
		if (minidebug_open(&e, &m) == 0) {
			elfsym_each(&m.elf, SHT_SYMTAB, print_symbol, out);
			minidebug_close(&m);
		}
		r = 0;
	}
	close_elf(&e);
	return r;
}

/* -- what needs debug information: of the file, or of its debug file -- */

typedef int (*debug_fn)(FILE *out, const struct elf *e, const struct elf *alt, const char *path);

static int with_alt(FILE *out, const struct elf *e, const char *path, debug_fn fn)
{
	struct debugfile alt;
	int r;

	if (debugfile_open_alt(e, path, DEBUGFILE_DIR, 0, &alt) < 0)
		return fn(out, e, NULL, path);
	r = fn(out, e, &alt.elf, path);
	debugfile_close(&alt);
	return r;
}

static int with_debug(FILE *out, const char *path, debug_fn fn)
{
	struct debugfile d;
	struct elf e;
	int r = open_elf(path, &e);

	if (r < 0)
		return r;
	r = with_alt(out, &e, path, fn);
	if (r == -ENODATA && debugfile_open(&e, path, DEBUGFILE_DIR, 0, &d) == 0) {
		r = with_alt(out, &d.elf, d.path, fn);
		debugfile_close(&d);
	}
	close_elf(&e);
	return r;
}

static int print_lines(FILE *out, const struct elf *e, const struct elf *alt, const char *path)
{
	const Elf64_Shdr *text = elf_section(e, ".text");
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct srcline *s;
	int r = text ? srcline_open(e, alt, &(struct debugplace){ path, 0 }, &s) : -ENODATA;

	if (r < 0)
		return r;
	for (unsigned i = 0; i < FACTS_ADDRESSES; i++) {
		uint64_t at = facts_address(text->sh_addr, text->sh_size, i);
		size_t n = srcline_at(s, at, f);

		if (n)
			fprintf(out, "%" PRIx64 " %zu %s %s:%u\n", at, f[0].func ? n : 0, f[0].func ? f[0].func : "?",
				facts_base(f[0].file), f[0].line);
	}
	srcline_free(s);
	return 0;
}

static int lines(FILE *out, const char *path)
{
	return with_debug(out, path, print_lines);
}

static uint64_t size_of(struct typesrc *ts, struct tref ref)
{
	uint64_t times = 1;
	struct tinfo t;

	for (unsigned i = 0; i < MAX_HOPS && typesrc_get(ts, ref, &t) == 0; i++) {
		if (t.kind == TK_PTR)
			return times * 8;
		if (t.kind == TK_ARRAY)
			times *= t.nelems;
		else if (t.kind != TK_TYPEDEF && t.kind != TK_CONST && t.kind != TK_VOLATILE && t.kind != TK_RESTRICT)
			return times * t.size;
		ref = t.target;
	}
	return 0;
}

static int print_types(FILE *out, const struct elf *e, const struct elf *alt, const char *path)
{
	struct dwarf_types t;
	struct typesrc *ts;
	int r = dwarf_read_types(e, alt, &(struct debugplace){ path, 0 }, &t);

	if (r < 0)
		return r;
	r = typesrc_open_mem("file", t.btf, t.len, &ts, NULL);
	for (size_t i = 0; r == 0 && i < t.nfuncs; i++) {
		struct tref proto = { 0, t.funcs[i].proto };
		struct tmember m;
		struct tinfo in;

		typesrc_get(ts, proto, &in);
		fprintf(out, "%" PRIx64 " %u", t.funcs[i].addr, in.nmembers);
		for (uint32_t k = 0; k < in.nmembers && typesrc_member(ts, proto, k, &m) == 0; k++)
			fprintf(out, " %" PRIu64, size_of(ts, m.type));
		fprintf(out, "\n");
	}
	if (r == 0)
		typesrc_free(ts);
	dwarf_types_done(&t);
	return r;
}

static int types(FILE *out, const char *path)
{
	return with_debug(out, path, print_types);
}

/* -- unwinding -- */

static int cfi(FILE *out, const char *path)
{
	const Elf64_Shdr *text;
	struct ehtab t;
	struct elf e;
	int r = open_elf(path, &e);

	if (r < 0)
		return r;
	text = elf_section(&e, ".text");
	r = text ? ehtab_load(&e, &t) : -ENODATA;
	for (unsigned i = 0; r == 0 && i < FACTS_ADDRESSES; i++) {
		uint64_t at = facts_address(text->sh_addr, text->sh_size, i);
		uint32_t rule = ehtab_at(&t, at);
		int off = UW_RULE_OFF(rule) * 8;

		fprintf(out, "%" PRIx64 " ", at);
		switch (UW_RULE_KIND(rule)) {
		case UW_SP: fprintf(out, "sp%+d\n", off); break;
		case UW_BP: fprintf(out, "bp%+d\n", off); break;
		case UW_BX: fprintf(out, "bx%+d\n", off); break;
		case UW_NONE: fprintf(out, "none\n"); break;
		case UW_END: fprintf(out, "end\n"); break;
		case UW_SIGNAL: fprintf(out, "signal\n"); break;
		case UW_LOST: fprintf(out, "lost\n"); break;
		default: fprintf(out, "expression\n"); break;
		}
	}
	if (r == 0)
		ehtab_done(&t);
	close_elf(&e);
	return r;
}

/* -- the kernel's types -- */

static int btf(FILE *out, const char *path)
{
	struct typesrc *ts;
	struct tinfo t;
	uint32_t id = 1;
	int r = typesrc_open_kernel(&ts, NULL);

	(void)path;
	if (r < 0)
		return r;
	for (; typesrc_get(ts, (struct tref){ 0, id }, &t) == 0; id++) {
		struct tref ref = { 0, id };
		struct tmember m;

		if ((t.kind != TK_STRUCT && t.kind != TK_UNION) || !t.name[0])
			continue;
		fprintf(out, "%s %" PRIu64, t.name, t.size);
		for (uint32_t i = 0; i < t.nmembers && typesrc_member(ts, ref, i, &m) == 0; i++)
			fprintf(out, " %s@%u", m.name, m.bit_off);
		fprintf(out, "\n");
	}
	fprintf(out, "types %u\n", id);
	typesrc_free(ts);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct fact v[] = {
		{ "symbols", symbols }, { "lines", lines }, { "types", types }, { "cfi", cfi }, { "btf", btf },
	};

	return facts_main(argc, argv, v, ARRAY_SIZE(v));
}
