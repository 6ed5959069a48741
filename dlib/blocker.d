/* SPDX-License-Identifier: Apache-2.0 */
/* The lock that a sleeping thread waits for, as far as the kernel notes it. It tells which thread has the lock, and
 * since when the sleeping thread has not run. Made for iter:::task, where T is args[0] or curthread; good for any
 * thread. */
#pragma D depends_on library procfs.d

/* The state as ps(1) shows it: R S D T t Z X P, and I for idle threads of the kernel.
 * Source: fs/proc/array.c, include/linux/sched.h. */
inline unsigned int TASK_BITS_NOLOAD = 0x400;
inline unsigned int TASK_BITS_RTLOCK = 0x1000;
inline char thread_letter[struct task_struct *T] =
	T->exit_state & 0x20 ? 'Z' :
	T->exit_state & 0x10 ? 'X' :
	task_state[T] & 0x80 ? 'X' :
	task_state[T] & 0x40 ? 'P' :
	task_state[T] & 0x08 ? 't' :
	task_state[T] & 0x04 ? 'T' :
	task_state[T] & TASK_BITS_RTLOCK ? 'D' :
	task_state[T] & 0x02 ? (task_state[T] & TASK_BITS_NOLOAD ? 'I' : 'D') :
	task_state[T] & 0x01 ? 'S' : 'R';

/* When a runnable thread was put into the queue that it is in, by the same clock without anything left out; 0: not,
 * or not known. It stays when a thread has gone to sleep, lies in the queue until its lag is paid, is moved with it,
 * and leaves it then (Linux 6.12). */
inline uint64_t last_queued[struct task_struct *T] = T->sched_info.last_queued;
inline uint64_t last_queued[struct task_struct *T] = 0;
/* How long it has waited for a CPU since it began, in ns; 0, too, where the kernel does not keep that. */
inline uint64_t run_delay[struct task_struct *T] = T->sched_info.run_delay;
inline uint64_t run_delay[struct task_struct *T] = 0;

/* How long ago the thread ran last, in ns; 0: it runs, or that is not known. For one that sleeps that is how long it
 * has slept. The scheduler stamps a thread when it leaves the CPU, by a clock that leaves out the time of interrupts
 * and of the hypervisor. So this may be too little by the time that they took since then, and never too much. If it was
 * moved to another CPU since then, this is how long it has been there. */
uint64_t off_cpu_ns(struct task_struct *T)
{
	int64_t ns, stamp = T->se.exec_start, behind = 0;

	if (stamp)
		behind = T->se.cfs_rq->rq->clock - T->se.cfs_rq->rq->clock_task;
	else
		stamp = last_queued[T];
	if (T->on_cpu || stamp == 0)
		return 0;
	ns = _sched_clock() - behind - stamp;
	return ns > 0 ? ns : 0;
}

/* The kind of lock that a thread waits for. */
inline int BLOCKER_NONE = 0;	  /* no lock that the kernel notes */
inline int BLOCKER_MUTEX = 1;
inline int BLOCKER_SEMAPHORE = 2;
inline int BLOCKER_RWSEM_READ = 3; /* wants to read */
inline int BLOCKER_RWSEM_WRITE = 4;
inline int BLOCKER_RTMUTEX = 5;	  /* futexes with priority inheritance, all locks of real-time kernels */

/* The lock that a thread waits for, as one word: the lock's address with its kind, less one, in the low bits. */
inline uintptr_t BLOCKER_BITS = 7;

/* As the kernel notes it in two bits. Source: include/linux/hung_task.h, kernel/locking/mutex.c.
 * blocker: Linux 6.16 with CONFIG_DETECT_HUNG_TASK_BLOCKER=y; of semaphores only if the wait cannot be killed.
 * blocked_on: 6.17, of mutexes. */
inline uintptr_t blocker_noted[struct task_struct *T] = T->blocker;
inline uintptr_t blocker_noted[struct task_struct *T] = (uintptr_t)T->blocker_mutex; /* 6.15 */
inline uintptr_t blocker_noted[struct task_struct *T] = (uintptr_t)&T->blocked_on->owner; /* its first member */
inline uintptr_t blocker_noted[struct task_struct *T] = 0;

/* Does the kernel note what mutexes and semaphores threads wait for, or is a waiter's record on its stack one that
 * dwell knows? */
inline int blocker_known = offsetof(struct task_struct, blocker) != 0;
inline int blocker_known = offsetof(struct task_struct, blocker_mutex) != 0;
inline int blocker_known = offsetof(struct mutex, wait_list) != 0;
inline int blocker_known = 0;

/* 0: no lock. An rtmutex is noted by all kernels. Mutexes and rwsems without a note are found by the record of the
 * waiter on its stack, which costs a microsecond: keep the word, and ask it for the rest. */
