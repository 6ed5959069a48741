/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes BPF instructions, see asm.h. */
#include "cg/bpf/asm.h"
#include <errno.h>
#include <string.h>

struct fixup {
	uint32_t at;	 /* instruction that jumps or names a function */
	uint32_t target; /* label or function */
	uint32_t next;	 /* jumps: index + 1 of another one to this label; 0: none */
};

struct fixups {
	struct fixup *v;
	uint32_t n, cap;
};

struct basm {
	struct arena *arena;
	struct bpf_insn *insns;
	uint32_t n, cap;
	uint32_t *fn; /* start by function, + 1; 0: unknown */
	uint32_t nfns;
	uint32_t *label; /* place by label, + 1 */
	uint32_t *heads; /* by label: index + 1 of a jump that waits for it */
	uint32_t nlabels;
	struct fixups jumps; /* forward jumps of this function, ascending; from `done` on they wait */
	uint32_t done;
	uint32_t waiting;   /* jumps that wait */
	struct fixups refs; /* of functions */
	bool in_island;
	uint32_t label_at; /* place of the last label, + 1 */
	int err;
	const char *reason;
};

#define PATCHED UINT32_MAX /* fixup.target of a jump that needs nothing more */

static void fail(struct basm *b, int err, const char *reason)
{
	if (!b->err) {
		b->err = err;
		b->reason = reason;
	}
}

static void *grow(struct arena *a, void *v, uint32_t n, uint32_t *cap, size_t size)
{
	void *w;

	if (n < *cap)
		return v;
	*cap = *cap ? *cap * 2 : 64;
	w = arena_calloc(a, *cap, size);
	if (n)
		memcpy(w, v, n * size);
	return w;
}

static void add_fixup(struct basm *b, struct fixups *f, uint32_t target)
{
	f->v = grow(b->arena, f->v, f->n, &f->cap, sizeof(*f->v));
	f->v[f->n++] = (struct fixup){ b->n, target, 0 };
}

static void add_jump(struct basm *b, uint32_t label)
{
	add_fixup(b, &b->jumps, label);
	b->jumps.v[b->jumps.n - 1].next = b->heads[label];
	b->heads[label] = b->jumps.n;
	b->waiting++;
}

struct basm *asm_new(struct arena *a, uint32_t nfns)
{
	struct basm *b = arena_new_obj(a, struct basm);

	b->arena = a;
	b->nfns = nfns;
	b->fn = arena_calloc(a, nfns + 1, sizeof(*b->fn));
	return b;
}

static void check_labels(struct basm *b)
{
	if (b->waiting)
		fail(b, -EINVAL, "jump to a label that is not placed");
}

uint32_t asm_begin(struct basm *b, uint32_t fn, uint32_t nlabels)
{
	check_labels(b);
	if (fn >= b->nfns || b->fn[fn])
		fail(b, -EINVAL, "function begun twice");
	else
		b->fn[fn] = b->n + 1;
	b->label = arena_calloc(b->arena, nlabels + 1, sizeof(*b->label));
	b->heads = arena_calloc(b->arena, nlabels + 1, sizeof(*b->heads));
	b->nlabels = nlabels;
	b->jumps.n = b->done = b->waiting = 0;
	return b->n;
}

static void raw_insn(struct basm *b, struct bpf_insn i)
{
	b->insns = grow(b->arena, b->insns, b->n, &b->cap, sizeof(*b->insns));
	b->insns[b->n++] = i;
}

static void set_off(struct basm *b, uint32_t at, uint32_t to)
{
	int64_t off = (int64_t)to - at - 1;

	if (off != (int16_t)off)
		fail(b, -E2BIG, "jump over more than 32767 instructions");
	b->insns[at].off = (int16_t)off;
}

