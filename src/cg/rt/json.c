/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time piece json(): finds a value in JSON text by a path such as "a.b[2].c" in one pass over the
 * characters. Strings come without their quotes but with their escapes, numbers and words as they are, objects and
 * arrays as text. A missing value, or one that is no JSON as far as it was read, is NULL. Source: illumos, json() in
 * dtrace(4D) and its test json/tst.general.d. */
#include "cg/rt/int.h"

enum {
	J_SRC = 0,
	J_BOUND = 8,
	J_DST = 16,
	J_CAP = 24,
	J_PATH = 32,
	J_PBOUND = 40,
	J_STATE = 48,
	J_FLAGS = 56,
	J_LEN = 64,    /* of what is in dst */
	J_PART = 72,   /* where the path's part for this level begins */
	J_AT = 80,     /* how far a key was like it; or after it */
	J_POS = 88,    /* in an array: number of the element */
	J_WANT = 96,   /* … and the one wanted, -1: none */
	J_DEPTH = 104, /* of brackets and braces in a value that is copied as text */
	J_SIZE = 112,
};
enum { /* what the next character belongs to */
       S_BEGIN,
       S_OBJECT,
       S_STRING,
       S_ESCAPE,
       S_COLON,
       S_COMMA,
       S_WORD,
       S_NUMBER,
       S_VALUE,
       S_TEXT,
       S_HEX,
       S_HEX_END = S_HEX + 4, /* S_HEX + n: n digits of \u have been read */
};
enum {
	F_FOUND = 1, /* the next value is the one that this part names */
	F_ARRAY = 2,
	F_KEY = 4,   /* the string is a key */
	F_TEXT = 8,  /* the string is in a value that is copied as text */
	F_LIKE = 16, /* the key is like the part so far */
	F_MORE = 32, /* the path goes on after this part */
	F_DONE = 64,
};

struct jgen {
	struct irfn *f;
	const struct rtgen *g;
	vreg st, c; /* state; the character */
	vreg any;   /* 0, of which the verifier knows nothing: x ^ any is as rt_blur() */
	irlabel more, stop;
};

static void set(struct jgen *j, int32_t off, vreg v)
{
	ir_store(j->f, j->st, off, 8, rt_alu(j->f, IRA_XOR, v, j->any));
}

static void set_num(struct jgen *j, int32_t off, int v)
{
	set(j, off, ir_imm(j->f, (uint64_t)(int64_t)v));
}

static void flags(struct jgen *j, int clear, int add)
{
	vreg v = rt_ld(j->f, j->st, J_FLAGS);

	ir_alui(j->f, IRA_AND, v, v, ~clear);
	ir_alui(j->f, IRA_OR, v, v, add);
	set(j, J_FLAGS, v);
}

/* Jumps to l when the flag is (not) set. */
static void if_flag(struct jgen *j, int flag, bool is, irlabel l)
{
	vreg v = rt_alui(j->f, IRA_AND, rt_ld(j->f, j->st, J_FLAGS), flag);

	ir_jcci(j->f, is ? IRC_NE : IRC_EQ, v, 0, l);
}

/* Appends the character; what does not fit is cut. */
static void put(struct jgen *j)
{
	vreg len = rt_alu(j->f, IRA_XOR, rt_ld(j->f, j->st, J_LEN), j->any);
	irlabel full = ir_label(j->f);

	ir_jcc(j->f, IRC_GE, len, rt_alui(j->f, IRA_SUB, rt_ld(j->f, j->st, J_CAP), 1), full);
	ir_store(j->f, rt_alu(j->f, IRA_ADD, rt_ld(j->f, j->st, J_DST), len), 0, 1, j->c);
	set(j, J_LEN, rt_alui(j->f, IRA_ADD, len, 1));
	ir_place(j->f, full);
}

