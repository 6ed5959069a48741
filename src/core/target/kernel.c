/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the running kernel: memory by the caller's BPF program, types by BTF, names by /proc/kallsyms. */
#include "core/target/kernel.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

int core_open_kernel(const struct core_reader *by, struct core *ret, struct err *err)
{
	struct utsname u;
	int r;

	*ret = (struct core){ .live = true, .src = { .fd = -1 }, .rootfd = -1, .mapfd = -1 };
	ret->kernel = calloc(1, sizeof(*ret->kernel));
	if (!ret->kernel)
		return err_set(err, -ENOMEM, "out of memory");
	ret->kernel->by = *by;
	if (uname(&u) == 0)
		snprintf(ret->cmdline, sizeof(ret->cmdline), "%.16s %.40s", u.sysname, u.release);
	r = typesrc_open_kernel(&ret->kernel->types, err);
	if (r == 0 && ksyms_read(&ret->kernel->names, "/proc/kallsyms", NULL) == -ENOMEM)
		r = err_set(err, -ENOMEM, "out of memory");
	if (r < 0)
		core_close(ret);
	return r;
}

void kernel_close(struct core *c)
{
	if (!c->kernel)
		return;
	typesrc_free(c->kernel->types);
	ksyms_free(&c->kernel->names);
	free(c->kernel);
	c->kernel = NULL;
}

int kernel_read(struct core *c, uint64_t addr, void *buf, size_t n)
{
	return c->kernel->by.read(c->kernel->by.arg, addr, buf, n);
}

bool kernel_name(struct core *c, uint64_t addr, struct core_symbol *ret)
{
	const struct ksyms *ks = &c->kernel->names;
	const struct ksym *k = ks->n ? ksyms_at(ks, addr) : NULL;

	*ret = (struct core_symbol){ 0 };
	if (!k)
		return false;
	*ret = (struct core_symbol){ .name = ksyms_name(ks, k), .addr = k->addr, .path = ksyms_module(ks, k) };
	for (const struct ksym *next = k + 1; !ret->size && next < ks->v + ks->n; next++) /* some are at one address */
		ret->size = next->addr - k->addr;
	return true;
}

/* NAME or MODULE`NAME. */
int kernel_address(struct core *c, const char *name, uint64_t *ret)
{
	const struct ksyms *ks = &c->kernel->names;
	const char *tick = strchr(name, '`');
	char *module = tick ? strndup(name, (size_t)(tick - name)) : NULL;
	const struct ksym *k = ks->n ? ksyms_find(ks, module, tick ? tick + 1 : name) : NULL;

	free(module);
	if (!k)
		return -ENOENT;
	*ret = k->addr;
	return 0;
}

int kernel_each_name(struct core *c, const char *prefix, int (*fn)(void *arg, const struct core_symbol *y), void *arg)
{
	const struct ksyms *ks = &c->kernel->names;
	const size_t n = strlen(prefix);

	for (size_t i = 0; i < ks->n; i++) {
		const struct ksym *k = &ks->v[i];
		const struct core_symbol y = { .name = ksyms_name(ks, k),
					       .addr = k->addr,
					       .path = ksyms_module(ks, k),
					       .size = (i + 1 < ks->n ? ks->v[i + 1].addr : k->addr) - k->addr };
		int r = strncmp(y.name, prefix, n) ? 0 : fn(arg, &y);

		if (r)
			return r;
	}
	return 0;
}
