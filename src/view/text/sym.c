/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and stacks as text: "vmlinux`vfs_read+0x1b", "libc.so.6`read", "0x7f…". */
#include <stdarg.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "runtime/go/go.h"
#include "view/text/int.h"

#define NAME_BYTES 1024 /* of a name with escapes */

/* Names come from files of strangers. JSON has escapes of its own. */
static const char *name_of(const struct text_view *v, const char *name, char *buf, size_t n)
{
	return v->opts.json ? name : plain_name(name, buf, n);
}

static void symbol_str(const struct text_view *v, const struct symbol *s, bool found, uint64_t addr, bool offset,
		       char *buf, size_t n)
{
	char name_buf[NAME_BYTES], module_buf[NAME_BYTES];
	const char *module = s->module ? name_of(v, s->module, module_buf, sizeof(module_buf)) : "";
	unsigned long long a = addr;

	if (found && s->name) {
		const char *name = name_of(v, s->name, name_buf, sizeof(name_buf));

		if (rt_is_frame(addr)) /* no address: as DTrace shows what a helper says */
			snprintf(buf, n, "%s", name);
		else if (offset && s->offset)
			snprintf(buf, n, "%s`%s+0x%llx", module, name, (unsigned long long)s->offset);
		else
			snprintf(buf, n, "%s`%s", module, name);
	} else if (module[0]) {
		snprintf(buf, n, "%s`0x%llx", module, a);
	} else {
		snprintf(buf, n, "0x%llx", a);
	}
}

void text_kaddr_str(struct text_view *v, uint64_t addr, bool offset, char *buf, size_t n)
{
	struct symbol s = { 0 };
	bool found = v->sym && !v->opts.noresolve && sym_kernel(v->sym, addr, &s);

	symbol_str(v, &s, found, addr, offset, buf, n);
}

void text_uaddr_str(struct text_view *v, uint32_t tgid, uint64_t start, uint64_t addr, bool offset, char *buf, size_t n)
{
	char module[NAME_BYTES];
	struct symbol s = { 0 };
	bool found = v->sym && sym_user(v->sym, tgid, start, addr, &s);

	if (v->opts.noresolve && s.module && s.module[0])
		snprintf(buf, n, "%s:0x%llx", name_of(v, s.module, module, sizeof(module)),
			 (unsigned long long)(s.name ? s.addr + s.offset : s.offset));
	else
		symbol_str(v, &s, found && !v->opts.noresolve, addr, offset, buf, n);
}

static void module_str(const struct text_view *v, const struct symbol *s, uint64_t addr, char *buf, size_t n)
{
	char module[NAME_BYTES];

	if (s->module && s->module[0])
		snprintf(buf, n, "%s", name_of(v, s->module, module, sizeof(module)));
	else
		snprintf(buf, n, "0x%llx", (unsigned long long)addr);
}

void text_addr_str(struct text_view *v, const struct recfield *f, const uint8_t *p, char *buf, size_t n)
{
	enum field_kind kind = f->kind;
	struct rec_uaddr u = { 0 };
	struct symbol s = { 0 };
	uint64_t addr;

	if (kind == FLD_WHY) {
		snprintf(buf, n, "%s", text_why(v, f, p)->words);
		return;
	}
	if (kind == FLD_SYM || kind == FLD_FUNC || kind == FLD_MOD) {
		memcpy(&addr, p, sizeof(addr));
		if (kind != FLD_MOD) {
			text_kaddr_str(v, addr, false, buf, n);
			return;
		}
		if (v->sym)
			sym_kernel(v->sym, addr, &s);
		module_str(v, &s, addr, buf, n);
		return;
	}
	memcpy(&u, p, sizeof(u));
	if (kind == FLD_UMOD) {
		if (v->sym)
			sym_user(v->sym, u.tgid, u.start, u.addr, &s);
		module_str(v, &s, u.addr, buf, n);
		return;
	}
	text_uaddr_str(v, u.tgid, u.start, u.addr, kind == FLD_UADDR, buf, n);
}

__attribute__((format(printf, 3, 0))) static void frame_line(struct text_view *v, int indent, const char *fmt,
							     const char *text)
{
	text_printf(v, "%*s", indent, "");
	if (!strcmp(fmt, "%s"))
		text_printf(v, "%s\n", text);
	else {
		char *s = NULL;

/* fmt is made by printf.c from a checked conversion, with one %s */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (asprintf(&s, fmt, text) >= 0)
			text_printf(v, "%s\n", s);
#pragma GCC diagnostic pop
		free(s);
	}
}

static void kernel_stack(struct text_view *v, const struct recfield *f, const uint8_t *p, int indent, const char *fmt)
{
	char buf[1024];
	size_t first, n = text_frames(v, f, p, &first);

	for (size_t i = first; i < n; i++) {
		uint64_t pc;

		memcpy(&pc, p + 8 * i, sizeof(pc));
		text_kaddr_str(v, pc, true, buf, sizeof(buf));
		frame_line(v, indent, fmt, buf);
	}
}

/* A frame of a language runtime has a line for each function in it; those that are inlined say so. */
static void frame_lines(struct text_view *v, int indent, const char *fmt, char *text)
{
	const size_t sep = sizeof(SYM_INLINED_INTO) - 1;
	char one[1024 + 16], *end;

	while ((end = strstr(text, SYM_INLINED_INTO))) {
		snprintf(one, sizeof(one), "%.*s [inlined]", (int)(end - text), text);
		frame_line(v, indent, fmt, one);
		text = end + sep;
	}
	frame_line(v, indent, fmt, text);
}

/* Why there is no caller of the frame at pc. */
static void end_line(struct text_view *v, const struct rec_ustack_hdr *h, uint64_t pc, int indent, const char *fmt)
{
	struct symbol s = { 0 };
	const char *why;
	char buf[128];

	if (!pc || !v->sym || !sym_user(v->sym, h->tgid, h->start, pc - 1, &s))
		s.name = NULL;
	why = go_stack_end(s.name);
	if (why && !why[0])
		return;
	snprintf(buf, sizeof(buf), "[stack cut here: %s]", why ? why : "no way to the caller found");
	frame_line(v, indent, fmt, buf);
}

static void user_stack(struct text_view *v, const struct recfield *f, const uint8_t *p, int indent, const char *fmt)
{
	struct rec_ustack_hdr h;
	uint64_t last = 0;
	char buf[1024];

	memcpy(&h, p, sizeof(h));
	p += sizeof(h);
	if (h.flags & REC_USTACK_NONE) {
		frame_line(v, indent, fmt, "[no user stack here]");
		return;
	}
	for (uint32_t i = 0; i < f->nframes; i++) {
		uint64_t pc;

		memcpy(&pc, p + 8 * (size_t)i, sizeof(pc));
		if (!pc)
			break;
		last = pc;
		text_uaddr_str(v, h.tgid, h.start, pc, true, buf, sizeof(buf));
		if (rt_is_frame(pc))
			frame_lines(v, indent, fmt, buf);
		else
			frame_line(v, indent, fmt, buf);
	}
	if ((h.flags & REC_USTACK_CUT) && f->nframes >= v->opts.ustackframes)
		frame_line(v, indent, fmt, "[stack cut here: deeper than the frames asked for]");
	else if (h.flags & REC_USTACK_FAULT)
		end_line(v, &h, last, indent, fmt);
}

void text_stack(struct text_view *v, const struct recfield *f, const uint8_t *p, int indent, const char *fmt)
{
	text_printf(v, "\n");
	if (f->kind == FLD_STACK)
		kernel_stack(v, f, p, indent, fmt);
	else
		user_stack(v, f, p, indent, fmt);
}