/* The path's character at this place, 0 after its end. */
static vreg path_char(struct irfn *f, vreg st, vreg at, vreg any)
{
	vreg c = ir_new(f), i = rt_alu(f, IRA_XOR, at, any);
	irlabel out = ir_label(f);

	ir_movi(f, c, 0);
	ir_jcc(f, IRC_GE, i, rt_ld(f, st, J_PBOUND), out);
	ir_mov(f, c, rt_ldb(f, rt_ld(f, st, J_PATH), i));
	ir_place(f, out);
	return c;
}

static void next_state(struct jgen *j, int s)
{
	set_num(j, J_STATE, s);
	ir_jmp(j->f, j->more);
}

static void skip_space(struct jgen *j)
{
	ir_jcci(j->f, IRC_EQ, j->c, ' ', j->more);
	ir_jcci(j->f, IRC_EQ, j->c, '\n', j->more);
	ir_jcci(j->f, IRC_EQ, j->c, '\t', j->more);
	ir_jcci(j->f, IRC_EQ, j->c, '\r', j->more);
}

/* J_AT is after a part that fits: F_FOUND, and F_MORE when the path goes on. */
static void note_found(struct jgen *j)
{
	vreg at = rt_ld(j->f, j->st, J_AT), p = path_char(j->f, j->st, at, j->any);
	irlabel no_bracket = ir_label(j->f), go_on = ir_label(j->f), out = ir_label(j->f);

	flags(j, F_MORE, F_FOUND);
	ir_jcci(j->f, IRC_NE, p, ']', no_bracket);
	ir_alui(j->f, IRA_ADD, at, at, 1);
	ir_mov(j->f, p, path_char(j->f, j->st, at, j->any));
	ir_place(j->f, no_bracket);
	set(j, J_AT, rt_alui(j->f, IRA_ADD, at, 1));
	ir_jcci(j->f, IRC_EQ, p, '.', go_on);
	ir_jcci(j->f, IRC_NE, p, '[', out);
	ir_place(j->f, go_on);
	flags(j, 0, F_MORE);
	ir_place(j->f, out);
}

#define INDEX_DIGITS 5 /* of texts that fit a string */

/* Function (state, -): the part is the number of an element; J_WANT, and J_AT after it. As strtoll(): what
 * is no number is 0. */
static void index_fn(struct irfn *f, const struct rtgen *g)
{
	vreg st = irfn_arg(f, 0), at = rt_ld(f, st, J_PART), v = ir_imm(f, 0), c, d, zero = ir_new(f);
	irlabel end = ir_label(f), minus = ir_label(f);

	(void)g;
	ir_mov(f, zero, at);
	ir_alu(f, IRA_XOR, zero, zero, at); /* 0, but not for the verifier */
	for (unsigned i = 0; i < INDEX_DIGITS; i++) {
		c = path_char(f, st, at, zero);
		if (!i)
			ir_jcci(f, IRC_EQ, c, '-', minus);
		d = rt_alui(f, IRA_SUB, c, '0');
		ir_jcci(f, IRC_GT, d, 9, end);
		ir_alui(f, IRA_MUL, v, v, 10);
		ir_alu(f, IRA_ADD, v, v, d);
		ir_alui(f, IRA_ADD, at, at, 1);
	}
	ir_place(f, end);
	ir_store(f, st, J_WANT, 8, rt_alu(f, IRA_XOR, v, zero));
	ir_store(f, st, J_AT, 8, rt_alu(f, IRA_XOR, at, zero));
	ir_reti(f, 0);
	ir_place(f, minus);
	ir_movi(f, v, (uint64_t)-1);
	ir_jmp(f, end);
}

/* Into an array, whose first value comes next. */
static void enter_array(struct jgen *j)
{
	vreg w;
	irlabel out = ir_label(j->f);

	ir_call_fn(j->f, VREG_NONE, rt_callback(j->g, 1, index_fn), IR_ARGS(j->st, j->c));
	flags(j, F_FOUND | F_MORE, F_ARRAY);
	set_num(j, J_POS, 0);
	set_num(j, J_STATE, S_VALUE);
	w = rt_ld(j->f, j->st, J_WANT);
	ir_jcci(j->f, IRC_NE, w, 0, out);
	note_found(j);
	ir_place(j->f, out);
	ir_jmp(j->f, j->more);
}

