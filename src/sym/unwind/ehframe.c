/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .eh_frame. Finds it by its section, or by the program header that points to its index (vdso, files without
 * section headers), and splits it into CIEs and FDEs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "sym/unwind/eh_int.h"
#include "sym/elf/elfsym.h"

/* Encodings of addresses. Source: LSB core, DW_EH_PE_*. */
enum {
	PE_ABSPTR = 0,
	PE_ULEB = 1,
	PE_UDATA2 = 2,
	PE_UDATA4 = 3,
	PE_UDATA8 = 4,
	PE_SLEB = 9,
	PE_SDATA2 = 10,
	PE_SDATA4 = 11,
	PE_SDATA8 = 12,
	PE_FORMAT = 15,
	PE_PCREL = 0x10,
	PE_APPLY = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};
#define EXTENDED_LENGTH 0xffffffffu
#define EM_RA_SIGN 'B' /* augmentation of arm64: signed return addresses */

static const struct eharch archs[] = {
	{ .machine = EM_X86_64,
	  .sp = 7,
	  .fp = 6,
	  .third = 3,
	  .ra = 16,
	  .ra_on_stack = true,
	  .ra_reg = 5,
	  .sig_cfa = 160 },
	{ .machine = EM_AARCH64,
	  .sp = 31,
	  .fp = 29,
	  .third = 30,
	  .ra = 30,
	  .link = true,
	  .sig_uc = 128 /* after siginfo: arch/arm64/kernel/signal.c, struct rt_sigframe */ },
};

uint64_t eh_fixed(struct ehbuf *b, unsigned size)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->p) < size) {
		b->bad = true;
		b->p = b->end;
		return 0;
	}
	memcpy(&v, b->p, size); /* elf_open() takes files of this machine's byte order only */
	b->p += size;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v >>= 64 - 8 * size;
#endif
	return v;
}

/* Bits over 64 are dropped; returns how many bits were given. */
static unsigned read_leb(struct ehbuf *b, uint64_t *ret)
{
	unsigned shift = 0;
	uint64_t v = 0;
	uint8_t c;

	do {
		c = (uint8_t)eh_fixed(b, 1);
		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	} while (c & 0x80);
	if (shift < 64 && (c & 0x40))
		*ret = v | (UINT64_MAX << shift);
	else
		*ret = v;
	return shift;
}

uint64_t eh_uleb(struct ehbuf *b)
{
	uint64_t v;
	unsigned bits = read_leb(b, &v);

	return bits < 64 ? v & ((1ull << bits) - 1) : v;
}

int64_t eh_sleb(struct ehbuf *b)
{
	uint64_t v;

	read_leb(b, &v);
	return (int64_t)v;
}

void eh_skip(struct ehbuf *b, uint64_t n)
{
	if (n > (uint64_t)(b->end - b->p)) {
		b->bad = true;
		b->p = b->end;
		return;
	}
	b->p += n;
}

/* A value in one of the formats; at: its link address, for relative ones. */
static uint64_t read_encoded(struct ehbuf *b, uint8_t enc, uint64_t at)
{
	uint64_t v;

	switch (enc & PE_FORMAT) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8: v = eh_fixed(b, 8); break;
	case PE_ULEB: v = eh_uleb(b); break;
	case PE_SLEB: v = (uint64_t)eh_sleb(b); break;
	case PE_UDATA2: v = eh_fixed(b, 2); break;
	case PE_UDATA4: v = eh_fixed(b, 4); break;
	case PE_SDATA2: v = (uint64_t)(int16_t)eh_fixed(b, 2); break;
	case PE_SDATA4: v = (uint64_t)(int32_t)eh_fixed(b, 4); break;
	default: b->bad = true; return 0;
	}
	if ((enc & PE_APPLY) == PE_PCREL)
		v += at;
	else if (enc & PE_APPLY)
		b->bad = true;
	return v;
}

