/* SPDX-License-Identifier: Apache-2.0 */
/* Names of numbers, for printing: the usual error numbers, signals, softirqs; others as numbers. */
#pragma D depends_on library errno.d
#pragma D depends_on library signal.d

inline string errno_name[int E] =
	E == EPERM ? "EPERM" :
	E == ENOENT ? "ENOENT" :
	E == ESRCH ? "ESRCH" :
	E == EINTR ? "EINTR" :
	E == EIO ? "EIO" :
	E == ENXIO ? "ENXIO" :
	E == E2BIG ? "E2BIG" :
	E == ENOEXEC ? "ENOEXEC" :
	E == EBADF ? "EBADF" :
	E == ECHILD ? "ECHILD" :
	E == EAGAIN ? "EAGAIN" :
	E == ENOMEM ? "ENOMEM" :
	E == EACCES ? "EACCES" :
	E == EFAULT ? "EFAULT" :
	E == EBUSY ? "EBUSY" :
	E == EEXIST ? "EEXIST" :
	E == EXDEV ? "EXDEV" :
	E == ENODEV ? "ENODEV" :
	E == ENOTDIR ? "ENOTDIR" :
	E == EISDIR ? "EISDIR" :
	E == EINVAL ? "EINVAL" :
	E == ENFILE ? "ENFILE" :
	E == EMFILE ? "EMFILE" :
	E == ENOTTY ? "ENOTTY" :
	E == ETXTBSY ? "ETXTBSY" :
	E == EFBIG ? "EFBIG" :
	E == ENOSPC ? "ENOSPC" :
	E == ESPIPE ? "ESPIPE" :
	E == EROFS ? "EROFS" :
	E == EMLINK ? "EMLINK" :
	E == EPIPE ? "EPIPE" :
	E == ERANGE ? "ERANGE" :
	E == EDEADLK ? "EDEADLK" :
	E == ENAMETOOLONG ? "ENAMETOOLONG" :
	E == ENOSYS ? "ENOSYS" :
	E == ENOTEMPTY ? "ENOTEMPTY" :
	E == ELOOP ? "ELOOP" :
	E == ENODATA ? "ENODATA" :
	E == ETIME ? "ETIME" :
	E == EOVERFLOW ? "EOVERFLOW" :
	E == ENOTSOCK ? "ENOTSOCK" :
	E == EOPNOTSUPP ? "EOPNOTSUPP" :
	E == EAFNOSUPPORT ? "EAFNOSUPPORT" :
	E == EADDRINUSE ? "EADDRINUSE" :
	E == EADDRNOTAVAIL ? "EADDRNOTAVAIL" :
	E == ENETUNREACH ? "ENETUNREACH" :
	E == ECONNABORTED ? "ECONNABORTED" :
	E == ECONNRESET ? "ECONNRESET" :
	E == EISCONN ? "EISCONN" :
	E == ENOTCONN ? "ENOTCONN" :
	E == ETIMEDOUT ? "ETIMEDOUT" :
	E == ECONNREFUSED ? "ECONNREFUSED" :
	E == EHOSTUNREACH ? "EHOSTUNREACH" :
	E == EALREADY ? "EALREADY" :
	E == EINPROGRESS ? "EINPROGRESS" :
	E == ESTALE ? "ESTALE" :
	E == ECANCELED ? "ECANCELED" :
	lltostr(E);

inline string signal_name[int S] =
	S == SIGHUP ? "SIGHUP" :
	S == SIGINT ? "SIGINT" :
	S == SIGQUIT ? "SIGQUIT" :
	S == SIGILL ? "SIGILL" :
	S == SIGTRAP ? "SIGTRAP" :
	S == SIGABRT ? "SIGABRT" :
	S == SIGBUS ? "SIGBUS" :
	S == SIGFPE ? "SIGFPE" :
	S == SIGKILL ? "SIGKILL" :
	S == SIGUSR1 ? "SIGUSR1" :
	S == SIGSEGV ? "SIGSEGV" :
	S == SIGUSR2 ? "SIGUSR2" :
	S == SIGPIPE ? "SIGPIPE" :
	S == SIGALRM ? "SIGALRM" :
	S == SIGTERM ? "SIGTERM" :
	S == SIGSTKFLT ? "SIGSTKFLT" :
	S == SIGCHLD ? "SIGCHLD" :
	S == SIGCONT ? "SIGCONT" :
	S == SIGSTOP ? "SIGSTOP" :
	S == SIGTSTP ? "SIGTSTP" :
	S == SIGTTIN ? "SIGTTIN" :
	S == SIGTTOU ? "SIGTTOU" :
	S == SIGURG ? "SIGURG" :
	S == SIGXCPU ? "SIGXCPU" :
	S == SIGXFSZ ? "SIGXFSZ" :
	S == SIGVTALRM ? "SIGVTALRM" :
	S == SIGPROF ? "SIGPROF" :
	S == SIGWINCH ? "SIGWINCH" :
	S == SIGIO ? "SIGIO" :
	S == SIGPWR ? "SIGPWR" :
	S == SIGSYS ? "SIGSYS" :
	lltostr(S);

/* Source: include/linux/interrupt.h. */
inline string softirq_name[unsigned int V] =
	V == 0 ? "hi" :
	V == 1 ? "timer" :
	V == 2 ? "net_tx" :
	V == 3 ? "net_rx" :
	V == 4 ? "block" :
	V == 5 ? "irq_poll" :
	V == 6 ? "tasklet" :
	V == 7 ? "sched" :
	V == 8 ? "hrtimer" :
	V == 9 ? "rcu" :
	lltostr(V);