/* Jumps that wait for one label since before `old` go to an island made here: ja label. */
static void put_islands(struct basm *b, uint32_t old)
{
	uint32_t *island = arena_calloc(b->arena, b->nlabels + 1, sizeof(*island));
	uint32_t k, end = b->jumps.n;

	for (k = b->done; k < end && b->jumps.v[k].at < old; k++) {
		struct fixup x = b->jumps.v[k];

		if (x.target == PATCHED)
			continue;
		if (!island[x.target]) {
			island[x.target] = b->n + 1;
			add_jump(b, x.target);
			raw_insn(b, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
		}
		set_off(b, x.at, island[x.target] - 1);
		b->jumps.v[k].target = PATCHED;
		b->waiting--;
	}
}

/* The oldest jump that waits, or the next instruction. */
static uint32_t oldest(struct basm *b)
{
	while (b->done < b->jumps.n && b->jumps.v[b->done].target == PATCHED)
		b->done++;
	return b->done < b->jumps.n ? b->jumps.v[b->done].at : b->n;
}

/* Before an instruction is put: makes islands when it is time. */
static void maybe_islands(struct basm *b)
{
	bool gap;
	uint32_t age;

	if (b->in_island || !b->waiting || !b->n)
		return;
	age = b->n - oldest(b);
	if (age < ASM_ISLAND_GAP)
		return;
	gap = b->label_at != b->n + 1 &&
	      (b->insns[b->n - 1].code == (BPF_JMP | BPF_JA) || b->insns[b->n - 1].code == (BPF_JMP | BPF_EXIT));
	if (!gap && age < ASM_ISLAND_AT)
		return;
	b->in_island = true;
	if (gap) {
		put_islands(b, b->n - ASM_ISLAND_GAP / 2);
	} else {
		uint32_t over = b->n;

		raw_insn(b, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
		put_islands(b, b->n - ASM_ISLAND_GAP / 2);
		set_off(b, over, b->n);
	}
	b->in_island = false;
}

void asm_label(struct basm *b, uint32_t label)
{
	uint32_t k;

	maybe_islands(b);
	if (label >= b->nlabels || b->label[label]) {
		fail(b, -EINVAL, "label placed twice");
		return;
	}
	b->label[label] = b->label_at = b->n + 1;
	for (k = b->heads[label]; k; k = b->jumps.v[k - 1].next) {
		if (b->jumps.v[k - 1].target == PATCHED)
			continue;
		set_off(b, b->jumps.v[k - 1].at, b->n);
		b->jumps.v[k - 1].target = PATCHED;
		b->waiting--;
	}
}

void asm_insn(struct basm *b, uint8_t code, int dst, int src, int32_t off, int32_t imm)
{
	maybe_islands(b);
	if (off != (int16_t)off)
		fail(b, -EINVAL, "offset does not fit into 16 bits");
	raw_insn(b, (struct bpf_insn){ .code = code,
				       .dst_reg = (uint8_t)dst & 15,
				       .src_reg = (uint8_t)src & 15,
				       .off = (int16_t)off,
				       .imm = imm });
}

void asm_imm(struct basm *b, int dst, int64_t imm)
{
	if (imm == (int32_t)imm)
		asm_insn(b, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)imm);
	else if (imm == (uint32_t)imm)
		asm_insn(b, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)imm);
	else
		asm_ld64(b, dst, 0, (uint32_t)imm, (uint32_t)((uint64_t)imm >> 32));
}

void asm_ld64(struct basm *b, int dst, int pseudo, uint32_t lo, uint32_t hi)
{
	asm_insn(b, BPF_LD | BPF_IMM | BPF_DW, dst, pseudo, 0, (int32_t)lo);
	raw_insn(b, (struct bpf_insn){ .imm = (int32_t)hi });
}

static void add_ref(struct basm *b, uint32_t fn)
{
	if (fn >= b->nfns)
		fail(b, -EINVAL, "no such function");
	else
		add_fixup(b, &b->refs, fn);
}

void asm_fnaddr(struct basm *b, int dst, uint32_t fn)
{
	maybe_islands(b);
	add_ref(b, fn);
	asm_ld64(b, dst, BPF_PSEUDO_FUNC, 0, 0);
}

void asm_call_fn(struct basm *b, uint32_t fn)
{
	maybe_islands(b);
	add_ref(b, fn);
	asm_insn(b, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
}

void asm_jcc(struct basm *b, uint8_t code, int dst, int src, int32_t imm, uint32_t label)
{
	maybe_islands(b);
	if (label >= b->nlabels) {
		fail(b, -EINVAL, "no such label");
		return;
	}
	if (!b->label[label])
		add_jump(b, label);
	raw_insn(b, (struct bpf_insn){
			    .code = code, .dst_reg = (uint8_t)dst & 15, .src_reg = (uint8_t)src & 15, .imm = imm });
	if (b->label[label])
		set_off(b, b->n - 1, b->label[label] - 1);
}

void asm_jump(struct basm *b, uint32_t label)
{
	asm_jcc(b, BPF_JMP | BPF_JA, 0, 0, 0, label);
}

uint32_t asm_pos(const struct basm *b)
{
	return b->n;
}

int asm_finish(struct basm *b, struct bpf_insn **ret, uint32_t *ret_n, const char **reason)
{
	uint32_t k;

	check_labels(b);
	for (k = 0; k < b->refs.n && !b->err; k++) {
		struct fixup x = b->refs.v[k];

		if (!b->fn[x.target])
			fail(b, -EINVAL, "call of a function that was not begun");
		else
			b->insns[x.at].imm = (int32_t)(b->fn[x.target] - 1) - (int32_t)x.at - 1;
	}
	if (b->err) {
		*reason = b->reason;
		return b->err;
	}
	*ret = b->insns;
	*ret_n = b->n;
	return 0;
}
