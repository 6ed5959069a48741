/* SPDX-License-Identifier: Apache-2.0 */
/* Walks instructions. The x86 decoder is a large library that few programs need: it is opened late. */
#include "sym/elf/insn.h"
#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/vec.h"

#define ARM64_STEP 4u

/* The name that goes with the header which this was compiled with. */
static const char library[] = "libZydis.so.4.0";
_Static_assert(ZYDIS_VERSION_MAJOR(ZYDIS_VERSION) == 4 && ZYDIS_VERSION_MINOR(ZYDIS_VERSION) == 0,
	       "name the library after its header's version");

struct x86 {
	void *lib;
	__typeof__(&ZydisDecoderInit) init;
	__typeof__(&ZydisDecoderDecodeInstruction) decode;
	ZydisDecoder dec;
};

static int x86_open(struct x86 *x, uint16_t machine, const char **why)
{
	bool wide = machine == EM_X86_64;

	x->lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!x->lib) {
		*why = "no instruction decoder: install Debian's package libzydis4.0";
		return -ENOSYS;
	}
	*(void **)&x->init = dlsym(x->lib, "ZydisDecoderInit");
	*(void **)&x->decode = dlsym(x->lib, "ZydisDecoderDecodeInstruction");
	if (!x->init || !x->decode ||
	    ZYAN_FAILED(x->init(&x->dec, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
				wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32))) {
		*why = "the instruction decoder libZydis is of an unknown version";
		dlclose(x->lib);
		return -ENOSYS;
	}
	return 0;
}

int insn_offsets(uint16_t machine, const uint8_t *code, size_t len, uint32_t **ret, size_t *ret_n, const char **why)
{
	VEC(uint32_t) v = { 0 };
	struct x86 x = { 0 };
	size_t at = 0;
	int r = 0;

	if (machine == EM_X86_64 || machine == EM_386)
		r = x86_open(&x, machine, why);
	else if (machine != EM_AARCH64) {
		*why = "no decoder for the instructions of this machine";
		r = -ENOSYS;
	}
	while (r == 0 && at < len) {
		ZydisDecodedInstruction insn = { .length = ARM64_STEP };

		if (x.lib && ZYAN_FAILED(x.decode(&x.dec, NULL, code + at, len - at, &insn)))
			break;
		r = vec_try_push(&v, (uint32_t)at);
		at += insn.length;
	}
	if (x.lib)
		dlclose(x.lib);
	if (r < 0) {
		vec_free(&v);
		return r;
	}
	*ret = v.v;
	*ret_n = v.n;
	return 0;
}
