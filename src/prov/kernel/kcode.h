/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembles functions of the kernel and its modules, and names the targets of calls and jumps. Private to
 * src/prov. */
#ifndef DWELL_PROV_KERNEL_KCODE_H
#define DWELL_PROV_KERNEL_KCODE_H
#include "load/kmem.h"
#include "prov/kernel/kfuncs.h"
#include "sym/elf/insn.h"
#include "sym/proc/kallsyms.h"

#define KCODE_MAX_BYTES (64u << 10) /* of a function; KSYMS_LAST_SPAN is as long */

/* The machine whose instructions can be told, EM_NONE elsewhere. */
#if defined(__x86_64__)
#define KCODE_MACHINE EM_X86_64
#else
#define KCODE_MACHINE EM_NONE
#endif

struct kcode {
	struct ksyms syms;
	struct kmem mem;
};

/* 0, or -errno and *reason, a text in the arena. */
int kcode_open(struct arena *a, struct kcode *ret, const char **reason);
void kcode_close(struct kcode *k);
/* The instructions of a function whose address is known, malloc'ed, without what fills the space after it. Errors as
 * above. */
int kcode_list(const struct kcode *k, struct arena *a, const struct kfunc *f, struct insn **ret, size_t *ret_n,
	       const char **reason);
/* The symbol that a relative call or jump goes to, if that is another function's start; or NULL. */
const struct ksym *kcode_target(const struct kcode *k, const struct kfunc *f, const struct insn *i);
/* Its classes: as those of the instruction. But in a kernel with mitigations functions return by a jump to a thunk. The
 * code that tracing patches in at the start is no call of the function's. */
unsigned kcode_class(const struct kcode *k, const struct kfunc *f, const struct insn *i);
#endif
