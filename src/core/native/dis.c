/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembles code in the target's memory: ::dis. It decodes the memory itself, so patched code (uprobes, jump labels)
 * is shown as it is. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "sym/elf/insn.h"

#define MAX_CODE (256u << 10) /* bytes of a function */
#define MAX_INSNS 16384u      /* of -n */
#define MAX_LENGTH 15u	      /* bytes of an instruction */
#if defined(__x86_64__)
#define KERNEL_MACHINE EM_X86_64
#else
#define KERNEL_MACHINE EM_AARCH64
#endif

/* Code in memory. */
struct code {
	uint64_t addr, size;
};

/* The function around an address, or what -n wants from the address on. */
static int code_of(struct shell *s, uint64_t addr, uint64_t count, struct code *ret)
{
	struct core_symbol y;

	*ret = (struct code){ addr, count * MAX_LENGTH };
	if (count)
		return 0;
	if (!core_name(s->core, addr, &y))
		return err_set(&s->err, -ENOENT, "no function is known at %" PRIx64 ": say how many with -n", addr);
	*ret = (struct code){ y.addr, y.size };
	if (!ret->size || ret->size > MAX_CODE || addr - ret->addr >= ret->size)
		return err_set(&s->err, -ENOENT,
			       "the size of the function at %" PRIx64 " is not known: say how many with -n", addr);
	return 0;
}

/* As much as there is: what is after a function may be in no memory. */
static size_t read_code(struct core *c, const struct code *z, uint8_t *to)
{
	size_t n = z->size;

	if (core_read(c, z->addr, to, n) == 0)
		return n;
	for (n = 0; n < z->size && core_read(c, z->addr + n, to + n, 1) == 0; n++)
		;
	return n;
}

static int show(struct shell *s, uint64_t base, const struct insn *i)
{
	const uint64_t at = base + i->off, target = base + (uint64_t)i->target;

	if (s->to)
		return shell_emit(s, at);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		shell_json_place(s, &w, at);
		jsonw_u64(&w, "bytes", i->len);
		jsonw_str(&w, "text", i->text);
		if (i->has_target)
			jsonw_strf(&w, "target", "%" PRIx64, target);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_place(s, at);
	shell_print(s, ":  %s", i->text);
	if (i->has_target) {
		shell_print(s, "  <");
		shell_place(s, target);
		shell_print(s, ">");
	}
	shell_print(s, "\n");
	return 0;
}

int dcmd_dis(struct shell *s, const struct dcall *d)
{
	_cleanup_free_ struct insn *v = NULL;
	_cleanup_free_ uint8_t *code = NULL;
	const char *reason = "";
	struct code z = { 0 };
	uint64_t count = 0;
	size_t n = 0;
	int r = 0;

	for (int i = 0; i < d->argc && r == 0; i++)
		r = strcmp(d->argv[i], "-n") ? shell_refuse(s, "dis", d->argv[i])
					     : shell_option(s, d, &i, MAX_INSNS, &count);
	if (r == 0)
		r = code_of(s, d->addr, count, &z);
	if (r < 0)
		return r;
	code = malloc(z.size);
	if (!code)
		return err_set(&s->err, -ENOMEM, "out of memory");
	z.size = read_code(s->core, &z, code);
	if (!z.size)
		return err_set(&s->err, -EFAULT, "%" PRIx64 " cannot be read", z.addr);
	r = insn_list(s->core->kernel ? KERNEL_MACHINE : EM_X86_64, z.addr, code, z.size, &v, &n, &reason);
	if (r < 0)
		return err_set(&s->err, r, "%s", r == -ENOMEM ? "out of memory" : reason);
	if (!n)
		return err_set(&s->err, -EBADMSG, "no instruction begins at %" PRIx64, z.addr);
	for (size_t i = 0; i < n && (!count || i < count) && r == 0; i++)
		r = show(s, z.addr, &v[i]);
	return r;
}
