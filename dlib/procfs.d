/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads as proc(5) of Solaris describes them, from the kernel's task_struct. */
#pragma D depends_on library sched.d
#pragma D depends_on library blocker.d

typedef long time_t;
typedef struct timestruc {
	time_t tv_sec;
	long tv_nsec;
} timestruc_t;

translator timestruc_t < uint64_t NS > {
	tv_sec = NS / 1000000000;
	tv_nsec = NS % 1000000000;
};

typedef struct lwpsinfo {
	int pr_flag;		/* PR_STOPPED, PR_IDLE, PR_ISSYS, PR_PTRACE */
	int pr_lwpid;		/* thread id */
	uintptr_t pr_addr;	/* its task_struct */
	uintptr_t pr_wchan;	/* always 0 */
	char pr_stype;		/* lock that it waits for: SOBJ_* */
	char pr_state;		/* SSLEEP, SRUN, … */
	char pr_sname;		/* its letter: S R T Z W */
	char pr_nice;		/* nice value */
	short pr_syscall;	/* system call that the current thread is in, else -1 */
	char pr_oldpri;		/* always 0 */
	char pr_cpu;		/* always 0 */
	int pr_pri;		/* the kernel's priority */
	ushort_t pr_pctcpu;	/* CPU time of late, 0x8000 is that of all CPUs */
	ushort_t pr_pad;
	timestruc_t pr_start;	/* wall clock when it started */
	timestruc_t pr_time;	/* CPU time */
	string pr_clname;	/* scheduling class, as in ps -o cls */
	char pr_name[16];
	processorid_t pr_onpro;	  /* CPU it is or was on */
	processorid_t pr_bindpro; /* the only CPU it may use, or -1 */
	psetid_t pr_bindpset;	  /* always -1 */
	lgrp_id_t pr_lgrp;	  /* NUMA node of that CPU */
	int pr_filler[4];
} lwpsinfo_t;

typedef id_t dprojid_t;
typedef id_t poolid_t;

typedef struct psinfo {
	int pr_flag;		/* PR_STOPPED, PR_IDLE, PR_ISSYS, PR_PTRACE */
	int pr_nlwp;		/* threads */
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;		/* process group */
	pid_t pr_sid;		/* session */
	uid_t pr_uid;		/* real user */
	uid_t pr_euid;		/* effective user */
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;	/* the task_struct */
	size_t pr_size;		/* size of the image in KB */
	size_t pr_rssize;	/* of it in memory, in KB */
	size_t pr_pad1;
	struct tty_struct *pr_ttydev; /* controlling terminal, or -1 */
	ushort_t pr_pctcpu;	/* CPU time of late of all threads, 0x8000 is that of all CPUs */
	ushort_t pr_pctmem;	/* of the machine's memory, 0x8000 is all */
	timestruc_t pr_start;	/* wall clock when it started */
	timestruc_t pr_time;	/* CPU time, also of threads that ended */
	timestruc_t pr_ctime;	/* CPU time of children that were waited for */
	string pr_fname;	/* name */
	string pr_psargs;	/* initial arguments: of the current process */
	int pr_wstat;		/* of a zombie: as wait() gives it */
	int pr_argc;		/* initial arguments: of the current process */
	uintptr_t pr_argv;	/* where they are */
	uintptr_t pr_envp;	/* where the environment is: of the current process */
	char pr_dmodel;		/* PR_MODEL_LP64, PR_MODEL_ILP32 */
	char pr_pad2[3];
	taskid_t pr_taskid;	/* these are always 0 on Linux: */
	dprojid_t pr_projid;
	int pr_nzomb;
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;
	id_t pr_contract;
	int pr_filler[1];
	lwpsinfo_t pr_lwp;	/* the thread itself */
} psinfo_t;

inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;

inline int PR_STOPPED = 0x00000001;
inline int PR_ISTOP = 0x00000002;
inline int PR_DSTOP = 0x00000004;
inline int PR_STEP = 0x00000008;
inline int PR_ASLEEP = 0x00000010;
inline int PR_PCINVAL = 0x00000020;
inline int PR_ASLWP = 0x00000040;
inline int PR_AGENT = 0x00000080;
inline int PR_DETACH = 0x00000100;
inline int PR_DAEMON = 0x00000200;
inline int PR_ISSYS = 0x00001000;   /* a thread of the kernel */
inline int PR_VFORKP = 0x00002000;
inline int PR_ORPHAN = 0x00004000;
inline int PR_NOSIGCHLD = 0x00008000;
inline int PR_WAITPID = 0x00010000;
inline int PR_FORK = 0x00100000;
inline int PR_RLC = 0x00200000;
inline int PR_KLC = 0x00400000;
inline int PR_ASYNC = 0x00800000;
inline int PR_MSACCT = 0x01000000;
inline int PR_BPTADJ = 0x02000000;
inline int PR_PTRACE = 0x04000000;  /* a debugger or tracer has it */
inline int PR_MSFORK = 0x08000000;
inline int PR_IDLE = 0x10000000;

