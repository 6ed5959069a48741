/* SPDX-License-Identifier: Apache-2.0 */
/* The list of users' commands and walkers, and the files that they come from. */
#include "core/module/module.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"

struct modules *modules_of(struct shell *s)
{
	if (!s->modules)
		s->modules = calloc(1, sizeof(*s->modules));
	return s->modules;
}

int modules_keep(struct modules *m, void *memory)
{
	if (vec_try_push(&m->memory, memory) < 0) {
		free(memory);
		return -ENOMEM;
	}
	return 0;
}

static bool is_name(const char *name)
{
	return name && *name >= 'a' && *name <= 'z' && strlen(name) <= MODULE_MAX_NAME &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static int check(struct shell *s, const char *name, size_t n, bool exists)
{
	if (!is_name(name))
		return err_set(&s->err, -EINVAL, "'%.40s' is no name: up to %u of a-z, 0-9 and _", name ? name : "",
			       MODULE_MAX_NAME);
	if (exists)
		return err_set(&s->err, -EEXIST, "there is one already that is called %s", name);
	return n < MODULE_MAX ? 0 : err_set(&s->err, -E2BIG, "more than %u commands or walkers", MODULE_MAX);
}

int modules_add_command(struct shell *s, const struct dcmd *c)
{
	struct modules *m = modules_of(s);
	struct dcmd *copy;
	int r = m ? check(s, c->name, m->commands.n, is_name(c->name) && shell_dcmd(s, c->name)) : -ENOMEM;

	if (r < 0)
		return r;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *c;
	r = vec_try_push(&m->commands, copy);
	if (r < 0)
		free(copy);
	return r;
}

int modules_add_walker(struct shell *s, const struct walker *w)
{
	struct modules *m = modules_of(s);
	struct walker *copy;
	int r = m ? check(s, w->name, m->walkers.n, is_name(w->name) && shell_walker(s, w->name)) : -ENOMEM;

	if (r < 0)
		return r;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *w;
	r = vec_try_push(&m->walkers, copy);
	if (r < 0)
		free(copy);
	return r;
}

static bool ends_in(const char *name, const char *end)
{
	const size_t n = strlen(name), k = strlen(end);

	return n > k && !strcmp(name + n - k, end);
}

static int is_d(const struct dirent *e)
{
	return e->d_name[0] != '.' && ends_in(e->d_name, ".d");
}

static int load_folder(struct shell *s, const char *path)
{
	struct dirent **v;
	int n = scandir(path, &v, is_d, alphasort), r = 0;

	if (n < 0)
		return err_set(&s->err, -errno, "%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *file = NULL;

		if (r == 0)
			r = asprintf(&file, "%s/%s", path, v[i]->d_name) < 0 ? -ENOMEM : module_load_d(s, file);
		free(file);
		free(v[i]);
	}
	free(v);
	return r == 0 && !n ? err_set(&s->err, -ENOENT, "%s: no file in it ends in .d", path) : r;
}

int modules_load(struct shell *s, const char *path)
{
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return err_set(&s->err, -errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		r = load_folder(s, path);
	else if (S_ISREG(st.st_mode) && ends_in(path, ".so"))
		r = module_load_c(s, path);
	else if (S_ISREG(st.st_mode) && ends_in(path, ".d"))
		r = module_load_d(s, path);
	else
		r = err_set(&s->err, -EINVAL, "%s: a module is FILE.so, FILE.d, or a folder of files of D", path);
	return r == -ENOMEM ? err_set(&s->err, r, "out of memory") : r;
}

void modules_free(struct modules *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->commands.n; i++)
		free(m->commands.v[i]);
	for (size_t i = 0; i < m->walkers.n; i++)
		free(m->walkers.v[i]);
	for (size_t i = 0; i < m->memory.n; i++)
		free(m->memory.v[i]);
	vec_free(&m->commands);
	vec_free(&m->walkers);
	vec_free(&m->memory);
	strb_free(&m->said);
	free(m);
}
