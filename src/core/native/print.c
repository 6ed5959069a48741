/* SPDX-License-Identifier: Apache-2.0 */
/* Prints structs, arrays and values of native code, as C names them: as text and as JSON. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "core/native/ctype.h"

#define INDENT 4
#define MAX_TEXT 1024u	   /* bytes of an array of char that are looked at */
#define TEXT_SHOWN 64u	   /* bytes of a text that a pointer points to */
#define MAX_THINGS 100000u /* values of one command */

struct printing {
	struct shell *s;
	const struct cprint *how;
	unsigned depth; /* braces that are open */
	unsigned things;
	bool in_line;	 /* values of an array that stand beside each other */
	struct jsonw *w; /* NULL: text */
};

static int print_thing(struct printing *g, const struct cplace *p, const char *name);

static void line(struct printing *g, const struct cplace *p, const char *name)
{
	if (g->how->addresses)
		shell_print(g->s, "%" PRIx64 " ", p->addr);
	shell_print(g->s, "%*s", (int)(g->depth * INDENT), "");
	if (name) {
		shell_plain(g->s, name);
		shell_print(g->s, " = ");
	}
}

/* The enumerator of a value, or NULL. */
static const char *enumerator(const struct ctype *t, const struct tinfo *info, uint64_t v, struct tmember *m)
{
	for (uint32_t i = 0; i < info->nmembers; i++)
		if (typesrc_member(t->ts, t->ref, i, m) == 0 && (uint64_t)m->value == v)
			return m->name;
	return NULL;
}

/* Whether the elements are of plain char; pointed_to: or of another one, as kernels have texts. */
static bool is_char(const struct ctype *elem, bool pointed_to)
{
	struct ctype r;
	struct tinfo info;

	return ctype_resolve(elem, &r, &info) && info.kind == TK_INT && info.size == 1 && !info.is_bool &&
	       (pointed_to ? strstr(info.name, "char") != NULL : !strcmp(info.name, "char"));
}

/* A text of at most n bytes, up to a zero. *ret_n: its bytes without that. false: it has bytes that no text has. */
static bool is_text(struct printing *g, uint64_t addr, uint64_t n, char buf[MAX_TEXT + 1], size_t *ret_n)
{
	size_t len = 0;

	n = n < MAX_TEXT ? n : MAX_TEXT;
	for (; len < n; len++) {
		if (core_read(g->s->core, addr + len, &buf[len], 1) < 0)
			return false;
		if (!buf[len])
			break;
		if ((unsigned char)buf[len] < ' ' && buf[len] != '\t' && buf[len] != '\n')
			return false;
	}
	buf[len] = '\0';
	*ret_n = len;
	return true;
}

/* The text that a pointer to char points to. */
static void text_pointed_to(struct printing *g, const struct ctype *t, uint64_t v)
{
	char text[MAX_TEXT + 1];
	struct ctype to;
	size_t n;

	if (!v || !ctype_target(t, &to) || !is_char(&to, true) || !is_text(g, v, TEXT_SHOWN, text, &n) || !n)
		return;
	shell_print(g->s, " \"");
	shell_plain(g->s, text);
	shell_print(g->s, n == TEXT_SHOWN ? "\"…" : "\"");
}

static void text_value(struct printing *g, const struct ctype *t, const struct tinfo *info, uint64_t v)
{
	struct core_symbol y;
	struct tmember m;
	const char *e;

	if (info->kind == TK_PTR && v && core_name(g->s->core, v, &y)) {
		shell_symbol(g->s, &y);
		if (v > y.addr)
			shell_print(g->s, "+0x%" PRIx64, v - y.addr);
	} else if (info->kind == TK_ENUM) {
		e = enumerator(t, info, v, &m);
		shell_print(g->s, "%" PRId64 " (", (int64_t)v);
		shell_plain(g->s, e ? e : "?");
		shell_print(g->s, ")");
	} else if (info->is_signed && (int64_t)v < 0) {
		shell_print(g->s, "%" PRId64, (int64_t)v);
	} else {
		shell_print(g->s, "%#" PRIx64, v);
	}
	if (info->kind == TK_INT && info->size == 1 && v < 0x7f && isprint((int)v))
		shell_print(g->s, " '%c'", (int)v);
}

