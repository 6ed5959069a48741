/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a function of a program's file calls. These are relative calls and jumps to the start of other functions
 * and to entries of the procedure linkage table, and calls through a register. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/callees.h"
#include "sym/elf/elfsym.h"
#include "sym/elf/insn.h"
#include "sym/object/uobj.h"

#define PLT_MARK "@plt"

struct finding {
	struct arena *a;
	struct uobj o;
	struct ufuncs *funcs;
	struct symtab plt;
	const struct ufunc *f;
	struct callees *c;
};

static const struct ufunc *starts_at(const struct finding *f, uint64_t addr)
{
	for (size_t i = 0; i < f->funcs->n; i++)
		if (f->funcs->v[i].addr == addr)
			return &f->funcs->v[i];
	return NULL;
}

/* The name of the entry of the procedure linkage table at an address, without its mark; NULL. */
static const char *linked(const struct finding *f, uint64_t addr)
{
	const struct usym *s = f->plt.n ? symtab_at(&f->plt, addr) : NULL;
	const char *name = s ? f->plt.text + s->name : NULL, *mark = name ? strstr(name, PLT_MARK) : NULL;

	return mark ? arena_strndup(f->a, name, (size_t)(mark - name)) : NULL;
}

static void look_at(struct finding *f, const struct insn *i)
{
	struct callees *c = f->c;
	uint64_t to = f->f->addr + (uint64_t)i->target;

	if (i->has_target) {
		const struct ufunc *u = starts_at(f, to);
		const char *name = u ? NULL : linked(f, to);

		if (name)
			callees_add(f->a, c, "", name, NULL);
		else if (u && u->addr != f->f->addr && !strstr(u->name, ".cold"))
			callees_add(f->a, c, c->mod, u->name, NULL);
		else if (!u && i->classes & INSN_CALL)
			callees_add(f->a, c, c->mod, arena_printf(f->a, "0x%llx", (unsigned long long)to),
				    "no symbol is there");
	} else if (i->classes & INSN_CALL) {
		if (i->reg == INSN_NO_REG || c->nsites == CALLEES_MAX_BY_REG)
			c->unknown++;
		else
			c->sites[c->nsites++] = (struct callee_site){ arena_printf(f->a, "%x", i->off), i->reg };
	}
}

static int find(struct finding *f, struct err *err)
{
	_cleanup_free_ struct insn *v = NULL;
	_cleanup_free_ uint8_t *code = NULL;
	const char *reason = NULL;
	size_t n = 0;
	int r = ufunc_code(&f->o, f->f, &code);

	if (r == 0)
		r = insn_list(f->funcs->machine, f->f->addr, code, f->f->size, &v, &n, &reason);
	if (r < 0)
		return err_set(err, r, "cannot find the instructions of %s: %s", f->f->name,
			       reason ? reason : strerror(-r));
	for (size_t i = 0; i < n; i++)
		if (v[i].classes & (INSN_CALL | INSN_BRANCH))
			look_at(f, &v[i]);
	return 0;
}

/* Without the table's names its calls are known by address only. */
static void load_plt(struct finding *f)
{
	struct uobj_file file;

	if (uobj_open(&f->o, &file) < 0)
		return;
	if (elfsym_load_plt(&file.elf, &f->plt) < 0 || symtab_finish(&f->plt) < 0)
		f->plt.n = 0;
	uobj_close(&file);
}

int callees_user(struct arena *a, const char *path, int pid, const char *mod, const char *func, struct callees *ret,
		 struct err *err)
{
	struct finding f = { .a = a, .c = ret };
	int r = uobj_of_path(a, path, &f.o);

	*ret = (struct callees){ .mod = mod, .func = func };
	if (r == 0)
		r = uobj_funcs(a, &f.o, pid, &f.funcs);
	if (r < 0)
		return err_set(err, r, "cannot read the functions of %s: %s", path,
			       r == -ENOEXEC ? "no program of this machine" : strerror(-r));
	f.f = ufuncs_find(f.funcs, func);
	if (!f.f)
		return err_set(err, -ENOENT, "%s has no function %s", path, func);
	load_plt(&f);
	r = find(&f, err);
	symtab_done(&f.plt);
	return r;
}
