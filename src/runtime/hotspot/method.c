/* SPDX-License-Identifier: Apache-2.0 */
/* Methods: the names of their classes and of themselves, and the lines of their bytecodes. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "runtime/hotspot/int.h"

#define ACC_NATIVE 0x100  /* Source: JVM specification, table 4.6-A */
#define HAS_LINES 1	  /* of the flags of a ConstMethod. Source: share/oops/constMethod.hpp, constMethodFlags.hpp */
#define MIN_ADDRESS 4096u /* no structure of the JVM lies below */
#define WORD 8

int hs_method_read(const struct hs *v, struct hs_head *h)
{
	uint64_t again, back;
	int r;

	if (h->method < MIN_ADDRESS || h->method % WORD)
		return -ENOENT;
	r = hs_number(v->m, h->method, v->l->method_const, 8, &h->const_method);
	if (r == 0)
		r = hs_number(v->m, h->const_method, v->l->const_constants, 8, &h->constants);
	if (r == 0)
		r = hs_number(v->m, h->constants, v->l->pool_holder, 8, &h->holder);
	if (r == 0) /* the class has the same constants: what is no Method does not lead there */
		r = hs_number(v->m, h->holder, v->l->class_constants, 8, &again);
	if (r < 0 || again < MIN_ADDRESS)
		return r < 0 ? r : -ENOENT;
	if (again == h->constants)
		return 0;
	/* an agent has changed the class while the method ran: the method keeps its constants, the class has others */
	r = hs_number(v->m, again, v->l->pool_holder, 8, &back);
	return r < 0 ? r : back == h->holder ? 0 : -ENOENT;
}

/* -- text -- */

/* Adds UTF-8 as the JVM has it. in_class: '/' between packages is '.', and '+' before a hidden class's number '/'. */
static void add_utf8(struct rt_text *t, const uint8_t *s, size_t n, bool in_class)
{
	for (size_t i = 0; i < n;) {
		const uint8_t c = s[i++];
		unsigned more = c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc0 && c < 0xe0 ? 1 : 0;
		uint32_t v = more == 2 ? c & 15 : more == 1 ? c & 31 : c;

		if (c >= 0x80 && (!more || n - i < more))
			v = UINT32_C(0xd800) | c, more = 0; /* none: shown as what is no character */
		for (; more; more--)
			v = v << 6 | (s[i++] & 63);
		if (in_class && v == '/')
			v = '.';
		else if (in_class && v == '+')
			v = '/';
		rt_text_char(t, v);
	}
}

static int add_symbol(const struct hs *v, struct rt_text *t, uint64_t symbol, bool in_class)
{
	uint8_t text[HS_MAX_NAME];
	uint64_t n;
	int r = symbol < MIN_ADDRESS ? -EBADMSG : hs_number(v->m, symbol, v->l->symbol_length, 2, &n);

	if (r < 0)
		return r;
	const size_t shown = n < HS_MAX_NAME ? n : HS_MAX_NAME;

	r = v->m->read(v->m->ctx, symbol + v->l->symbol_body, text, shown);
	if (r < 0)
		return r;
	add_utf8(t, text, shown, in_class);
	if (shown < n)
		rt_text_add(t, "...");
	return 0;
}

/* Adds the symbol that a pool has at an index. */
static int add_constant(const struct hs *v, struct rt_text *t, uint64_t pool, uint64_t index)
{
	uint64_t n, symbol;
	int r = hs_number(v->m, pool, v->l->pool_length, 4, &n);

	if (r == 0)
		r = index && index < n ? hs_number(v->m, pool, v->l->size_pool + index * WORD, 8, &symbol) : -EBADMSG;
	return r < 0 ? r : add_symbol(v, t, symbol, false);
}

int hs_add_string(const struct hs *v, struct rt_text *t, uint64_t at)
{
	uint8_t text[64];
	size_t n = 0;

	for (; n < sizeof(text); n++) {
		int r = at < MIN_ADDRESS ? -EBADMSG : v->m->read(v->m->ctx, at + n, text + n, 1);

		if (r < 0)
			return r;
		if (!text[n])
			break;
	}
	add_utf8(t, text, n, false);
	return 0;
}

/* -- lines -- */

/* Source: CompressedStream, share/code/compressedStream.cpp; UNSIGNED5, share/utilities/unsigned5.hpp. */
#define LOW_BITS 6
#define LOW_CODES 192u /* a byte below ends a number */
#define MAX_BYTES 5