static void enter_object(struct jgen *j)
{
	flags(j, F_FOUND | F_MORE | F_ARRAY, 0);
	next_state(j, S_OBJECT);
}

/* A value is complete in dst: it is the result, or another one follows. Falls through in that case. */
static void value_ends(struct jgen *j)
{
	irlabel on = ir_label(j->f);

	if_flag(j, F_FOUND, false, on);
	if_flag(j, F_MORE, true, j->stop); /* a value, where an object was expected */
	flags(j, 0, F_DONE);
	ir_jmp(j->f, j->stop);
	ir_place(j->f, on);
	set_num(j, J_LEN, 0);
	set_num(j, J_STATE, S_COMMA);
}

/* Without found, and "" in dst. */
static void begin_and_object(struct jgen *j, irlabel object, irlabel array)
{
	skip_space(j);
	ir_jcci(j->f, IRC_EQ, j->c, '{', object);
	ir_jcci(j->f, IRC_EQ, j->c, '[', array);
	ir_jmp(j->f, j->stop);
}

static void on_object(struct jgen *j)
{
	skip_space(j);
	ir_jcci(j->f, IRC_NE, j->c, '"', j->stop);
	flags(j, 0, F_KEY | F_LIKE);
	set_num(j, J_LEN, 0);
	set(j, J_AT, rt_ld(j->f, j->st, J_PART));
	next_state(j, S_STRING);
}

/* A character of a string; of keys, it is compared with the path's. */
static void string_char(struct jgen *j)
{
	irlabel plain = ir_label(j->f), other = ir_label(j->f), out = ir_label(j->f);
	vreg at;

	if_flag(j, F_KEY, false, plain);
	if_flag(j, F_LIKE, false, out);
	at = rt_ld(j->f, j->st, J_AT);
	ir_jcc(j->f, IRC_NE, path_char(j->f, j->st, at, j->any), j->c, other);
	set(j, J_AT, rt_alui(j->f, IRA_ADD, at, 1));
	ir_jmp(j->f, out);
	ir_place(j->f, other);
	flags(j, F_LIKE, 0);
	ir_jmp(j->f, out);
	ir_place(j->f, plain);
	put(j);
	ir_place(j->f, out);
}

/* The key ends: is it all of the part? */
static void key_ends(struct jgen *j)
{
	irlabel yes = ir_label(j->f), out = ir_label(j->f);
	vreg p;

	flags(j, F_KEY | F_FOUND | F_MORE, 0);
	set_num(j, J_STATE, S_COLON);
	if_flag(j, F_LIKE, false, j->more);
	p = path_char(j->f, j->st, rt_ld(j->f, j->st, J_AT), j->any);
	ir_jcci(j->f, IRC_EQ, p, 0, yes);
	ir_jcci(j->f, IRC_EQ, p, '.', yes);
	ir_jcci(j->f, IRC_NE, p, '[', out);
	ir_place(j->f, yes);
	note_found(j);
	ir_place(j->f, out);
	ir_jmp(j->f, j->more);
}

static void on_string(struct jgen *j)
{
	irlabel quote = ir_label(j->f), plain = ir_label(j->f), value = ir_label(j->f), key = ir_label(j->f);

	ir_jcci(j->f, IRC_EQ, j->c, '"', quote);
	ir_jcci(j->f, IRC_NE, j->c, '\\', plain);
	set_num(j, J_STATE, S_ESCAPE);
	ir_place(j->f, plain);
	string_char(j);
	ir_jmp(j->f, j->more);
	ir_place(j->f, quote);
	if_flag(j, F_KEY, true, key);
	if_flag(j, F_TEXT, false, value);
	put(j);
	flags(j, F_TEXT, 0);
	next_state(j, S_TEXT);
	ir_place(j->f, value);
	value_ends(j);
	ir_jmp(j->f, j->more);
	ir_place(j->f, key);
	key_ends(j);
}

