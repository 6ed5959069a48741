/* SPDX-License-Identifier: Apache-2.0 */
/* print(): a typed value with its members, one a line.
 *
 * Layout of DTrace for Linux: the address and " = *", then the value from column 44 on (after the columns
 * CPU, ID, FUNCTION:NAME), a space deeper for each level. Members that are all zero are left out. Beyond
 * printsize bytes "..." stands where the next member would be; open braces are closed after it.
 * Source: dtrace(1) of Oracle, function print; layout of its documented output. */
#include <ctype.h>
#include <string.h>
#include "view/text/int.h"

#define INDENT 44
#define MAX_DEPTH 66 /* nesting that cg describes, and some */

struct printer {
	struct text_view *v;
	const uint8_t *p; /* the value */
	uint64_t size;	  /* bytes that were recorded */
	uint64_t limit;	  /* bytes to show */
	unsigned depth;	  /* braces and brackets that are open */
	char close[MAX_DEPTH + 2];
	bool cut;     /* an array was not shown to its end */
	bool stopped; /* "..." was printed */
};

static void close_to(struct printer *o, unsigned depth)
{
	while (o->depth > depth) {
		o->depth--;
		text_printf(o->v, "%*s%c%s\n", (int)(INDENT + o->depth), "", o->close[o->depth], o->depth ? "," : "");
	}
}

static void open_brace(struct printer *o, const struct rectype *t, char open, char closing)
{
	text_printf(o->v, "(%s) %c\n", t->name, open);
	o->close[o->depth++] = closing;
}