/* The object that a thread sleeps on, with the names of sys/sobject.h of Solaris: pr_stype. */
inline int SOBJ_NONE = 0;	    /* nothing that the kernel notes */
inline int SOBJ_MUTEX = 1;
inline int SOBJ_RWLOCK = 2;
inline int SOBJ_CV = 3;		    /* never on Linux, as SOBJ_USER: a wait that is no lock leaves no note */
inline int SOBJ_SEMA = 4;
inline int SOBJ_USER = 5;
inline int SOBJ_USER_PI = 6;	    /* of a kernel for real time also its own mutexes */
inline int SOBJ_SHUTTLE = 7;

inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

inline int CLD_EXITED = 1;
inline int CLD_KILLED = 2;
inline int CLD_DUMPED = 3;
inline int CLD_TRAPPED = 4;
inline int CLD_STOPPED = 5;
inline int CLD_CONTINUED = 6;

/* Members that kernels name differently: the first definition that fits the running kernel holds. */
inline unsigned int task_state[struct task_struct *T] = T->__state; /* since 5.14 */
inline unsigned int task_state[struct task_struct *T] = T->state;
inline int64_t mm_rss[struct mm_struct *M] = /* since 6.2 */
	M->rss_stat[0].count + M->rss_stat[1].count + M->rss_stat[3].count;
/* Before, verifiers do not follow typed pointers into arrays of structs. */
inline struct mm_struct *mm_untyped[struct mm_struct *M] = (struct mm_struct *)(uintptr_t)M;
inline int64_t mm_rss[struct mm_struct *M] = mm_untyped[M]->rss_stat.count[0].counter +
	mm_untyped[M]->rss_stat.count[1].counter + mm_untyped[M]->rss_stat.count[3].counter;
inline int task_cpu[struct task_struct *T] = T->thread_info.cpu; /* since 5.16 */
inline int task_cpu[struct task_struct *T] = T->cpu;
inline uint64_t task_load[struct task_struct *T] = T->se.avg.util_avg; /* of 1024 */
inline uint64_t task_load[struct task_struct *T] = 0;		       /* kernels for one CPU */

/* dwell adds this machine: machine_cpus, machine_pages, machine_pageshift, and task_syscall[]. */
inline ushort_t pct_of[uint64_t part, uint64_t whole] = part < whole ? part * 0x8000 / whole : 0x8000;
inline size_t pages_kb[uint64_t N] = N << (machine_pageshift - 10);

inline struct task_struct *thread_of[struct list_head *L] =
	(struct task_struct *)((uintptr_t)L - offsetof(struct task_struct, thread_node));

/* Over all threads; a process with more of them than -x loopmax is an error. */
uint64_t proc_runtime(struct task_struct *T)
{
	struct list_head *l, *end = &T->signal->thread_head;
	uint64_t sum = T->signal->sum_sched_runtime;

	for (l = end->next; l != end; l = l->next)
		sum += thread_of[l]->se.sum_exec_runtime;
	return sum;
}

uint64_t proc_load(struct task_struct *T)
{
	struct list_head *l, *end = &T->signal->thread_head;
	uint64_t sum = 0;

	for (l = end->next; l != end; l = l->next)
		sum += task_load[thread_of[l]];
	return sum;
}

/* Bits of the state. Source: include/linux/sched.h. */
inline int TASK_BITS_SLEEP = 0x0003;
inline int TASK_BITS_STOPPED = 0x000c;
inline int TASK_BITS_ZOMBIE = 0x00b0;
inline int TASK_BITS_WAIT = 0x0300;

inline int task_flag[struct task_struct *T] =
	(task_state[T] & TASK_BITS_STOPPED ? PR_STOPPED : 0) | (T->pid == 0 ? PR_IDLE : 0) |
	(T->flags & PF_KTHREAD ? PR_ISSYS : 0) | (T->ptrace ? PR_PTRACE : 0);
