/* SPDX-License-Identifier: Apache-2.0 */
/* Finds HotSpot in processes by the symbols that libjvm exports for debuggers. Stripped files have them, too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/hotspot/hotspot.h"
#include "sym/proc/runtime.h"
#include "sym/proc/ufile.h"

/* Link addresses in a file; 0: the file does not have it. */
struct hsfile {
	uint64_t symbols[HS_SYMBOLS];
};

struct hsproc {
	struct hs_layout layout;
	struct hs_proc walk;
	bool known; /* the layout was read */
	int bad;    /* what hs_layout_read() or hs_layout_walk() said */
};

_Static_assert(sizeof(struct hs_head) <= RUNTIME_HEAD, "a function is compared whole");

#define PREFIX "gHotSpotVM"

static void take(struct ufile *file, const struct elf *e, const Elf64_Sym *sym, const char *name, size_t len)
{
	enum hs_symbol which;

	(void)e;
	if (len < sizeof(PREFIX) - 1 || strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0)
		return;
	which = hs_symbol_of(name, len);
	if (which == HS_SYMBOLS)
		return;
	if (!file->hotspot)
		file->hotspot = calloc(1, sizeof(*file->hotspot));
	if (file->hotspot)
		file->hotspot->symbols[which] = sym->st_value;
}

static bool has(struct ufile *f)
{
	return f->hotspot && f->hotspot->symbols[HS_SYMBOL_STRUCTS];
}

static int attach(const struct ufile *file, uint64_t bias, const struct rt_mem *m, void **state,
		  struct sym_runtime *ret)
{
	uint64_t symbols[HS_SYMBOLS];
	struct hsproc *p = *state;

	if (!p)
		p = *state = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	for (unsigned i = 0; i < HS_SYMBOLS; i++)
		symbols[i] = file->hotspot->symbols[i] ? file->hotspot->symbols[i] + bias : 0;
	p->bad = p->known ? 0 : hs_layout_read(m, symbols, &p->layout);
	p->known = p->bad == 0;
	if (p->known)
		p->bad = hs_layout_walk(&p->layout, m, &p->walk);
	if (p->bad)
		p->walk = (struct hs_proc){ .refused = p->bad == -EBADMSG };
	ret->walk.hotspot = p->walk;
	ret->again = p->bad != -EBADMSG && !p->walk.interp_len;
	return 0;
}

static bool named(const void *state, uint64_t frame)
{
	const struct hsproc *p = state;

	return p && p->known && !HS_IS_MARK(frame);
}

static const char *mark(const void *state, uint64_t frame, char *buf, size_t size)
{
	const struct hsproc *p = state;

	if (HS_IS_MARK(frame) && HS_FRAME_BCI(frame) == HS_MARK_FAULT)
		return "[Java function: its code could not be read]";
	if (!HS_IS_MARK(frame) || HS_FRAME_BCI(frame) != HS_MARK_VERSION)
		return "[Java frame: damaged]";
	if (!p || !p->layout.missing)
		return "[Java frames: the JVM's heaps of code are not as they should be]";
	snprintf(buf, size, "[Java frames: this JVM does not say %s]", p->layout.missing);
	return buf;
}

/* Each place in compiled code may have functions of its own. */
static uint64_t function_of(uint64_t frame)
{
	return frame & HS_COMPILED ? frame : frame & (HS_METHOD_MASK | RT_FRAME_BIT);
}

static int head(void *state, const struct rt_mem *m, uint64_t frame, struct runtime_head *ret)
{
	const struct hsproc *p = state;
	struct hs_head h;
	int r = hs_head_read(&p->layout, &p->walk, m, frame, &h);

	if (r == 0)
		memcpy(ret->bytes, &h, sizeof(h));
	return r;
}

static int text(void *state, const struct rt_mem *m, const struct runtime_head *head, uint64_t frame, char *buf,
		size_t size, const char **tier)
{
	static const char *const tiers[] = {
		[HS_INTERPRETED] = "", [HS_C1] = "/c1", [HS_C2] = "/c2", [HS_NATIVE] = "/native", [HS_STUB] = "/stub"
	};
	const struct hsproc *p = state;
	struct hs_head h;

	memcpy(&h, head->bytes, sizeof(h));
	*tier = tiers[hs_frame_tier(&p->layout, m, &h)];
	return hs_frame_text(&p->layout, m, &h, frame, buf, size);
}

const struct runtime_kind runtime_hotspot = {
	.module = "java",
	.function = "Java function",
	.file = "libjvm.so",
	.take = take,
	.has = has,
	.attach = attach,
	.free = free,
	.named = named,
	.mark = mark,
	.function_of = function_of,
	.head = head,
	.text = text,
};