bool hs_take(struct hs_bytes *b, uint32_t *ret)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < MAX_BYTES; i++) {
		uint8_t c;

		if (b->p == b->end)
			return false;
		c = *b->p++;
		if (c < b->excess)
			return false;
		v += (uint32_t)(c - b->excess) << (LOW_BITS * i);
		if (c < LOW_CODES) {
			*ret = v;
			return true;
		}
	}
	*ret = v;
	return true;
}

static bool take_signed(struct hs_bytes *b, int64_t *sum)
{
	uint32_t v;

	if (!hs_take(b, &v))
		return false;
	*sum += (int32_t)(v >> 1) ^ -(int32_t)(v & 1);
	return true;
}

#define ESCAPE 0xff /* no pair in one byte: five bits of the bytecode, three of the line */
#define LINE_BITS 3

uint32_t hs_line(const struct hs_layout *l, const uint8_t *table, size_t n, uint32_t bci)
{
	struct hs_bytes b = { table, table + n, l->java >= HS_EXCESS };
	int64_t at = 0, line = 0;
	uint32_t found = 0;
	int64_t best = -1;

	while (b.p < b.end) {
		const uint8_t c = *b.p++;

		if (!c)
			break;
		if (c != ESCAPE) {
			at += c >> LINE_BITS;
			line += c & ((1 << LINE_BITS) - 1);
		} else if (!take_signed(&b, &at) || !take_signed(&b, &line)) {
			break;
		}
		if (at == bci)
			return line > 0 && line <= UINT16_MAX ? (uint32_t)line : 0;
		if (at < bci && at >= best && line > 0 && line <= UINT16_MAX) {
			best = at; /* the table need not be sorted */
			found = (uint32_t)line;
		}
	}
	return found;
}

static uint32_t line_of(const struct hs *v, uint64_t cm, uint32_t bci)
{
	_cleanup_free_ uint8_t *table = NULL;
	uint64_t flags, words, code, begin, n;

	if (bci >= HS_BCI_MAX || hs_number(v->m, cm, v->l->const_flags, 2, &flags) < 0 || !(flags & HAS_LINES) ||
	    hs_number(v->m, cm, v->l->const_size, 4, &words) < 0 ||
	    hs_number(v->m, cm, v->l->const_code_size, 2, &code) < 0)
		return 0;
	begin = v->l->size_const_method + code;
	if (words > INT32_MAX || words * WORD <= begin)
		return 0;
	n = words * WORD - begin;
	n = n < HS_MAX_LINES ? n : HS_MAX_LINES;
	table = malloc(n);
	return table && v->m->read(v->m->ctx, cm + begin, table, n) == 0 ? hs_line(v->l, table, n, bci) : 0;
}

/* -- a method -- */

/* " at file:line", as far as it is known. */
static int add_place(const struct hs *v, struct rt_text *t, const struct hs_head *h, uint32_t bci)
{
	uint64_t file;
	uint32_t line;
	int r = hs_number(v->m, h->constants, v->l->pool_file, 2, &file);

	if (r < 0 || !file)
		return r;
	rt_text_add(t, " at ");
	r = add_constant(v, t, h->constants, file);
	line = r == 0 ? line_of(v, h->const_method, bci) : 0;
	if (line)
		rt_text_add(t, ":%" PRIu32, line);
	return r;
}

int hs_add_method(const struct hs *v, struct rt_text *t, uint64_t method, uint32_t bci)
{
	struct hs_head h = { .method = method };
	uint64_t name, symbol, access;
	int r = hs_method_read(v, &h);

	if (r == 0)
		r = hs_number(v->m, h.holder, v->l->class_name, 8, &symbol);
	if (r == 0)
		r = add_symbol(v, t, symbol, true);
	if (r == 0)
		r = hs_number(v->m, h.const_method, v->l->const_name, 2, &name);
	if (r < 0)
		return r;
	rt_text_add(t, ".");
	r = add_constant(v, t, h.constants, name);
	if (r == 0)
		r = hs_number(v->m, method, v->l->method_access, 2, &access);
	if (r < 0)
		return r;
	if (access & ACC_NATIVE) {
		rt_text_add(t, " [native]");
		return 0;
	}
	return add_place(v, t, &h, bci);
}