/* "zPLR…": only R (encoding of addresses) and S (signal frame) matter. */
static void read_augmentation(struct ehcie *c, const char *aug, struct ehbuf *b)
{
	uint64_t len = eh_uleb(b);
	struct ehbuf d = { b->p, b->end, false };

	eh_skip(b, len);
	d.end = b->p;
	c->has_aug = true;
	for (; *aug && !d.bad; aug++) {
		switch (*aug) {
		case 'R': c->enc = (uint8_t)eh_fixed(&d, 1); break;
		case 'P': { /* personality routine; only its length matters */
			uint8_t enc = (uint8_t)eh_fixed(&d, 1);

			if (enc != PE_OMIT)
				read_encoded(&d, enc & PE_FORMAT, 0);
			break;
		}
		case 'L': eh_fixed(&d, 1); break;
		case 'S': c->signal = true; break;
		case EM_RA_SIGN: break;
		default: d.bad = true;
		}
	}
	b->bad |= d.bad;
}

static void read_cie(struct ehsec *s, struct ehcie *c, struct ehbuf b)
{
	uint8_t version = (uint8_t)eh_fixed(&b, 1);
	const char *aug = (const char *)b.p;
	uint64_t ra;

	while (eh_fixed(&b, 1))
		;
	if (b.bad || (version != 1 && version != 3) || (*aug && *aug != 'z'))
		return;
	c->code_align = eh_uleb(&b);
	c->data_align = eh_sleb(&b);
	ra = version == 1 ? eh_fixed(&b, 1) : eh_uleb(&b);
	if (*aug == 'z')
		read_augmentation(c, aug + 1, &b);
	if (b.bad || ra != s->arch->ra || (c->enc & PE_INDIRECT))
		return;
	c->init = (struct ehstate){ .cfa = EHC_OTHER };
	ehcfa_run(s, NULL, b, 0, 1, &c->init, NULL, c);
	c->usable = true;
}

static int add_cie(struct ehsec *s, struct ehbuf b, uint64_t off)
{
	struct ehcie c = { .off = off };

	read_cie(s, &c, b);
	return s->cies.n < EH_MAX_CIES ? vec_try_push(&s->cies, c) : -EFBIG;
}

