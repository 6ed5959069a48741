/* SPDX-License-Identifier: Apache-2.0 */
/* Finds types and names of the arguments of system calls: from the formats in tracefs, or from the BTF of the
 * functions that implement them. Reads one call at a time, when it is asked for. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/tracefs.h"
#include "prov/prov_int.h"

#define FIELD "field:"
#define FIRST_SKIP "__syscall_nr" /* this field and all before it are not arguments */
#define COPIED "__data_loc"	  /* text that the kernel copied for its own trace (6.19), after the arguments */
#define PATH_LEN 128
#define SYS_NARGS 6

/* Cuts trailing white space. */
static void chomp(char *s)
{
	size_t n = strlen(s);

	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
}

/* "const char * filename": the name is the last identifier. */
static bool split_field(struct arena *a, char *decl, struct probe_arg *arg)
{
	char *name;

	chomp(decl);
	name = decl + strlen(decl);
	while (name > decl && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	if (!*name || name == decl)
		return false;
	arg->name = arena_strdup(a, name);
	*name = '\0';
	chomp(decl);
	/* A pointer that is passed to a system call points to user memory. */
	arg->ctype = strchr(decl, '*') ? arena_printf(a, "userland %s", decl) : arena_strdup(a, decl);
	return true;
}

unsigned sysargs_parse(struct arena *a, char *text, struct probe_arg *args, unsigned max)
{
	bool started = false;
	char *line, *save = NULL;
	unsigned n = 0;

	for (line = strtok_r(text, "\n", &save); line && n < max; line = strtok_r(NULL, "\n", &save)) {
		char *decl = strstr(line, FIELD);
		char *semi = decl ? strchr(decl, ';') : NULL;

		if (!semi)
			continue;
		*semi = '\0';
		decl += strlen(FIELD);
		if (!started)
			started = strstr(decl, FIRST_SKIP) != NULL;
		else if (!strstr(decl, COPIED) && split_field(a, decl, &args[n]))
			n++;
	}
	return n;
}

static bool is_basic(const char *word)
{
	static const char *const basic[] = { "void", "char", "short", "int", "long", "signed", "unsigned", "_Bool" };

	for (size_t i = 0; i < ARRAY_SIZE(basic); i++)
		if (!strcmp(word, basic[i]))
			return true;
	return false;
}

/* The type's name is known to BTF (or is C's). A format may name types that BTF left out. */
static bool type_known(struct typesrc *ts, struct arena *a, const char *ctype)
{
	uint32_t kinds = TKM(TK_TYPEDEF);
	char *copy = arena_strdup(a, ctype), *w, *save = NULL;
	struct tref ref;

	for (w = strtok_r(copy, " *", &save); w; w = strtok_r(NULL, " *", &save)) {
		if (!strcmp(w, "const") || !strcmp(w, "volatile") || !strcmp(w, "userland"))
			continue;
		if (is_basic(w))
			return true;
		if (!strcmp(w, "struct"))
			kinds = TKM(TK_STRUCT);
		else if (!strcmp(w, "union"))
			kinds = TKM(TK_UNION);
		else if (!strcmp(w, "enum"))
			kinds = TKM(TK_ENUM);
		else
			return ts && typesrc_find(ts, NULL, w, kinds, &ref) >= 0;
	}
	return false;
}

static int from_tracefs(struct prov_env *env, struct arena *a, const char *func, struct probe *p)
{
	int dir = prov_tracefs(env);
	_cleanup_free_ char *text = NULL;
	struct probe_arg *args;
	char path[PATH_LEN];
	size_t len;
	int r;

	if (dir < 0)
		return -ENOENT;
	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s/format", func);
	r = tracefs_read(dir, path, &text, &len);
	if (r < 0)
		return r;
	if (!strstr(text, FIRST_SKIP))
		return -ENOENT;
	args = arena_new_arr(a, struct probe_arg, SYS_NARGS);
	p->nargs = sysargs_parse(a, text, args, SYS_NARGS);
	p->args = args;
	for (unsigned i = 0; i < p->nargs; i++)
		if (!type_known(env->ts, a, args[i].ctype))
			args[i].ctype = strchr(args[i].ctype, '*') ? "userland void *" : "int64_t";
	return 0;
}

/* __do_sys_NAME(types…) is what SYSCALL_DEFINE makes; often inlined and then not in BTF. */
static int from_btf(struct prov_env *env, struct arena *a, const char *func, struct probe *p)
{
	struct probe_arg *args;
	struct tmember m;
	struct tinfo ti;
	struct tref fn;

	if (!env->ts || typesrc_find(env->ts, "vmlinux", arena_printf(a, "__do_sys_%s", func), TKM(TK_FUNC), &fn) < 0 ||
	    typesrc_get(env->ts, fn, &ti) < 0)
		return -ENOENT;
	fn = ti.target;
	if (typesrc_get(env->ts, fn, &ti) < 0 || ti.nmembers > SYS_NARGS)
		return -ENOENT;
	args = arena_new_arr(a, struct probe_arg, SYS_NARGS);
	for (uint32_t i = 0; i < ti.nmembers; i++) {
		if (typesrc_member(env->ts, fn, i, &m) < 0)
			return -ENOENT;
		args[i].ref = m.type;
		args[i].name = *m.name ? m.name : NULL;
	}
	p->args = args;
	p->nargs = ti.nmembers;
	return 0;
}

int sysargs_entry(struct prov_env *env, struct arena *a, const char *func, struct probe *p)
{
	int r = from_tracefs(env, a, func, p);

	return r < 0 ? from_btf(env, a, func, p) : r;
}
