/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the stack of a thread of HotSpot: native frames by core_walk(), those in the code cache here, in the way of
 * cg/rt/hotspot.c, which does it in the kernel:
 *
 *     interpreter     its frame holds the Method, the bytecode pointer and the caller's stack pointer
 *     StubRoutines    frame pointer, once it is set up
 *     other code      CFA = sp + the CodeBlob's frame size, except in a prologue or an epilogue
 */
#include <errno.h>
#include <string.h>
#include "core/java/java.h"
#include "runtime/hotspot/int.h"
#include "sym/unwind/unwalk.h"

#define WORD 8u
enum { REG_R13 = 2 }; /* the interpreter's pointer to the bytecode. Source: struct user_regs_struct, sys/user.h */

enum {
	BEFORE = 16, /* bytes of code before a pc that are looked at */
	AROUND = 24,
};

static int read_core(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return core_read(ctx, addr, buf, n);
}

int javaview_open(struct core *c, struct javaview *ret, struct err *err)
{
	static const char *const names[HS_SYMBOLS] = {
#define SYMBOL(name, symbol) [HS_SYMBOL_##name] = symbol,
#include "runtime/hotspot/symbols.def"
#undef SYMBOL
	};
	uint64_t at[HS_SYMBOLS];
	int r;

	*ret = (struct javaview){ .core = c, .mem = { read_core, c } };
	for (unsigned i = 0; i < HS_SYMBOLS; i++)
		if (core_address(c, names[i], &at[i]) < 0)
			at[i] = 0;
	if (!at[HS_SYMBOL_STRUCTS])
		return err_set(err, -ENOENT, "there is no JVM in this process: no file has its gHotSpotVMStructs");
	r = hs_layout_read(&ret->mem, at, &ret->layout);
	if (r == 0)
		r = hs_layout_walk(&ret->layout, &ret->mem, &ret->walk);
	if (r == -EBADMSG)
		return err_set(err, -ENOTSUP, "the frames of this JVM are not known: it does not say %s",
			       ret->layout.missing ? ret->layout.missing : "where its code is");
	if (r < 0)
		return err_set(err, -ENODATA, "the tables of the JVM cannot be read: %s", strerror(-r));
	return 0;
}

int javaview_text(const struct javaview *v, uint64_t word, char *buf, size_t size, enum hs_tier *tier)
{
	struct hs_head h;
	int r = hs_head_read(&v->layout, &v->walk, &v->mem, word, &h);

	if (r < 0)
		return r;
	*tier = hs_frame_tier(&v->layout, &v->mem, &h);
	return hs_frame_text(&v->layout, &v->mem, &h, word, buf, size);
}

/* -- frames of the code cache -- */

struct walking {
	const struct javaview *v;
	const uint64_t *regs;
	javaview_frames *to;
	uint64_t word; /* of the frame that was stepped over last */
};

static bool in_cache(const struct walking *k, uint64_t at)
{
	return at - k->v->walk.low < k->v->walk.len;
}

static bool get(const struct walking *k, uint64_t at, uint64_t *ret)
{
	return core_read(k->v->core, at, ret, WORD) == 0;
}

/* The caller, of a frame that ends at cfa: the return address is below it, and below that the frame pointer, if
 * has_bp. */
static enum unwalk_end go_up(const struct walking *k, struct unwalk *w, uint64_t cfa, bool has_bp)
{
	const uint64_t before = w->sp;
	uint64_t ra;

	if (!get(k, cfa - WORD, &ra) || (has_bp && !get(k, cfa - 2 * (uint64_t)WORD, &w->bp)))
		return UNWALK_MEMORY;
	w->ip = ra;
	w->sp = cfa;
	w->first = false;
	return !ra ? UNWALK_END : cfa > before ? UNWALK_ON : UNWALK_LOOPS;
}

/* The index of the bytecode at bcp, if that is in the method. */
static bool index_of(const struct walking *k, uint64_t method, uint64_t bcp, uint64_t *ret)
{
	const struct hs_proc *p = &k->v->walk;
	const struct hs v = { &k->v->layout, &k->v->mem };
	uint64_t constant, size;

	if (hs_number(v.m, method, p->const_method, 8, &constant) < 0 ||
	    hs_number(v.m, constant, p->code_size, 2, &size) < 0)
		return false;
	*ret = bcp - constant - p->bytecodes;
	return *ret < size;
}

/* A frame of the interpreter. *is: there is one at the frame pointer. */
static enum unwalk_end interpreted(struct walking *k, struct unwalk *w, bool *is)
{
	uint64_t f[HS_FRAME_BYTES / WORD], index = HS_BCI_MAX, sender;
	const uint64_t bp = w->bp;
	struct hs_head h;

