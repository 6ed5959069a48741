/* SPDX-License-Identifier: Apache-2.0 */
/* Holds what providers share in a session: tracefs, opened on first use, and the reason why kernel types are
 * missing. */
#include "base/arena.h"
#include "load/reasons.h"
#include "load/tracefs.h"
#include "prov/prov_int.h"

int prov_tracefs(struct prov_env *env)
{
	if (env->tracefs_fd == PROV_UNOPENED) {
		env->tracefs_fd = -1;
		env->tracefs_error = tracefs_open(&env->tracefs_fd, NULL);
	}
	return env->tracefs_fd;
}

const char *prov_no_types(struct prov_env *env)
{
	struct reason words;

	if (!env->cache->no_types)
		env->cache->no_types = arena_strdup(env->cache->arena, reason_types(&words));
	return env->cache->no_types;
}
