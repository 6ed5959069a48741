/* SPDX-License-Identifier: Apache-2.0 */
/* Joins entry and return of the same kernel functions into one program of a kprobe session. Two links would patch the
 * kernel's code twice, the second time while the first program already fires. One link patches it once. Source: kernel
 * commits 535a3692ba72 "bpf: Add support for kprobe session attach", adf46d88ae4b "bpf: Add support for kprobe session
 * context" (Linux 6.10). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/load_int.h"

#define IS_RETURN "bpf_session_is_return"
/* A session keeps a frame for each call, entered or not, out of a few per function: with many functions they share. */
#define JOIN_FROM 500
#define HEAD 5		/* instructions that choose */
#define MAX_JUMP 0x7fff /* over the first program */

static bool same_functions(const struct img_prog *in, const struct img_prog *back)
{
	if (in->nprobes != back->nprobes || in->nprobes < JOIN_FROM || in->entry.instance != back->entry.instance ||
	    in->entry.is_return || !back->entry.is_return)
		return false;
	for (uint32_t i = 0; i < in->nprobes; i++)
		if (back->probes[i]->id != (in->probes[i]->id | 1))
			return false;
	return true;
}

static bool is_multi(const struct img_prog *p)
{
	return p->entry.kind == ENTRY_KPROBE && p->entry.kprobe_multi;
}

/* The program of the returns that goes with that of the entries; NULL. */
static const struct img_prog *mate_of(const struct loaded *l, uint32_t i)
{
	const struct img_prog *in = &l->img->progs[i];

	for (uint32_t k = 0; is_multi(in) && k < l->img->nprogs; k++)
		if (is_multi(&l->img->progs[k]) && !l->joined[k] && same_functions(in, &l->img->progs[k]))
			return &l->img->progs[k];
	return NULL;
}

static uint32_t main_size(const struct img_prog *p)
{
	return p->nfuncs > 1 ? p->funcs[1].off : p->ninsns;
}

/* A call or an address of one of the program's functions. */
static bool names_function(const struct bpf_insn *i)
{
	return (i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL) ||
	       (i->code == (BPF_LD | BPF_IMM | BPF_DW) && i->src_reg == BPF_PSEUDO_FUNC);
}

/* The main function of p goes to *at, its other ones to *subs; both move on. */
static void place(const struct img_prog *p, struct img_prog *out, uint32_t *at, uint32_t *subs)
{
	uint32_t n = main_size(p), far = *subs - n - *at;

	memcpy(out->insns + *at, p->insns, n * sizeof(*p->insns));
	memcpy(out->insns + *subs, p->insns + n, (p->ninsns - n) * sizeof(*p->insns));
	for (uint32_t i = *at; i < *at + n; i++)
		if (names_function(&out->insns[i]))
			out->insns[i].imm += (int32_t)far;
	for (uint32_t i = 1; i < p->nfuncs; i++) {
		struct img_func *f = (struct img_func *)&out->funcs[out->nfuncs++];

		*f = p->funcs[i];
		f->off += *subs - n;
	}
	*at += n;
	*subs += p->ninsns - n;
}

/* if (bpf_session_is_return()) back else in */
static void make_head(struct bpf_insn *v, uint32_t is_return, uint32_t over)
{
	const struct bpf_insn head[HEAD] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = (int32_t)is_return },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
		{ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = (int16_t)over },
	};

	memcpy(v, head, sizeof(head));
}

/* ids: of the functions of all programs, or NULL. */
static int load_both(struct loaded *l, const struct img_prog *in, const struct img_prog *back, const uint32_t *in_ids,
		     const uint32_t *back_ids, uint32_t is_return, const struct load_opts *opts)
{
	uint32_t nfuncs = in->nfuncs + back->nfuncs, at = HEAD, subs = HEAD + main_size(in) + main_size(back);
	_cleanup_free_ struct bpf_insn *insns = calloc(in->ninsns + back->ninsns + HEAD, sizeof(*insns));
	_cleanup_free_ struct img_func *funcs = calloc(nfuncs + 1, sizeof(*funcs));
	_cleanup_free_ uint32_t *ids = calloc(nfuncs + 1, sizeof(*ids));
	struct img_prog p = *in;
	struct err err = { 0 };
	int r;

	if (!insns || !funcs || !ids)
		return -ENOMEM;
	p.insns = insns;
	p.ninsns = in->ninsns + back->ninsns + HEAD;
	p.funcs = funcs;
	p.nfuncs = 1;
	p.entry.kprobe_session = true;
	make_head(insns, is_return, main_size(in));
	place(in, &p, &at, &subs);
	place(back, &p, &at, &subs);
	if (in_ids && nfuncs > 2) {
		memcpy(ids, in_ids, in->nfuncs * sizeof(*ids));
		memcpy(ids + in->nfuncs, back_ids + 1, (back->nfuncs - 1) * sizeof(*ids));
	}
	r = load_one(l, &p, ids, NULL, opts, &err);
	err_done(&err);
	return r;
}

/* The ids of the functions of program i. */
static const uint32_t *ids_of(const struct loaded *l, const uint32_t *ids, uint32_t i)
{
	for (uint32_t k = 0; ids && k < i; k++)
		ids += l->img->progs[k].nfuncs;
	return ids;
}

void load_join(struct loaded *l, uint32_t i, const uint32_t *ids, struct typesrc *ts, const struct load_opts *opts)
{
	const struct img_prog *in = &l->img->progs[i], *back = mate_of(l, i);
	uint32_t k = back ? (uint32_t)(back - l->img->progs) : 0;
	struct tref ref;
	int fd;

	if (!back || main_size(in) > MAX_JUMP || !ts || !typesrc_attaches(ts) ||
	    typesrc_find(ts, "vmlinux", IS_RETURN, TKM(TK_FUNC), &ref) < 0)
		return;
	fd = load_both(l, in, back, ids_of(l, ids, i), ids_of(l, ids, k), ref.id, opts);
	if (fd < 0)
		return;
	l->progs[i] = fd;
	l->joined[i] = l->joined[k] = true;
}
