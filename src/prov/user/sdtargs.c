/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the argument operands of static probes (USDT). Source: systemtap wiki, "UserSpaceProbeImplementation",
 * "argument format": N@OP with N the size in bytes, negative when signed, with an f when floating; OP as the assembler
 * writes it. Registers: struct pt_regs of x86, struct user_pt_regs of arm64. */
#include "prov/user/sdtargs.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

struct reg {
	const char *name;
	uint16_t off;
	uint8_t size, shift;
};

static const struct reg x86_regs[] = {
	{ "rax", 80, 8, 0 },  { "eax", 80, 4, 0 },  { "ax", 80, 2, 0 },	  { "al", 80, 1, 0 },	{ "ah", 80, 1, 8 },
	{ "rbx", 40, 8, 0 },  { "ebx", 40, 4, 0 },  { "bx", 40, 2, 0 },	  { "bl", 40, 1, 0 },	{ "bh", 40, 1, 8 },
	{ "rcx", 88, 8, 0 },  { "ecx", 88, 4, 0 },  { "cx", 88, 2, 0 },	  { "cl", 88, 1, 0 },	{ "ch", 88, 1, 8 },
	{ "rdx", 96, 8, 0 },  { "edx", 96, 4, 0 },  { "dx", 96, 2, 0 },	  { "dl", 96, 1, 0 },	{ "dh", 96, 1, 8 },
	{ "rsi", 104, 8, 0 }, { "esi", 104, 4, 0 }, { "si", 104, 2, 0 },  { "sil", 104, 1, 0 }, { "rdi", 112, 8, 0 },
	{ "edi", 112, 4, 0 }, { "di", 112, 2, 0 },  { "dil", 112, 1, 0 }, { "rbp", 32, 8, 0 },	{ "ebp", 32, 4, 0 },
	{ "bp", 32, 2, 0 },   { "bpl", 32, 1, 0 },  { "rsp", 152, 8, 0 }, { "esp", 152, 4, 0 }, { "sp", 152, 2, 0 },
	{ "spl", 152, 1, 0 }, { "rip", 128, 8, 0 }, { "eip", 128, 4, 0 }, { "r8", 72, 8, 0 },	{ "r9", 64, 8, 0 },
	{ "r10", 56, 8, 0 },  { "r11", 48, 8, 0 },  { "r12", 24, 8, 0 },  { "r13", 16, 8, 0 },	{ "r14", 8, 8, 0 },
	{ "r15", 0, 8, 0 },
};
#define X86_IP 128

struct cursor {
	const char *p, *end;
};

static bool at(const struct cursor *c, char ch)
{
	return c->p < c->end && *c->p == ch;
}

static bool take(struct cursor *c, char ch)
{
	if (!at(c, ch))
		return false;
	c->p++;
	return true;
}

static void skip_blanks(struct cursor *c)
{
	while (at(c, ' ') || at(c, '\t'))
		c->p++;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
	       c == '$';
}

static size_t name_len(const struct cursor *c)
{
	size_t n = 0;

	while (c->p + n < c->end && is_name_char(c->p[n]))
		n++;
	return n;
}

/* A number with sign; the text ends with NUL somewhere after the cursor. */
static bool number(struct cursor *c, int64_t *ret)
{
	const char *digits = c->p;
	char *end;

	if (digits < c->end && (*digits == '-' || *digits == '+'))
		digits++;
	if (digits >= c->end || *digits < '0' || *digits > '9')
		return false;
	/* Unsigned ones above the signed range mean their bits. */
	*ret = *c->p == '-' ? strtoll(c->p, &end, 0) : (int64_t)strtoull(c->p, &end, 0);
	if (end > c->end)
		return false;
	c->p = end;
	return true;
}

