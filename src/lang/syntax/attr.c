/* SPDX-License-Identifier: Apache-2.0 */
/* Stability attributes: their names, the tables of what is built in, the least of a program. */
#include "lang/attr.h"
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "lang/dlib.h"

static const char *const stabilities[STAB_COUNT_] = { "Internal", "Private",  "Obsolete", "External",
						      "Unstable", "Evolving", "Stable",	  "Standard" };
static const char *const classes[CLASS_COUNT_] = { "Unknown", "CPU", "Platform", "Group", "ISA", "Common" };
static const char *const parts[PART_COUNT_] = { "provider", "module", "function", "name", "args" };

#define STABLE \
	{ \
		STAB_STABLE, STAB_STABLE, CLASS_COMMON \
	}
#define EVOL \
	{ \
		STAB_EVOLVING, STAB_EVOLVING, CLASS_COMMON \
	}
#define EVOL_ISA \
	{ \
		STAB_EVOLVING, STAB_EVOLVING, CLASS_ISA \
	}
#define UNST \
	{ \
		STAB_UNSTABLE, STAB_UNSTABLE, CLASS_COMMON \
	}
#define UNST_UNKNOWN \
	{ \
		STAB_UNSTABLE, STAB_UNSTABLE, CLASS_UNKNOWN \
	}
#define PRIV \
	{ \
		STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN \
	}
#define PRIV_ISA \
	{ \
		STAB_PRIVATE, STAB_PRIVATE, CLASS_ISA \
	}

static const struct dattr stable = STABLE, evolving = EVOL, private = PRIV;

static const struct {
	const char *name;
	struct pattr attr;
} providers[] = {
#define PROVATTR(name, prov, mod, func, probe, args) { name, { { prov, mod, func, probe, args } } },
#include "lang/syntax/provattr.def"
#undef PROVATTR
};

const char *attr_stability_name(unsigned s)
{
	return s < STAB_COUNT_ ? stabilities[s] : "";
}

const char *attr_class_name(unsigned c)
{
	return c < CLASS_COUNT_ ? classes[c] : "";
}

/* -- text -- */

static int find_word(const char *const *words, unsigned n, const char *s, size_t len)
{
	for (unsigned i = 0; i < n; i++)
		if (strlen(words[i]) == len && !strncasecmp(words[i], s, len))
			return (int)i;
	return -EINVAL;
}

int attr_parse(const char *text, struct dattr *ret)
{
	const char *b = strchr(text, '/'), *c = b ? strchr(b + 1, '/') : NULL;
	int name, data, class;

	if (!c)
		return -EINVAL;
	name = find_word(stabilities, STAB_COUNT_, text, (size_t)(b - text));
	data = find_word(stabilities, STAB_COUNT_, b + 1, (size_t)(c - b - 1));
	class = find_word(classes, CLASS_COUNT_, c + 1, strlen(c + 1));
	if (name < 0 || data < 0 || class < 0)
		return -EINVAL;
	*ret = (struct dattr){ (uint8_t)name, (uint8_t)data, (uint8_t) class };
	return 0;
}

const char *attr_text(struct arena *a, struct dattr at)
{
	return arena_printf(a, "%s/%s/%s", attr_stability_name(at.name), attr_stability_name(at.data),
			    attr_class_name(at.class));
}

static uint8_t least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

struct dattr attr_min(struct dattr a, struct dattr b)
{
	return (struct dattr){ least(a.name, b.name), least(a.data, b.data), least(a.class, b.class) };
}

bool attr_less(struct dattr a, struct dattr b)
{
	return a.name < b.name || a.data < b.data || a.class < b.class;
}

enum attr_part attr_find_part(const char *name)
{
	int i = find_word(parts, PART_COUNT_, name, strlen(name));

	return i < 0 ? PART_COUNT_ : (enum attr_part)i;
}

/* -- what is built in -- */

static struct dattr attr_builtin(const struct builtin *b)
{
	if (b->id == BI_CURTHREAD)
		return (struct dattr){ STAB_STABLE, STAB_PRIVATE, CLASS_COMMON };
	return b->flags & BIF_EVOLVING ? evolving : stable;
}

/* Does a name of the table mean this provider? */
static bool names(const char *row, const char *prov)
{
	size_t n = strlen(row);

	if (row[n - 1] != '*')
		return !strcmp(row, prov);
	return !strncmp(row, prov, n - 1) && isdigit((unsigned char)prov[n - 1]);
}

