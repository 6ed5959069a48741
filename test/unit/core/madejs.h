/* SPDX-License-Identifier: Apache-2.0 */
/* JavaScript's objects as V8 11.3 lays them out, in memory of a test. */
#ifndef DWELL_TEST_CORE_MADEJS_H
#define DWELL_TEST_CORE_MADEJS_H
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/js/js.h"

#define MADEJS_BASE 0x40000u /* where the memory is: at the beginning of a page of V8 */

static int madejs_read(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return core_read(ctx, addr, buf, n);
}

/* js on a core. 0, or what the layout says. */
static inline int madejs_open(struct js *js, struct core *c)
{
	static const struct {
		const char *name;
		int32_t value;
	} said[] = {
#define SAID(name, value) { name, value },
#include "v8said.def"
#undef SAID
	};
	static struct js once; /* the layout is always the same */
	const char *missing;
	int r;

	if (once.version) {
		*js = once;
		js->core = c;
		js->mem = (struct rt_mem){ madejs_read, c };
		js->v = (struct v8){ &js->l, &js->mem };
		return 0;
	}
	*js = (struct js){ .core = c, .version = V8_VERSION(11, 3) };
	js->mem = (struct rt_mem){ madejs_read, c };
	js->v = (struct v8){ &js->l, &js->mem };
	v8_layout_begin(&js->l);
	v8_objects_begin(&js->o);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		int32_t *l = v8_layout_field(&js->l, said[i].name, strlen(said[i].name));
		int32_t *o = v8_objects_field(&js->o, said[i].name, strlen(said[i].name));

		if (l)
			*l = said[i].value;
		if (o)
			*o = said[i].value;
	}
	r = v8_layout_end(&js->l, js->version);
	if (r == 0)
		r = v8_objects_end(&js->o, js->version, &missing);
	if (r == 0)
		once = *js;
	return r;
}

/* A core whose memory at MADEJS_BASE is these bytes, 1 at least; core: of n + MADEJS_HEAD bytes. */
#define MADEJS_HEAD (sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr))
static inline void madejs_core(uint8_t *core, const void *bytes, size_t n)
{
	Elf64_Ehdr h = { .e_type = ET_CORE,
			 .e_machine = EM_X86_64,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1 };
	const Elf64_Phdr ph = { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_W,
				.p_vaddr = MADEJS_BASE,
				.p_offset = MADEJS_HEAD,
				.p_filesz = n,
				.p_memsz = n };

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(core, &h, sizeof(h));
	memcpy(core + sizeof(h), &ph, sizeof(ph));
	memcpy(core + MADEJS_HEAD, bytes, n);
}

static inline void madejs_word(uint8_t *memory, unsigned at, uint64_t v)
{
	memcpy(memory + at, &v, sizeof(v));
}

/* A page of V8 with an array, a string that only the array refers to, one that is dead, and their maps; a word after
 * the page leads to the array. memory: of MADEJS_HEAP bytes, with 0 in them. */
enum { MADEJS_HEAP = 0x4000, MADEJS_META = 0x1200, MADEJS_STRING = 0x1300, MADEJS_ARRAY = 0x1500, MADEJS_AT = 0x1600 };
static inline void madejs_heap(uint8_t *memory)
{
	static const unsigned types[][2] = { { MADEJS_META, 255 }, { MADEJS_STRING, 8 }, { MADEJS_ARRAY, 175 } };
	const uint64_t object = MADEJS_BASE + V8_TAG;

	madejs_word(memory, 0, MADEJS_HEAP / 2); /* size, flags, heap, start, end */
	madejs_word(memory, 16, MADEJS_BASE + MADEJS_HEAP - 8);
	madejs_word(memory, 24, MADEJS_BASE + MADEJS_META);
	madejs_word(memory, 32, MADEJS_BASE + MADEJS_HEAP / 2);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		madejs_word(memory, types[i][0], object + MADEJS_META);
		memory[types[i][0] + 12] = (uint8_t)types[i][1];
	}
	madejs_word(memory, MADEJS_AT, object + MADEJS_ARRAY);
	madejs_word(memory, MADEJS_AT + 8, UINT64_C(1) << 32);
	madejs_word(memory, MADEJS_AT + 16, object + MADEJS_AT + 0x40);
	madejs_word(memory, MADEJS_AT + 0x40, object + MADEJS_STRING);
	madejs_word(memory, MADEJS_AT + 0x80, object + MADEJS_STRING);
	madejs_word(memory, MADEJS_HEAP - 16, object + MADEJS_AT);
}
#endif
