/* SPDX-License-Identifier: Apache-2.0 */
/* Collects names of types from the language, the library and BTF. */
#include "launcher/typelist.h"
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "engine/front/compile.h"
#include "lang/dtype.h"
#include "types/typenames.h"

struct typelist {
	const char *program;
	const struct listener *to;
	struct typenames *names; /* NULL: not read yet */
	struct err reason;	 /* why some are not known */
};

static const struct {
	const char *name;
	enum tkind kind;
} kinds[] = {
	{ "struct", TK_STRUCT },   { "union", TK_UNION }, { "enum", TK_ENUM },
	{ "typedef", TK_TYPEDEF }, { "base", TK_INT },	  { "base", TK_FLOAT },
};

struct typelist *typelist_new(const char *program, const struct listener *to)
{
	struct typelist *l = calloc(1, sizeof(*l));

	if (l) {
		l->program = program;
		l->to = to;
	}
	return l;
}

void typelist_free(struct typelist *l)
{
	if (!l)
		return;
	typenames_free(l->names);
	err_done(&l->reason);
	free(l);
}

static void add(struct typelist *l, const char *name, const char *from, enum tkind kind)
{
	typenames_add(l->names, &(struct typename_row){ .name = name, .from = from, .kind = kind });
}

static void add_language(struct typelist *l)
{
	static const char *const words[] = {
#define KW(id, word, class) KW_##class(word)
#define KW_TYPE(word) word,
#define KW_NONE(word)
#define KW_CLASS(word)
#define KW_EXPR(word)
#define KW_DEF(word)
#define SIGN(id, sign)
#include "lang/syntax/token.def"
#undef KW
#undef KW_TYPE
#undef KW_NONE
#undef KW_CLASS
#undef KW_EXPR
#undef KW_DEF
#undef SIGN
	};
	const char *name;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		add(l, words[i], "language", TK_INT);
	for (size_t i = 0; (name = dtype_builtin_typedef(i)); i++)
		add(l, name, "language", TK_TYPEDEF);
}

static void add_item(void *arg, enum dlib_space sp, const char *name, const struct dlib_item *it)
{
	const struct tydecl *def = it->decl->type ? it->decl->type->def : NULL;
	struct typelist *l = arg;

	if (sp == DLIB_TYPE)
		add(l, name, "library", TK_TYPEDEF);
	else if (sp == DLIB_TAG && def)
		add(l, name, "library", def->kind == DK_UNION ? TK_UNION : def->kind == DK_ENUM ? TK_ENUM : TK_STRUCT);
}

/* Errors in the library are told when a program is compiled. */
static void add_library(struct typelist *l, struct typesrc *ts)
{
	struct request c;
	struct compile_env env = { .ts = ts, .opts = &c.opts };

	request_init(&c, l->program, l->to);
	env.libs = libs_open(&c);
	dlib_each_name(env.libs, &env, add_item, l);
	request_done(&c);
}

/* Without types of the kernel there are still the others. */
static void read_all(struct typelist *l)
{
	struct typesrc *ts = NULL;
	int r = typesrc_open_kernel(&ts, &l->reason);

	l->names = typenames_new();
	if (!l->names)
		return;
	add_language(l);
	add_library(l, ts);
	if (r == 0 && (r = typenames_add_all(l->names, ts)) < 0)
		err_set(&l->reason, r, "the types of the kernel cannot all be read: %s", strerror(-r));
	typesrc_free(ts);
}

static const char *kind_name(enum tkind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return "";
}

size_t typelist_find(void *ctx, const char *kind, const char *prefix, struct serve_type *ret, size_t max,
		     const char **reason)
{
	struct typelist *l = ctx;
	struct typename_row *rows;
	uint32_t mask = 0;
	size_t n;

	if (!l->names)
		read_all(l);
	*reason = l->reason.msg[0] ? l->reason.msg : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!kind || !strcmp(kind, kinds[i].name))
			mask |= TKM(kinds[i].kind);
	rows = l->names ? calloc(max + 1, sizeof(*rows)) : NULL;
	if (!rows)
		return 0;
	n = typenames_find(l->names, prefix, mask, rows, max);
	for (size_t i = 0; i < n && i < max; i++)
		ret[i] = (struct serve_type){ rows[i].name, kind_name(rows[i].kind), rows[i].from, rows[i].size };
	free(rows);
	return n;
}
