/* SPDX-License-Identifier: Apache-2.0 */
/* Explains a refusal of the verifier: which clause, which D line, how large, and why. The log itself is for the
 * developers of dwell (-x bpflog). */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/strb.h"
#include "load/load_int.h"
#include "load/reasons.h"

#define ADVICE "Verification failed:"

/* "123: (85) call bpf_…" at s: the instruction's number, or -1. */
static long insn_at(const char *s, size_t n)
{
	long v = 0;
	size_t i = 0;

	while (i < n && i < 9 && isdigit((unsigned char)s[i]))
		v = v * 10 + (s[i++] - '0');
	return i > 0 && i + 2 < n && s[i] == ':' && s[i + 1] == ' ' && s[i + 2] == '(' ? v : -1;
}

/* Lines that say nothing about the reason: statistics at the end of the log. */
static bool is_statistics(const char *s, size_t n)
{
	static const char *const starts[] = { "processed ",	 "verification time", "stack depth",
					      "insns processed", "mark_precise",      "arg#" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (n >= strlen(starts[i]) && memcmp(s, starts[i], strlen(starts[i])) == 0)
			return true;
	}
	return n == 0;
}

struct verdict {
	long insn;     /* the last instruction that was looked at, or -1 */
	const char *s; /* the last line that is a message */
	size_t n;
};

static void read_log(const char *log, struct verdict *r)
{
	r->insn = -1;
	r->s = "";
	r->n = 0;
	while (*log) {
		size_t n = strcspn(log, "\n");
		long v = insn_at(log, n);

		/* Newer kernels (7.x) go on with pages of advice after their message. */
		if (r->n && strncmp(log, ADVICE, strlen(ADVICE)) == 0)
			break;
		if (v >= 0)
			r->insn = v;
		/* Register states follow "from 12 to 13: " or "; " and are not messages. */
		if (v < 0 && !is_statistics(log, n) && !isdigit((unsigned char)*log) && *log != ';' &&
		    memcmp(log, "from ", n < 5 ? n : 5) != 0) {
			r->s = log;
			r->n = n;
		}
		log += n + (log[n] == '\n');
	}
}

/* The D text that instruction `insn` was made from; NULL: none or unknown. */
static const struct img_line *line_of(const struct img_prog *p, long insn)
{
	const struct img_line *found = NULL;

	if (insn < 0)
		return NULL;
	for (uint32_t i = 0; i < p->nlines && p->lines[i].off <= (unsigned long)insn; i++)
		found = &p->lines[i];
	return found;
}

static uint32_t clause_size(const struct img_prog *p, uint32_t epid)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->nlines; i++) {
		uint32_t end = i + 1 < p->nlines ? p->lines[i + 1].off : p->ninsns;

		if (p->lines[i].epid == epid)
			n += end - p->lines[i].off;
	}
	return n;
}

/* "clause 3 (line 12 of script.d, 456 of the program's 789 instructions)". */
static void say_where(struct strb *b, const struct img_prog *p, const struct img_line *at)
{
	if (!at || !at->epid) {
		if (p->first_epid == p->last_epid)
			strb_printf(b, "clause %u", p->first_epid);
		else
			strb_printf(b, "clauses %u to %u", p->first_epid, p->last_epid);
		strb_printf(b, " (program \"%s\" of %u instructions)", p->name, p->ninsns);
		return;
	}
	strb_printf(b, "clause %u (", at->epid);
	if (at->at.src) {
		struct position pos = source_position(at->at.src, at->at.off);

		strb_printf(b, "line %u of %.*s, ", pos.line, (int)pos.file_len, pos.file);
	}
	strb_printf(b, "%u of the program's %u instructions)", clause_size(p, at->epid), p->ninsns);
}

int load_explain(const struct img_prog *p, int code, const char *log, struct err *err)
{
	struct verdict reason;
	struct strb where = { 0 };
	struct reason text;
	const struct img_line *at;
	int r;

	read_log(log, &reason);
	at = line_of(p, reason.insn);
	say_where(&where, p, at);
	if (reason.n && memmem(reason.s, reason.n, "bpf_probe_write_user", 20))
		r = err_set(err, code, "%s: copyout( ): %s", strb_str(&where), IMG_NO_WRITE_USER);
	else if (code == -E2BIG || code == -EFAULT ||
		 strstr(log, "BPF program is too large")) /* EFAULT: push_stack(), no more than 8192 jumps */
		r = err_set(err, -E2BIG, "the kernel cannot verify %s: it is too complex; make it shorter",
			    strb_str(&where));
	else if (reason.n && memmem(reason.s, reason.n, "bpf_probe_read", 14) &&
		 (memmem(reason.s, reason.n, "cannot use helper", 17) ||
		  memmem(reason.s, reason.n, "unknown func", 12)))
		/* the verifier does not know helpers that lockdown forbids; Source: kernel/trace/bpf_trace.c,
		 * bpf_base_func_proto() */
		r = err_set(err, code, "the kernel's memory cannot be read: %s", reason_lockdown(&text));
	else if (code == -EPERM && !*log)
		r = err_set(err, code, "%s", reason_bpf(code, &text));
	else
		r = err_set(err, code, "the kernel refuses %s: %.*s%s%s", strb_str(&where),
			    (int)(reason.n < 200 ? reason.n : 200), reason.s, reason.n ? ": " : "", strerror(-code));
	strb_free(&where);
	return r;
}