static void json_value(struct printing *g, const char *name, const struct ctype *t, const struct tinfo *info,
		       uint64_t v)
{
	struct tmember m;
	const char *e;

	if (info->kind == TK_PTR)
		jsonw_strf(g->w, name, "%" PRIx64, v);
	else if (info->is_bool)
		jsonw_bool(g->w, name, v);
	else if (info->kind == TK_ENUM && (e = enumerator(t, info, v, &m)))
		jsonw_str(g->w, name, e);
	else if (info->is_signed)
		jsonw_i64(g->w, name, (int64_t)v);
	else
		jsonw_u64(g->w, name, v);
}

static int print_scalar(struct printing *g, const struct cplace *p, const char *name, const struct ctype *t,
			const struct tinfo *info)
{
	uint64_t v;
	int r = cplace_value(g->s, p, &v);

	if (r < 0)
		return r;
	if (g->w) {
		json_value(g, name, t, info, v);
		return 0;
	}
	if (!g->in_line)
		line(g, p, name);
	text_value(g, t, info, v);
	if (info->kind == TK_PTR)
		text_pointed_to(g, t, v);
	if (!g->in_line)
		shell_print(g->s, "\n");
	return 0;
}

static int print_float(struct printing *g, const struct cplace *p, const char *name, const struct tinfo *info)
{
	union {
		double d;
		float f;
	} u;

	if (core_read(g->s->core, p->addr, &u, (size_t)info->size) < 0)
		return err_set(&g->s->err, -EFAULT, "%" PRIx64 " cannot be read", p->addr);
	if (info->size == sizeof(float))
		u.d = (double)u.f;
	if (g->w) {
		jsonw_double(g->w, name, u.d, info->size == sizeof(float) ? 9 : 17);
		return 0;
	}
	line(g, p, name);
	shell_print(g->s, "%.*g\n", info->size == sizeof(float) ? 9 : 17, u.d);
	return 0;
}

/* Prints a value as its type only: its bytes are many, or of an unknown kind. */
static int print_opaque(struct printing *g, const struct cplace *p, const char *name)
{
	struct strb type = { 0 };

	ctype_name(&p->type, &type);
	if (g->w) {
		jsonw_null(g->w, name);
	} else {
		line(g, p, name);
		shell_print(g->s, "(");
		shell_plain(g->s, strb_str(&type));
		shell_print(g->s, ") …\n");
	}
	strb_free(&type);
	return 0;
}

static int print_struct(struct printing *g, const struct cplace *p, const char *name, const struct ctype *t,
			const struct tinfo *info)
{
	int r = 0;

	if (g->depth > g->how->depth || g->depth == CTYPE_MAX_DEPTH)
		return print_opaque(g, p, name);
	if (g->w) {
		jsonw_object(g->w, name);
	} else {
		line(g, p, name);
		shell_print(g->s, "{\n");
	}
	g->depth++;
	for (uint32_t i = 0; i < info->nmembers && r == 0; i++) {
		struct cplace at;
		struct tmember m;

		r = typesrc_member(t->ts, t->ref, i, &m);
		if (r < 0)
			break;
		cplace_member(t, p->addr, &m, m.bit_off, &at);
		r = print_thing(g, &at, *m.name ? m.name : "(no name)");
	}
	g->depth--;
	if (g->w) {
		jsonw_end_object(g->w);
	} else {
		line(g, p, NULL);
		shell_print(g->s, "}\n");
	}
	return r;
}

static bool is_number(const struct ctype *t)
{
	struct ctype r;
	struct tinfo info;

	return ctype_resolve(t, &r, &info) &&
	       ((info.kind == TK_INT && info.size <= 8) || info.kind == TK_ENUM || info.kind == TK_PTR);
}

