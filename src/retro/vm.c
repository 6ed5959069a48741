/* SPDX-License-Identifier: Apache-2.0 */
/* Executes BPF instructions, and checks their accesses to memory. Source:
 * Documentation/bpf/standardization/instruction-set.rst of the kernel. */
#include "retro/vm_int.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/cleanup.h"

#define STACK_BYTES 512u
#define JCOND 0xe0 /* may_goto: BPF_JCOND, which headers before 6.9 do not have */
#define MEMSX 0x80

int vm_fail(struct vm *vm, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	if (vm->error)
		return vm->error;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vm->error = err_set(vm->err, -EPROTO, "the program %s cannot be run over a recording: %s", vm->prog->name,
			    text);
	return vm->error;
}

void *vm_alloc(struct vm *vm, size_t size)
{
	void *p = vm->area + vm->used;

	size = ROUND_UP(size, 16);
	if (size > VM_AREA - vm->used)
		return NULL;
	vm->used += size;
	return p;
}

static uint64_t load(struct vm *vm, uint64_t addr, unsigned size, bool sign)
{
	uint64_t v = 0;
	unsigned shift = 64 - 8 * size;

	if (!vm_inside(vm, addr, size))
		return 0;
	memcpy(&v, (const void *)(uintptr_t)addr, size);
	return sign ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

static void store(struct vm *vm, uint64_t addr, unsigned size, uint64_t v)
{
	if (vm_inside(vm, addr, size))
		memcpy((void *)(uintptr_t)addr, &v, size);
	else
		vm_fail(vm, "it writes outside of its memory");
}

static unsigned size_of(uint8_t code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B: return 1;
	case BPF_H: return 2;
	case BPF_W: return 4;
	default: return 8;
	}
}

static uint64_t swap(uint64_t v, int bits, bool swaps)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;

	if (swaps)
		v = __builtin_bswap64(v) >> (64 - bits);
	return v & mask;
}

static uint64_t divide(uint64_t a, uint64_t b, bool sign, bool wide, bool rest)
{
	int64_t x = wide ? (int64_t)a : (int32_t)a, y = wide ? (int64_t)b : (int32_t)b;

	if (!wide) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	if (!b)
		return rest ? a : 0;
	if (!sign)
		return rest ? a % b : a / b;
	if (y == -1)
		return rest ? 0 : (uint64_t) - (uint64_t)x;
	return (uint64_t)(rest ? x % y : x / y);
}

static uint64_t alu(struct vm *vm, const struct bpf_insn *i, uint64_t a, uint64_t b)
{
	bool wide = BPF_CLASS(i->code) == BPF_ALU64;
	unsigned shift = (unsigned)(b & (wide ? 63 : 31));
	uint64_t v = 0;

	switch (BPF_OP(i->code)) {
	case BPF_ADD: v = a + b; break;
	case BPF_SUB: v = a - b; break;
	case BPF_MUL: v = a * b; break;
	case BPF_DIV: v = divide(a, b, i->off == 1, wide, false); break;
	case BPF_MOD: v = divide(a, b, i->off == 1, wide, true); break;
	case BPF_OR: v = a | b; break;
	case BPF_AND: v = a & b; break;
	case BPF_XOR: v = a ^ b; break;
	case BPF_LSH: v = a << shift; break;
	case BPF_RSH: v = (wide ? a : (uint32_t)a) >> shift; break;
	case BPF_ARSH: v = (uint64_t)(wide ? (int64_t)a >> shift : (int32_t)a >> shift); break;
	case BPF_NEG: v = -a; break;
	case BPF_MOV: v = i->off ? (uint64_t)((int64_t)(b << (64 - i->off)) >> (64 - i->off)) : b; break;
	case BPF_END: return swap(a, i->imm, wide || BPF_SRC(i->code) == BPF_TO_BE);
	default: vm_fail(vm, "operation 0x%x is not known", i->code); break;
	}
	return wide ? v : (uint32_t)v;
}

