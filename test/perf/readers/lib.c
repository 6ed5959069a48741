/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a file as libelf, libdw (with libdwfl) and libbpf give them: see facts.h. */
#include <bpf/btf.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <unistd.h>
#include "facts.h"

#define ARRAY_SIZE(v) (sizeof(v) / sizeof((v)[0]))
#define RETURN_ADDRESS 16 /* DWARF's number on x86-64 */

struct file {
	Dwfl *dwfl;
	Dwfl_Module *mod;
};

static int open_file(const char *path, struct file *f)
{
	static char *debug_path; /* NULL: the library's own, which has /usr/lib/debug */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &debug_path,
	};

	f->dwfl = dwfl_begin(&callbacks);
	f->mod = f->dwfl ? dwfl_report_offline(f->dwfl, "", path, -1) : NULL;
	if (f->dwfl)
		dwfl_report_end(f->dwfl, NULL, NULL);
	if (f->mod) {
		facts_cut(path);
		return 0;
	}
	dwfl_end(f->dwfl);
	return -1;
}

static int text_of(struct file *f, GElf_Shdr *ret)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(f->mod, &bias);
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) < 0)
		return -1;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (gelf_getshdr(scn, ret) && (name = elf_strptr(elf, names, ret->sh_name)) && !strcmp(name, ".text"))
			return 0;
	}
	return -1;
}

static int symbols(FILE *out, const char *path)
{
	struct file f;
	int n;

	if (open_file(path, &f) < 0)
		return -1;
	n = dwfl_module_getsymtab(f.mod);
	for (int i = 1; i < n; i++) {
		GElf_Addr addr;
		GElf_Sym s;
		const char *name = dwfl_module_getsym_info(f.mod, i, &s, &addr, NULL, NULL, NULL);

		if (name && name[0] && s.st_shndx != SHN_UNDEF && GELF_ST_TYPE(s.st_info) == STT_FUNC && s.st_size)
			fprintf(out, "%" PRIx64 " %" PRIu64 " %s\n", s.st_value, s.st_size, name);
	}
	dwfl_end(f.dwfl);
	return 0;
}

/* -- lines -- */

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute mem, *a = dwarf_attr_integrate(die, DW_AT_linkage_name, &mem);

	if (!a)
		a = dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &mem);
	return a ? dwarf_formstring(a) : dwarf_diename(die);
}

/* The innermost function at an address, and how many are inlined there, itself included. */
static unsigned scopes_at(Dwarf_Die *cu, Dwarf_Addr at, const char **ret)
{
	Dwarf_Die *v = NULL, *w = NULL;
	int n = dwarf_getscopes(cu, at, &v), k = -1;
	unsigned frames = 0;

	for (int i = 0; i < n && k < 0; i++) {
		int tag = dwarf_tag(&v[i]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
			*ret = function_name(&v[i]);
			k = dwarf_getscopes_die(&v[i], &w);
			break;
		}
	}
	for (int i = 0; i < k; i++) {
		int tag = dwarf_tag(&w[i]);

		frames += tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
		if (tag == DW_TAG_subprogram)
			break;
	}
	free(v);
	free(w);
	return frames;
}

/* dwfl_module_addrdie() and dwfl_module_getsrc() know only what .debug_aranges has, which clang does not write: then
 * all units are asked, as a user of the library has to. */
static Dwarf_Die *unit_at(struct file *f, Dwarf_Addr at, Dwarf_Addr *ret_bias, Dwarf_Die *mem)
{
	Dwarf_Die *cu = dwfl_module_addrdie(f->mod, at, ret_bias);
	Dwarf *dw = cu ? NULL : dwfl_module_getdwarf(f->mod, ret_bias);
	Dwarf_CU *next = NULL;

	while (dw && dwarf_get_units(dw, next, &next, NULL, NULL, mem, NULL) == 0)
		if (dwarf_haspc(mem, at - *ret_bias) > 0)
			return mem;
	return cu;
}