int task_sobj(struct task_struct *T)
{
	int k = blocker_kind[T];

	return k == BLOCKER_MUTEX ? SOBJ_MUTEX : k == BLOCKER_SEMAPHORE ? SOBJ_SEMA :
	       k == BLOCKER_RTMUTEX ? SOBJ_USER_PI : k != BLOCKER_NONE ? SOBJ_RWLOCK : SOBJ_NONE;
}

translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = task_flag[T];
	pr_lwpid = T->pid;
	pr_addr = (uintptr_t)T;
	pr_wchan = 0;
	pr_stype = task_sobj(T);
	pr_state = task_state[T] & TASK_BITS_SLEEP ? SSLEEP :
		   task_state[T] & TASK_BITS_STOPPED ? SSTOP :
		   (task_state[T] | T->exit_state) & TASK_BITS_ZOMBIE ? SZOMB :
		   task_state[T] & TASK_BITS_WAIT ? SWAIT : SRUN;
	pr_sname = task_state[T] & TASK_BITS_SLEEP ? 'S' :
		   task_state[T] & TASK_BITS_STOPPED ? 'T' :
		   (task_state[T] | T->exit_state) & TASK_BITS_ZOMBIE ? 'Z' :
		   task_state[T] & TASK_BITS_WAIT ? 'W' : 'R';
	pr_nice = T->static_prio - 120;
	pr_syscall = task_syscall[T];
	pr_oldpri = 0;
	pr_cpu = 0;
	pr_pri = T->prio;
	pr_pctcpu = pct_of[task_load[T], machine_cpus * 1024];
	pr_start = xlate <timestruc_t> (walltimestamp - (timestamp - T->start_time));
	pr_time = xlate <timestruc_t> (T->se.sum_exec_runtime);
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FF" : T->policy == 2 ? "RR" :
		    T->policy == 3 ? "B" : T->policy == 5 ? "IDL" : T->policy == 6 ? "DLN" : "?";
	pr_name = T->comm;
	pr_onpro = task_cpu[T];
	pr_bindpro = T->nr_cpus_allowed == 1 ? task_cpu[T] : -1;
	pr_bindpset = -1;
	pr_lgrp = cpu_lgrp_of[task_cpu[T]];
};

translator psinfo_t < struct task_struct *T > {
	pr_flag = task_flag[T->group_leader];
	pr_nlwp = T->signal->nr_threads;
	pr_pid = T->tgid;
	pr_ppid = T->real_parent->tgid;
	pr_pgid = T->signal->pids[PIDTYPE_PGID]->numbers[0].nr;
	pr_sid = T->signal->pids[PIDTYPE_SID]->numbers[0].nr;
	pr_uid = T->cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_size = T->mm != NULL ? pages_kb[T->mm->total_vm] : 0;
	pr_rssize = T->mm != NULL ? pages_kb[mm_rss[T->mm]] : 0;
	pr_ttydev = T->signal->tty != NULL ? T->signal->tty : (struct tty_struct *)-1;
	pr_pctcpu = pct_of[proc_load(T), machine_cpus * 1024];
	pr_pctmem = T->mm != NULL ? pct_of[mm_rss[T->mm], machine_pages] : 0;
	pr_start = xlate <timestruc_t> (walltimestamp - (timestamp - T->group_leader->start_time));
	pr_time = xlate <timestruc_t> (proc_runtime(T));
	pr_ctime = xlate <timestruc_t> (T->signal->cutime + T->signal->cstime);
	pr_fname = T->comm;
	pr_psargs = T->mm != NULL ? psargs(T->mm->arg_start, T->mm->arg_end) : stringof(T->comm);
	pr_wstat = T->exit_code;
	pr_argc = T->mm != NULL ? *(int *)copyin(T->mm->start_stack, sizeof (int)) : 0;
	pr_argv = T->mm != NULL ? T->mm->start_stack + sizeof (long) : 0;
	pr_envp = T->mm != NULL ? T->mm->start_stack + sizeof (long) *
		  (2 + *(int *)copyin(T->mm->start_stack, sizeof (int))) : 0;
	pr_dmodel = T->mm != NULL && T->mm->task_size <= 0xffffffff ? PR_MODEL_ILP32 : PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_nzomb = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_lwp = xlate <lwpsinfo_t> (T);
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);
#pragma D attributes Stable/Stable/Common curpsinfo
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);
#pragma D attributes Stable/Stable/Common curlwpsinfo

inline int PF_KTHREAD = 0x00200000; /* include/linux/sched.h */
inline int PF_KSWAPD = 0x20000; /* may always take the last memory, as PF_MEMALLOC; also while it sleeps */
inline int PF_MEMALLOC = 0x800; /* the thread frees memory, or is about to: include/linux/sched.h */
