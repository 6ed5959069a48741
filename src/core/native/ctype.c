/* SPDX-License-Identifier: Apache-2.0 */
/* Reads types out of the debug information of the target's files, and finds them by name. */
#include "core/native/ctype.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/target/kernel.h"
#include "sym/dwarf/dwarf.h"

#define MAX_NAME 512u

/* The types of one file. */
struct ctypes_file {
	uint32_t file;	    /* index in the target */
	struct typesrc *ts; /* NULL: it has none */
};

/* A name that the user has given. */
struct own {
	char *name;
	struct ctype type;
};

struct ctypes {
	VEC(struct ctypes_file) files;
	VEC(struct own) own;
};

void ctypes_free(struct ctypes *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->files.n; i++)
		typesrc_free(t->files.v[i].ts);
	for (size_t i = 0; i < t->own.n; i++)
		free(t->own.v[i].name);
	vec_free(&t->own);
	vec_free(&t->files);
	free(t);
}

/* -- files -- */

/* NULL: it has no types, or they cannot be read. */
static struct typesrc *read_file(const struct core_file *f)
{
	struct dwarf_types t = { 0 };
	struct typesrc *ts = NULL;

	if (dwarf_read_file_types(&f->elf, f->path, 0, true, &t) == 0)
		typesrc_open_mem(f->path, t.btf, t.len, &ts, NULL);
	dwarf_types_done(&t);
	return ts;
}

static bool have_types(struct shell *s)
{
	if (!s->types)
		s->types = calloc(1, sizeof(*s->types));
	return s->types;
}

/* The types of a file; reads them at the first time. */
static struct typesrc *of_file(struct shell *s, uint32_t i)
{
	const struct core_file *f;
	struct ctypes_file row = { i, NULL };

	if (!have_types(s))
		return NULL;
	for (size_t k = 0; k < s->types->files.n; k++)
		if (s->types->files.v[k].file == i)
			return s->types->files.v[k].ts;
	if (s->types->files.n == CTYPE_MAX_FILES)
		return NULL;
	f = core_file(s->core, i);
	if (f->state == CORE_FILE_GOOD || f->state == CORE_FILE_GUESS)
		row.ts = read_file(f);
	if (vec_try_push(&s->types->files, row) < 0) {
		typesrc_free(row.ts);
		return NULL;
	}
	return row.ts;
}

/* -- names that the user gives -- */

static struct own *own_called(struct shell *s, const char *name)
{
	for (size_t i = 0; s->types && i < s->types->own.n; i++)
		if (!strcmp(s->types->own.v[i].name, name))
			return &s->types->own.v[i];
	return NULL;
}

int ctype_own(struct shell *s, const char *name, const struct ctype *t)
{
	struct own o = { .type = *t };

	if (own_called(s, name))
		return err_set(&s->err, -EEXIST, "'%s' is such a name already (::typedef -d %s forgets it)", name,
			       name);
	if (!have_types(s) || s->types->own.n == CTYPE_MAX_OWN)
		return err_set(&s->err, -E2BIG, "more than %u names", CTYPE_MAX_OWN);
	o.name = strdup(name);
	if (!o.name || vec_try_push(&s->types->own, o) < 0) {
		free(o.name);
		return err_set(&s->err, -ENOMEM, "out of memory");
	}
	return 0;
}

int ctype_disown(struct shell *s, const char *name)
{
	struct own *o = own_called(s, name);

	if (!o)
		return err_set(&s->err, -ENOENT, "no name '%s' was given (::typedef lists them)", name);
	free(o->name);
	*o = s->types->own.v[--s->types->own.n];
	return 0;
}

void ctype_each_own(struct shell *s, void (*fn)(void *arg, const char *name, const struct ctype *t), void *arg)
{
	for (size_t i = 0; s->types && i < s->types->own.n; i++)
		fn(arg, s->types->own.v[i].name, &s->types->own.v[i].type);
}

/* -- names -- */

/* As compilers name the types that C writes in several ways. */
static const char *const same_types[][2] = {
	{ "long", "long int" },
	{ "unsigned", "unsigned int" },
	{ "unsigned long", "long unsigned int" },
	{ "short", "short int" },
	{ "unsigned short", "short unsigned int" },
	{ "long long", "long long int" },
	{ "unsigned long long", "long long unsigned int" },
};
static const char *const base_words[] = { "unsigned", "signed", "long", "short", "int", "char", "float", "double" };

static bool is_base_word(const char *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(base_words); i++)
		if (!strcmp(w, base_words[i]))
			return true;
	return false;
}

uint32_t ctype_kinds(const char *keyword)
{
	return !strcmp(keyword, "struct") || !strcmp(keyword, "class") ? TKM(TK_STRUCT)
	       : !strcmp(keyword, "union")			       ? TKM(TK_UNION)
	       : !strcmp(keyword, "enum")			       ? TKM(TK_ENUM)
								       : 0;
}

