/* SPDX-License-Identifier: Apache-2.0 */
/* Reads line tables: the header's lists of directories and files, and the program that makes the rows. */
#include "sym/dwarf/dwline.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/vec.h"

/* -- header -- */

static int add_dir(struct dw_lines *l, const char *name)
{
	return l->dirs.n < DWLINE_MAX_FILES ? vec_try_push(&l->dirs, name) : -EFBIG;
}

static int add_file(struct dw_lines *l, const char *name, uint64_t dir)
{
	struct dw_file f = { .name = name, .dir = dir };

	return l->files.n < DWLINE_MAX_FILES ? vec_try_push(&l->files, f) : -EFBIG;
}

/* A text up to its NUL; NULL at the end of a list, or when it is cut. */
static const char *list_text(struct rd *r)
{
	const char *s = (const char *)r->p;
	const uint8_t *nul = memchr(r->p, '\0', (size_t)(r->end - r->p));

	if (!nul) {
		r->bad = true;
		return NULL;
	}
	r->p = nul + 1;
	return *s ? s : NULL;
}

/* Up to version 4: two lists that count from 1. */
static int read_old_lists(struct dw_lines *l, struct rd *r)
{
	const char *s;
	int e = add_dir(l, l->comp_dir);

	while (e == 0 && (s = list_text(r)))
		e = add_dir(l, s);
	if (e == 0)
		e = add_file(l, NULL, 0);
	while (e == 0 && !r->bad && (s = list_text(r))) {
		uint64_t dir = rd_uleb(r);

		rd_uleb(r); /* when changed */
		rd_uleb(r); /* length */
		e = add_file(l, s, dir);
	}
	return e;
}

/* Version 5: a description of the fields stands in front of the list. */
static int read_list(struct dw *d, const struct dw_unit *u, struct dw_lines *l, struct rd *r, bool files)
{
	struct {
		uint64_t what, form;
	} fmt[DWLINE_MAX_FORMATS];
	unsigned nfmt = (unsigned)rd_fixed(r, 1);
	int e = 0;

	if (nfmt > DWLINE_MAX_FORMATS)
		return -EFBIG;
	for (unsigned i = 0; i < nfmt; i++) {
		fmt[i].what = rd_uleb(r);
		fmt[i].form = rd_uleb(r);
	}
	/* Each takes a byte at least, or there are too many: bounded by the limit on what is added. */
	for (uint64_t n = rd_uleb(r); e == 0 && n && !r->bad; n--) {
		const char *name = NULL;
		uint64_t dir = 0;

		for (unsigned i = 0; i < nfmt; i++) {
			struct val v = dw_form_read(d, u, r, fmt[i].form, 0);

			if (fmt[i].what == 1 && v.kind == VAL_TEXT) /* DW_LNCT_path */
				name = v.s;
			else if (fmt[i].what == 2 && v.kind == VAL_NUM) /* DW_LNCT_directory_index */
				dir = v.n;
		}
		e = files ? add_file(l, name, dir) : add_dir(l, name);
	}
	return e;
}

static int read_header(struct dw *d, const struct dw_die *first, struct dw_lines *l)
{
	struct dw_unit u = *first->u; /* the forms of the table are those of its own header */
	struct rd r = { d->line.p + u.base->line + first->stmt_list, d->line.p + d->line.n, false };
	const uint8_t *program;
	uint64_t len;
	int e;

	if (!rd_initial_length(&r, &u.off_size))
		return -EBADMSG;
	l->version = (unsigned)rd_fixed(&r, 2);
	if (r.bad || l->version < 2 || l->version > 5)
		return -EBADMSG;
	if (l->version >= 5)
		rd_skip(&r, 2); /* sizes of addresses, which the program says again, and of segment selectors */
	len = rd_fixed(&r, u.off_size);
	if (r.bad || len > (uint64_t)(r.end - r.p))
		return -EBADMSG;
	program = r.p + len;
	l->program = (struct rd){ program, r.end, false };
	r.end = program;
	l->min_inst = (unsigned)rd_fixed(&r, 1);
	if (l->version >= 4)
		rd_skip(&r, 1); /* operations of an instruction: more than one on VLIW machines only */
	l->stmt_at_first = rd_fixed(&r, 1) != 0;
	l->line_base = (int8_t)rd_fixed(&r, 1);
	l->line_range = (unsigned)rd_fixed(&r, 1);
	l->opcode_base = (unsigned)rd_fixed(&r, 1);
	l->oplens = r.p;
	rd_skip(&r, l->opcode_base ? l->opcode_base - 1 : 0);
	if (r.bad)
		return -EBADMSG;
	if (l->version < 5) {
		e = read_old_lists(l, &r);
	} else {
		e = read_list(d, &u, l, &r, false);
		if (e == 0)
			e = read_list(d, &u, l, &r, true);
	}
	return e == 0 && r.bad ? -EBADMSG : e;
}