/* Numbers of an array stand in one line. */
static int print_numbers(struct printing *g, const struct cplace *p, const char *name, const struct cplace *first,
			 uint64_t size, uint64_t shown, uint64_t n)
{
	struct cplace at = *first;
	int r = 0;

	line(g, p, name);
	shell_print(g->s, "[");
	g->in_line = true;
	for (uint64_t i = 0; i < shown && r == 0; i++, at.addr += size) {
		shell_print(g->s, i ? ", " : " ");
		r = print_thing(g, &at, NULL);
	}
	g->in_line = false;
	if (shown < n)
		shell_print(g->s, "%s… %" PRIu64 " more", shown ? ", " : " ", n - shown);
	shell_print(g->s, " ]\n");
	return r;
}

static int print_array(struct printing *g, const struct cplace *p, const char *name, uint64_t n)
{
	char text[MAX_TEXT + 1];
	struct cplace at = { .addr = p->addr };
	uint64_t size, shown;
	size_t len;
	int r = 0;

	if (!ctype_target(&p->type, &at.type) || !(size = ctype_size(&at.type)) || g->depth == CTYPE_MAX_DEPTH)
		return print_opaque(g, p, name);
	if (is_char(&at.type, false) && is_text(g, p->addr, n, text, &len)) {
		if (g->w) {
			jsonw_strn(g->w, name, text, len);
			return 0;
		}
		line(g, p, name);
		shell_print(g->s, "\"");
		shell_plain(g->s, text);
		shell_print(g->s, "\"\n");
		return 0;
	}
	shown = n < g->how->elements ? n : g->how->elements;
	if (!g->w && is_number(&at.type))
		return print_numbers(g, p, name, &at, size, shown, n);
	if (g->w) {
		jsonw_array(g->w, name);
	} else {
		line(g, p, name);
		shell_print(g->s, "[\n");
	}
	g->depth++;
	for (uint64_t i = 0; i < shown && r == 0; i++, at.addr += size)
		r = print_thing(g, &at, NULL);
	if (shown < n && !g->w) {
		line(g, &at, NULL);
		shell_print(g->s, "… %" PRIu64 " more\n", n - shown);
	}
	g->depth--;
	if (g->w) {
		jsonw_end_array(g->w);
	} else {
		line(g, p, NULL);
		shell_print(g->s, "]\n");
	}
	return r;
}

static int print_thing(struct printing *g, const struct cplace *p, const char *name)
{
	struct ctype t;
	struct tinfo info;

	if (g->s->error)
		return 0;
	if (g->things++ == MAX_THINGS)
		return err_set(&g->s->err, -E2BIG, "more than %u values: fewer with -d, -n, or a member", MAX_THINGS);
	if (!ctype_resolve(&p->type, &t, &info))
		return print_opaque(g, p, name);
	switch (info.kind) {
	case TK_INT:
		if (info.size > 8)
			break;
		return print_scalar(g, p, name, &t, &info);
	case TK_ENUM:
	case TK_PTR: return print_scalar(g, p, name, &t, &info);
	case TK_FLOAT:
		if (info.size != sizeof(float) && info.size != sizeof(double))
			break;
		return print_float(g, p, name, &info);
	case TK_STRUCT:
	case TK_UNION: return print_struct(g, p, name, &t, &info);
	case TK_ARRAY: return print_array(g, &(struct cplace){ .type = t, .addr = p->addr }, name, info.nelems);
	default: break;
	}
	return print_opaque(g, p, name);
}

int cplace_print(struct shell *s, const struct cplace *p, const struct cprint *how, const char *name)
{
	struct printing g = { .s = s, .how = how };

	return print_thing(&g, p, name);
}

int cplace_json(struct shell *s, const struct cplace *p, const struct cprint *how, struct jsonw *w, const char *name)
{
	struct printing g = { .s = s, .how = how, .w = w };

	return print_thing(&g, p, name);
}