static bool all_zero(const uint8_t *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* An integer of up to 8 bytes, or bits of one. */
uint64_t text_bits(const uint8_t *p, uint64_t size, uint32_t bit, uint32_t bits, bool is_signed)
{
	uint64_t u = 0;
	uint32_t width = bits ? bits : (uint32_t)(size > 8 ? 8 : size) * 8;
	uint32_t nbytes = (bit + width + 7) / 8;

	memcpy(&u, p, nbytes > 8 ? 8 : nbytes);
	u >>= bit;
	if (nbytes > 8 && bit)
		u |= (uint64_t)p[8] << (64 - bit);
	if (width < 64) {
		u &= (UINT64_C(1) << width) - 1;
		if (is_signed && (u >> (width - 1) & 1))
			u |= ~UINT64_C(0) << width;
	}
	return u;
}

static void print_bytes(struct text_view *v, const uint8_t *p, uint64_t n)
{
	text_printf(v, "0x");
	for (uint64_t i = 0; i < n; i++)
		text_printf(v, "%02x", p[i]);
}

static void print_float(struct text_view *v, const uint8_t *p, uint64_t size)
{
	double d;
	float f;

	if (size == sizeof(d)) {
		memcpy(&d, p, sizeof(d));
		text_printf(v, "%g", d);
	} else if (size == sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		text_printf(v, "%g", (double)f);
	} else {
		print_bytes(v, p, size);
	}
}

const char *text_enum_name(const struct rectype *t, uint64_t value)
{
	uint64_t mask = t->size < 8 ? (UINT64_C(1) << 8 * t->size) - 1 : ~UINT64_C(0);

	for (uint32_t i = 0; i < t->nenumerators; i++)
		if ((((uint64_t)t->enumerators[i].value ^ value) & mask) == 0)
			return t->enumerators[i].name;
	return NULL;
}

/* A value without members: "(type)value". */
static void print_scalar(struct printer *o, const struct rectype *t, const uint8_t *p, const struct rec_member *m)
{
	uint32_t bits = m ? m->bit_size : 0;
	uint64_t u = t->size <= 8 && t->kind <= RTY_PTR && t->kind != RTY_FLOAT
			     ? text_bits(p, t->size, bits ? m->bit_off % 8 : 0, bits, t->is_signed)
			     : 0;
	const char *name;

	text_printf(o->v, "(%s)", t->name);
	switch (t->kind) {
	case RTY_ENUM:
		name = text_enum_name(t, u);
		if (name) {
			text_printf(o->v, "%s", name);
			break;
		}
		/* fallthrough */
	case RTY_INT:
		if (t->size > 8)
			print_bytes(o->v, p, t->size);
		else if (t->is_signed)
			text_printf(o->v, "%lld", (long long)u);
		else
			text_printf(o->v, "%llu", (unsigned long long)u);
		break;
	case RTY_PTR: text_printf(o->v, "0x%llx", (unsigned long long)u); break;
	case RTY_FLOAT: print_float(o->v, p, t->size); break;
	case RTY_STRING:
		text_printf(o->v, "\"");
		text_escaped(o->v, (const char *)p, strnlen((const char *)p, t->size));
		text_printf(o->v, "\"");
		break;
	default: print_bytes(o->v, p, t->size);
	}
	text_printf(o->v, o->depth ? ",\n" : "\n");
}

static void print_value(struct printer *o, const struct rectype *t, uint64_t off);

/* Characters up to the NUL, as many as there are to show. */
static void print_chars(struct printer *o, const struct rectype *t, uint64_t off)
{
	uint64_t i;

	for (i = 0; i < t->nelems && off + i < o->limit && o->p[off + i]; i++) {
		uint8_t ch = o->p[off + i];

		text_printf(o->v, "%*s(%s)", (int)(INDENT + o->depth), "", t->elem->name);
		if (ch < 0x80 && isprint(ch))
			text_printf(o->v, "'%c',\n", ch);
		else
			text_printf(o->v, "%d,\n", (int8_t)ch);
	}
	o->cut |= i < t->nelems && off + i >= o->limit;
}

/* Elements one a line, zeros too; the bracket is closed at once. */
static void print_array(struct printer *o, const struct rectype *t, uint64_t off)
{
	uint64_t size = t->elem->size, i;
	unsigned depth = o->depth;

	open_brace(o, t, '[', ']');
	if (t->elem->kind == RTY_INT && t->elem->is_char) {
		print_chars(o, t, off);
	} else {
		for (i = 0; i < t->nelems && size && !o->stopped && off + (i + 1) * size <= o->limit; i++) {
			text_printf(o->v, "%*s", (int)(INDENT + depth + 1), "");
			print_value(o, t->elem, off + i * size);
			close_to(o, depth + 1);
		}
		o->cut |= size && i < t->nelems;
	}
	if (depth == 0 && o->cut && !o->stopped)
		text_printf(o->v, "%*s...\n", INDENT + 1, "");
	close_to(o, depth);
}

/* True when there is nothing more to show: beyond the limit. */
static bool stop_at(struct printer *o, uint64_t end)
{
	if (end <= o->limit)
		return false;
	text_printf(o->v, "%*s...\n", (int)(INDENT + o->depth), "");
	o->stopped = true;
	return true;
}

/* Where a member's value ends as far as at least something of it must be there to be shown. */
static uint64_t member_end(const struct rec_member *m, uint64_t off)
{
	const struct rectype *t = m->type;

	if (m->bit_size)
		return off + (m->bit_off % 8 + m->bit_size + 7) / 8;
	while (t->kind == RTY_ARRAY && t->nelems)
		t = t->elem;
	return off + (t->kind == RTY_STRUCT ? (t->size ? 1 : 0) : t->size);
}

static bool member_is_zero(const struct printer *o, const struct rec_member *m, uint64_t off)
{
	uint64_t n = m->type->size;

	if (m->bit_size)
		return text_bits(o->p + off, m->type->size, m->bit_off % 8, m->bit_size, false) == 0;
	return all_zero(o->p + off, off + n <= o->size ? n : off < o->size ? o->size - off : 0);
}

/* Braces are closed when the next member comes, as "..." stands before those of a cut value. */
static void print_struct(struct printer *o, const struct rectype *t, uint64_t base)
{
	unsigned depth;

	open_brace(o, t, '{', '}');
	depth = o->depth;
	for (uint32_t i = 0; i < t->nmembers && !o->stopped; i++) {
		const struct rec_member *m = &t->members[i];
		uint64_t off = base + m->bit_off / 8;
		unsigned open = o->depth;

		if (member_end(m, off) <= o->limit && member_is_zero(o, m, off))
			continue;
		o->depth = depth;
		if (stop_at(o, member_end(m, off))) {
			o->depth = open;
			return;
		}
		o->depth = open;
		close_to(o, depth);
		text_printf(o->v, "%*s", (int)(INDENT + depth), "");
		if (m->name)
			text_printf(o->v, ".%s = ", m->name);
		if (m->bit_size)
			print_scalar(o, m->type, o->p + off, m);
		else
			print_value(o, m->type, off);
	}
}

/* A value at off; what it opened stays open. */
static void print_value(struct printer *o, const struct rectype *t, uint64_t off)
{
	if (o->depth >= MAX_DEPTH)
		text_printf(o->v, "(%s)...,\n", t->name);
	else if (t->kind == RTY_STRUCT)
		print_struct(o, t, off);
	else if (t->kind == RTY_ARRAY)
		print_array(o, t, off);
	else
		print_scalar(o, t, o->p + off, NULL);
}

static void print_typed(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	uint64_t limit = v->opts.printsize > 0 ? (uint64_t)v->opts.printsize : 0;
	struct printer o = { .v = v, .p = p, .size = f->size, .limit = f->size < limit ? f->size : limit };

	if (f->type->kind != RTY_STRUCT && f->type->kind != RTY_ARRAY)
		o.limit = f->size;
	print_value(&o, f->type, 0);
	if (o.cut && !o.stopped && o.depth)
		text_printf(v, "%*s...\n", (int)(INDENT + o.depth), "");
	close_to(&o, 0);
}

void text_print(struct text_view *v, const struct recfield *fields, size_t n, const uint8_t *rec)
{
	if (!fields[0].type)
		return;
	if (n > 1 && fields[1].type) {
		text_printf(v, "0x%llx = *\n%*s", (unsigned long long)recfield_u64(&fields[0], rec + fields[0].off),
			    INDENT, "");
		print_typed(v, &fields[1], rec + fields[1].off);
		return;
	}
	print_typed(v, &fields[0], rec + fields[0].off);
}