static void on_escape(struct jgen *j)
{
	irlabel plain = ir_label(j->f);

	string_char(j);
	ir_jcci(j->f, IRC_NE, j->c, 'u', plain);
	next_state(j, S_HEX);
	ir_place(j->f, plain);
	next_state(j, S_STRING);
}

/* A hexadecimal digit of \u, of which there are four. */
static void on_hex(struct jgen *j, vreg state)
{
	irlabel ok = ir_label(j->f), last = ir_label(j->f);
	vreg d = rt_alui(j->f, IRA_SUB, j->c, '0'), l;

	ir_jcci(j->f, IRC_LE, d, 9, ok);
	l = rt_alui(j->f, IRA_SUB, rt_alui(j->f, IRA_OR, j->c, 32), 'a');
	ir_jcci(j->f, IRC_GT, l, 5, j->stop);
	ir_place(j->f, ok);
	string_char(j);
	ir_alui(j->f, IRA_ADD, state, state, 1);
	ir_jcci(j->f, IRC_GE, state, S_HEX_END, last);
	set(j, J_STATE, state);
	ir_jmp(j->f, j->more);
	ir_place(j->f, last);
	next_state(j, S_STRING);
}

static void on_comma(struct jgen *j)
{
	irlabel array = ir_label(j->f);
	vreg pos;

	skip_space(j);
	ir_jcci(j->f, IRC_NE, j->c, ',', j->stop); /* the end without what was wanted, or no JSON */
	if_flag(j, F_ARRAY, true, array);
	next_state(j, S_OBJECT);
	ir_place(j->f, array);
	set_num(j, J_STATE, S_VALUE);
	pos = rt_alui(j->f, IRA_ADD, rt_ld(j->f, j->st, J_POS), 1);
	set(j, J_POS, pos);
	ir_jcc(j->f, IRC_NE, pos, rt_ld(j->f, j->st, J_WANT), j->more);
	note_found(j);
	ir_jmp(j->f, j->more);
}

/* true, false, null */
static void on_word(struct jgen *j, irlabel comma)
{
	irlabel end = ir_label(j->f), five = ir_label(j->f), ok = ir_label(j->f);
	vreg first = ir_new(j->f), len;

	ir_jcci(j->f, IRC_LT, j->c, 'a', end);
	ir_jcci(j->f, IRC_GT, j->c, 'z', end);
	put(j);
	ir_jmp(j->f, j->more);
	ir_place(j->f, end);
	ir_load(j->f, first, rt_ld(j->f, j->st, J_DST), 0, 1);
	len = rt_ld(j->f, j->st, J_LEN);
	ir_jcci(j->f, IRC_EQ, first, 'f', five);
	ir_jcci(j->f, IRC_NE, len, 4, j->stop);
	ir_jmp(j->f, ok);
	ir_place(j->f, five);
	ir_jcci(j->f, IRC_NE, len, 5, j->stop);
	ir_place(j->f, ok);
	value_ends(j);
	ir_jmp(j->f, comma);
}

static void on_number(struct jgen *j, irlabel comma)
{
	static const char ends[] = " \t\n\r,]}";
	irlabel digit = ir_label(j->f), end = ir_label(j->f);
	vreg d = rt_alui(j->f, IRA_SUB, j->c, '0');

	ir_jcci(j->f, IRC_LE, d, 9, digit);
	ir_jcci(j->f, IRC_EQ, j->c, '.', digit);
	ir_jcci(j->f, IRC_EQ, j->c, '+', digit);
	ir_jcci(j->f, IRC_EQ, j->c, '-', digit);
	ir_jcci(j->f, IRC_EQ, j->c, 'e', digit);
	ir_jcci(j->f, IRC_EQ, j->c, 'E', digit);
	for (unsigned i = 0; ends[i]; i++)
		ir_jcci(j->f, IRC_EQ, j->c, ends[i], end);
	ir_jmp(j->f, j->stop);
	ir_place(j->f, digit);
	put(j);
	ir_jmp(j->f, j->more);
	ir_place(j->f, end);
	value_ends(j);
	ir_jmp(j->f, comma);
}

