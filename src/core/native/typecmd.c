/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on types of native code: ::print, ::sizeof, ::offsetof, ::typedef, ::list, ::array, ::nm. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "core/cmds.h"
#include "core/native/ctype.h"

#define DEPTH 8u
#define ELEMENTS 32u
#define MAX_ELEMENTS 100000u
#define MAX_LIST 1000000u /* things of a list, elements of ::array */

/* -- ::print -- */

static int print_options(struct shell *s, const struct dcall *d, struct cprint *how, int *next)
{
	int i, r = 0;

	*how = (struct cprint){ .depth = DEPTH, .elements = ELEMENTS };
	for (i = 0; i < d->argc && d->argv[i][0] == '-' && d->argv[i][1] != '>' && r == 0; i++) {
		uint64_t n = 0;

		if (!strcmp(d->argv[i], "-a"))
			how->addresses = true;
		else if (!strcmp(d->argv[i], "-d") && (r = shell_option(s, d, &i, CTYPE_MAX_DEPTH, &n)) <= 0)
			how->depth = (unsigned)n;
		else if (!strcmp(d->argv[i], "-n") && (r = shell_option(s, d, &i, MAX_ELEMENTS, &n)) <= 0)
			how->elements = n;
		else
			r = shell_refuse(s, "print", d->argv[i]);
	}
	*next = i;
	return r;
}

/* The type that the words from *i on name, else that of the variable whose name the address was. */
static int thing(struct shell *s, const struct dcall *d, int *i, struct cplace *ret)
{
	const bool named = d->name && (*i == d->argc || strchr(".[-", d->argv[*i][0]));
	int used = 0, r;

	*ret = (struct cplace){ .addr = d->addr };
	if (!named) {
		r = ctype_parse(s, d->argc - *i, d->argv + *i, &used, &ret->type);
		*i += used;
		return r;
	}
	if (ctype_of_variable(s, d->name, &ret->type) < 0)
		return err_set(&s->err, -ENOENT,
			       "the type of '%s' is not known: the debug information does not describe it. Give one: "
			       "%s::print TYPE",
			       d->name, d->name);
	return 0;
}

/* In front of a |. */
static int emit(struct shell *s, const struct cplace *p)
{
	struct ctype t;
	struct tinfo info;
	uint64_t v = p->addr;
	int r = 0;

	if (ctype_resolve(&p->type, &t, &info) && (info.kind == TK_PTR || info.kind == TK_INT || info.kind == TK_ENUM))
		r = cplace_value(s, p, &v);
	return r < 0 ? r : shell_emit(s, v);
}

static int json_thing(struct shell *s, const struct cplace *p, const struct cprint *how, const char *member)
{
	struct jsonw w = jsonw_to(&s->text);
	struct strb type = { 0 };
	int r;

	ctype_name(&p->type, &type);
	jsonw_object(&w, NULL);
	jsonw_strf(&w, "address", "%" PRIx64, p->addr);
	jsonw_str(&w, "type", strb_str(&type));
	if (member)
		jsonw_str(&w, "member", member);
	r = cplace_json(s, p, how, &w, "value");
	jsonw_end_object(&w);
	jsonw_line(&w);
	strb_free(&type);
	return r;
}

static int show(struct shell *s, const struct cplace *p, const struct cprint *how, const char *member)
{
	if (s->to)
		return emit(s, p);
	if (s->json)
		return json_thing(s, p, how, member);
	return cplace_print(s, p, how, member);
}

int dcmd_print(struct shell *s, const struct dcall *d)
{
	struct cplace p, m;
	struct cprint how;
	int i, r = print_options(s, d, &how, &i);

	if (r == 0)
		r = thing(s, d, &i, &p);
	if (r == 0 && i == d->argc)
		return show(s, &p, &how, NULL);
	for (; i < d->argc && r == 0; i++) {
		m = p;
		r = cplace_follow(s, &m, d->argv[i], CPLACE_READ);
		if (r == 0)
			r = show(s, &m, &how, d->argv[i]);
	}
	return r;
}

/* -- ::sizeof, ::offsetof -- */

int dcmd_sizeof(struct shell *s, const struct dcall *d)
{
	struct strb name = { 0 };
	struct ctype t;
	int used, r = ctype_parse(s, d->argc, d->argv, &used, &t);

	if (r == 0 && used < d->argc)
		r = shell_refuse(s, "sizeof", d->argv[used]);
	if (r < 0)
		return r;
	ctype_name(&t, &name);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_str(&w, "type", strb_str(&name));
		jsonw_u64(&w, "size", ctype_size(&t));
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else {
		shell_print(s, "sizeof (%s) = %#" PRIx64 "\n", strb_str(&name), ctype_size(&t));
	}
	strb_free(&name);
	return 0;
}

