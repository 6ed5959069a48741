/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the kernel's types, from the kernel or from a file (-x btf=FILE). It refuses a file of another kernel, as far
 * as that shows. It compares sizes of structs with the kernel's caches of such objects, and names of functions with its
 * symbols. */
#include "engine/front/btffile.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"

#define MISSING_PERCENT 1 /* of a file's functions this kernel may not have: older tools name what is never there */

/* Caches that the kernel does not merge with others, so that their objects have the size of the struct. Source:
 * mm/slab_common.c slab_unmergeable(). */
static const struct {
	const char *cache, *tag;
} sized[] = { { "dentry", "dentry" }, { "inode_cache", "inode" }, { "sighand_cache", "sighand_struct" } };

/* Bytes; 0: not known. */
static uint32_t cache_size(const char *cache)
{
	char path[96];
	_cleanup_fclose_ FILE *f = NULL;
	unsigned n;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/object_size", cache);
	f = fopen(path, "re");
	return f && fscanf(f, "%u", &n) == 1 ? n : 0;
}

static int check_sizes(struct typesrc *ts, const char *path, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(sized); i++) {
		uint32_t here = cache_size(sized[i].cache);
		struct tref ref;
		struct tinfo t;

		if (!here || typesrc_find(ts, "vmlinux", sized[i].tag, TKM(TK_STRUCT), &ref) < 0 ||
		    typesrc_get(ts, ref, &t) < 0 || t.size == here)
			continue;
		return err_set(err, -EINVAL,
			       "%s is of another kernel: struct %s has %u bytes there, and %u in this one", path,
			       sized[i].tag, (unsigned)t.size, here);
	}
	return 0;
}

/* The kernel's functions, sorted, without what compilers add to names (.isra.0). */
struct funcs {
	VEC(char *) names;
	unsigned n, missing;
	char first[64]; /* that is missing */
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void funcs_done(struct funcs *f)
{
	for (size_t i = 0; i < f->names.n; i++)
		free(f->names.v[i]);
	vec_free(&f->names);
}

/* "ffffffff81000000 T name": of modules too, which does no harm. */
static int funcs_read(struct funcs *f)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/kallsyms", "re");
	char line[1024], name[512], *copy;
	int r = 0;

	while (in && r == 0 && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%*s %*[tTwW] %511[^ .\t\n]", name) != 1)
			continue;
		copy = strdup(name);
		r = copy ? vec_try_push(&f->names, copy) : -ENOMEM;
		if (r < 0)
			free(copy);
	}
	if (r == 0 && f->names.n)
		qsort(f->names.v, f->names.n, sizeof(*f->names.v), by_text);
	return r;
}

static int look_up(void *arg, struct tref ref, const char *name)
{
	struct funcs *f = arg;

	(void)ref;
	f->n++;
	if (!bsearch(&name, f->names.v, f->names.n, sizeof(*f->names.v), by_text) && f->missing++ == 0)
		snprintf(f->first, sizeof(f->first), "%s", name);
	return 0;
}

static int check_funcs(struct typesrc *ts, const char *path, struct err *err)
{
	_cleanup_(funcs_done) struct funcs f = { 0 };
	int r = funcs_read(&f);

	if (r < 0)
		return err_set(err, r, "no memory");
	if (!f.names.n) /* nothing can be said */
		return 0;
	typesrc_each_in(ts, 0, TK_FUNC, "", look_up, &f);
	if (f.missing <= f.n / 100 * MISSING_PERCENT)
		return 0;
	return err_set(err, -EINVAL,
		       "%s is of another kernel: it has %u functions, and this one lacks %u of them, such as %s", path,
		       f.n, f.missing, f.first);
}

/* The file's name before what is wrong with it. */
static void name_file(const char *path, int r, struct err *err)
{
	char text[sizeof(err->msg)];

	if (!path[0] || strstr(err->msg, path))
		return;
	snprintf(text, sizeof(text), "%s", err->msg);
	err_set(err, r, "%s cannot be used as types of the kernel: %s", path, text);
}

int btffile_open(const char *path, struct caps *caps, struct typesrc **ret, struct err *err)
{
	struct typesrc *ts;
	int r = typesrc_open(path, &ts, err);

	if (r < 0) {
		name_file(path, r, err);
		return r;
	}
	if (!typesrc_attaches(ts)) {
		caps->btf = true;
		caps->tp_btf = caps->task_btf = caps->task_storage = caps->find_vma = false;
		caps->get_task_stack = caps->task_pt_regs = false;
		r = check_sizes(ts, path, err);
		if (r == 0)
			r = check_funcs(ts, path, err);
	}
	if (r < 0) {
		typesrc_free(ts);
		return r;
	}
	*ret = ts;
	return 0;
}
