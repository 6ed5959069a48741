/* SPDX-License-Identifier: Apache-2.0 */
/* Turns user addresses into source lines, by the debug information of their file or of its debug file. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "runtime/runtime.h"
#include "sym/elf/debugfile.h"
#include "sym/proc/int.h"

static int open_file(struct sym *s, struct ufile *f, uint32_t tgid, struct srcline **ret)
{
	struct elf e;
	int r;

	if (!ufile_open(s, f))
		return -ENOENT;
	r = elf_open(&e, (struct elf_src){ .fd = f->fd, .mem = f->mem, .size = f->key.size });
	if (r == 0) {
		r = srcline_open_file(&e, f->path, f->mem ? NULL : s->debug_dir, tgid, ret);
		elf_close(&e);
	}
	ufile_close(s, f);
	return r;
}

/* The lines of one file are kept. */
static struct srcline *lines_of(struct sym *s, struct ufile *f, uint32_t tgid)
{
	if (s->line_file != f) {
		sym_lines_done(s);
		ufile_ref(s, f);
		s->line_file = f;
		if (open_file(s, f, tgid, &s->lines) < 0)
			s->lines = NULL;
	}
	return s->lines;
}

void sym_lines_done(struct sym *s)
{
	srcline_free(s->lines);
	ufile_put(s, s->line_file);
	s->lines = NULL;
	s->line_file = NULL;
}

static const char *keep(struct sym *s, const char *text)
{
	return text ? strset_add(&s->names, text) : NULL;
}

static const char *keep_part(struct sym *s, const char *text, size_t n)
{
	char buf[RT_MAX_TEXT];

	if (!text || n >= sizeof(buf))
		return NULL;
	memcpy(buf, text, n);
	buf[n] = '\0';
	return keep(s, buf);
}

/* A function of a language runtime is where its name says. One without a name is told by its place. */
static size_t runtime_lines(struct sym *s, uint32_t tgid, uint64_t start, uint64_t frame,
			    struct sym_line ret[SYM_MAX_LINES])
{
	struct rt_function f[SYM_MAX_LINES];
	struct symbol sym;
	size_t n;

	if (!sym_user(s, tgid, start, frame | 1, &sym) || !sym.name)
		return 0;
	n = rt_text_functions(sym.name, f, SYM_MAX_LINES);
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct sym_line){ .name = keep_part(s, f[i].name, f[i].name_len),
					    .file = keep_part(s, f[i].file, f[i].file_len),
					    .line = f[i].line };
	return n;
}

size_t sym_user_lines(struct sym *s, uint32_t tgid, uint64_t start, uint64_t addr, struct sym_line ret[SYM_MAX_LINES])
{
	struct srcframe f[SYM_MAX_LINES];
	struct srcline *lines;
	const struct umap *m;
	struct uproc *p;
	uint64_t vaddr;
	size_t n;

	if (rt_is_frame(addr))
		return runtime_lines(s, tgid, start, addr, ret);
	if (s->source.kernel)
		return s->source.lines ? s->source.lines(s->source.ctx, tgid, start, addr, ret) : 0;
	p = proc_find(s, tgid, start);
	m = p ? maps_at(&p->maps, addr) : NULL;
	if (!m || !m->f || !m->f->is_elf || m->bss)
		return 0;
	if (!elf_seg_vaddr(m->f->seg, m->f->nseg, addr - m->start + m->off, m->exec, &vaddr))
		return 0;
	lines = lines_of(s, m->f, p->dead ? 0 : p->tgid);
	n = lines ? srcline_at(lines, vaddr, f) : 0;
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct sym_line){
			.name = f[i].func ? demangle(&s->dem, &s->names, f[i].func) : NULL,
			.file = keep(s, f[i].file),
			.def_file = keep(s, f[i].def_file),
			.line = f[i].line,
			.def_line = f[i].def_line,
		};
	return n;
}
