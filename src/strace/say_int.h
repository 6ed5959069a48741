/* SPDX-License-Identifier: Apache-2.0 */
/* Declares one function for each kind of argument, which appends its text, and helpers for them. Private to
 * src/strace. */
#ifndef DWELL_STRACE_SAY_INT_H
#define DWELL_STRACE_SAY_INT_H
#include <string.h>
#include "strace/flagtab.h"
#include "strace/say.h"

struct say {
	struct strb *b;
	const struct event *e;
	const struct say_opts *o;
};

#define SAY(fn) void fn(struct say *s, unsigned i, const struct flag_table *t)
/* say.c */
SAY(say_int);
SAY(say_uint);
SAY(say_long);
SAY(say_ulong);
SAY(say_hex);
SAY(say_ptr);
SAY(say_sig);
SAY(say_str);
SAY(say_path);
SAY(say_buf);
SAY(say_outtext);
SAY(say_random);
SAY(say_intp);
SAY(say_ids);
SAY(say_flags);
SAY(say_choice);
/* say_file.c */
SAY(say_fd);
SAY(say_dirfd);
SAY(say_mode);
SAY(say_open);
SAY(say_openmode);
SAY(say_dev);
SAY(say_map);
SAY(say_atstatx);
SAY(say_dirents);
SAY(say_iov);
SAY(say_stat);
SAY(say_statx);
SAY(say_statfs);
SAY(say_fdpair);
SAY(say_offp);
SAY(say_fcntlarg);
SAY(say_ioctl);
SAY(say_ioctlarg);
/* say_wait.c */
SAY(say_pollfds);
SAY(say_fdset);
SAY(say_epollev);
SAY(say_epollevs);
/* say_net.c */
SAY(say_sockaddr);
SAY(say_socklen);
SAY(say_optval);
SAY(say_socktype);
SAY(say_sockproto);
SAY(say_sockopt);
SAY(say_msg);
/* say_time.c */
SAY(say_timespec);
SAY(say_timeleft);
SAY(say_timeval);
SAY(say_timezone);
SAY(say_utimes);
SAY(say_itimerval);
SAY(say_itimerspec);
SAY(say_timet);
SAY(say_tms);
/* say_sig.c */
SAY(say_sigset);
SAY(say_sigaction);
SAY(say_sigstack);
SAY(say_siginfo);
SAY(say_frame);
/* say_proc.c */
SAY(say_argv);
SAY(say_envp);
SAY(say_rlimit);
SAY(say_rusage);
SAY(say_sysinfo);
SAY(say_utsname);
SAY(say_status);
SAY(say_cpuset);
SAY(say_cloneargs);
SAY(say_cloneflags);
SAY(say_clonetid);
SAY(say_futexop);
SAY(say_futexval);
SAY(say_futextime);
SAY(say_futexaddr);
SAY(say_futexval3);
SAY(say_prctlarg);
SAY(say_archprctl);
SAY(say_rseqflags);

/* "0x7f…", "NULL" */
void say_address(struct strb *b, uint64_t v);
/* The n bytes that argument i points to; NULL, after its address, if that is not known. before: as it was before the
 * call. */
const uint8_t *say_memory(struct say *s, unsigned i, bool before, uint32_t n);
/* The same, and copies it. */
bool say_struct(struct say *s, unsigned i, bool before, void *ret, uint32_t n);
/* Does a function say nothing for what follows? Arguments that some calls leave out. */
bool say_skips(const struct event *e, unsigned i);
bool say_skips_proc(const struct event *e, unsigned i);
void say_fd_of(struct say *s, int fd, unsigned place);
void say_filemode(struct strb *b, uint32_t mode);
void say_devno(struct strb *b, uint64_t major, uint64_t minor);
void say_addr(struct strb *b, const uint8_t *p, uint32_t n);
void say_iovs(struct say *s, const uint8_t *p, uint32_t n, uint64_t count);
void say_sigmask(struct strb *b, uint64_t set);
void say_siginfo_of(struct strb *b, const uint8_t *p, size_t n);
void say_waitstatus(struct strb *b, int status);
void say_timespec_of(struct strb *b, const uint8_t *p);
void say_timeval_of(struct strb *b, const uint8_t *p);
/* After the result of poll() and select(): what is ready. */
void say_ready(struct say *s);
static inline bool say_failed(const struct event *e)
{
	return e->ret < 0 && e->ret > -4096;
}
static inline bool say_ok(const struct event *e)
{
	return e->over && !say_failed(e);
}
static inline uint64_t say_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}
static inline uint32_t say_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}
#endif
