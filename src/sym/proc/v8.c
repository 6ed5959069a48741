/* SPDX-License-Identifier: Apache-2.0 */
/* Finds V8 in processes: Node and other programs that export symbols for debuggers (v8dbg_*), also when stripped. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/v8/v8.h"
#include "sym/proc/runtime.h"
#include "sym/proc/ufile.h"

/* Facts about V8 in a file. */
struct v8file {
	struct v8_layout layout;
	int32_t major, minor; /* 0: it does not say */
	uint64_t group;	      /* link address of the pointer to what has the table of code; 0: not known */
	int bad;	      /* what v8_layout_end() says */
	bool ended;
};

struct v8proc {
	const struct v8file *f; /* lives with the file */
	struct v8_lines *lines;
};

_Static_assert(sizeof(struct v8_head) <= RUNTIME_HEAD, "a function is compared whole");

#define VERSION "_ZN2v88internal7Version"
#define MAJOR VERSION "6major_E"
#define MINOR VERSION "6minor_E"
#define GROUP "_ZN2v88internal12IsolateGroup22default_isolate_group_E"
#define SIZES "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE"

static bool is(const char *name, size_t len, const char *want)
{
	return len == strlen(want) && !memcmp(name, want, len);
}

static void take_sizes(struct ufile *file, const struct elf *e, const Elf64_Sym *sym)
{
	uint8_t sizes[V8_SCALES * V8_MAX_BYTECODES];
	uint64_t off;

	if (sym->st_size > sizeof(sizes) || !elf_seg_off(file->seg, file->nseg, sym->st_value, &off) ||
	    elf_read(&e->src, off, sizes, sym->st_size) < 0)
		return;
	(void)v8_layout_bytecodes(&file->v8->layout, sizes, sym->st_size);
}

static void take(struct ufile *file, const struct elf *e, const Elf64_Sym *sym, const char *name, size_t len)
{
	int32_t *to = NULL, value;
	uint64_t off;

	if (strncmp(name, "v8dbg_", 6) && strncmp(name, VERSION, sizeof(VERSION) - 1) && !is(name, len, SIZES) &&
	    !is(name, len, GROUP))
		return;
	if (!file->v8) {
		file->v8 = calloc(1, sizeof(*file->v8));
		if (!file->v8)
			return;
		v8_layout_begin(&file->v8->layout);
	}
	if (is(name, len, GROUP)) {
		file->v8->group = sym->st_value;
		return;
	}
	if (is(name, len, SIZES)) {
		take_sizes(file, e, sym);
		return;
	}
	to = is(name, len, MAJOR)   ? &file->v8->major
	     : is(name, len, MINOR) ? &file->v8->minor
				    : v8_layout_field(&file->v8->layout, name, len);
	if (!to || !elf_seg_off(file->seg, file->nseg, sym->st_value, &off) ||
	    elf_read(&e->src, off, &value, sizeof(value)) < 0)
		return;
	*to = value;
}

static bool has(struct ufile *f)
{
	struct v8file *v = f->v8;

	if (!v || v->layout.map_type < 0)
		return false;
	if (!v->ended) {
		const bool said = v->major > 0 && v->major < 256 && v->minor >= 0 && v->minor < 256;

		v->bad = v8_layout_end(&v->layout, said ? V8_VERSION(v->major, v->minor) : 0);
		v->ended = true;
	}
	return true;
}

static int attach(const struct ufile *file, uint64_t bias, const struct rt_mem *m, void **state,
		  struct sym_runtime *ret)
{
	struct v8proc *p = *state;

	(void)m;
	if (!p)
		p = *state = calloc(1, sizeof(*p));
	if (p && !p->lines)
		p->lines = v8_lines_new();
	if (!p || !p->lines)
		return -ENOMEM;
	p->f = file->v8;
	ret->walk.v8 = (struct v8_proc){ 0 };
	if (p->f->bad == 0) {
		v8_layout_walk(&p->f->layout, &ret->walk.v8);
		ret->walk.v8.group = p->f->group ? p->f->group + bias : 0;
	}
	return 0;
}

static void free_state(void *state)
{
	struct v8proc *p = state;

	if (p)
		v8_lines_free(p->lines);
	free(p);
}

static bool named(const void *state, uint64_t frame)
{
	const struct v8proc *p = state;

	return p && p->f && p->f->bad == 0 && !V8_IS_MARK(frame);
}

static const char *mark(const void *state, uint64_t frame, char *buf, size_t size)
{
	const struct v8proc *p = state;

	if (V8_IS_MARK(frame) && V8_FRAME_AT(frame) == V8_MARK_FAULT)
		return "[JavaScript function: memory that could not be read]";
	if (!V8_IS_MARK(frame) || V8_FRAME_AT(frame) != V8_MARK_VERSION)
		return "[JavaScript frame: damaged]";
	if (!p || !p->f || p->f->bad == 0 || !p->f->layout.version)
		return "[JavaScript function: V8 does not say its version]";
	snprintf(buf, size,
		 p->f->bad == -ENOTSUP
			 ? "[JavaScript function: V8 %u.%u is not known, " V8_VERSIONS "]"
			 : "[JavaScript function: V8 %u.%u does not say where its objects have their members]",
		 p->f->layout.version >> 8, p->f->layout.version & 255);
	return buf;
}

static uint64_t function_of(uint64_t frame)
{
	return frame & (V8_OBJECT_MASK | RT_FRAME_BIT);
}

static int head(void *state, const struct rt_mem *m, uint64_t frame, struct runtime_head *ret)
{
	const struct v8proc *p = state;
	struct v8_head h;
	int r = v8_head_read(&p->f->layout, m, frame, &h);

	if (r == 0)
		memcpy(ret->bytes, &h, sizeof(h));
	return r;
}

static int text(void *state, const struct rt_mem *m, const struct runtime_head *head, uint64_t frame, char *buf,
		size_t size, const char **tier)
{
	static const char *const tiers[] = {
		[V8_INTERPRETED] = "", [V8_BASELINE] = "/baseline", [V8_MAGLEV] = "/maglev", [V8_TURBOFAN] = "/turbofan"
	};
	const struct v8proc *p = state;
	struct v8_head h;

	memcpy(&h, head->bytes, sizeof(h));
	*tier = tiers[v8_frame_tier(&p->f->layout, m, &h, frame)];
	return v8_frame_text(&p->f->layout, m, p->lines, &h, frame, buf, size);
}

const struct runtime_kind runtime_v8 = {
	.module = "javascript",
	.function = "JavaScript function",
	.take = take,
	.has = has,
	.attach = attach,
	.free = free_state,
	.named = named,
	.mark = mark,
	.function_of = function_of,
	.head = head,
	.text = text,
};