/* Text of an object or array; strings in it may have brackets of their own. */
static void on_text(struct jgen *j)
{
	irlabel open = ir_label(j->f), close = ir_label(j->f);
	vreg depth = rt_ld(j->f, j->st, J_DEPTH);

	put(j);
	ir_jcci(j->f, IRC_EQ, j->c, '{', open);
	ir_jcci(j->f, IRC_EQ, j->c, '[', open);
	ir_jcci(j->f, IRC_EQ, j->c, '}', close);
	ir_jcci(j->f, IRC_EQ, j->c, ']', close);
	ir_jcci(j->f, IRC_NE, j->c, '"', j->more);
	flags(j, 0, F_TEXT);
	next_state(j, S_STRING);
	ir_place(j->f, open);
	set(j, J_DEPTH, rt_alui(j->f, IRA_ADD, depth, 1));
	ir_jmp(j->f, j->more);
	ir_place(j->f, close);
	ir_alui(j->f, IRA_SUB, depth, depth, 1);
	set(j, J_DEPTH, depth);
	ir_jcci(j->f, IRC_NE, depth, 0, j->more);
	/* an object or array may well be the wanted one's parent's neighbour: a longer path fails here */
	value_ends(j);
	ir_jmp(j->f, j->more);
}

static void on_value(struct jgen *j, irlabel object, irlabel array)
{
	irlabel nested = ir_label(j->f), text = ir_label(j->f), string = ir_label(j->f), word = ir_label(j->f);
	irlabel number = ir_label(j->f);
	vreg d;

	skip_space(j);
	set_num(j, J_LEN, 0);
	ir_jcci(j->f, IRC_EQ, j->c, '{', nested);
	ir_jcci(j->f, IRC_EQ, j->c, '[', nested);
	ir_jcci(j->f, IRC_EQ, j->c, '"', string);
	ir_jcci(j->f, IRC_EQ, j->c, '-', number);
	d = rt_alui(j->f, IRA_SUB, j->c, '0');
	ir_jcci(j->f, IRC_LE, d, 9, number);
	ir_jcci(j->f, IRC_EQ, j->c, 't', word);
	ir_jcci(j->f, IRC_EQ, j->c, 'f', word);
	ir_jcci(j->f, IRC_EQ, j->c, 'n', word);
	ir_jmp(j->f, j->stop);
	ir_place(j->f, string);
	next_state(j, S_STRING);
	ir_place(j->f, word);
	put(j);
	next_state(j, S_WORD);
	ir_place(j->f, number);
	put(j);
	next_state(j, S_NUMBER);
	ir_place(j->f, nested);
	if_flag(j, F_FOUND, false, text);
	if_flag(j, F_MORE, false, text);
	set(j, J_PART, rt_ld(j->f, j->st, J_AT)); /* into it, with the path's next part */
	ir_jcci(j->f, IRC_EQ, j->c, '{', object);
	ir_jmp(j->f, array);
	ir_place(j->f, text);
	put(j);
	set_num(j, J_DEPTH, 1);
	next_state(j, S_TEXT);
}

