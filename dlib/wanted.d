/* SPDX-License-Identifier: Apache-2.0 */
/* Control groups: the processes that the options --cgroup, --container and --unit ask for (the variable wanted), and
 * their names. */

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

/* Its path, of four levels at most: "/system.slice/nginx.service". */
inline string cgroup_path[struct cgroup *G] =
	G->level < 1 ? "/" : strjoin("/", strjoin(stringof(G->ancestors[1]->kn->name), G->level < 2 ? "" :
	strjoin("/", strjoin(stringof(G->ancestors[2]->kn->name), G->level < 3 ? "" :
	strjoin("/", strjoin(stringof(G->ancestors[3]->kn->name), G->level < 4 ? "" :
	strjoin(G->level > 4 ? "/.../" : "/", stringof(G->kn->name))))))));
/* Before Linux 6.1: of its last three. */
inline string cgroup_path[struct cgroup *G] =
	G->level < 1 ? "/" : strjoin(G->level < 2 ? "/" : strjoin(G->level < 3 ? "/" :
	strjoin(G->level > 3 ? ".../" : "/", strjoin(stringof(G->kn->parent->parent->name), "/")),
	strjoin(stringof(G->kn->parent->name), "/")), stringof(G->kn->name));

/* The unit of systemd: "nginx.service", "user-0.slice". It is the group below a slice. */
inline string cgroup_unit[struct cgroup *G] =
	G->level < 1 ? "-" : G->level < 2 ? stringof(G->ancestors[1]->kn->name) : stringof(G->ancestors[2]->kn->name);
/* Before Linux 6.1, at most two levels below it. */
inline string cgroup_unit[struct cgroup *G] =
	G->level < 1 ? "-" : G->level < 3 ? stringof(G->kn->name) : G->level < 4 ? stringof(G->kn->parent->name) :
	stringof(G->kn->parent->parent->name);

/* The number of a unit's group. */
inline uint64_t cgroup_unit_id[struct cgroup *G] =
	G->level < 1 ? 0 : G->level < 2 ? G->ancestors[1]->kn->id : G->ancestors[2]->kn->id;
inline uint64_t cgroup_unit_id[struct cgroup *G] =
	G->level < 1 ? 0 : G->level < 2 ? G->ancestor_ids[1] : G->ancestor_ids[2];

/* The number of the group of a container with the id C, which may have groups below it. */
inline uint64_t cgroup_container_id[struct cgroup *G, string C] =
	C == "" ? 0 :
	G->level > 2 && strstr(stringof(G->ancestors[2]->kn->name), C) != NULL ? G->ancestors[2]->kn->id :
	G->level > 3 && strstr(stringof(G->ancestors[3]->kn->name), C) != NULL ? G->ancestors[3]->kn->id :
	G->level > 4 && strstr(stringof(G->ancestors[4]->kn->name), C) != NULL ? G->ancestors[4]->kn->id : G->kn->id;
/* Before Linux 6.1: that of the thread's group. */
inline uint64_t cgroup_container_id[struct cgroup *G, string C] = C == "" ? 0 : G->kn->id;

/* Does thread T belong to process P or to a descendant of P? The chain of parents breaks where one has ended. */
inline int task_of[struct task_struct *T, pid_t P] = T->tgid == P;
inline int task_near[struct task_struct *T, pid_t P] = task_of[T, P] || task_of[T->real_parent, P] ||
	task_of[T->real_parent->real_parent, P] || task_of[T->real_parent->real_parent->real_parent, P];
inline int task_below[struct task_struct *T, pid_t P] = task_near[T, P] ||
	task_near[T->real_parent->real_parent->real_parent->real_parent, P];

/* Process and thread as they are numbered in their own namespace of processes: inside of their container. */
inline pid_t pid_inside = curthread->group_leader->thread_pid->numbers[curthread->group_leader->thread_pid->level].nr;
inline pid_t tid_inside = curthread->thread_pid->numbers[curthread->thread_pid->level].nr;
