/* SPDX-License-Identifier: Apache-2.0 */
/* Prints calls and their results; numbers, texts and flags. */
#include "strace/say.h"
#include <asm/unistd.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "strace/say_int.h"

const struct arg_desc arg_descs[A_NKINDS] = {
#define ARG(id, capture, other, bytes, at_entry, fn, flags) \
	{ .cap = CAP_##capture, .rel = other, .size = bytes, .entry = at_entry, .say = fn, .table = flags },
#include "strace/argkind.def"
#undef ARG
};

void say_address(struct strb *b, uint64_t v)
{
	if (v)
		strb_printf(b, "%#" PRIx64, v);
	else
		strb_adds(b, "NULL");
}

const uint8_t *say_memory(struct say *s, unsigned i, bool before, uint32_t n)
{
	uint32_t have;
	const uint8_t *p = event_bytes(s->e, i, before, &have);

	if (p && have >= n && s->e->arg[i])
		return p;
	say_address(s->b, s->e->arg[i]);
	return NULL;
}

bool say_struct(struct say *s, unsigned i, bool before, void *ret, uint32_t n)
{
	const uint8_t *p = say_memory(s, i, before, n);

	if (p)
		memcpy(ret, p, n);
	return p != NULL;
}

SAY(say_int)
{
	(void)t;
	strb_printf(s->b, "%d", (int)s->e->arg[i]);
}

SAY(say_uint)
{
	(void)t;
	strb_printf(s->b, "%u", (unsigned)s->e->arg[i]);
}

SAY(say_long)
{
	(void)t;
	strb_printf(s->b, "%" PRId64, (int64_t)s->e->arg[i]);
}

SAY(say_ulong)
{
	(void)t;
	strb_printf(s->b, "%" PRIu64, s->e->arg[i]);
}

SAY(say_hex)
{
	(void)t;
	strb_printf(s->b, "%#" PRIx64, s->e->arg[i]);
}

SAY(say_ptr)
{
	(void)t;
	say_address(s->b, s->e->arg[i]);
}

SAY(say_sig)
{
	(void)t;
	say_signal_name(s->b, (int)s->e->arg[i]);
}

SAY(say_flags)
{
	flag_bits(s->b, t, (uint32_t)s->e->arg[i]);
}

SAY(say_choice)
{
	flag_choice(s->b, t, (uint32_t)s->e->arg[i]);
}

static void add_octal(struct strb *b, uint8_t c, bool digit_follows)
{
	strb_printf(b, digit_follows ? "\\%03o" : "\\%o", c);
}

void say_quoted(struct strb *b, const uint8_t *p, size_t n, size_t size, bool more)
{
	static const char plain[] = "\n\t\v\f\r\"\\", letters[] = "ntvfr\"\\";
	size_t shown = n < size ? n : size;

	strb_addc(b, '"');
	for (size_t k = 0; k < shown; k++) {
		const char *at = p[k] ? strchr(plain, p[k]) : NULL;

		if (at) {
			strb_addc(b, '\\');
			strb_addc(b, letters[at - plain]);
		} else if (p[k] >= ' ' && p[k] < 0x7f) {
			strb_addc(b, (char)p[k]);
		} else {
			add_octal(b, p[k], k + 1 < shown && p[k + 1] >= '0' && p[k + 1] <= '7');
		}
	}
	strb_adds(b, n > size || more ? "\"..." : "\"");
}

#define PATH_BYTES 4095 /* paths are shown whole */

SAY(say_path)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (p)
		say_quoted(s->b, p, n, PATH_BYTES, n >= PATH_BYTES);
	else
		say_address(s->b, s->e->arg[i]);
}

SAY(say_str)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (p)
		say_quoted(s->b, p, n, s->o->size, false);
	else
		say_address(s->b, s->e->arg[i]);
}

SAY(say_buf)
{
	const struct arg_desc *a = &arg_descs[s->e->call->args[i]];
	uint64_t all = a->cap == CAP_BUF ? s->e->arg[i + 1] : (uint64_t)(s->e->ret > 0 ? s->e->ret : 0);
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (s->e->arg[i] && all == 0 && (a->cap == CAP_BUF || say_ok(s->e)) && s->e->nr != __NR_getxattr &&
	    s->e->nr != __NR_lgetxattr && s->e->nr != __NR_fgetxattr)
		strb_adds(s->b, "\"\"");
	else if (p)
		say_quoted(s->b, p, n, s->o->size, all > n);
	else
		say_address(s->b, s->e->arg[i]);
}

/* getcwd(): with the NUL at its end. */
SAY(say_outtext)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (p && n)
		say_quoted(s->b, p, n - 1, PATH_BYTES, false);
	else
		say_address(s->b, s->e->arg[i]);
}

SAY(say_random)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (!p) {
		say_address(s->b, s->e->arg[i]);
		return;
	}
	strb_addc(s->b, '"');
	for (uint32_t k = 0; k < n && k < s->o->size; k++)
		strb_printf(s->b, "\\x%02x", p[k]);
	strb_adds(s->b, n > s->o->size || (uint64_t)s->e->ret > n ? "\"..." : "\"");
}

SAY(say_intp)
{
	int v;

	(void)t;
	if (say_struct(s, i, true, &v, sizeof(v)))
		strb_printf(s->b, "[%d]", v);
}

