/* SPDX-License-Identifier: Apache-2.0 */
/* Prints arguments about processes: what they execute, how they end, their limits; futexes. */
#include <asm/unistd.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "strace/say_int.h"

SAY(say_argv)
{
	uint32_t n, shown = 0;
	const uint8_t *p = event_part(s->e, 1, &n);

	(void)t;
	if (!p) {
		say_address(s->b, s->e->arg[i]);
		return;
	}
	strb_addc(s->b, '[');
	for (unsigned k = 1; k <= EVENT_ARGV && (p = event_part(s->e, k, &n)); k++, shown++) {
		strb_adds(s->b, k > 1 ? ", " : "");
		if (k == EVENT_ARGV)
			strb_adds(s->b, "...");
		else
			say_quoted(s->b, p, n, s->o->size, false);
	}
	strb_addc(s->b, ']');
}

SAY(say_envp)
{
	int n = s->e->count[i];

	(void)t;
	say_address(s->b, s->e->arg[i]);
	if (n >= 0)
		strb_printf(s->b, " /* %d%s var%s */", n, n >= EVENT_ENVP ? " or more" : "", n == 1 ? "" : "s");
}

#define UNIT UINT64_C(1024)

static void say_limit(struct strb *b, uint64_t v)
{
	if (v == UINT64_MAX)
		strb_adds(b, "RLIM64_INFINITY");
	else if (v > UNIT && v % UNIT == 0)
		strb_printf(b, "%" PRIu64 "*1024", v / UNIT);
	else
		strb_printf(b, "%" PRIu64, v);
}

SAY(say_rlimit)
{
	const uint8_t *p = say_memory(s, i, true, 16);

	(void)t;
	if (!p)
		return;
	strb_adds(s->b, "{rlim_cur=");
	say_limit(s->b, say_u64(p));
	strb_adds(s->b, ", rlim_max=");
	say_limit(s->b, say_u64(p + 8));
	strb_addc(s->b, '}');
}

SAY(say_rusage)
{
	const uint8_t *p = say_memory(s, i, false, 144);

	(void)t;
	if (!p)
		return;
	strb_adds(s->b, "{ru_utime=");
	say_timeval_of(s->b, p);
	strb_adds(s->b, ", ru_stime=");
	say_timeval_of(s->b, p + 16);
	strb_adds(s->b, ", ...}");
}

SAY(say_sysinfo)
{
	struct sysinfo v;

	(void)t;
	if (!say_struct(s, i, false, &v, sizeof(v)))
		return;
	strb_printf(s->b, "{uptime=%ld, loads=[%lu, %lu, %lu], totalram=%lu, freeram=%lu, sharedram=%lu, bufferram=%lu",
		    v.uptime, v.loads[0], v.loads[1], v.loads[2], v.totalram, v.freeram, v.sharedram, v.bufferram);
	strb_printf(s->b, ", totalswap=%lu, freeswap=%lu, procs=%u, totalhigh=%lu, freehigh=%lu, mem_unit=%u}",
		    v.totalswap, v.freeswap, v.procs, v.totalhigh, v.freehigh, v.mem_unit);
}

SAY(say_utsname)
{
	struct utsname u;

	(void)t;
	if (!say_struct(s, i, false, &u, sizeof(u)))
		return;
	strb_printf(s->b, "{sysname=\"%.64s\", nodename=\"%.64s\", ...}", u.sysname, u.nodename);
}