uintptr_t blocker_word(struct task_struct *T)
{
	uintptr_t w;

	if (T->pi_blocked_on != NULL)
		return (uintptr_t)T->pi_blocked_on->lock | (BLOCKER_RTMUTEX - 1);
	w = blocker_noted[T];
	if (w == 0 && !T->on_cpu)
		w = _waited_lock(T);
	return w;
}

/* Is a word that is not 0 one that was found on the stack, and no note of the kernel's? */
inline int blocker_found[struct task_struct *T, uintptr_t W] =
	W != 0 && T->pi_blocked_on == NULL && blocker_noted[T] == 0;

inline int kind_of_blocker[uintptr_t W] = W == 0 ? BLOCKER_NONE : (int)(W & BLOCKER_BITS) + 1;
inline uintptr_t lock_of_blocker[uintptr_t W] = W & ~BLOCKER_BITS;

inline int blocker_kind[struct task_struct *T] = kind_of_blocker[blocker_word(T)];
inline uintptr_t blocker_lock[struct task_struct *T] = lock_of_blocker[blocker_word(T)];

inline string blocker_kind_name[int K] =
	K == BLOCKER_MUTEX ? "mutex" : K == BLOCKER_SEMAPHORE ? "semaphore" : K == BLOCKER_RWSEM_READ ? "rwsem (read)" :
	K == BLOCKER_RWSEM_WRITE ? "rwsem (write)" : K == BLOCKER_RTMUTEX ? "rtmutex" : "";

/* The word of a lock that tells its holder. */
inline uintptr_t semaphore_holder[uintptr_t L] = ((struct semaphore *)L)->last_holder; /* 6.16 */
inline uintptr_t semaphore_holder[uintptr_t L] = 0;
inline uintptr_t rtmutex_holder[uintptr_t L] = (uintptr_t)((struct rt_mutex_base *)L)->owner; /* 5.15 */
inline uintptr_t rtmutex_holder[uintptr_t L] = (uintptr_t)((struct rt_mutex *)L)->owner;
inline uintptr_t holder_word[int K, uintptr_t L] =
	K == BLOCKER_MUTEX ? ((struct mutex *)L)->owner.counter :
	K == BLOCKER_SEMAPHORE ? semaphore_holder[L] :
	K == BLOCKER_RWSEM_READ || K == BLOCKER_RWSEM_WRITE ? ((struct rw_semaphore *)L)->owner.counter :
	K == BLOCKER_RTMUTEX ? rtmutex_holder[L] : 0;

/* The thread that has the lock; NULL: nobody, or not known. */
inline struct task_struct *holder_of_blocker[uintptr_t W] =
	(struct task_struct *)(holder_word[kind_of_blocker[W], lock_of_blocker[W]] & ~7);
inline struct task_struct *blocker_holder[struct task_struct *T] = holder_of_blocker[blocker_word(T)];

/* Is the holder only the last of several that took it (readers of an rwsem, a semaphore)? */
inline int shared_blocker[uintptr_t W] =
	kind_of_blocker[W] == BLOCKER_SEMAPHORE ||
	((kind_of_blocker[W] == BLOCKER_RWSEM_READ || kind_of_blocker[W] == BLOCKER_RWSEM_WRITE) &&
	 (holder_word[kind_of_blocker[W], lock_of_blocker[W]] & 1));
inline int blocker_shared[struct task_struct *T] = shared_blocker[blocker_word(T)];

/* The owner of the lock that a thread begins to wait for: args[0] and args[1] of sdt:lock::contention_begin. NULL:
 * nobody, or not known: spinlocks have no owner, and of several readers of a semaphore only the last one is noted.
 * Source: LCB_F_*, include/trace/events/lock.h; RWSEM_READER_OWNED, kernel/locking/rwsem.c. */
inline int contention_kind[unsigned int F] =
	F & 0x20 ? BLOCKER_MUTEX : F & 0x11 ? BLOCKER_NONE : F & 8 ? (F & 6 ? BLOCKER_NONE : BLOCKER_RTMUTEX) :
	F & 2 ? BLOCKER_RWSEM_READ : F & 4 ? BLOCKER_RWSEM_WRITE : BLOCKER_SEMAPHORE;
inline uintptr_t contention_owner[int K, uintptr_t W] =
	(K == BLOCKER_RWSEM_READ || K == BLOCKER_RWSEM_WRITE) && W & 1 ? 0 : W & ~7;
inline struct task_struct *contention_holder[uintptr_t L, unsigned int F] =
	(struct task_struct *)contention_owner[contention_kind[F], holder_word[contention_kind[F], L]];
/* Are there tracepoints where waits for locks begin and end (Linux 5.19)? */
inline int lock_has_tracepoints = sizeof (btf_trace_contention_begin) != 0;
inline int lock_has_tracepoints = 0;
