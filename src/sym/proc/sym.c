/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and frees the symboliser, and names kernel addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "sym/elf/debugfile.h"
#include "sym/proc/int.h"

#define KALLSYMS "/proc/kallsyms"
/* A kernel address without a symbol may belong to a module or BPF program loaded since: the table
 * is read again, at most this often. */
#define KSYMS_RELOAD_NS 1000000000ULL
/* All kernel addresses of 64-bit machines lie above. */
#define KERNEL_HALF (1ULL << 63)

int sym_new(struct sym **ret, struct err *err)
{
	struct sym *s = calloc(1, sizeof(*s));

	if (!s)
		return err_set(err, -ENOMEM, "no memory for the symboliser");
	s->debug_dir = DEBUGFILE_DIR;
	*ret = s;
	return 0;
}

int sym_new_source(const struct sym_source *source, struct sym **ret, struct err *err)
{
	int r = sym_new(ret, err);

	if (r == 0)
		(*ret)->source = *source;
	return r;
}

void sym_free(struct sym *s)
{
	if (!s)
		return;
	sym_lines_done(s);
	procs_free(s);
	sym_unwind_free(s);
	ufiles_free(s);
	demangler_free(&s->dem);
	ksyms_free(&s->k);
	strset_free(&s->names);
	free(s);
}

/* Reads the table again; keeps the old one when that fails. */
static int load(struct sym *s, struct err *err)
{
	struct ksyms fresh;
	int r = ksyms_read(&fresh, KALLSYMS, err);

	s->k_tried = true;
	s->k_at_ns = clock_ns(CLOCK_MONOTONIC);
	if (r == 0) {
		ksyms_free(&s->k);
		s->k = fresh;
	}
	return r;
}

int sym_kernel_load(struct sym *s, struct err *err)
{
	if (!s->k_tried || s->k_code < 0)
		s->k_code = load(s, err);
	return s->k_code;
}

bool sym_kernel(struct sym *s, uint64_t addr, struct symbol *ret)
{
	*ret = (struct symbol){ .module = "", .offset = addr, .addr = 0 };
	if (s->source.kernel)
		return s->source.kernel(s->source.ctx, addr, ret);
	if (!s->k_tried)
		s->k_code = load(s, NULL);
	const struct ksym *k = ksyms_at(&s->k, addr);

	if (!k && s->k_code == 0 && addr >= KERNEL_HALF && clock_ns(CLOCK_MONOTONIC) - s->k_at_ns >= KSYMS_RELOAD_NS) {
		load(s, NULL);
		k = ksyms_at(&s->k, addr);
	}
	if (!k)
		return false;
	const char *module = strset_add(&s->names, ksyms_module(&s->k, k));
	const char *name = strset_add(&s->names, ksyms_name(&s->k, k));

	if (!module || !name)
		return false;
	*ret = (struct symbol){ .module = module, .name = name, .offset = addr - k->addr, .addr = k->addr };
	return true;
}

int sym_kernel_find(struct sym *s, const char *module, const char *name, uint64_t *ret_addr)
{
	if (!s->k_tried)
		s->k_code = load(s, NULL);
	const struct ksym *k = ksyms_find(&s->k, module, name);

	if (!k)
		return -ENOENT;
	*ret_addr = k->addr;
	return 0;
}
