/* SPDX-License-Identifier: Apache-2.0 */
/* Static probes of foreign files: notes when the input is an ELF file, else operands of arguments for
 * both machines. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fuzz.h"
#include "prov/user/sdtargs.h"
#include "sym/object/stapsdt.h"

static int symbol(void *ctx, const char *name, size_t len, uint64_t *ret)
{
	(void)ctx;
	*ret = 0x1000;
	return len > 0 && name[0] == 's' ? 0 : -ENOENT;
}

static void parse(const char *text, uint16_t machine)
{
	struct sdtargs_env env = { .machine = machine, .addr = 0x400000, .symbol = symbol };
	struct sdtarg v[SDTARGS_MAX];
	unsigned n = sdtargs_parse(&env, text, v);

	if (n > SDTARGS_MAX)
		abort();
	for (unsigned i = 0; i < n; i++) {
		const struct arg_loc *l = &v[i].loc;

		/* Registers lie in the context, widths are those of C. */
		if (l->off > 272 || l->index > 272 || (l->scale & (l->scale - 1)) || l->scale > 8 ||
		    (v[i].size != 1 && v[i].size != 2 && v[i].size != 4 && v[i].size != 8))
			abort();
		if (l->kind != ARG_NONE && l->kind != ARG_CTX_REGS && l->kind != ARG_USER_MEM && l->kind != ARG_CONST)
			abort();
	}
}

static void notes(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64u << 20);
	struct stapsdt *v;
	struct elf e;
	size_t n;

	if (elf_open(&e, (struct elf_src){ .fd = -1, .mem = data, .size = size }) == 0) {
		stapsdt_read(a, &e, &v, &n);
		for (size_t i = 0; i < n; i++) {
			if (strlen(v[i].prov) > STAPSDT_MAX_NAME || strlen(v[i].args) > STAPSDT_MAX_ARGS)
				abort();
			parse(v[i].args, e.machine);
		}
		elf_close(&e);
	}
	arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (size >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0) {
		notes(data, size);
		return 0;
	}
	parse(text, EM_X86_64);
	parse(text, EM_386);
	parse(text, EM_AARCH64);
	return 0;
}
