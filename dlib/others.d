/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and members of the kernels of illumos, FreeBSD and macOS, where Linux has the same. __ksym_NAME stands for
 * the variable `NAME when this kernel has no symbol of that name. __member_TAG_NAME[p] stands for the member NAME of a
 * struct TAG that p points to, when it has no such member. */

/* -- variables -- */

/* The load of the last 1, 5 and 15 minutes times 65536: dwell sets them every -x statusrate. */
uint64_t __load1, __load5, __load15;
inline uint64_t __ksym_hp_avenrun[int i] = i == 0 ? __load1 : i == 1 ? __load5 : __load15;

inline struct new_utsname __ksym_utsname = curthread->nsproxy->uts_ns->name;
inline uint64_t __ksym_lbolt = timestamp / 10000000; /* ticks of 10 ms */

inline uint64_t __ksym__pagesize = 1ULL << machine_pageshift;
inline int __ksym_ncpus = machine_cpus;
inline int __ksym_ncpus_online = machine_cpus;
inline uint64_t __ksym_physmem = machine_pages;

/* -- threads and processes: both are a task_struct -- */

inline struct task_struct *curproc = curthread->group_leader;

inline struct task_struct *__member_task_struct_t_procp[struct task_struct *T] = T->group_leader;
inline struct task_struct *__member_task_struct_td_proc[struct task_struct *T] = T->group_leader;
inline id_t __member_task_struct_t_tid[struct task_struct *T] = T->pid;
inline id_t __member_task_struct_td_tid[struct task_struct *T] = T->pid;
inline int __member_task_struct_t_pri[struct task_struct *T] = T->prio;
inline string __member_task_struct_td_name[struct task_struct *T] = stringof(T->comm);
inline pid_t __member_task_struct_p_pid[struct task_struct *T] = T->tgid;
inline pid_t __member_task_struct_p_ppid[struct task_struct *T] = T->real_parent->tgid;
inline string __member_task_struct_p_comm[struct task_struct *T] = stringof(T->group_leader->comm);
inline struct task_struct *__member_task_struct_p_parent[struct task_struct *T] = T->real_parent;
inline struct task_struct *__member_task_struct_p_pptr[struct task_struct *T] = T->real_parent;
inline struct task_struct *__member_task_struct_p_pidp[struct task_struct *T] = T;
inline pid_t __member_task_struct_pid_id[struct task_struct *T] = T->tgid;
inline struct task_struct __member_task_struct_p_user[struct task_struct *T] = *T;
inline string __member_task_struct_u_comm[struct task_struct *T] = stringof(T->group_leader->comm);

/* The threads that wait for the CPU on which the thread runs: t_cpu->cpu_disp->disp_nrunnable. */
inline struct task_struct *__member_task_struct_t_cpu[struct task_struct *T] = T;
inline struct rq *__member_task_struct_cpu_disp[struct task_struct *T] = T->se.cfs_rq->rq;
inline unsigned int __member_rq_disp_nrunnable[struct rq *R] = R->nr_running;

/* -- open files -- */

typedef struct uf_entry {
	struct file *uf_file;
} uf_entry_t;

/* A vnode is the file that leads to it: which path one was opened by is kept there. */
typedef struct vnode {
	char v_opaque;
} vnode_t;

inline struct files_struct __member_task_struct_u_finfo[struct task_struct *T] = *T->files;
inline uf_entry_t *__member_files_struct_fi_list[struct files_struct *F] = (uf_entry_t *)F->fdt->fd;
inline vnode_t *__member_file_f_vnode[struct file *F] = (vnode_t *)F;
inline string __member_vnode_v_path[vnode_t *V] = V != NULL ? d_path(&((struct file *)V)->f_path) : "";