/* "r8d" "r8w" "r8b" are parts of r8. */
static bool x86_reg(const char *s, size_t n, struct reg *ret)
{
	size_t stem = n;
	uint8_t part = 8;

	for (size_t i = 0; i < ARRAY_SIZE(x86_regs); i++) {
		if (strlen(x86_regs[i].name) == n && !memcmp(x86_regs[i].name, s, n)) {
			*ret = x86_regs[i];
			return true;
		}
	}
	if (n < 3 || s[0] != 'r' || s[1] < '0' || s[1] > '9')
		return false;
	stem--;
	part = s[stem] == 'd' ? 4 : s[stem] == 'w' ? 2 : s[stem] == 'b' || s[stem] == 'l' ? 1 : 0;
	if (!part || !x86_reg(s, stem, ret))
		return false;
	ret->size = part;
	return true;
}

static bool x86_take_reg(struct cursor *c, struct reg *ret)
{
	size_t n;

	if (!take(c, '%'))
		return false;
	n = name_len(c);
	if (!x86_reg(c->p, n, ret))
		return false;
	c->p += n;
	return true;
}

static struct arg_loc in_reg(const struct reg *r)
{
	return (struct arg_loc){ .kind = ARG_CTX_REGS, .off = r->off, .shift = r->shift };
}

/* "sym", "sym+4", "sym-4", "-8", "16+sym": what is added to the registers. */
static bool displacement(const struct sdtargs_env *env, struct cursor *c, int64_t *ret, bool *ret_symbol)
{
	int64_t v, sum = 0;
	uint64_t addr;
	bool any = false;

	*ret_symbol = false;
	while (c->p < c->end && !at(c, '(')) {
		if (number(c, &v)) {
			sum = (int64_t)((uint64_t)sum + (uint64_t)v);
		} else {
			take(c, '+');
			size_t n = name_len(c);

			if (!n || *ret_symbol || !env->symbol || env->symbol(env->ctx, c->p, n, &addr) < 0)
				return false;
			c->p += n;
			*ret_symbol = true;
			sum = (int64_t)((uint64_t)sum + addr);
		}
		any = true;
	}
	*ret = sum;
	return any || at(c, '(');
}

static struct arg_loc x86_mem(const struct sdtargs_env *env, struct cursor *c)
{
	const struct arg_loc none = { .kind = ARG_NONE };
	struct arg_loc l = { .kind = ARG_USER_MEM };
	struct reg base = { 0 }, index = { 0 };
	bool has_base = false, symbol;
	int64_t disp, scale = 1;

	if (!displacement(env, c, &disp, &symbol))
		return none;
	if (take(c, '(')) {
		has_base = x86_take_reg(c, &base);
		if (take(c, ',')) {
			if (!x86_take_reg(c, &index))
				return none;
			if (take(c, ',') && !number(c, &scale))
				return none;
			if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
				return none;
			l.index = index.off;
			l.scale = (uint8_t)scale;
		}
		if (!take(c, ')') || (!has_base && !l.scale))
			return none;
	}
	if (symbol && (!has_base || base.off == X86_IP)) {
		/* By where the probe itself is: so the file may be loaded anywhere. */
		l.off = X86_IP;
		l.value = (uint64_t)disp - env->addr;
		return l;
	}
	if (!has_base || symbol)
		return none; /* absolute addresses: of no use where code is loaded anywhere */
	l.off = base.off;
	l.value = (uint64_t)disp;
	return l;
}

static struct arg_loc x86_operand(const struct sdtargs_env *env, struct cursor *c)
{
	struct arg_loc none = { .kind = ARG_NONE };
	struct reg r;
	int64_t v;

	if (at(c, '%'))
		return x86_take_reg(c, &r) ? in_reg(&r) : none;
	if (take(c, '$'))
		return number(c, &v) ? (struct arg_loc){ .kind = ARG_CONST, .value = (uint64_t)v } : none;
	return x86_mem(env, c);
}

/* x0 … x30, w0 …, sp */
static bool arm_take_reg(struct cursor *c, struct reg *ret)
{
	struct cursor save = *c;
	int64_t n;

	*ret = (struct reg){ .size = 8 };
	if (name_len(c) == 2 && !memcmp(c->p, "sp", 2)) {
		c->p += 2;
		ret->off = 31 * 8;
		return true;
	}
	if (!at(c, 'x') && !at(c, 'w'))
		return false;
	ret->size = at(c, 'x') ? 8 : 4;
	c->p++;
	if (c->p < c->end && *c->p >= '0' && *c->p <= '9' && number(c, &n) && n >= 0 && n <= 30) {
		ret->off = (uint16_t)(n * 8);
		return true;
	}
	*c = save;
	return false;
}