void say_waitstatus(struct strb *b, int status)
{
	if (WIFEXITED(status)) {
		strb_printf(b, "{WIFEXITED(s) && WEXITSTATUS(s) == %d}", WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		strb_adds(b, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		say_signal_name(b, WTERMSIG(status));
		strb_adds(b, WCOREDUMP(status) ? " && WCOREDUMP(s)}" : "}");
	} else if (WIFSTOPPED(status)) {
		strb_adds(b, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		say_signal_name(b, WSTOPSIG(status));
		strb_addc(b, '}');
	} else if (WIFCONTINUED(status)) {
		strb_adds(b, "{WIFCONTINUED(s)}");
	} else {
		strb_printf(b, "%d", status);
	}
}

/* It writes nothing if there is no such child (WNOHANG). */
SAY(say_status)
{
	const uint8_t *p = s->e->ret > 0 ? say_memory(s, i, false, 4) : NULL;

	(void)t;
	if (p) {
		strb_addc(s->b, '[');
		say_waitstatus(s->b, (int)say_u32(p));
		strb_addc(s->b, ']');
	} else if (s->e->ret <= 0) {
		say_address(s->b, s->e->arg[i]);
	}
}

SAY(say_cpuset)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);
	const char *sep = "";

	(void)t;
	if (!p) {
		say_address(s->b, s->e->arg[i]);
		return;
	}
	strb_addc(s->b, '[');
	for (uint32_t k = 0; k < n * 8; k++)
		if (p[k / 8] >> (k % 8) & 1) {
			strb_printf(s->b, "%s%u", sep, k);
			sep = " ";
		}
	strb_addc(s->b, ']');
}

static void clone_flags(struct strb *b, uint64_t flags, int sig)
{
	if (flags || !sig)
		flag_bits(b, &flags_clone, flags);
	if (sig) {
		strb_adds(b, flags ? "|" : "");
		say_signal_name(b, sig);
	}
}

/* struct clone_args. Source: <linux/sched.h>. */
SAY(say_cloneargs)
{
	const uint8_t *p = say_memory(s, i, false, 64);
	uint64_t flags;

	(void)t;
	if (!p)
		return;
	flags = say_u64(p);
	strb_adds(s->b, "{flags=");
	flag_bits(s->b, &flags_clone, flags);
	if (flags & CLONE_PIDFD)
		strb_printf(s->b, ", pidfd=%#" PRIx64, say_u64(p + 8));
	if (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		strb_printf(s->b, ", child_tid=%#" PRIx64, say_u64(p + 16));
	if (flags & CLONE_PARENT_SETTID)
		strb_printf(s->b, ", parent_tid=%#" PRIx64, say_u64(p + 24));
	strb_adds(s->b, ", exit_signal=");
	say_signal_name(s->b, (int)say_u64(p + 32));
	strb_adds(s->b, ", stack=");
	say_address(s->b, say_u64(p + 40));
	strb_printf(s->b, say_u64(p + 48) ? ", stack_size=%#" PRIx64 : ", stack_size=%" PRIu64, say_u64(p + 48));
	if (flags & CLONE_SETTLS)
		strb_printf(s->b, ", tls=%#" PRIx64, say_u64(p + 56));
	strb_addc(s->b, '}');
	if (say_ok(s->e) && flags & CLONE_PARENT_SETTID)
		strb_printf(s->b, " => {parent_tid=[%d]}", (int)s->e->ret);
}

/* clone(): strace(1) has the stack first, and names. */
SAY(say_cloneflags)
{
	(void)t;
	strb_adds(s->b, "child_stack=");
	say_address(s->b, s->e->arg[i + 1]);
	strb_adds(s->b, ", flags=");
	clone_flags(s->b, s->e->arg[i] & ~(uint64_t)CSIGNAL, (int)(s->e->arg[i] & CSIGNAL));
}

/* The order of the last two arguments differs. Source: CONFIG_CLONE_BACKWARDS of arm64. */
#if defined(__aarch64__)
#define CLONE_TLS_ARG 3
#define CLONE_CTID_ARG 4
#else
#define CLONE_CTID_ARG 3
#define CLONE_TLS_ARG 4
#endif

SAY(say_clonetid)
{
	(void)t;
	if (i == 2)
		strb_printf(s->b, "parent_tid=[%d]", (int)s->e->ret);
	else if (i == CLONE_TLS_ARG)
		strb_printf(s->b, "tls=%#" PRIx64, s->e->arg[i]);
	else
		strb_printf(s->b, "child_tidptr=%#" PRIx64, s->e->arg[i]);
}

static unsigned futex_op(const struct event *e)
{
	return (unsigned)e->arg[1] & ~(unsigned)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
}

static bool futex_skips(const struct event *e, unsigned i)
{
	switch (futex_op(e)) {
	case FUTEX_WAIT: return i > 3;
	case FUTEX_WAKE: return i > 2;
	case FUTEX_WAIT_BITSET: return i == 4;
	case FUTEX_WAKE_BITSET: return i == 3 || i == 4;
	case FUTEX_LOCK_PI: return i == 2 || i > 3;
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI: return i > 1;
	case FUTEX_REQUEUE: return i > 4;
	default: return false;
	}
}

static const struct {
	int option;
	unsigned nargs;
} prctl_args[] = { { PR_SET_NAME, 1 },	     { PR_GET_NAME, 1 },	   { PR_SET_PDEATHSIG, 1 },
		   { PR_GET_PDEATHSIG, 1 },  { PR_SET_DUMPABLE, 1 },	   { PR_GET_DUMPABLE, 0 },
		   { PR_CAPBSET_READ, 1 },   { PR_CAPBSET_DROP, 1 },	   { PR_SET_KEEPCAPS, 1 },
		   { PR_GET_KEEPCAPS, 0 },   { PR_GET_SECCOMP, 0 },	   { PR_GET_SECUREBITS, 0 },
		   { PR_SET_SECUREBITS, 1 }, { PR_SET_PTRACER, 1 },	   { PR_GET_TIMERSLACK, 0 },
		   { PR_SET_TIMERSLACK, 1 }, { PR_SET_CHILD_SUBREAPER, 1 } };

bool say_skips_proc(const struct event *e, unsigned i)
{
	uint64_t flags = e->arg[0];

	if (e->nr == __NR_prctl) {
		for (size_t k = 0; k < ARRAY_SIZE(prctl_args); k++)
			if (prctl_args[k].option == (int)e->arg[0])
				return i > prctl_args[k].nargs;
		return false;
	}
	if (e->nr != __NR_clone)
		return futex_skips(e, i);
	if (i == 2)
		return !(flags & CLONE_PARENT_SETTID) || !say_ok(e);
	if (i == CLONE_TLS_ARG)
		return !(flags & CLONE_SETTLS);
	return !(flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID));
}

SAY(say_futexop)
{
	const char *name = flag_name(&flags_futex, futex_op(s->e));

	(void)t;
	(void)i;
	if (!name) {
		strb_printf(s->b, "%#x /* FUTEX_??? */", (unsigned)s->e->arg[1]);
		return;
	}
	strb_printf(s->b, "%s%s%s", name, s->e->arg[1] & FUTEX_PRIVATE_FLAG ? "_PRIVATE" : "",
		    s->e->arg[1] & FUTEX_CLOCK_REALTIME ? "|FUTEX_CLOCK_REALTIME" : "");
}

SAY(say_futexval)
{
	say_uint(s, i, t);
}

/* The fourth argument is a time of those that wait, else a number. */
SAY(say_futextime)
{
	switch (futex_op(s->e)) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI: say_timespec(s, i, t); break;
	default: say_uint(s, i, t); break;
	}
}