	*is = core_read(k->v->core, bp - HS_FRAME_BELOW, f, sizeof(f)) == 0 && f[HS_FRAME_METHOD_AT / WORD] &&
	      f[HS_FRAME_METHOD_AT / WORD] % WORD == 0;
	if (!*is)
		return UNWALK_LOST;
	k->word = HS_FRAME_METHOD(f[HS_FRAME_METHOD_AT / WORD], HS_BCI_MAX);
	*is = hs_head_read(&k->v->layout, &k->v->walk, &k->v->mem, k->word, &h) != -EBADMSG;
	if (!*is)
		return UNWALK_LOST;
	/* The innermost one may not have it in its frame yet. */
	if (!(w->first && !k->to->n && index_of(k, h.method, k->regs[REG_R13], &index)) &&
	    !index_of(k, h.method, f[HS_FRAME_BCP / WORD], &index))
		index = HS_BCI_MAX;
	k->word = HS_FRAME_METHOD(h.method, index);
	sender = f[HS_FRAME_SENDER / WORD];
	if (sender <= bp || sender - bp > JAVAVIEW_MAX_FRAME)
		sender = bp + 2 * (uint64_t)WORD;
	w->ip = f[HS_FRAME_RA / WORD];
	w->bp = f[HS_FRAME_BP / WORD];
	w->first = false;
	if (sender <= w->sp)
		return UNWALK_LOOPS;
	w->sp = sender;
	return w->ip ? UNWALK_ON : UNWALK_END;
}

