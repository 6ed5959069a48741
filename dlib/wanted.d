/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the options --cgroup, --container and --unit ask for: what the variable wanted is made of. */

/* Is a control group G, or one above it, the one of number I, which is at level L? */
inline int cgroup_below[struct cgroup *G, int L, uint64_t I] =
	G->level >= L && G->ancestors[L]->kn->id == I;
/* Before Linux 6.1. */
inline int cgroup_below[struct cgroup *G, int L, uint64_t I] =
	G->level >= L && (uint64_t)G->ancestor_ids[L] == I;

/* Is it, or the one above it at level L, called N? A group that is made again keeps its name. Before 6.1 only the group
 * itself and the one above it are looked at. */
inline int cgroup_named[struct cgroup *G, int L, string N] =
	G->level >= L && stringof(G->ancestors[L]->kn->name) == N;
inline int cgroup_named[struct cgroup *G, int L, string N] =
	G->level == L ? stringof(G->kn->name) == N : G->level == L + 1 && stringof(G->kn->parent->name) == N;