static int lines(FILE *out, const char *path)
{
	Dwarf_Addr bias, elf_bias;
	GElf_Shdr text;
	struct file f;

	if (open_file(path, &f) < 0)
		return -1;
	if (text_of(&f, &text) < 0 || !dwfl_module_getdwarf(f.mod, &bias)) {
		dwfl_end(f.dwfl);
		return -1;
	}
	dwfl_module_getelf(f.mod, &elf_bias);
	for (unsigned i = 0; i < FACTS_ADDRESSES; i++) {
		uint64_t at = facts_address(text.sh_addr, text.sh_size, i);
		Dwarf_Die mem, *cu = unit_at(&f, at + elf_bias, &bias, &mem), split;
		Dwarf_Line *l = cu ? dwarf_getsrc_die(cu, at + elf_bias - bias) : NULL;
		const char *name = NULL, *src = NULL;
		unsigned frames = 0;
		int line = 0;

		if (cu && dwarf_cu_info(cu->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 &&
		    dwarf_tag(&split) > 0)
			cu = &split;
		if (cu)
			frames = scopes_at(cu, at + elf_bias - bias, &name);
		if (l && dwarf_lineno(l, &line) == 0)
			src = dwarf_linesrc(l, NULL, NULL);
		if (frames || src)
			fprintf(out, "%" PRIx64 " %u %s %s:%d\n", at, frames, name ? name : "?", facts_base(src), line);
	}
	dwfl_end(f.dwfl);
	return 0;
}

/* -- types -- */

static void print_function(FILE *out, Dwarf_Die *die, Dwarf_Addr low)
{
	uint64_t sizes[FACTS_PARAMS];
	unsigned n = 0;
	Dwarf_Die c;

	for (int more = dwarf_child(die, &c); more == 0 && n < FACTS_PARAMS; more = dwarf_siblingof(&c, &c)) {
		Dwarf_Attribute mem;
		Dwarf_Die type;
		Dwarf_Word size = 0;

		if (dwarf_tag(&c) != DW_TAG_formal_parameter)
			continue;
		if (dwarf_formref_die(dwarf_attr_integrate(&c, DW_AT_type, &mem), &type) &&
		    dwarf_peel_type(&type, &type) == 0 && dwarf_aggregate_size(&type, &size) < 0)
			size = 0;
		sizes[n++] = size;
	}
	fprintf(out, "%" PRIx64 " %u", low, n);
	for (unsigned i = 0; i < n; i++)
		fprintf(out, " %" PRIu64, sizes[i]);
	fprintf(out, "\n");
}

/* Not deeper than dwell goes, or this program's own stack would end. */
static void walk(FILE *out, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Attribute mem;
	Dwarf_Addr low;
	Dwarf_Die c;

	if (dwarf_tag(die) == DW_TAG_subprogram && dwarf_formaddr(dwarf_attr(die, DW_AT_low_pc, &mem), &low) == 0 &&
	    low)
		print_function(out, die, low);
	for (int more = dwarf_child(die, &c); more == 0 && depth < FACTS_DEPTH; more = dwarf_siblingof(&c, &c))
		walk(out, &c, depth + 1);
}

static int types(FILE *out, const char *path)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	Dwarf_Addr bias;
	Dwarf *dw;
	struct file f;
	uint8_t kind;

	if (open_file(path, &f) < 0)
		return -1;
	dw = dwfl_module_getdwarf(f.mod, &bias);
	while (dw && dwarf_get_units(dw, cu, &cu, NULL, &kind, &die, &split) == 0) {
		if (kind == DW_UT_skeleton) {
			if (dwarf_tag(&split) > 0)
				walk(out, &split, 0);
		} else {
			walk(out, &die, 0);
		}
	}
	dwfl_end(f.dwfl);
	return dw ? 0 : -1;
}

/* -- unwinding -- */

static void print_rule(FILE *out, Dwarf_Frame *frame)
{
	static const char *const names[] = { [3] = "bx", [6] = "bp", [7] = "sp" };
	Dwarf_Op mem[3], *ops;
	bool is_signal;
	size_t n;

	dwarf_frame_info(frame, NULL, NULL, &is_signal);
	if (is_signal)
		fprintf(out, "signal\n");
	else if (dwarf_frame_register(frame, RETURN_ADDRESS, mem, &ops, &n) == 0 && n == 0 && ops == mem)
		fprintf(out, "end\n");
	else if (dwarf_frame_cfa(frame, &ops, &n) < 0)
		fprintf(out, "none\n");
	else if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < ARRAY_SIZE(names) && names[ops[0].number])
		fprintf(out, "%s%+d\n", names[ops[0].number], (int)ops[0].number2);
	else
		fprintf(out, "expression\n");
}

static int cfi(FILE *out, const char *path)
{
	GElf_Shdr text;
	struct file f;
	Dwarf_CFI *c;
	GElf_Addr bias;

	if (open_file(path, &f) < 0)
		return -1;
	c = text_of(&f, &text) == 0 ? dwfl_module_eh_cfi(f.mod, &bias) : NULL;
	for (unsigned i = 0; c && i < FACTS_ADDRESSES; i++) {
		uint64_t at = facts_address(text.sh_addr, text.sh_size, i);
		Dwarf_Frame *frame;

		fprintf(out, "%" PRIx64 " ", at);
		if (dwarf_cfi_addrframe(c, at, &frame) == 0) {
			print_rule(out, frame);
			free(frame);
		} else {
			fprintf(out, "none\n");
		}
	}
	dwfl_end(f.dwfl);
	return c ? 0 : -1;
}

static int btf(FILE *out, const char *path)
{
	struct btf *b = btf__load_vmlinux_btf();
	uint32_t n = b ? btf__type_cnt(b) : 0;

	(void)path;
	for (uint32_t id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(b, id);
		const char *name = btf__name_by_offset(b, t->name_off);

		if (!btf_is_composite(t) || !name[0])
			continue;
		fprintf(out, "%s %u", name, t->size);
		for (uint32_t i = 0; i < btf_vlen(t); i++)
			fprintf(out, " %s@%u", btf__name_by_offset(b, btf_members(t)[i].name_off),
				btf_member_bit_offset(t, i));
		fprintf(out, "\n");
	}
	fprintf(out, "types %u\n", n);
	btf__free(b);
	return n ? 0 : -1;
}

int main(int argc, char **argv)
{
	static const struct fact v[] = {
		{ "symbols", symbols }, { "lines", lines }, { "types", types }, { "cfi", cfi }, { "btf", btf },
	};

	return facts_main(argc, argv, v, ARRAY_SIZE(v));
}