SAY(say_ids)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (!p && !(s->e->arg[i] && say_ok(s->e) && s->e->ret == 0)) {
		say_address(s->b, s->e->arg[i]);
		return;
	}
	strb_addc(s->b, '[');
	for (uint32_t k = 0; p && k + 4 <= n; k += 4)
		strb_printf(s->b, "%s%d", k ? ", " : "", (int)say_u32(p + k));
	strb_addc(s->b, ']');
}

void say_call(struct strb *b, const struct event *e, const struct say_opts *o)
{
	struct say s = { b, e, o };
	const char *sep = "";

	if (!e->call) {
		strb_printf(b, "syscall_%#x(", e->nr);
		for (unsigned i = 0; i < CALL_ARGS; i++)
			strb_printf(b, "%s%#" PRIx64, i ? ", " : "", e->arg[i]);
		strb_addc(b, ')');
		return;
	}
	strb_printf(b, "%s(", e->call->name);
	for (unsigned i = 0; i < e->call->nargs; i++) {
		const struct arg_desc *a = &arg_descs[e->call->args[i]];

		if (say_skips(e, i))
			continue;
		strb_adds(b, sep);
		sep = ", ";
		a->say(&s, i, a->table);
	}
	strb_addc(b, ')');
}

/* The kernel's own error numbers, which no program sees. Source: <linux/errno.h> of the kernel. */
static const struct {
	int number;
	const char *name, *text;
} restarts[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

static void say_error(struct strb *b, int number)
{
	const char *name = strerrorname_np(number);

	for (size_t i = 0; i < ARRAY_SIZE(restarts); i++)
		if (restarts[i].number == number) {
			strb_printf(b, "= ? %s (%s)", restarts[i].name, restarts[i].text);
			return;
		}
	if (name)
		strb_printf(b, "= -1 %s (%s)", name, strerrordesc_np(number));
	else
		strb_printf(b, "= %d", -number);
}

static void say_fcntl_result(struct strb *b, const struct event *e)
{
	int cmd = (int)e->arg[1];

	strb_printf(b, e->ret && (cmd == 1 || cmd == 3) ? "= %#" PRIx64 : "= %" PRId64, e->ret);
	if (cmd == 1 && e->ret) { /* F_GETFD, F_GETFL */
		strb_adds(b, " (flags ");
		flag_bits(b, &flags_fdflags, (uint64_t)e->ret);
		strb_addc(b, ')');
	} else if (cmd == 3) {
		struct event flags = { .arg = { (uint64_t)e->ret } };
		struct say s = { b, &flags, NULL };

		strb_adds(b, " (flags ");
		say_open(&s, 0, &flags_open);
		strb_addc(b, ')');
	}
}

static bool dup_of_fcntl(const struct event *e)
{
	return e->arg[1] == 0 || e->arg[1] == 1030; /* F_DUPFD, F_DUPFD_CLOEXEC */
}

static void say_value(struct say *s)
{
	const struct event *e = s->e;
	enum call_ret kind = e->call ? e->call->ret : RET_DEC;

	if (kind == RET_HEX) {
		strb_printf(s->b, e->ret ? "= %#" PRIx64 : "= %" PRId64, e->ret);
	} else if (kind == RET_OCT) {
		strb_printf(s->b, "= %#03" PRIo64, e->ret);
	} else if (kind == RET_FD || (kind == RET_FCNTL && dup_of_fcntl(e))) {
		strb_adds(s->b, "= ");
		say_fd_of(s, (int)e->ret, EVENT_RESULT);
	} else if (kind == RET_FCNTL) {
		say_fcntl_result(s->b, e);
	} else if (kind == RET_SIGNAL && e->ret > 0) {
		strb_printf(s->b, "= %" PRId64 " (", e->ret);
		say_signal_name(s->b, (int)e->ret);
		strb_addc(s->b, ')');
	} else {
		strb_printf(s->b, "= %" PRId64, e->ret);
		if (kind == RET_POLL || kind == RET_SELECT)
			say_ready(s);
	}
}

void say_result(struct strb *b, const struct event *e, const struct say_opts *o)
{
	struct say s = { b, e, o };

	if (!e->over)
		strb_adds(b, "= ?");
	else if (say_failed(e))
		say_error(b, (int)-e->ret);
	else
		say_value(&s);
}

void say_signal_name(struct strb *b, int sig)
{
	const char *name = sig == SIGIO ? "IO" : sig > 0 && sig < 32 ? sigabbrev_np(sig) : NULL;

	if (name)
		strb_printf(b, "SIG%s", name);
	else if (sig == 32)
		strb_adds(b, "SIGRTMIN");
	else if (sig > 32 && sig <= 64)
		strb_printf(b, "SIGRT_%d", sig - 32);
	else
		strb_printf(b, "%d", sig);
}

void say_signal(struct strb *b, int sig, const uint8_t *info, size_t n)
{
	strb_adds(b, "--- ");
	say_signal_name(b, sig);
	strb_addc(b, ' ');
	say_siginfo_of(b, info, n);
	strb_adds(b, " ---");
}

void say_exit(struct strb *b, int code)
{
	if (WIFSIGNALED(code)) {
		strb_adds(b, "+++ killed by ");
		say_signal_name(b, WTERMSIG(code));
		strb_adds(b, WCOREDUMP(code) ? " (core dumped) +++" : " +++");
	} else {
		strb_printf(b, "+++ exited with %d +++", WEXITSTATUS(code));
	}
}
