/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembles functions of the kernel with Zydis. */
#include "prov/kernel/kcode.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/reasons.h"

int kcode_open(struct arena *a, struct kcode *ret, const char **reason)
{
	struct err err = { 0 };
	struct reason words;
	int r = kmem_open(&ret->mem);

	if (r < 0) {
		*reason = arena_printf(a, "cannot read the kernel's code: %s", reason_bpf(r, &words));
		return r;
	}
	r = ksyms_read(&ret->syms, "/proc/kallsyms", &err);
	if (r < 0) {
		*reason = arena_strdup(a, err.msg);
		kmem_close(&ret->mem);
	}
	err_done(&err);
	return r;
}

void kcode_close(struct kcode *k)
{
	ksyms_free(&k->syms);
	kmem_close(&k->mem);
}

/* The function's bytes up to the next symbol. */
static size_t size_of(const struct ksyms *ks, const struct kfunc *f)
{
	const struct ksym *s = ksyms_at(ks, f->addr), *end = ks->v + ks->n;
	uint64_t next;

	for (; s && s < end && s->addr <= f->addr; s++)
		;
	next = s && s < end ? s->addr : f->addr + KSYMS_LAST_SPAN;
	return next - f->addr < KCODE_MAX_BYTES ? (size_t)(next - f->addr) : KCODE_MAX_BYTES;
}

int kcode_list(const struct kcode *k, struct arena *a, const struct kfunc *f, struct insn **ret, size_t *ret_n,
	       const char **reason)
{
	size_t size = size_of(&k->syms, f);
	_cleanup_free_ uint8_t *code = malloc(size);
	struct reason words;
	const char *cause = NULL;
	int r = code ? kmem_read(&k->mem, f->addr, code, size) : -ENOMEM;

	if (r < 0) {
		*reason = arena_printf(a, "cannot read the code of %s: %s", f->name,
				       r == -EPERM ? reason_lockdown(&words) : strerror(-r));
		return r;
	}
	r = insn_list(KCODE_MACHINE, f->addr, code, size, ret, ret_n, &cause);
	if (r < 0) {
		*reason = arena_printf(a, "cannot find the instructions of %s: %s", f->name,
				       cause ? cause : strerror(-r));
		return r;
	}
	while (*ret_n && (*ret)[*ret_n - 1].classes & INSN_FILL)
		--*ret_n;
	return 0;
}

const struct ksym *kcode_target(const struct kcode *k, const struct kfunc *f, const struct insn *i)
{
	uint64_t to = f->addr + (uint64_t)i->target;
	const struct ksym *s = i->has_target ? ksyms_at(&k->syms, to) : NULL;

	return s && s->addr == to && s->addr != f->addr ? s : NULL;
}

unsigned kcode_class(const struct kcode *k, const struct kfunc *f, const struct insn *i)
{
	const struct ksym *to = kcode_target(k, f, i);

	if (f->loc && f->addr + i->off == f->loc)
		return INSN_FILL;
	if (to && i->classes & INSN_BRANCH && strstr(ksyms_name(&k->syms, to), "return_thunk"))
		return INSN_RET;
	return i->classes;
}