static bool jumps(struct vm *vm, const struct bpf_insn *i, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	if (BPF_CLASS(i->code) == BPF_JMP32) {
		x = (int32_t)a;
		y = (int32_t)b;
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	switch (BPF_OP(i->code)) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSET: return a & b;
	case BPF_JSGT: return x > y;
	case BPF_JSGE: return x >= y;
	case BPF_JSLT: return x < y;
	case BPF_JSLE: return x <= y;
	case JCOND: return false; /* the way on; VM_STEPS_MAX ends loops */
	default: vm_fail(vm, "jump 0x%x is not known", i->code); return false;
	}
}

static void atomic(struct vm *vm, const struct bpf_insn *i, uint64_t *r)
{
	unsigned size = size_of(i->code);
	uint64_t addr = r[i->dst_reg] + (uint64_t)(int64_t)i->off, old = load(vm, addr, size, false);
	uint64_t v = r[i->src_reg];

	switch (i->imm & ~BPF_FETCH) {
	case BPF_ADD: v += old; break;
	case BPF_OR: v |= old; break;
	case BPF_AND: v &= old; break;
	case BPF_XOR: v ^= old; break;
	case BPF_XCHG & ~BPF_FETCH: break;
	case BPF_CMPXCHG & ~BPF_FETCH:
		v = old == (size == 4 ? (uint32_t)r[0] : r[0]) ? v : old;
		r[0] = old;
		store(vm, addr, size, v);
		return;
	default: vm_fail(vm, "atomic operation 0x%x is not known", i->imm); return;
	}
	store(vm, addr, size, v);
	if (i->imm & BPF_FETCH)
		r[i->src_reg] = old;
}

/* A number of 64 bits, which two instructions have: an address, a map, a function. */
static uint64_t wide_imm(struct vm *vm, const struct bpf_insn *i, uint32_t pc)
{
	uint32_t n = (uint32_t)i->imm;

	switch (i->src_reg) {
	case 0: return n | (uint64_t)(uint32_t)i[1].imm << 32;
	case BPF_PSEUDO_MAP_IDX: return VM_MAP | n;
	case BPF_PSEUDO_MAP_IDX_VALUE:
		if (n < vm->img->nmaps && vm->maps[n].values)
			return (uint64_t)(uintptr_t)vm->maps[n].values + (uint32_t)i[1].imm;
		break;
	case BPF_PSEUDO_FUNC: return VM_FUNC | (pc + n + 1);
	default: break;
	}
	vm_fail(vm, "a number of kind %u is not known", i->src_reg);
	return 0;
}

/* Instructions that do not jump; how many it takes. */
static uint32_t plain(struct vm *vm, const struct bpf_insn *i, uint32_t pc, uint64_t *r)
{
	uint64_t at;

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		r[i->dst_reg] = alu(vm, i, r[i->dst_reg],
				    BPF_SRC(i->code) == BPF_X ? r[i->src_reg] : (uint64_t)(int64_t)i->imm);
		return 1;
	case BPF_LD:
		if (i->code != (BPF_LD | BPF_IMM | BPF_DW))
			break;
		r[i->dst_reg] = wide_imm(vm, i, pc);
		return 2;
	case BPF_LDX:
		at = r[i->src_reg] + (uint64_t)(int64_t)i->off;
		r[i->dst_reg] = load(vm, at, size_of(i->code), BPF_MODE(i->code) == MEMSX);
		return 1;
	case BPF_ST:
		store(vm, r[i->dst_reg] + (uint64_t)(int64_t)i->off, size_of(i->code), (uint64_t)(int64_t)i->imm);
		return 1;
	case BPF_STX:
		if (BPF_MODE(i->code) == BPF_ATOMIC)
			atomic(vm, i, r);
		else
			store(vm, r[i->dst_reg] + (uint64_t)(int64_t)i->off, size_of(i->code), r[i->src_reg]);
		return 1;
	default: break;
	}
	vm_fail(vm, "instruction 0x%x is not known", i->code);
	return 1;
}