int dcmd_offsetof(struct shell *s, const struct dcall *d)
{
	struct cplace p = { 0 };
	uint64_t bits;
	int used, r = ctype_parse(s, d->argc, d->argv, &used, &p.type);

	if (r == 0 && used >= d->argc)
		r = err_set(&s->err, -EINVAL, "::offsetof wants a type and a member (::help offsetof)");
	if (r == 0 && used + 1 < d->argc)
		r = shell_refuse(s, "offsetof", d->argv[used + 1]);
	if (r == 0)
		r = cplace_follow(s, &p, d->argv[used], CPLACE_REFUSE);
	if (r < 0)
		return r;
	bits = p.bit_size ? p.bit_size : ctype_size(&p.type) * 8;
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_str(&w, "member", d->argv[used]);
		jsonw_u64(&w, "offset_bits", p.addr * 8 + p.bit_off);
		jsonw_u64(&w, "size_bits", bits);
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else if (p.bit_size) {
		shell_print(s, "offset = %#" PRIx64 ", bit %u, %u bits\n", p.addr + p.bit_off / 8, p.bit_off % 8,
			    p.bit_size);
	} else {
		shell_print(s, "offset = %#" PRIx64 ", size = %#" PRIx64 "\n", p.addr, bits / 8);
	}
	return 0;
}

/* -- ::typedef -- */

static void show_own(void *arg, const char *name, const struct ctype *t)
{
	struct strb type = { 0 };
	struct shell *s = arg;

	ctype_name(t, &type);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_str(&w, "name", name);
		jsonw_str(&w, "type", strb_str(&type));
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else {
		shell_print(s, "typedef %s %s\n", strb_str(&type), name);
	}
	strb_free(&type);
}

static bool is_identifier(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return *name && !isdigit((unsigned char)*name) && !ctype_kinds(name);
}

int dcmd_typedef(struct shell *s, const struct dcall *d)
{
	struct ctype t;
	int used, r;

	if (!d->argc) {
		ctype_each_own(s, show_own, s);
		return 0;
	}
	if (!strcmp(d->argv[0], "-d"))
		return d->argc == 2 ? ctype_disown(s, d->argv[1])
				    : err_set(&s->err, -EINVAL, "::typedef -d wants a name (::help typedef)");
	r = ctype_parse(s, d->argc, d->argv, &used, &t);
	if (r == 0 && (used + 1 != d->argc || !is_identifier(d->argv[used])))
		return err_set(&s->err, -EINVAL, "::typedef wants a type and one new name (::help typedef)");
	return r < 0 ? r : ctype_own(s, d->argv[used], &t);
}

/* -- ::list, ::array -- */

/* The place of the pointer to the next thing. *inner: what is taken from the pointer to be at a thing's beginning. */
static int link_of(struct shell *s, const struct cplace *thing, const char *member, struct cplace *link,
		   uint64_t *inner)
{
	struct ctype t;
	struct tinfo info;
	int r;

	*link = *thing;
	r = cplace_follow(s, link, member, CPLACE_READ);
	if (r < 0)
		return r;
	if (ctype_resolve(&link->type, &t, &info) && info.kind == TK_STRUCT) {
		*inner = link->addr - thing->addr;
		r = cplace_follow(s, link, "next", CPLACE_READ);
	}
	return r;
}

int dcmd_list(struct shell *s, const struct dcall *d)
{
	struct cplace p = { .addr = d->addr }, link;
	int used, r = ctype_parse(s, d->argc, d->argv, &used, &p.type);

	if (r == 0 && used + 1 != d->argc)
		r = used < d->argc - 1 ? shell_refuse(s, "list", d->argv[used + 1])
				       : err_set(&s->err, -EINVAL, "::list wants a type and a member (::help list)");
	for (unsigned n = 0; r == 0; n++) {
		uint64_t inner = 0, next;

		if (n == MAX_LIST)
			return err_set(&s->err, -E2BIG, "more than %u things: the list may be damaged", MAX_LIST);
		r = shell_address(s, p.addr);
		if (r == 0)
			r = link_of(s, &p, d->argv[used], &link, &inner);
		if (r == 0)
			r = cplace_value(s, &link, &next);
		if (r < 0 || !next || next - inner == d->addr)
			break;
		p.addr = next - inner;
	}
	return r;
}

int dcmd_array(struct shell *s, const struct dcall *d)
{
	struct ctype t;
	uint64_t n, size;
	int used, r = ctype_parse(s, d->argc, d->argv, &used, &t);

	if (r < 0)
		return r;
	if (used + 1 != d->argc || !shell_number(d->argv[used], &n) || n > MAX_LIST)
		return err_set(&s->err, -EINVAL, "::array wants a type and a count up to %x (::help array)", MAX_LIST);
	size = ctype_size(&t);
	if (!size)
		return err_set(&s->err, -EINVAL, "the size of the type is not known");
	for (uint64_t i = 0; i < n && r == 0; i++)
		r = shell_address(s, d->addr + i * size);
	return r;
}

/* -- ::nm -- */

static int on_symbol(void *arg, const struct core_symbol *y)
{
	struct shell *s = arg;

	if (s->error)
		return s->error;
	if (s->json && !s->to) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "address", "%" PRIx64, y->addr);
		jsonw_u64(&w, "size", y->size);
		jsonw_str(&w, "file", y->path);
		jsonw_str(&w, "name", y->name);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%16" PRIx64 " %8" PRIx64 " ", y->addr, y->size);
	shell_symbol(s, y);
	shell_print(s, "\n");
	return shell_emit(s, y->addr);
}

int dcmd_nm(struct shell *s, const struct dcall *d)
{
	int r;

	if (d->argc > 1)
		return shell_refuse(s, "nm", d->argv[1]);
	if (!s->json)
		shell_print(s, "%16s %8s %s\n", "ADDRESS", "SIZE", "NAME");
	r = core_each_name(s->core, d->argc ? d->argv[0] : "", on_symbol, s);
	return s->error ? 0 : r;
}
