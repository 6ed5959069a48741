/* SPDX-License-Identifier: Apache-2.0 */
/* Strings and numbers of JavaScript. Strings are made of others: put together (cons), cut out (sliced), moved (thin),
 * or outside of V8's memory (external). Source: src/objects/string.{h,tq}, src/objects/bigint.h of V8. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/js/js.h"

/* Source: include/v8-internal.h, src/objects/instance-type.h; the binaries export the same. */
enum { KIND_MASK = 7, ONE_BYTE = 8, SEQ = 0, CONS = 1, EXTERNAL = 2, SLICED = 3, THIN = 5 };

#define CHUNK 4096u /* units that are read at once */

/* A part of a string that is still to be taken. */
struct piece {
	uint64_t string;
	uint64_t from, n; /* units */
};
typedef VEC(struct piece) pieces;

/* Units of characters that lie in a row. */
static int take_units(const struct js *js, uint64_t at, bool one_byte, uint64_t n, js_units *ret)
{
	uint16_t two[CHUNK];
	uint8_t *one = (uint8_t *)two;

	for (uint64_t done = 0; done < n;) {
		const size_t k = n - done < CHUNK ? (size_t)(n - done) : CHUNK;
		int r = core_read(js->core, at + done * (one_byte ? 1 : 2), two, one_byte ? k : 2 * k);

		if (r == 0)
			r = vec_reserve_raw((void **)&ret->v, &ret->cap, ret->n + k, sizeof(*ret->v));
		if (r < 0)
			return r;
		for (size_t i = 0; i < k; i++)
			ret->v[ret->n + i] = one_byte ? one[i] : two[i];
		ret->n += k;
		done += k;
	}
	return 0;
}

static int push(pieces *todo, uint64_t string, uint64_t from, uint64_t n)
{
	return n ? vec_try_push(todo, ((struct piece){ string, from, n })) : 0;
}

static int push_both(const struct js *js, pieces *todo, const struct piece *p)
{
	uint64_t first, second, n1;
	uint32_t n = 0;
	int r = js_word(js, p->string, js->l.string_first, &first);

	if (r == 0)
		r = js_word(js, p->string, js->l.string_second, &second);
	if (r == 0)
		r = v8_bytes(&js->v, first, js->l.string_length, &n, sizeof(n));
	if (r < 0)
		return r;
	n1 = n > p->from ? n - p->from : 0;
	n1 = n1 < p->n ? n1 : p->n;
	r = push(todo, second, p->from > n ? p->from - n : 0, p->n - n1);
	return r < 0 ? r : push(todo, first, p->from, n1);
}

static int push_slice(const struct js *js, pieces *todo, const struct piece *p)
{
	uint64_t parent, offset;
	int r = js_word(js, p->string, js->o.sliced_parent, &parent);

	if (r == 0)
		r = js_word(js, p->string, js->o.sliced_offset, &offset);
	if (r < 0)
		return r;
	if (!v8_is_smi(offset) || v8_smi(offset) < 0)
		return -EBADMSG;
	return push(todo, parent, p->from + (uint64_t)v8_smi(offset), p->n);
}

/* One string: its units, or the strings that it is made of. */
static int take_piece(const struct js *js, pieces *todo, const struct piece *p, js_units *ret)
{
	const int type = js_type(js, p->string);
	uint64_t at = 0;
	uint32_t n;
	int r;

	if (!js_is_string(js, type))
		return type < 0 ? type : -EBADMSG;
	r = v8_bytes(&js->v, p->string, js->l.string_length, &n, sizeof(n));
	if (r < 0)
		return r;
	if (p->from > n || p->n > n - p->from)
		return -EBADMSG;
	switch (type & KIND_MASK) {
	case SEQ: at = p->string - V8_TAG + (uint64_t)js->l.string_chars; break;
	case EXTERNAL: r = js_word(js, p->string, js->l.string_data, &at); break;
	case CONS: return push_both(js, todo, p);
	case SLICED: return push_slice(js, todo, p);
	case THIN:
		r = js_word(js, p->string, js->l.string_actual, &at);
		return r < 0 ? r : push(todo, at, p->from, p->n);
	default: return -EBADMSG;
	}
	if (r < 0)
		return r;
	return take_units(js, at + p->from * (type & ONE_BYTE ? 1 : 2), type & ONE_BYTE, p->n, ret);
}

int js_string(const struct js *js, uint64_t string, size_t max, js_units *ret, uint64_t *ret_all)
{
	const int type = js_type(js, string);
	pieces todo = { 0 };
	uint32_t n = 0;
	int r;

	if (!js_is_string(js, type))
		return type < 0 ? type : -EBADMSG;
	r = v8_bytes(&js->v, string, js->l.string_length, &n, sizeof(n));
	if (r < 0)
		return r;
	if (ret_all)
		*ret_all = n;
	max = max < JS_MAX_STRING ? max : JS_MAX_STRING;
	r = push(&todo, string, 0, n < max ? n : max);
	/* Each unit is in one piece, which a few strings lead to. */
	for (uint64_t left = 4 * (uint64_t)n + 16; r == 0 && todo.n; left--) {
		const struct piece p = todo.v[--todo.n];

		r = left ? take_piece(js, &todo, &p, ret) : -EBADMSG;
	}
	vec_free(&todo);
	return r;
}

