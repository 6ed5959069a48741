/* SPDX-License-Identifier: Apache-2.0 */
/* Types as the declarations that C has for them: -x dtypes and -x ctypes. */
#include "base/strb.h"
#include "lang/types/int.h"
#include <string.h>

#define MAX_NESTING 16 /* unnamed structs within one another */

static void put_members(struct dtypes *t, const struct dtype *ty, unsigned depth, struct strb *out);

/* The type from which pointers, arrays and functions are derived. */
static const struct dtype *core_of(const struct dtype *ty)
{
	while (ty->kind == DK_PTR || ty->kind == DK_ARRAY || ty->kind == DK_FUNC)
		ty = ty->base;
	return ty;
}

/* "type name": with the members in place of a tag where there is none. */
static void put_decl(struct dtypes *t, const struct dtype *ty, const char *name, unsigned depth, struct strb *out)
{
	const struct dtype *core = core_of(ty);
	const char *text = dtype_declare(t, ty, name), *anon = strstr(text, "(anon)");
	bool tagged = core->kind == DK_STRUCT || core->kind == DK_UNION || core->kind == DK_ENUM;

	if (!anon || core->name || !tagged || depth > MAX_NESTING) {
		strb_adds(out, text);
		return;
	}
	strb_add(out, text, (size_t)(anon - text));
	put_members(t, core->unqual, depth, out);
	strb_adds(out, anon + strlen("(anon)"));
}

static void put_members(struct dtypes *t, const struct dtype *ty, unsigned depth, struct strb *out)
{
	strb_adds(out, "{\n");
	for (uint32_t i = 0; i < ty->nmembers; i++) {
		strb_fill(out, '\t', depth + 1);
		put_decl(t, ty->members[i].type, ty->members[i].name ? ty->members[i].name : "", depth + 1, out);
		if (ty->members[i].bit_size)
			strb_printf(out, ":%u", ty->members[i].bit_size);
		strb_adds(out, ";\n");
	}
	for (uint32_t i = 0; i < ty->nenumerators; i++) {
		strb_fill(out, '\t', depth + 1);
		strb_printf(out, "%s = %lld,\n", ty->enumerators[i].name, (long long)ty->enumerators[i].value);
	}
	strb_fill(out, '\t', depth);
	strb_addc(out, '}');
}

static void put_type(struct dtypes *t, const struct dtype *ty, struct strb *out)
{
	if (!ty->name || !ty->complete || ty->quals)
		return;
	if (ty->kind == DK_TYPEDEF) {
		strb_adds(out, "typedef ");
		put_decl(t, ty->base, ty->name, 0, out);
	} else if (ty->kind == DK_STRUCT || ty->kind == DK_UNION || ty->kind == DK_ENUM) {
		strb_printf(out, "%s ", dtype_name(t, ty));
		put_members(t, ty, 0, out);
	} else {
		return;
	}
	strb_adds(out, ";\n");
}

void dtypes_dump(struct dtypes *t, bool kernel, struct strb *out)
{
	const struct symtab_entry *e;

	for (e = kernel ? t->refs.first : t->names.first; e; e = e->later)
		put_type(t, e->val, out);
}
