/* SPDX-License-Identifier: Apache-2.0 */
#include "base/findprog.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *findprog(const char *name)
{
	const char *dirs = getenv("PATH");
	_cleanup_free_ char *copy = strdup(dirs ? dirs : "/usr/local/bin:/usr/bin:/bin");
	char *save = NULL, *path;

	if (strchr(name, '/'))
		return access(name, F_OK) == 0 ? strdup(name) : NULL;
	for (char *d = copy ? strtok_r(copy, ":", &save) : NULL; d; d = strtok_r(NULL, ":", &save)) {
		if (asprintf(&path, "%s/%s", d, name) < 0)
			return NULL;
		if (is_program(path))
			return path;
		free(path);
	}
	return NULL;
}