static bool find_cie(const struct ehsec *s, uint64_t off, uint32_t *ret)
{
	size_t lo = 0, hi = s->cies.n;

	/* Nearly always the last one. */
	if (hi && s->cies.v[hi - 1].off == off)
		lo = hi - 1;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->cies.v[mid].off == off) {
			*ret = (uint32_t)mid;
			return true;
		}
		if (s->cies.v[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* b: after the CIE pointer. A record that makes no sense is left out: the others may still be right. */
static int add_fde(struct ehsec *s, struct ehbuf b, uint64_t cie_off)
{
	const struct ehcie *c;
	struct ehfde f;

	if (!find_cie(s, cie_off, &f.cie))
		return 0;
	c = &s->cies.v[f.cie];
	if (!c->usable)
		return 0;
	f.pc = read_encoded(&b, c->enc, s->addr + (uint64_t)(b.p - s->data));
	f.len = read_encoded(&b, c->enc & PE_FORMAT, 0);
	if (c->has_aug)
		eh_skip(&b, eh_uleb(&b));
	if (b.bad || f.len == 0 || f.pc + f.len < f.pc || (uint64_t)(b.end - b.p) > UINT32_MAX)
		return 0;
	f.insns = b.p;
	f.ninsns = (uint32_t)(b.end - b.p);
	return s->fdes.n < EH_MAX_FDES ? vec_try_push(&s->fdes, f) : -EFBIG;
}

/* Takes the section apart: records of a length and an id each, 0 for a CIE, else the way back to it. */
static int split(struct ehsec *s)
{
	struct ehbuf b = { s->data, s->data + s->size, false };
	int r = 0;

	while (r == 0 && (size_t)(b.end - b.p) >= 4) {
		uint64_t off = (uint64_t)(b.p - s->data), len = eh_fixed(&b, 4), id, id_at;
		struct ehbuf rec;

		if (len == EXTENDED_LENGTH)
			len = eh_fixed(&b, 8);
		if (len == 0 && s->by_header)
			break; /* the end; what follows is something else */
		if (len == 0)
			continue; /* linkers put several of them into one section */
		if (len < 4 || b.bad || len > (uint64_t)(b.end - b.p))
			break;
		rec = (struct ehbuf){ b.p, b.p + len, false };
		id_at = (uint64_t)(b.p - s->data);
		id = eh_fixed(&rec, 4); /* 4 bytes with a long length, too, unlike .debug_frame */
		b.p += len;
		if (id == 0)
			r = add_cie(s, rec, off);
		else if (id <= id_at)
			r = add_fde(s, rec, id_at - id);
	}
	return r;
}

/* The link address of .eh_frame from the header of its index, and how many bytes there are at most. */
static int find_by_header(const struct elf *e, uint64_t *addr, uint64_t *off, uint64_t *size)
{
	for (unsigned i = 0; i < e->nph; i++) {
		const Elf64_Phdr *p = &e->ph[i];
		uint8_t h[16] = { 0 };
		struct ehbuf b = { h + 4, h + sizeof(h), false };

		if (p->p_type != PT_GNU_EH_FRAME || p->p_filesz < sizeof(h) / 2 ||
		    elf_read(&e->src, p->p_offset, h, p->p_filesz < sizeof(h) ? 8 : sizeof(h)) < 0)
			continue;
		*addr = read_encoded(&b, h[1], p->p_vaddr + 4);
		if (h[0] != 1 || b.bad)
			continue;
		for (unsigned k = 0; k < e->nph; k++) {
			const Elf64_Phdr *l = &e->ph[k];

			if (l->p_type != PT_LOAD || *addr < l->p_vaddr || *addr - l->p_vaddr >= l->p_filesz)
				continue;
			*off = l->p_offset + (*addr - l->p_vaddr);
			*size = l->p_filesz - (*addr - l->p_vaddr);
			return 0;
		}
	}
	return -ENOENT;
}

static int read_section(const struct elf *e, struct ehsec *s)
{
	const Elf64_Shdr *sh = elf_section(e, ".eh_frame");
	uint64_t off, size;
	char *data;
	int r;

	if (sh) {
		r = elf_section_read(e, sh, EH_MAX_SECTION, &data, &s->size);
		if (r == 0) {
			s->data = (uint8_t *)data;
			s->addr = sh->sh_addr;
		}
		if (r != -ENOENT)
			return r;
	}
	r = find_by_header(e, &s->addr, &off, &size);
	if (r < 0)
		return r;
	if (size > EH_MAX_SECTION)
		return -EFBIG;
	if (off > e->src.size || size > e->src.size - off)
		return -ENODATA;
	s->data = malloc(size + 1);
	if (!s->data)
		return -ENOMEM;
	s->size = size;
	s->by_header = true;
	return elf_read(&e->src, off, s->data, size);
}

/* The code that signal handlers return to on arm64. Kernels since 5.8 do not describe it, because unwinders are to know
 * it, and their vdso describes nothing else. Handlers return to its first instruction, so the one before it belongs to
 * it. Source: Linux, arch/arm64/kernel/vdso/sigreturn.S. */
#define SIGRETURN_BEFORE 4
#define SIGRETURN_LEN 12

static int add_sigreturn(struct ehsec *s, const struct elf *e)
{
	static const char name[] = "__kernel_rt_sigreturn";
	const struct ehcie cie = { .signal = true, .usable = true };
	struct ehfde f = { .len = SIGRETURN_LEN, .cie = (uint32_t)s->cies.n };

	if (!s->arch->sig_uc || elfsym_find(e, name, strlen(name), true, &f.pc) < 0 || f.pc < SIGRETURN_BEFORE)
		return -ENOENT;
	f.pc -= SIGRETURN_BEFORE;
	if (vec_try_push(&s->cies, cie) < 0 || vec_try_push(&s->fdes, f) < 0)
		return -ENOMEM;
	return 0;
}

int ehsec_load(const struct elf *e, struct ehsec *ret)
{
	int r;

	*ret = (struct ehsec){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(archs) && e->is64; i++)
		if (archs[i].machine == e->machine)
			ret->arch = &archs[i];
	if (!ret->arch)
		return -EOPNOTSUPP;
	r = read_section(e, ret);
	if (r == 0)
		r = split(ret);
	if (r == 0 || r == -ENOENT) {
		int found = add_sigreturn(ret, e);

		r = found == -ENOENT ? r : found;
	}
	if (r < 0)
		ehsec_done(ret);
	return r;
}

void ehsec_done(struct ehsec *s)
{
	free(s->data);
	s->data = NULL;
	vec_free(&s->cies);
	vec_free(&s->fdes);
}