static void json_cb(struct irfn *f, const struct rtgen *g)
{
	struct jgen j = { .f = f, .g = g, .st = irfn_arg(f, 1), .more = ir_label(f), .stop = ir_label(f) };
	vreg i = irfn_arg(f, 0), state = rt_ld(f, j.st, J_STATE);
	irlabel l[S_HEX + 1], object = ir_label(f), array = ir_label(f);

	ir_jcc(f, IRC_GE, i, rt_ld(f, j.st, J_BOUND), j.stop);
	j.c = rt_ldb(f, rt_ld(f, j.st, J_SRC), i);
	j.any = rt_blur(f, ir_imm(f, 0), rt_ldb(f, rt_ld(f, j.st, J_SRC), i));
	ir_jcci(f, IRC_EQ, j.c, 0, j.stop);
	for (int s = 0; s <= S_HEX; s++)
		l[s] = ir_label(f);
	for (int s = 0; s < S_HEX; s++)
		ir_jcci(f, IRC_EQ, state, s, l[s]);
	on_hex(&j, state);
	ir_place(f, l[S_BEGIN]);
	begin_and_object(&j, object, array);
	ir_place(f, object);
	enter_object(&j);
	ir_place(f, array);
	enter_array(&j);
	ir_place(f, l[S_OBJECT]);
	on_object(&j);
	ir_place(f, l[S_STRING]);
	on_string(&j);
	ir_place(f, l[S_ESCAPE]);
	on_escape(&j);
	ir_place(f, l[S_COLON]);
	skip_space(&j);
	ir_jcci(f, IRC_NE, j.c, ':', j.stop);
	next_state(&j, S_VALUE);
	ir_place(f, l[S_WORD]);
	on_word(&j, l[S_COMMA]);
	ir_place(f, l[S_NUMBER]);
	on_number(&j, l[S_COMMA]);
	ir_place(f, l[S_COMMA]);
	on_comma(&j);
	ir_place(f, l[S_VALUE]);
	on_value(&j, object, array);
	ir_place(f, l[S_TEXT]);
	on_text(&j);
	ir_place(f, l[S_HEX]);
	ir_place(f, j.more);
	ir_reti(f, 0);
	ir_place(f, j.stop);
	ir_reti(f, 1);
}

void rt_emit_JSON(struct irfn *f, const struct rtgen *g)
{
	irslot st = ir_slot(f, J_SIZE);
	vreg par = irfn_arg(f, 4), len = ir_new(f), fl = ir_new(f), cap = irfn_arg(f, 1), dst = irfn_arg(f, 0);
	irlabel none = ir_label(f);

	ir_store_slot(f, st, J_SRC, 8, irfn_arg(f, 2));
	ir_store_slot(f, st, J_BOUND, 8, irfn_arg(f, 3));
	ir_store_slot(f, st, J_DST, 8, dst);
	ir_store_slot(f, st, J_CAP, 8, cap);
	ir_store_slot(f, st, J_PATH, 8, rt_ld(f, par, 0));
	ir_store_slot(f, st, J_PBOUND, 8, rt_ld(f, par, 8));
	/* Unknown to the verifier from the start: else it tells apart which of them were written. The bits of
	 * an address are unknown. */
	vreg any = ir_new(f), zero;

	ir_bswap(f, any, irfn_arg(f, 2), 8);
	zero = rt_blur(f, ir_imm(f, 0), any);
	for (int32_t k = J_STATE; k < J_SIZE; k += 8)
		ir_store_slot(f, st, k, 8, zero);
	/* a bracket at the start of the path only says that a number follows */
	vreg c = ir_new(f);
	irlabel plain = ir_label(f);

	ir_load(f, c, rt_ld(f, par, 0), 0, 1);
	ir_jcci(f, IRC_NE, c, '[', plain);
	ir_store_slot(f, st, J_PART, 8, rt_alui(f, IRA_ADD, zero, 1));
	ir_place(f, plain);
	rt_vary(f, g, st, J_STATE, J_SIZE);
	rt_loop(f, g, irfn_arg(f, 3), rt_callback(g, 0, json_cb), st);
	ir_load_slot(f, fl, st, J_FLAGS, 8);
	ir_alui(f, IRA_AND, fl, fl, F_DONE);
	ir_jcci(f, IRC_EQ, fl, 0, none);
	ir_load_slot(f, len, st, J_LEN, 8);
	ir_jcc(f, IRC_GE, len, cap, none);
	ir_storei(f, rt_alu(f, IRA_ADD, dst, len), 0, 1, 0);
	ir_ret(f, len);
	ir_place(f, none);
	ir_storei(f, dst, 0, 1, 0);
	ir_reti(f, -1);
}