/* The type that the words of a command ask for. */
struct asked {
	char file[MAX_NAME], name[MAX_NAME];
	uint32_t kinds;
	unsigned stars;
};

static int too_long(struct shell *s)
{
	return err_set(&s->err, -ENAMETOOLONG, "the name of a type has more than %u bytes", MAX_NAME);
}

/* The stars at the end of a word, which are taken off. */
static unsigned take_stars(char *name)
{
	size_t n = strlen(name);
	unsigned stars = 0;

	for (; n && name[n - 1] == '*'; n--)
		stars++;
	name[n] = '\0';
	return stars;
}

static int take_words(struct shell *s, int n, char **words, int *used, struct asked *ret)
{
	const char *first = n ? words[0] : "", *tick = strchr(first, '`');
	int i = 0;

	*ret = (struct asked){ .kinds = CTYPE_NAMED };
	if (tick && (size_t)(tick - first) >= MAX_NAME)
		return too_long(s);
	if (tick) {
		memcpy(ret->file, first, (size_t)(tick - first));
		first = tick + 1;
	}
	if (ctype_kinds(first)) {
		ret->kinds = ctype_kinds(first);
		first = ++i < n ? words[i] : "";
	}
	if (!*first)
		return err_set(&s->err, -EINVAL, "a type is missing, as 'struct NAME' or 'NAME *'");
	if (strlen(first) >= MAX_NAME)
		return too_long(s);
	strcpy(ret->name, first);
	for (i++; is_base_word(first) && i < n && is_base_word(words[i]); i++) {
		if (strlen(ret->name) + strlen(words[i]) + 2 > MAX_NAME)
			return too_long(s);
		strcat(strcat(ret->name, " "), words[i]);
	}
	ret->stars = take_stars(ret->name);
	for (; i < n && words[i][0] == '*'; i++)
		ret->stars += (unsigned)strlen(words[i]);
	if (ret->stars > CTYPE_MAX_NEST)
		return err_set(&s->err, -E2BIG, "more than %u pointers to pointers", CTYPE_MAX_NEST);
	for (size_t k = 0; k < ARRAY_SIZE(same_types); k++)
		if (!strcmp(ret->name, same_types[k][0]))
			strcpy(ret->name, same_types[k][1]);
	*used = i;
	return 0;
}

static int find(struct shell *s, const char *file, const char *name, uint32_t kinds, struct ctype *ret, bool *any)
{
	uint32_t f;

	if (s->core->kernel) {
		ret->ts = s->core->kernel->types;
		*any = true;
		return typesrc_find(ret->ts, *file ? file : NULL, name, kinds, &ret->ref);
	}
	*any = false;
	for (size_t i = 0; core_file_in_order(s->core, i, &f); i++) {
		struct typesrc *ts;

		if (*file && !core_file_called(&s->core->files.v[f], file, strlen(file)))
			continue;
		ts = of_file(s, f);
		*any |= ts != NULL;
		if (ts && typesrc_find(ts, NULL, name, kinds, &ret->ref) == 0) {
			ret->ts = ts;
			return 0;
		}
	}
	return -ENOENT;
}

int ctype_parse(struct shell *s, int n, char **words, int *used, struct ctype *ret)
{
	struct asked a;
	bool any;
	int r = take_words(s, n, words, used, &a);

	if (r < 0)
		return r;
	if (!*a.file && a.kinds == CTYPE_NAMED && own_called(s, a.name)) {
		*ret = own_called(s, a.name)->type;
		ret->stars += a.stars;
		return 0;
	}
	*ret = (struct ctype){ .stars = a.stars };
	if (find(s, a.file, a.name, a.kinds, ret, &any) == 0)
		return 0;
	return err_set(
		&s->err, -ENOENT,
		any ? "no type is called '%s' in the files that have debug information"
		    : "'%s' is not known: no file of the process has debug information (compile with -g, or install "
		      "its debug package)",
		a.name);
}

int ctype_of_variable(struct shell *s, const char *name, struct ctype *ret)
{
	struct tinfo info;
	bool any;

	*ret = (struct ctype){ 0 };
	if (find(s, "", name, TKM(TK_VAR), ret, &any) < 0 || typesrc_get(ret->ts, ret->ref, &info) < 0)
		return -ENOENT;
	ret->ref = info.target;
	return 0;
}

struct each {
	void (*fn)(void *arg, const char *name);
	void *arg;
};

static int on_name(void *arg, struct tref ref, const char *name)
{
	const struct each *e = arg;

	(void)ref;
	if (*name)
		e->fn(e->arg, name);
	return 0;
}