SAY(say_futexaddr)
{
	say_ptr(s, i, t);
}

SAY(say_futexval3)
{
	unsigned op = futex_op(s->e);

	if ((op == FUTEX_WAIT_BITSET || op == FUTEX_WAKE_BITSET) &&
	    (uint32_t)s->e->arg[i] == (uint32_t)FUTEX_BITSET_MATCH_ANY)
		strb_adds(s->b, "FUTEX_BITSET_MATCH_ANY");
	else if (op == FUTEX_CMP_REQUEUE)
		say_uint(s, i, t);
	else
		strb_printf(s->b, "%#x", (unsigned)s->e->arg[i]);
}

#define NAME_SHOWN 15 /* of a thread; the rest is cut by the kernel */

SAY(say_prctlarg)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	if ((s->e->arg[0] == PR_SET_NAME || s->e->arg[0] == PR_GET_NAME) && p)
		say_quoted(s->b, p, n, NAME_SHOWN, false);
	else if (s->e->arg[0] == PR_SET_PDEATHSIG)
		say_sig(s, i, t);
	else
		say_hex(s, i, t);
}

SAY(say_archprctl)
{
	flag_choice(s->b, t, (uint32_t)s->e->arg[i]);
}

SAY(say_rseqflags)
{
	(void)t;
	strb_adds(s->b, (uint32_t)s->e->arg[i] == 1 ? "RSEQ_FLAG_UNREGISTER" : "");
	if ((uint32_t)s->e->arg[i] != 1)
		strb_printf(s->b, "%u", (unsigned)s->e->arg[i]);
}