struct pattr attr_provider(const struct dprog *p, const char *prov)
{
	struct pattr at = { { UNST, UNST, UNST, UNST, UNST } };

	for (size_t i = 0; i < ARRAY_SIZE(providers); i++)
		if (names(providers[i].name, prov))
			at = providers[i].attr;
	for (const struct provattr *x = p ? p->provattrs : NULL; x; x = x->next)
		if (!strcmp(x->provider, prov))
			attr_parse(x->text, &at.part[x->part]);
	return at;
}

struct dattr attr_desc(const struct dprog *p, const struct pdesc *d)
{
	struct pattr at = attr_provider(p, pdesc_is_exact(d->prov) ? d->prov : "");
	struct dattr a = at.part[PART_PROVIDER];

	if (pdesc_is_exact(d->mod))
		a = attr_min(a, at.part[PART_MODULE]);
	if (pdesc_is_exact(d->func))
		a = attr_min(a, at.part[PART_FUNCTION]);
	if (pdesc_is_exact(d->name))
		a = attr_min(a, at.part[PART_NAME]);
	return a;
}

struct dattr attr_args(const struct dprog *p, const struct pdesc *d)
{
	return attr_provider(p, pdesc_is_exact(d->prov) ? d->prov : "").part[PART_ARGS];
}

/* -- programs -- */

struct least {
	const struct dprog *p;
	const struct clause_instance *s;
	struct dattr min;
	const struct dattr *at_least;
	const struct node **worst;
};

/* A type that only the kernel has? */
static bool of_kernel(const struct dtype *ty)
{
	while (ty && !ty->from_kernel)
		ty = ty->kind == DK_STRUCT || ty->kind == DK_UNION ? NULL : ty->base;
	return ty != NULL;
}

static struct dattr node_attr(const struct least *l, const struct node *n)
{
	if (n->attr)
		return *n->attr;
	if (n->kind == N_KSYM)
		return private;
	if (n->kind == N_CAST && !n->implicit && of_kernel(n->type))
		return private;
	if (n->kind == N_INDEX && n->a && n->a->builtin && n->a->builtin->id == BI_ARGS)
		return attr_args(l->p, &l->s->desc);
	return n->builtin ? attr_builtin(n->builtin) : stable;
}

static bool visit_stmt(void *ctx, const struct stmt *s);

/* If an identifier has attributes of its own, they count instead of those below it. */
static void visit(struct least *l, const struct node *n)
{
	struct walk w = { .stmt = visit_stmt, .ctx = l };
	struct dattr a;

	if (!n)
		return;
	if (!n->attr && n->attr_from) {
		visit(l, n->attr_from);
		return;
	}
	a = node_attr(l, n);
	l->min = attr_min(l->min, a);
	if (l->at_least && !*l->worst && attr_less(a, *l->at_least))
		*l->worst = n;
	if (n->attr)
		return;
	if (n->call) {
		walk_stmts(&w, n->call->params);
		walk_stmts(&w, n->call->body);
	}
	visit(l, n->a);
	visit(l, n->b);
	visit(l, n->c);
	for (n = n->args; n; n = n->next)
		visit(l, n);
}

static bool visit_stmt(void *ctx, const struct stmt *s)
{
	visit(ctx, s->expr);
	visit(ctx, s->call);
	visit(ctx, s->step);
	return false;
}

struct dattr attr_clause(const struct dprog *p, const struct clause_instance *s, const struct dattr *at_least,
			 const struct node **worst)
{
	const struct node *none = NULL;
	struct least l = { .p = p, .s = s, .min = stable, .at_least = at_least, .worst = worst ? worst : &none };
	struct walk w = { .stmt = visit_stmt, .ctx = &l };

	if (worst)
		*worst = NULL;
	visit(&l, s->pred);
	walk_stmts(&w, s->body);
	return l.min;
}

void attr_program(const struct dprog *p, const struct source *src, struct dattr *desc, struct dattr *stmt)
{
	*desc = *stmt = (struct dattr){ STAB_STANDARD, STAB_STANDARD, CLASS_COMMON };
	for (const struct clause_instance *s = p->instances; s; s = s->next) {
		if (src && s->at.src != src)
			continue;
		*desc = attr_min(*desc, attr_desc(p, &s->desc));
		*stmt = attr_min(*stmt, attr_clause(p, s, NULL, NULL));
	}
}