static struct arg_loc arm_mem(struct cursor *c)
{
	const struct arg_loc none = { .kind = ARG_NONE };
	struct arg_loc l = { .kind = ARG_USER_MEM };
	struct reg r;
	int64_t v = 0;

	skip_blanks(c);
	if (!arm_take_reg(c, &r))
		return none;
	l.off = r.off;
	skip_blanks(c);
	if (take(c, ',')) {
		skip_blanks(c);
		if (arm_take_reg(c, &r)) {
			l.index = r.off;
			l.scale = 1;
			skip_blanks(c);
			if (take(c, ',')) {
				skip_blanks(c);
				if (name_len(c) != 3 || memcmp(c->p, "lsl", 3) != 0)
					return none;
				c->p += 3;
				skip_blanks(c);
				take(c, '#');
				if (!number(c, &v) || v < 0 || v > 3)
					return none;
				l.scale = (uint8_t)(1u << v);
			}
		} else {
			take(c, '#');
			if (!number(c, &v))
				return none;
			l.value = (uint64_t)v;
		}
	}
	skip_blanks(c);
	return take(c, ']') ? l : none;
}

static struct arg_loc arm_operand(struct cursor *c)
{
	struct arg_loc none = { .kind = ARG_NONE };
	struct reg r;
	int64_t v;

	if (take(c, '['))
		return arm_mem(c);
	take(c, '#');
	if (number(c, &v))
		return (struct arg_loc){ .kind = ARG_CONST, .value = (uint64_t)v };
	return arm_take_reg(c, &r) ? in_reg(&r) : none;
}

/* "-4@", "8f@"; without it a word. */
static void size_part(const struct sdtargs_env *env, struct cursor *c, struct sdtarg *a)
{
	struct cursor save = *c;
	int64_t n;

	a->size = env->machine == EM_386 ? 4 : 8;
	if (number(c, &n)) {
		a->is_float = take(c, 'f');
		if (take(c, '@')) {
			a->is_signed = n < 0;
			n = n < 0 && n >= -8 ? -n : n;
			if (n == 1 || n == 2 || n == 4 || n == 8)
				a->size = (uint8_t)n;
			return;
		}
	}
	a->is_float = false;
	*c = save;
}

static void one(const struct sdtargs_env *env, struct cursor c, struct sdtarg *a)
{
	*a = (struct sdtarg){ 0 };
	size_part(env, &c, a);
	a->loc = env->machine == EM_AARCH64 ? arm_operand(&c) : x86_operand(env, &c);
	if (c.p != c.end)
		a->loc = (struct arg_loc){ .kind = ARG_NONE };
	if (a->loc.kind == ARG_CONST) {
		/* As the program would see it in a variable of this size. */
		unsigned shift = 64 - 8u * a->size;

		a->loc.value = a->is_signed ? (uint64_t)((int64_t)(a->loc.value << shift) >> shift)
					    : a->loc.value << shift >> shift;
	} else if (a->loc.kind != ARG_NONE) {
		a->loc.size = a->size;
		a->loc.is_signed = a->is_signed;
	}
}

/* Where the operand ends: at a blank outside of brackets. */
static const char *operand_end(const char *p)
{
	int depth = 0;

	for (; *p && (depth > 0 || (*p != ' ' && *p != '\t')); p++)
		depth += *p == '[' || *p == '(' ? 1 : *p == ']' || *p == ')' ? -1 : 0;
	return p;
}

unsigned sdtargs_parse(const struct sdtargs_env *env, const char *text, struct sdtarg *ret)
{
	unsigned n = 0;

	for (const char *p = text; n < SDTARGS_MAX;) {
		p += strspn(p, " \t");
		if (!*p)
			break;
		const char *end = operand_end(p);

		one(env, (struct cursor){ p, end }, &ret[n++]);
		p = end;
	}
	return n;
}