static int each_of(struct typesrc *ts, uint32_t kinds, const char *prefix, struct each *e)
{
	int r = 0;

	for (enum tkind k = TK_INT; ts && k <= TK_VAR && r == 0; k++)
		if (kinds & TKM(k))
			r = typesrc_each(ts, k, prefix, on_name, e);
	return r;
}

int ctype_each(struct shell *s, uint32_t kinds, const char *prefix, void (*fn)(void *arg, const char *name), void *arg)
{
	struct each e = { fn, arg };
	uint32_t f;
	int r;

	for (size_t i = 0; kinds & TKM(TK_TYPEDEF) && s->types && i < s->types->own.n; i++)
		fn(arg, s->types->own.v[i].name);
	r = s->core->kernel ? each_of(s->core->kernel->types, kinds, prefix, &e) : 0;

	for (size_t i = 0; r == 0 && core_file_in_order(s->core, i, &f); i++)
		r = each_of(of_file(s, f), kinds, prefix, &e);
	return r;
}

/* -- what types are -- */

bool ctype_resolve(const struct ctype *t, struct ctype *ret, struct tinfo *info)
{
	const uint32_t around = TKM(TK_TYPEDEF) | TKM(TK_CONST) | TKM(TK_VOLATILE) | TKM(TK_RESTRICT) |
				TKM(TK_TYPE_TAG);

	*ret = *t;
	if (t->stars) {
		*info = (struct tinfo){ .kind = TK_PTR, .name = "" };
		return true;
	}
	for (unsigned i = 0; i < CTYPE_MAX_CHAIN; i++) {
		if (!ret->ref.id) {
			*info = (struct tinfo){ .kind = TK_VOID, .name = "void" };
			return true;
		}
		if (typesrc_get(ret->ts, ret->ref, info) < 0)
			return false;
		if (!(TKM(info->kind) & around))
			return true;
		ret->ref = info->target;
	}
	return false;
}

/* A type that is only declared: one of the same name that is defined, in the same file. */
static void complete(struct ctype *t)
{
	struct ctype r;
	struct tinfo info;
	struct tref found;

	if (ctype_resolve(t, &r, &info) && info.kind == TK_FWD &&
	    typesrc_find(t->ts, NULL, info.name, info.fwd_union ? TKM(TK_UNION) : TKM(TK_STRUCT), &found) == 0)
		t->ref = found;
}

bool ctype_target(const struct ctype *t, struct ctype *ret)
{
	struct tinfo info;

	if (t->stars) {
		*ret = *t;
		ret->stars--;
	} else if (ctype_resolve(t, ret, &info) && (info.kind == TK_PTR || info.kind == TK_ARRAY)) {
		ret->ref = info.target;
	} else {
		return false;
	}
	complete(ret);
	return true;
}

uint64_t ctype_size(const struct ctype *t)
{
	struct ctype at = *t, r;
	uint64_t times = 1;
	struct tinfo info;

	for (unsigned i = 0; i < CTYPE_MAX_NEST && ctype_resolve(&at, &r, &info); i++) {
		if (info.kind != TK_ARRAY)
			return info.kind == TK_PTR ? 8 * times : info.size * times;
		if (__builtin_mul_overflow(times, (uint64_t)info.nelems, &times) || times > UINT32_MAX)
			return 0;
		r.ref = info.target;
		at = r;
	}
	return 0;
}

static void put_name(const struct ctype *t, struct strb *to, unsigned depth)
{
	static const char *const words[] = { [TK_STRUCT] = "struct ", [TK_UNION] = "union ", [TK_ENUM] = "enum " };
	struct ctype target = *t;
	struct tinfo info;

	if (!t->ref.id || typesrc_get(t->ts, t->ref, &info) < 0 || depth == CTYPE_MAX_CHAIN) {
		strb_adds(to, "void");
		return;
	}
	target.ref = info.target;
	switch (info.kind) {
	case TK_STRUCT:
	case TK_UNION:
	case TK_ENUM: strb_printf(to, "%s%s", words[info.kind], *info.name ? info.name : "{…}"); return;
	case TK_FWD: strb_printf(to, "%s%s", info.fwd_union ? "union " : "struct ", info.name); return;
	case TK_FUNC_PROTO: strb_adds(to, "function"); return;
	case TK_PTR:
		put_name(&target, to, depth + 1);
		strb_adds(to, " *");
		return;
	case TK_ARRAY:
		put_name(&target, to, depth + 1);
		strb_printf(to, " [%u]", info.nelems);
		return;
	case TK_CONST: strb_adds(to, "const "); break;
	case TK_VOLATILE: strb_adds(to, "volatile "); break;
	case TK_RESTRICT: break;
	default: strb_adds(to, info.name); return;
	}
	put_name(&target, to, depth + 1);
}

void ctype_name(const struct ctype *t, struct strb *to)
{
	put_name(t, to, 0);
	for (unsigned i = 0; i < t->stars; i++)
		strb_adds(to, i ? "*" : " *");
}