/* Code around the pc; code[BEFORE] is at it. */
static uint32_t three(const uint8_t *code, int at)
{
	const uint8_t *p = code + BEFORE + at;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* How much of its frame code has made where it stands. */
enum made { MADE_NOTHING, MADE_BP, MADE_SIZE, MADE_ALL };

static enum made made_by(const uint8_t *code, int64_t off, int64_t complete)
{
	if (off >= complete) {
		if (code[BEFORE] == HS_INSN_RET || three(code, 0) == HS_INSN_CMP_SP ||
		    three(code, -7) == HS_INSN_CMP_SP)
			return MADE_NOTHING;
		return code[BEFORE] == HS_INSN_POP_BP ? MADE_BP : MADE_ALL;
	}
	if (code[BEFORE - 1] == HS_INSN_PUSH_BP)
		return MADE_BP;
	for (int at = -HS_INSN_SUB_SP_LEN; at > -BEFORE; at--) {
		const uint32_t insn = three(code, at);
		const bool right_after = (insn == HS_INSN_SUB_SP && at == -HS_INSN_SUB_SP_LEN) ||
					 (insn == HS_INSN_SUB_SP_FAR && at == -HS_INSN_SUB_SP_FAR_LEN);

		if (right_after && code[BEFORE + at - 1] != HS_INSN_PUSH_BP)
			return MADE_SIZE;
		if (right_after || (insn == HS_INSN_SUB_SP && at < -HS_INSN_SUB_SP_LEN) ||
		    (insn == HS_INSN_SUB_SP_FAR && at < -HS_INSN_SUB_SP_FAR_LEN))
			return MADE_ALL;
	}
	return MADE_NOTHING;
}

/* The same of a stub, which keeps a frame pointer. */
static enum made made_by_stub(const uint8_t *code)
{
	if (code[BEFORE] == HS_INSN_RET || code[BEFORE] == HS_INSN_PUSH_BP)
		return MADE_NOTHING;
	return three(code, 0) == HS_INSN_MOV_BP_SP || three(code, 0) == HS_INSN_MOV_BP_SP_2 ? MADE_BP : MADE_ALL;
}

struct blob {
	uint64_t at, begin;
	int64_t size; /* of its frame, words */
	int64_t complete;
	char name[WORD];
};

static int read_blob(const struct walking *k, uint64_t pc, struct blob *ret)
{
	const struct hs v = { &k->v->layout, &k->v->mem };
	uint64_t name = 0, size = 0, complete = 0;
	int r = hs_blob_of(&v, &k->v->walk, pc, &ret->at);

	if (r == 0)
		r = hs_blob_code(&v, ret->at, &ret->begin);
	if (r == 0)
		r = hs_number(v.m, ret->at, v.l->blob_name, 8, &name);
	if (r == 0)
		r = v.m->read(v.m->ctx, name, ret->name, sizeof(ret->name));
	if (r == 0)
		r = hs_number(v.m, ret->at, v.l->blob_frame, 4, &size);
	if (r == 0)
		r = hs_number(v.m, ret->at, v.l->blob_complete, v.l->complete_bytes, &complete);
	ret->size = (int32_t)size;
	ret->complete = v.l->complete_bytes == 2 ? (int16_t)complete : (int32_t)complete;
	return r;
}

/* The id in the word of compiled code. */
static uint64_t id_of(const struct walking *k, const struct blob *b, bool compiled)
{
	const struct hs v = { &k->v->layout, &k->v->mem };
	uint64_t id = 0;

	return compiled && hs_number(v.m, b->at, v.l->code_id, 4, &id) == 0 ? id : 0;
}

static enum unwalk_end by_size(const struct walking *k, struct unwalk *w, int64_t size, bool compiled)
{
	const bool inner = w->first;
	uint64_t cfa = w->sp + (uint64_t)size * WORD, ra;

	if (size > JAVAVIEW_MAX_FRAME / WORD)
		return UNWALK_LOST;
	if (!get(k, cfa - WORD, &ra))
		return UNWALK_MEMORY;
	if (in_cache(k, ra))
		return go_up(k, w, cfa, true);
	if (inner && get(k, w->sp, &ra) && in_cache(k, ra)) /* the frame is not made yet, or gone */
		return go_up(k, w, w->sp + WORD, false);
	for (unsigned i = 1; compiled && i <= 4; i++) /* words were pushed */
		if (get(k, cfa + (i - 1) * WORD, &ra) && in_cache(k, ra))
			return go_up(k, w, cfa + i * WORD, true);
	return go_up(k, w, cfa, true);
}

/* A frame of compiled code or a stub. */
static enum unwalk_end in_code(struct walking *k, struct unwalk *w)
{
	const uint64_t pc = unwalk_place(w);
	uint8_t code[AROUND + WORD] = { 0 };
	enum made made = MADE_ALL;
	bool compiled, stub;
	struct blob b;

	k->word = HS_FRAME_CODE(w->ip, 0);
	if (read_blob(k, pc, &b) < 0)
		return UNWALK_LOST;
	compiled = !memcmp(b.name, HS_BLOB_COMPILED, WORD) || !memcmp(b.name, HS_BLOB_NATIVE, WORD);
	stub = !memcmp(b.name, HS_BLOB_STUBS, WORD);
	k->word = HS_FRAME_CODE(w->ip, id_of(k, &b, compiled));
	if (w->first && core_read(k->v->core, w->ip - BEFORE, code, AROUND) == 0)
		made = stub	  ? made_by_stub(code)
		       : compiled ? made_by(code, (int64_t)(w->ip - b.begin), b.complete)
				  : MADE_ALL;
	if (stub && made == MADE_ALL)
		return w->bp >= w->sp ? go_up(k, w, w->bp + 2 * (uint64_t)WORD, true) : UNWALK_LOST;
	if (made == MADE_NOTHING || (!stub && b.size <= 0))
		return go_up(k, w, w->sp + WORD, false);
	if (made == MADE_BP)
		return go_up(k, w, w->sp + 2 * (uint64_t)WORD, true);
	if (made == MADE_SIZE)
		return go_up(k, w, w->sp + (uint64_t)b.size * WORD, false);
	return by_size(k, w, b.size, compiled);
}

/* core_step_fn. */
static bool step(void *ctx, struct unwalk *w, enum unwalk_end *end)
{
	struct walking *k = ctx;
	const struct hs_proc *p = &k->v->walk;
	bool is = false;

	k->word = 0;
	if (!in_cache(k, w->ip))
		return false;
	if (w->ip - p->interp < p->interp_len)
		*end = interpreted(k, w, &is);
	if (!is && w->ip - p->interp < p->interp_len) {
		k->word = HS_FRAME_CODE(w->ip, 0);
		*end = w->first ? go_up(k, w, w->sp + WORD, false) : UNWALK_LOST;
	} else if (!is) {
		*end = in_code(k, w);
	}
	w->bp_known = true;
	return true;
}

static int take(void *ctx, const struct core_frame *f)
{
	struct walking *k = ctx;

	return vec_try_push(k->to, ((struct javaview_frame){ *f, k->word }));
}

int javaview_walk(const struct javaview *v, const uint64_t regs[CORE_NREGS], unsigned max, javaview_frames *ret,
		  const char **reason)
{
	struct walking k = { v, regs, ret, 0 };
	const struct core_walker by = { step, take, &k };

	return core_walk_by(v->core, regs, max, &by, reason);
}