int dw_lines_open(struct dw *d, const struct dw_die *first, struct dw_lines *ret)
{
	int e;

	*ret = (struct dw_lines){ .comp_dir = first->comp_dir };
	if (!first->has_lines)
		return -ENODATA;
	if (first->u->base->line > d->line.n || first->stmt_list >= d->line.n - first->u->base->line)
		return d->line.n ? -EBADMSG : -ENODATA;
	e = read_header(d, first, ret);
	if (e < 0)
		dw_lines_done(ret);
	return e;
}

void dw_lines_done(struct dw_lines *l)
{
	for (size_t i = 0; i < l->files.n; i++)
		free(l->files.v[i].path);
	vec_free(&l->files);
	vec_free(&l->dirs);
	vec_free(&l->rows);
	vec_free(&l->seqs);
	vec_free(&l->stmts);
	*l = (struct dw_lines){ 0 };
}

size_t dw_lines_bytes(const struct dw_lines *l)
{
	return l->files.cap * sizeof(*l->files.v) + l->dirs.cap * sizeof(*l->dirs.v) +
	       l->rows.cap * sizeof(*l->rows.v) + l->seqs.cap * sizeof(*l->seqs.v) + l->stmts.cap * sizeof(*l->stmts.v);
}

/* -- rows -- */

struct machine {
	struct dw_lines *l;
	uint64_t addr, file, line;
	size_t first; /* row of the sequence */
	bool zero;
	/* For dw_lines.stmts: */
	bool stmt, counted;	     /* the next row begins a statement; one of this line is in stmts already */
	size_t first_stmt;	     /* of the sequence */
	uint64_t run_file, run_line; /* of the rows that follow each other */
};

static int add_stmt(struct machine *m)
{
	struct dw_row row = { m->addr, (uint32_t)m->file, (uint32_t)m->line };

	if (m->file != m->run_file || m->line != m->run_line)
		m->counted = false;
	m->run_file = m->file;
	m->run_line = m->line;
	if (!m->stmt || m->counted || !m->line || m->file > UINT32_MAX || m->line > UINT32_MAX)
		return 0;
	m->counted = true;
	return m->l->stmts.n < DWLINE_MAX_ROWS ? vec_try_push(&m->l->stmts, row) : -EFBIG;
}

/* The last of several rows with one address holds. Addresses that go back within a sequence are left out. */
static int add_row(struct machine *m)
{
	struct dw_lines *l = m->l;
	struct dw_row row = { m->addr, (uint32_t)m->file, (uint32_t)m->line }, *last = NULL;
	int e = l->want_stmts ? add_stmt(m) : 0;

	if (e < 0)
		return e;
	if (m->file > UINT32_MAX || m->line > UINT32_MAX)
		row.file = row.line = 0;
	if (l->rows.n > m->first)
		last = &l->rows.v[l->rows.n - 1];
	if (last && row.addr < last->addr)
		return 0;
	if (last && row.addr == last->addr) {
		*last = row;
		return 0;
	}
	return l->rows.n < DWLINE_MAX_ROWS ? vec_try_push(&l->rows, row) : -EFBIG;
}

static void begin_sequence(struct machine *m)
{
	m->addr = 0;
	m->file = m->line = 1;
	m->first = m->l->rows.n;
	m->first_stmt = m->l->stmts.n;
	m->stmt = m->l->stmt_at_first;
	m->counted = false;
	m->run_line = 0;
}

static int end_sequence(struct machine *m)
{
	struct dw_lines *l = m->l;
	struct dw_seq q = { .hi = m->addr, .first = (uint32_t)m->first, .n = (uint32_t)(l->rows.n - m->first) };

	int e = 0;

	if (q.n)
		q.lo = l->rows.v[q.first].addr;
	if (!q.n || q.hi <= q.lo || (!q.lo && !m->zero)) { /* at 0: of functions that the linker has left out */
		l->rows.n = m->first;
		l->stmts.n = m->first_stmt;
	} else {
		e = vec_try_push(&l->seqs, q);
	}
	begin_sequence(m);
	return e;
}

