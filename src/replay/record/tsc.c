/* SPDX-License-Identifier: Apache-2.0 */
/* Makes reads of the time-stamp counter fault. On some virtual machines they do not, although PR_SET_TSC of prctl(2)
 * succeeds. There ud2, which always faults, replaces the instructions rdtsc and rdtscp of mapped files. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>
#include "base/cleanup.h"
#include "replay/record/tsc.h"
#include "sym/elf/insn.h"
#include "sym/unwind/ehtab.h"

#define PIECE (1u << 20)
#define INSN_BYTES 15u
#define TSC_BYTES 3u /* of the longer one */

struct site {
	uint64_t addr; /* in the process */
	unsigned size;
	uint64_t func; /* where its function begins; 0: not known */
};
struct search {
	struct tracee *t;
	uint64_t bias; /* address - link address */
	VEC(struct site) sites;
};

bool tsc_faults(void)
{
	const struct rlimit none = { 0, 0 };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		setrlimit(RLIMIT_CORE, &none);
		if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0)
			__rdtsc();
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
}

static unsigned size_at(const uint8_t *code)
{
	if (code[0] != 0x0f)
		return 0;
	return code[1] == 0x31 ? 2 : code[1] == 0x01 && code[2] == 0xf9 ? TSC_BYTES : 0;
}

/* Finds bytes that look like one. */
static int find(struct search *s, uint64_t start, uint64_t end)
{
	_cleanup_free_ uint8_t *buf = malloc(PIECE);
	int e = buf ? 0 : -ENOMEM;

	for (uint64_t at = start; at + TSC_BYTES <= end && e == 0;) {
		size_t n = tracee_read(s->t, at, buf, end - at < PIECE ? (size_t)(end - at) : PIECE);

		if (n < TSC_BYTES)
			break;
		for (const uint8_t *p = buf; e == 0 && (p = memchr(p, 0x0f, n - (size_t)(p - buf) - (TSC_BYTES - 1)));
		     p++)
			if (size_at(p))
				e = vec_try_push(&s->sites, ((struct site){ at + (uint64_t)(p - buf), size_at(p), 0 }));
		at += n - (TSC_BYTES - 1);
	}
	return e;
}

static int at_function(void *ctx, uint64_t start, uint64_t end)
{
	struct search *s = ctx;

	for (size_t i = 0; i < s->sites.n; i++)
		if (s->sites.v[i].addr >= start + s->bias && s->sites.v[i].addr < end + s->bias)
			s->sites.v[i].func = start + s->bias;
	return 0;
}

/* Does an instruction begin there? */
static bool is_insn(struct tracee *t, const struct site *k)
{
	size_t len = (size_t)(k->addr - k->func) + k->size, n = 0;
	_cleanup_free_ uint32_t *offs = NULL;
	_cleanup_free_ uint8_t *code = len < UINT32_MAX ? malloc(len) : NULL;
	const char *reason = NULL;

	if (!code || tracee_read(t, k->func, code, len) != len ||
	    insn_offsets(EM_X86_64, code, len, &offs, &n, &reason) < 0)
		return false;
	return n && offs[n - 1] == k->addr - k->func;
}

/* Functions of the file, and the bias of its link addresses. */
static int locate(struct search *s, const char *path, uint64_t start, uint64_t off)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	_cleanup_free_ struct elf_seg *seg = NULL;
	struct stat st;
	struct elf e;
	unsigned n = 0;
	uint64_t linked;
	int x;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }) < 0)
		return -ENOENT;
	x = elf_segments(&e, &seg, &n);
	if (x == 0 && !elf_seg_vaddr(seg, n, off, true, &linked))
		x = -ENOENT;
	s->bias = x == 0 ? start - linked : 0;
	if (x == 0)
		x = ehtab_functions(&e, at_function, s);
	elf_close(&e);
	return x;
}

int tsc_sites(struct tracee *t, const char *path, uint64_t start, uint64_t end, uint64_t off, struct spans *ret)
{
	struct search s = { .t = t };
	int e = find(&s, start, end);

	if (e == 0 && s.sites.n && locate(&s, path, start, off) == 0)
		for (size_t i = 0; i < s.sites.n && e == 0; i++)
			if (s.sites.v[i].func && is_insn(t, &s.sites.v[i]))
				e = vec_try_push(&ret->v, ((struct span){ s.sites.v[i].addr, s.sites.v[i].size }));
	vec_free(&s.sites);
	return e;
}
