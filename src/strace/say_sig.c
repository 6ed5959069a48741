/* SPDX-License-Identifier: Apache-2.0 */
/* Prints arguments about signals: sets of signals, handlers (struct sigaction), and the sender (siginfo_t). */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include "strace/say_int.h"

#define SIGNALS 64

static void short_name(struct strb *b, int sig)
{
	struct strb name = { 0 };

	say_signal_name(&name, sig);
	strb_adds(b, strncmp(strb_str(&name), "SIG", 3) ? strb_str(&name) : strb_str(&name) + 3);
	strb_free(&name);
}

/* With more signals in than out, those that are out are named. */
void say_sigmask(struct strb *b, uint64_t set)
{
	bool out = __builtin_popcountll(set) >= SIGNALS * 2 / 3;
	const char *sep = "";

	if (out)
		set = ~set;
	strb_adds(b, out ? "~[" : "[");
	for (int sig = 1; sig <= SIGNALS; sig++) {
		if (!(set >> (sig - 1) & 1))
			continue;
		strb_adds(b, sep);
		short_name(b, sig);
		sep = " ";
	}
	strb_addc(b, ']');
}

SAY(say_sigset)
{
	const uint8_t *p = say_memory(s, i, true, 8);

	(void)t;
	if (p)
		say_sigmask(s->b, say_u64(p));
}

/* The kernel's struct: handler, flags, restorer, mask. Source: <asm/signal.h>. */
SAY(say_sigaction)
{
	const uint8_t *p = say_memory(s, i, true, 32);
	uint64_t handler;

	(void)t;
	if (!p)
		return;
	handler = say_u64(p);
	strb_adds(s->b, "{sa_handler=");
	if (handler <= 1)
		strb_adds(s->b, handler ? "SIG_IGN" : "SIG_DFL");
	else
		strb_printf(s->b, "%#" PRIx64, handler);
	strb_adds(s->b, ", sa_mask=");
	say_sigmask(s->b, say_u64(p + 24));
	strb_adds(s->b, ", sa_flags=");
	flag_bits(s->b, &flags_saflags, (uint32_t)say_u64(p + 8));
	if (say_u64(p + 8) & 0x04000000) /* SA_RESTORER */
		strb_printf(s->b, ", sa_restorer=%#" PRIx64, say_u64(p + 16));
	strb_addc(s->b, '}');
}

SAY(say_sigstack)
{
	const uint8_t *p = say_memory(s, i, true, 24);

	(void)t;
	if (!p)
		return;
	strb_adds(s->b, "{ss_sp=");
	say_address(s->b, say_u64(p));
	strb_adds(s->b, ", ss_flags=");
	flag_bits(s->b, &flags_sscode, say_u32(p + 8));
	strb_printf(s->b, ", ss_size=%" PRIu64 "}", say_u64(p + 16));
}

static const struct flag_table *codes_of(int sig)
{
	switch (sig) {
	case SIGCHLD: return &flags_chldcode;
	case SIGSEGV: return &flags_segvcode;
	case SIGBUS: return &flags_buscode;
	case SIGFPE: return &flags_fpecode;
	case SIGILL: return &flags_illcode;
	default: return &flags_sicode;
	}
}

static void say_code(struct strb *b, int sig, int code)
{
	const struct flag_table *t = code > 0 && code < SI_KERNEL ? codes_of(sig) : &flags_sicode;
	const char *name = flag_name(t, (uint64_t)code);

	if (name)
		strb_adds(b, name);
	else
		strb_printf(b, "%#x", (unsigned)code);
}

static void say_origin(struct strb *b, const siginfo_t *si)
{
	if (si->si_code == SI_KERNEL)
		return;
	if (si->si_code <= 0) {
		if (si->si_code == SI_TIMER)
			strb_printf(b, ", si_timerid=%#x, si_overrun=%d", (unsigned)si->si_timerid, si->si_overrun);
		else
			strb_printf(b, ", si_pid=%d, si_uid=%d", si->si_pid, (int)si->si_uid);
		if (si->si_code == SI_QUEUE || si->si_code == SI_TIMER || si->si_code == SI_MESGQ) {
			strb_printf(b, ", si_value={sival_int=%d, sival_ptr=", si->si_value.sival_int);
			say_address(b, (uint64_t)(uintptr_t)si->si_value.sival_ptr);
			strb_addc(b, '}');
		}
		return;
	}
	switch (si->si_signo) {
	case SIGCHLD:
		strb_printf(b, ", si_pid=%d, si_uid=%d, si_status=", si->si_pid, (int)si->si_uid);
		if (si->si_code == CLD_EXITED)
			strb_printf(b, "%d", si->si_status);
		else
			say_signal_name(b, si->si_status);
		strb_printf(b, ", si_utime=%ld, si_stime=%ld", (long)si->si_utime, (long)si->si_stime);
		break;
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
		strb_adds(b, ", si_addr=");
		say_address(b, (uint64_t)(uintptr_t)si->si_addr);
		break;
	default: strb_printf(b, ", si_pid=%d, si_uid=%d", si->si_pid, (int)si->si_uid); break;
	}
}

void say_siginfo_of(struct strb *b, const uint8_t *p, size_t n)
{
	siginfo_t si = { 0 };

	memcpy(&si, p, n < sizeof(si) ? n : sizeof(si));
	strb_adds(b, "{si_signo=");
	say_signal_name(b, si.si_signo);
	strb_adds(b, ", si_code=");
	say_code(b, si.si_signo, si.si_code);
	if (si.si_errno)
		strb_printf(b, ", si_errno=%d", si.si_errno);
	say_origin(b, &si);
	strb_addc(b, '}');
}

SAY(say_siginfo)
{
	const uint8_t *p = say_memory(s, i, false, 128);

	(void)t;
	if (!p)
		return;
	if (say_u32(p))
		say_siginfo_of(s->b, p, 128);
	else
		strb_adds(s->b, "{}");
}

SAY(say_frame)
{
	const uint8_t *p = say_memory(s, i, true, 8);

	(void)t;
	if (p) {
		strb_adds(s->b, "{mask=");
		say_sigmask(s->b, say_u64(p));
		strb_addc(s->b, '}');
	}
}