static int extended(struct machine *m, struct rd *r)
{
	uint64_t len = rd_uleb(r);
	struct rd in = { r->p, r->end, false };
	int e = 0;

	rd_skip(r, len);
	if (r->bad || !len)
		return 0;
	in.end = r->p;
	switch (rd_fixed(&in, 1)) {
	case 1: e = end_sequence(m); break;
	case 2: /* set_address */
		if (len - 1 != 4 && len - 1 != 8)
			r->bad = true;
		else
			m->addr = rd_fixed(&in, (unsigned)len - 1);
		break;
	default: break; /* define_file is of DWARF 3 and was never used; discriminators */
	}
	return e;
}

static int standard(struct machine *m, struct rd *r, unsigned op)
{
	const struct dw_lines *l = m->l;

	switch (op) {
	case 1: return add_row(m);								  /* copy */
	case 2: m->addr += rd_uleb(r) * l->min_inst; break;					  /* advance_pc */
	case 3: m->line += (uint64_t)rd_sleb(r); break;						  /* advance_line */
	case 4: m->file = rd_uleb(r); break;							  /* set_file */
	case 6: m->stmt = !m->stmt; break;							  /* negate_stmt */
	case 8: m->addr += (255 - l->opcode_base) / l->line_range * (uint64_t)l->min_inst; break; /* const_add_pc */
	case 9: m->addr += rd_fixed(r, 2); break;						  /* fixed_advance_pc */
	default: /* column, block, prologue …: nothing that matters */
		for (unsigned i = l->oplens[op - 1]; i; i--)
			rd_uleb(r);
		break;
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct dw_seq *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

int dw_lines_run(struct dw_lines *l, bool zero)
{
	struct machine m = { .l = l, .zero = zero };
	struct rd r = l->program;
	int e = 0;

	if (l->has_rows)
		return 0;
	l->has_rows = true;
	if (!l->line_range)
		return -EBADMSG;
	begin_sequence(&m);
	while (e == 0 && !r.bad && r.p < r.end) {
		unsigned op = *r.p++;

		if (op >= l->opcode_base) {
			op -= l->opcode_base;
			m.addr += op / l->line_range * (uint64_t)l->min_inst;
			m.line += (uint64_t)(int64_t)(l->line_base + (int)(op % l->line_range));
			e = add_row(&m);
		} else {
			e = op ? standard(&m, &r, op) : extended(&m, &r);
		}
	}
	l->rows.n = m.first; /* of a sequence without end nothing is known */
	l->stmts.n = m.first_stmt;
	if (l->seqs.n)
		qsort(l->seqs.v, l->seqs.n, sizeof(*l->seqs.v), by_start);
	return e == 0 && r.bad ? -EBADMSG : e;
}

const struct dw_row *dw_lines_at(const struct dw_lines *l, uint64_t addr)
{
	const struct dw_seq *seqs = l->seqs.v;
	size_t lo = 0, hi = l->seqs.n;
	const struct dw_row *v;

	while (lo < hi) { /* the first that begins after addr */
		size_t mid = lo + (hi - lo) / 2;

		if (seqs[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr >= seqs[lo - 1].hi)
		return NULL;
	v = l->rows.v + seqs[lo - 1].first;
	hi = seqs[lo - 1].n;
	for (lo = 0; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &v[lo - 1] : NULL;
}

/* -- paths -- */

const char *dw_lines_path(struct dw_lines *l, uint64_t file)
{
	struct dw_file *f = file < l->files.n ? &l->files.v[file] : NULL;
	const char *dir, *top;
	char path[DWLINE_MAX_PATH];
	int n;

	if (!f || !f->name)
		return NULL;
	if (f->path)
		return f->path;
	dir = f->name[0] != '/' && f->dir < l->dirs.n ? l->dirs.v[f->dir] : NULL;
	top = f->dir && dir && dir[0] != '/' ? l->comp_dir : NULL;
	n = snprintf(path, sizeof(path), "%s%s%s%s%s", top ? top : "", top ? "/" : "", dir ? dir : "", dir ? "/" : "",
		     f->name);
	if (n < 0 || n >= (int)sizeof(path))
		return NULL;
	f->path = strdup(path);
	return f->path;
}