static void add_utf8(struct strb *b, uint32_t c)
{
	if (c < 0x80) {
		strb_addc(b, (char)c);
	} else if (c < 0x800) {
		strb_addc(b, (char)(0xc0 | c >> 6));
		strb_addc(b, (char)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		strb_addc(b, (char)(0xe0 | c >> 12));
		strb_addc(b, (char)(0x80 | (c >> 6 & 63)));
		strb_addc(b, (char)(0x80 | (c & 63)));
	} else {
		strb_addc(b, (char)(0xf0 | c >> 18));
		strb_addc(b, (char)(0x80 | (c >> 12 & 63)));
		strb_addc(b, (char)(0x80 | (c >> 6 & 63)));
		strb_addc(b, (char)(0x80 | (c & 63)));
	}
}

int js_string_text(const struct js *js, uint64_t string, size_t max, struct strb *b, uint64_t *ret_all)
{
	js_units u = { 0 };
	int r = js_string(js, string, max, &u, ret_all);

	for (size_t i = 0; r == 0 && i < u.n; i++) {
		uint32_t c = u.v[i];

		if ((c & 0xfc00) == 0xd800 && i + 1 < u.n && (u.v[i + 1] & 0xfc00) == 0xdc00)
			c = 0x10000 + ((c & 0x3ff) << 10 | (u.v[++i] & 0x3ff));
		else if ((c & 0xf800) == 0xd800)
			c = 0xfffd;
		add_utf8(b, c);
	}
	vec_free(&u);
	return r;
}

/* Source: ECMA-262, Number::toString: the fewest digits that give the number back; an exponent from 1e21 on and below
 * 1e-6. */
void js_number_text(double v, char buf[JS_NUMBER])
{
	char digits[JS_NUMBER];
	int n, exponent;

	if (isnan(v) || isinf(v)) {
		snprintf(buf, JS_NUMBER, "%s", isnan(v) ? "NaN" : v < 0 ? "-Infinity" : "Infinity");
		return;
	}
	if (v == 0) {
		snprintf(buf, JS_NUMBER, "%s", signbit(v) ? "-0" : "0");
		return;
	}
	for (n = 1; n < 17; n++) {
		snprintf(digits, sizeof(digits), "%.*e", n - 1, v);
		if (strtod(digits, NULL) == v) /* NOLINT: exactly */
			break;
	}
	snprintf(digits, sizeof(digits), "%.*e", n - 1, v);
	exponent = atoi(strchr(digits, 'e') + 1);
	if (exponent >= 21 || exponent < -6) {
		char *e = strchr(digits, 'e');

		*e = '\0';
		snprintf(buf, JS_NUMBER, "%se%+d", digits, exponent);
	} else {
		snprintf(buf, JS_NUMBER, "%.*f", n - 1 > exponent ? n - 1 - exponent : 0, v);
	}
}

/* Divides a number of n words by 10^18 in place; the rest. */
static uint64_t divide(uint64_t *v, size_t n)
{
	const uint64_t by = 1000000000000000000u;
	unsigned __int128 rest = 0;

	for (size_t i = n; i-- > 0;) {
		rest = rest << 64 | v[i];
		v[i] = (uint64_t)(rest / by);
		rest %= by;
	}
	return (uint64_t)rest;
}

#define MAX_PARTS (JS_MAX_BIGINT / 8 * 2) /* of 18 digits */

int js_bigint_text(const struct js *js, uint64_t v, struct strb *b)
{
	uint64_t words[JS_MAX_BIGINT / 8] = { 0 }, parts[MAX_PARTS];
	uint32_t bits, n;
	size_t k = 0;
	int r = v8_bytes(&js->v, v, js->o.bigint_bits, &bits, sizeof(bits));

	if (r < 0)
		return r;
	n = bits >> 1 & 0x3fffffff;
	if (n > JS_MAX_BIGINT / 8) {
		strb_printf(b, "<BigInt of %" PRIu64 " bytes>", (uint64_t)n * 8);
		return 0;
	}
	r = v8_bytes(&js->v, v, js->o.bigint_digits, words, (size_t)n * 8);
	if (r < 0)
		return r;
	while (n && k < MAX_PARTS) {
		parts[k++] = divide(words, n);
		while (n && !words[n - 1])
			n--;
	}
	strb_adds(b, bits & 1 ? "-" : "");
	strb_printf(b, "%" PRIu64, k ? parts[k - 1] : 0);
	for (size_t i = k; i-- > 1;)
		strb_printf(b, "%018" PRIu64, parts[i - 1]);
	return 0;
}