/* Jumps and calls; the next instruction. */
static uint32_t branch(struct vm *vm, const struct bpf_insn *i, uint32_t pc, uint64_t *r, unsigned depth)
{
	bool narrow = BPF_CLASS(i->code) == BPF_JMP32;

	switch (BPF_OP(i->code)) {
	case BPF_JA: return pc + 1 + (uint32_t)(narrow ? i->imm : i->off);
	case BPF_CALL:
		r[0] = i->src_reg == BPF_PSEUDO_CALL ? vm_exec(vm, pc + 1 + (uint32_t)i->imm, r + 1, depth + 1)
						     : vm_helper(vm, i->imm, r + 1, depth);
		return pc + 1;
	default:
		if (jumps(vm, i, r[i->dst_reg], BPF_SRC(i->code) == BPF_X ? r[i->src_reg] : (uint64_t)(int64_t)i->imm))
			return pc + 1 + (uint32_t)(int32_t)i->off;
		return pc + 1;
	}
}

uint64_t vm_exec(struct vm *vm, uint32_t pc, const uint64_t args[5], unsigned depth)
{
	uint64_t r[11] = { 0 };

	if (depth >= VM_FRAMES) {
		vm_fail(vm, "calls are nested more than %u deep", VM_FRAMES);
		return 0;
	}
	memcpy(r + 1, args, 5 * sizeof(*args));
	r[10] = (uint64_t)(uintptr_t)vm->stack + (depth + 1) * STACK_BYTES;
	while (!vm->error) {
		const struct bpf_insn *i = &vm->prog->insns[pc];

		if (pc >= vm->prog->ninsns || i->dst_reg > 10 || i->src_reg > 10 || ++vm->steps > VM_STEPS_MAX) {
			vm_fail(vm, vm->steps > VM_STEPS_MAX ? "it does not end" : "it has no such instruction");
			break;
		}
		if (i->code == (BPF_JMP | BPF_EXIT))
			return r[0];
		if (BPF_CLASS(i->code) == BPF_JMP || BPF_CLASS(i->code) == BPF_JMP32)
			pc = branch(vm, i, pc, r, depth);
		else
			pc += plain(vm, i, pc, r);
	}
	return 0;
}

int vm_run(struct vm *vm, const struct img_prog *p, const void *ctx, struct err *e)
{
	const uint64_t args[5] = { (uint64_t)(uintptr_t)ctx };

	vm->prog = p;
	vm->steps = 0;
	vm->error = 0;
	vm->err = e;
	vm_exec(vm, 0, args, 0);
	for (int i = 0; i < VM_RECORDS; i++)
		vm->records[i].used = false;
	return vm->error;
}

struct vm_now *vm_now(struct vm *vm)
{
	return &vm->now;
}

int vm_new(const struct image *img, const struct vm_host *host, struct vm **ret)
{
	struct vm *vm = calloc(1, sizeof(*vm));
	bool ok = vm;

	if (!ok)
		return -ENOMEM;
	vm->img = img;
	vm->host = host;
	vm->random = 1;
	vm->area = mmap(NULL, VM_AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (vm->area == MAP_FAILED)
		vm->area = NULL;
	ok = vm->area && (vm->stack = vm_alloc(vm, (size_t)VM_FRAMES * STACK_BYTES));
	ok = ok && (vm->regs = vm_alloc(vm, VM_REGS_BYTES));
	for (int i = 0; i < VM_RECORDS && ok; i++)
		ok = (vm->records[i].data = vm_alloc(vm, CG_MAX_RECORD_SIZE)) != NULL;
	if (!ok || vm_maps_new(vm) < 0) {
		vm_free(vm);
		return -ENOMEM;
	}
	*ret = vm;
	return 0;
}

void vm_free(struct vm *vm)
{
	if (!vm)
		return;
	vm_maps_free(vm);
	if (vm->area)
		munmap(vm->area, VM_AREA);
	free(vm);
}
