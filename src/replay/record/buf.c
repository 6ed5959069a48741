/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that the program logs itself (stub.h). The recorder puts the stub there, makes the program's `syscall`
 * instructions go to it, and takes what is in the log at each stop. */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/record/int.h"
#include "sym/proc/maps.h"
#include "sym/unwind/ehtab.h"

#define SITE_HOT 16u   /* calls of a place before it goes to the stub */
#define PAD_BYTES 7u   /* of jmp *address */
#define REACH_BACK 126 /* of a short jump, from after it */
#define REACH_ON 127
#define FUNCTION_ALIGN 16u

/* All calls are traced but those of the stub. */
int buf_filter(void)
{
	const uint32_t ip = (uint32_t)(STUB_BODY + (uint64_t)(stub_untraced - stub_begin));
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ip, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = { ARRAY_SIZE(rows), rows };
	const unsigned flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW;

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog) == 0)
		return 0;
	/* Without privileges it takes the promise to get none by execve: under ptrace it would not anyway. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog) < 0 ? -errno : 0;
}

static int put_stub(struct rec *r)
{
	uint8_t jump[5] = { 0xe9 };
	int32_t to = (int32_t)(STUB_BODY + (uint64_t)(stub_enter - stub_begin) - (STUB_CODE + sizeof(jump)));
	struct stub_state s = { .on = 1, .mono_ns = r->head.mono_ns };
	int e;

	for (int i = 0; i < 2; i++) {
		s.std[i].dev = r->std[i + 1].st_dev;
		s.std[i].ino = r->std[i + 1].st_ino;
	}
	memcpy(jump + 1, &to, sizeof(to));
	e = tracee_write(&r->k->t, STUB_CODE, jump, sizeof(jump));
	if (e == 0)
		e = tracee_write(&r->k->t, STUB_BODY, stub_begin, (size_t)(stub_end - stub_begin));
	return e < 0 ? e : tracee_write(&r->k->t, STUB_STATE, &s, sizeof(s));
}

/* Maps it by calls of the program itself, at its first instruction, which is put back. */
int buf_map(struct rec *r, const struct user_regs_struct *regs)
{
	static const uint8_t call[2] = { 0x0f, 0x05 };
	const uint64_t more = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
	const uint64_t code[6] = { STUB_CODE, STUB_STATE - STUB_CODE, PROT_READ | PROT_EXEC, more, ~0ull, 0 };
	const uint64_t data[6] = { STUB_STATE, STUB_END - STUB_STATE, PROT_READ | PROT_WRITE, more, ~0ull, 0 };
	struct tracee *t = &r->k->t;
	uint8_t was[2];
	bool mapped;
	int e = 0;

	if (!r->filtered || r->random) /* with --chaos any call may end a turn */
		return 0;
	if (tracee_read(t, regs->rip, was, sizeof(was)) != sizeof(was))
		return rec_broken(r, -EFAULT);
	e = tracee_write(t, regs->rip, call, sizeof(call));
	mapped = e == 0 && tracee_inject(t, regs->rip, __NR_mmap, code, &e) == (long)STUB_CODE && e == 0 &&
		 tracee_inject(t, regs->rip, __NR_mmap, data, &e) == (long)STUB_STATE && e == 0;
	if (e == 0)
		e = tracee_write(t, regs->rip, was, sizeof(was));
	if (e == 0)
		e = tracee_set_regs(t, regs);
	if (e == 0 && mapped)
		e = put_stub(r);
	r->k->space->stub = e == 0 && mapped;
	return e < 0 ? rec_broken(r, e) : 0;
}

static int set_word(struct rec *r, uint64_t at, uint64_t value)
{
	int e = tracee_write(&r->k->t, at, &value, sizeof(value));

	return e < 0 ? rec_broken(r, e) : 0;
}

#define AT_STATE(field) (STUB_STATE + offsetof(struct stub_state, field))

/* Calls that are not logged may open and close files unseen, so descriptors are forgotten. */
int buf_switch(struct rec *r, bool on)
{
	static const uint8_t none[STUB_FDS];
	int e = 0;

	if (!r->k->space->stub || r->k->space->off == !on)
		return 0;
	r->k->space->off = !on;
	if (on)
		e = tracee_write(&r->k->t, AT_STATE(fds), none, sizeof(none));
	return e < 0 ? rec_broken(r, e) : set_word(r, AT_STATE(on), on);
}

static uint64_t count_calls(const uint8_t *log, uint64_t n)
{
	uint64_t calls = 0;
	struct stub_call c;

	for (uint64_t at = 0; at + sizeof(c) <= n; at += c.size, calls++) {
		memcpy(&c, log + at, sizeof(c));
		if (c.size < sizeof(c))
			break;
	}
	return calls;
}

int buf_flush(struct rec *r)
{
	static uint8_t log[STUB_LOG_SIZE];
	uint64_t n = 0;
	int e;

	if (!r->k->space->stub)
		return 0;
	tracee_read(&r->k->t, AT_STATE(n), &n, sizeof(n));
	if (!n)
		return 0;
	if (n > sizeof(log) || tracee_read(&r->k->t, STUB_LOG, log, n) != n)
		return rec_stop(r, "the program has overwritten what belongs to the recording");
	r->result.calls += count_calls(log, n);
	e = rec_event(r, EV_LOG, log, n, NULL, 0);
	return e < 0 ? e : set_word(r, AT_STATE(n), 0);
}

static int add_end(void *ctx, uint64_t start, uint64_t end)
{
	struct code_file *f = ctx;

	(void)start;
	return end % FUNCTION_ALIGN ? vec_try_push(&f->ends, end) : 0;
}

static int compare_ends(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The file whose code is at addr. -1: none. */
static int open_code(struct rec *r, uint64_t addr, uint64_t *start, uint64_t *offset)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	char path[64];
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)r->k->t.pid);
	f = fopen(path, "re");
	while (f && fd < 0 && getline(&line, &room, f) > 0) {
		struct maps_line l;
		struct stat st;

		line[strcspn(line, "\n")] = 0;
		if (!maps_parse_line(line, &l) || addr < l.start || addr >= l.end)
			continue;
		*start = l.start;
		*offset = l.off;
		fd = *l.path == '/' ? open(l.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
		if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_ino != l.ino || !S_ISREG(st.st_mode))) {
			close(fd);
			fd = -1;
		}
		break;
	}
	return fd;
}

/* Where functions of the file end, as its unwinding tables tell. NULL: there are none. */
static const struct code_file *file_ends(struct rec *r, int fd)
{
	struct code_file f = { 0 };
	struct elf e;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return NULL;
	for (size_t i = 0; i < r->code.n; i++)
		if (r->code.v[i].dev == st.st_dev && r->code.v[i].ino == st.st_ino)
			return &r->code.v[i];
	f.dev = st.st_dev;
	f.ino = st.st_ino;
	if (r->code.n == CODE_FILES_MAX || elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }) < 0)
		return NULL;
	if (ehtab_functions(&e, add_end, &f) < 0 || elf_segments(&e, &f.seg, &f.nseg) < 0)
		f.ends.n = 0;
	elf_close(&e);
	if (f.ends.n)
		qsort(f.ends.v, f.ends.n, sizeof(*f.ends.v), compare_ends);
	if (vec_try_push(&r->code, f) == 0)
		return &r->code.v[r->code.n - 1];
	vec_free(&f.ends);
	free(f.seg);
	return NULL;
}

void buf_done(struct rec *r)
{
	for (size_t i = 0; i < r->code.n; i++) {
		vec_free(&r->code.v[i].ends);
		free(r->code.v[i].seg);
	}
	vec_free(&r->code);
}

/* Bytes of the instruction at p that does nothing, as assemblers fill up with; 0: another one. */
static unsigned filler(const uint8_t *p)
{
	static const uint8_t forms[][11] = {
		{ 11, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0 },
		{ 10, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 },
		{ 9, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 },
		{ 8, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 },
		{ 7, 0x0f, 0x1f, 0x80, 0, 0, 0, 0 },
		{ 6, 0x66, 0x0f, 0x1f, 0x44, 0, 0 },
		{ 5, 0x0f, 0x1f, 0x44, 0, 0 },
		{ 4, 0x0f, 0x1f, 0x40, 0 },
		{ 3, 0x0f, 0x1f, 0 },
		{ 2, 0x66, 0x90 },
		{ 1, 0x90 },
		{ 1, 0xcc },
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		unsigned n = forms[i][0] > 10 ? 10 : forms[i][0]; /* the last byte of 11 is 0 as well */

		if (!memcmp(p, forms[i] + 1, n) && (forms[i][0] <= 10 || p[10] == 0))
			return forms[i][0];
	}
	return 0;
}

/* Are there only fillers from there to the next function? */
static bool is_unused(struct rec *r, uint64_t at)
{
	uint8_t b[FUNCTION_ALIGN + 16] = { 0 };
	uint64_t end = ROUND_UP(at, FUNCTION_ALIGN);

	if (end - at < PAD_BYTES || tracee_read(&r->k->t, at, b, end - at) != end - at)
		return false;
	for (uint64_t i = 0; at + i < end;) {
		unsigned n = filler(b + i);

		if (!n || at + i + n > end)
			return false;
		i += n;
	}
	return true;
}

/* A place for the long jump that a short one at `site` reaches. 0: none. */
static uint64_t find_unused(struct rec *r, uint64_t site)
{
	uint64_t start = 0, offset = 0, linked = 0;
	_cleanup_close_ int fd = open_code(r, site, &start, &offset);
	const struct code_file *f = fd < 0 ? NULL : file_ends(r, fd);
	size_t low = 0, high = f ? f->ends.n : 0;

	if (!f || !elf_seg_vaddr(f->seg, f->nseg, offset + (site - start), true, &linked))
		return 0;
	while (low < high) { /* the first that a jump back reaches */
		size_t i = low + (high - low) / 2;

		if (f->ends.v[i] + REACH_BACK < linked + 2)
			low = i + 1;
		else
			high = i;
	}
	for (; low < f->ends.n && f->ends.v[low] <= linked + 2 + REACH_ON; low++)
		if (is_unused(r, f->ends.v[low] - linked + site))
			return f->ends.v[low] - linked + site;
	return 0;
}

/* Code that is changed is part of the recording. */
static int change(struct rec *r, uint64_t at, const void *bytes, size_t n)
{
	const struct ev_mem m = { at };
	int e = tracee_write(&r->k->t, at, bytes, n);

	return e < 0 ? rec_broken(r, e) : rec_event(r, EV_MEM, &m, sizeof(m), bytes, n);
}

static int make_site(struct rec *r, uint64_t site, uint64_t unused)
{
	uint64_t at = STUB_SITES + r->k->space->nsites * sizeof(struct stub_site);
	uint32_t at32 = (uint32_t)at, back = (uint32_t)(at + offsetof(struct stub_site, back));
	struct stub_site s = { .code = at + offsetof(struct stub_site, enter), .back = site + 2 };
	int32_t rel = (int32_t)(STUB_CODE - (s.code + 10));
	uint8_t far[PAD_BYTES] = { 0xff, 0x24, 0x25 }, near[2] = { 0xeb, (uint8_t)(unused - (site + 2)) };
	int e;

	s.enter[0] = 0xb9; /* mov at, %ecx */
	memcpy(s.enter + 1, &at32, sizeof(at32));
	s.enter[5] = 0xe9; /* jmp STUB_CODE */
	memcpy(s.enter + 6, &rel, sizeof(rel));
	s.call[0] = 0x0f;
	s.call[1] = 0x05;
	memcpy(s.leave, far, sizeof(far));
	memcpy(s.leave + 3, &back, sizeof(back));
	memcpy(far + 3, &at32, sizeof(at32)); /* jmp *code */
	e = change(r, at, &s, sizeof(s));
	if (e == 0)
		e = change(r, unused, far, sizeof(far));
	if (e == 0)
		e = change(r, site, near, sizeof(near));
	r->k->space->nsites++;
	return e;
}

/* Calls that the stub may log, whatever their arguments. */
static bool may_be_logged(uint64_t nr)
{
	static const uint16_t nrs[] = {
#define NR(name) __NR_##name
		NR(stat),      NR(lstat),      NR(newfstatat),	  NR(statx),	    NR(statfs),	  NR(access),
		NR(open),      NR(faccessat),  NR(faccessat2),	  NR(openat),	    NR(readlink), NR(readlinkat),
		NR(fstat),     NR(fstatfs),    NR(clock_gettime), NR(gettimeofday), NR(time),	  NR(getcwd),
		NR(getrandom), NR(getdents64), NR(read),	  NR(pread64),	    NR(lseek),	  NR(close),
		NR(getpid),    NR(gettid),     NR(getppid),	  NR(getuid),	    NR(geteuid),  NR(getgid),
		NR(getegid),   NR(fcntl),      NR(futex),
#undef NR
	};

	for (size_t i = 0; i < ARRAY_SIZE(nrs); i++)
		if (nrs[i] == nr)
			return true;
	return false;
}

int buf_site(struct rec *r)
{
	struct space *s = r->k->space;
	uint64_t site = r->k->call.regs[R_RIP] - 2, unused;
	struct hot *h = &s->hot[site / 2 % SPACE_HOT];
	uint8_t code[2] = { 0, 0 };

	if (!s->stub || !may_be_logged(r->k->call.regs[R_NR]) || s->nsites == STUB_SITES_MAX)
		return 0;
	if (h->site != site)
		*h = (struct hot){ site, 0 };
	if (++h->calls != SITE_HOT)
		return 0;
	if (tracee_read(&r->k->t, site, code, sizeof(code)) != sizeof(code) || code[0] != 0x0f || code[1] != 0x05)
		return 0;
	unused = find_unused(r, site);
	return unused ? make_site(r, site, unused) : 0;
}

static int set_fd(struct rec *r, uint64_t fd, uint8_t known)
{
	int e = fd < STUB_FDS ? tracee_write(&r->k->t, AT_STATE(fds) + fd, &known, 1) : 0;

	return e < 0 ? rec_broken(r, e) : 0;
}

/* Descriptors of files, where reading does not wait. Descriptors of /proc may wait. */
static bool is_plain(struct rec *r, int64_t fd)
{
	char path[64];
	struct stat st;
	struct statfs fs;

	snprintf(path, sizeof(path), "/proc/%d/fd/%lld", (int)r->k->t.pid, (long long)fd);
	return fd < REC_FDS && !r->k->fds->std[fd] && stat(path, &st) == 0 &&
	       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && statfs(path, &fs) == 0 && fs.f_type != PROC_SUPER_MAGIC;
}

static int set_dup(struct rec *r, uint64_t from, int64_t to)
{
	uint8_t known = 0;

	if (from < STUB_FDS)
		tracee_read(&r->k->t, AT_STATE(fds) + from, &known, 1);
	return set_fd(r, (uint64_t)to, known);
}

static bool is_dup(const struct ev_call *c)
{
	uint64_t nr = c->regs[R_NR], cmd = c->regs[R_A1];

	return nr == __NR_dup || nr == __NR_dup2 || nr == __NR_dup3 ||
	       (nr == __NR_fcntl && (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC));
}

int buf_follow(struct rec *r)
{
	static const uint8_t none[STUB_FDS];
	const struct ev_call *c = &r->k->call;
	uint64_t nr = c->regs[R_NR];
	int e = 0;

	if (!r->k->space->stub || r->k->space->off || c->ret < 0)
		return 0;
	if (nr == __NR_close)
		return set_fd(r, c->regs[R_A0] & UINT32_MAX, 0);
	if (nr == __NR_close_range)
		e = tracee_write(&r->k->t, AT_STATE(fds), none, sizeof(none));
	else if (nr == __NR_open || nr == __NR_openat || nr == __NR_openat2 || nr == __NR_creat)
		return set_fd(r, (uint64_t)c->ret, is_plain(r, c->ret));
	else if (is_dup(c))
		return set_dup(r, c->regs[R_A0] & UINT32_MAX, c->ret);
	else if (r->k->desc->ret == RET_FD)
		return set_fd(r, (uint64_t)c->ret, 0);
	return e < 0 ? rec_broken(r, e) : 0;
}

/* Logging begins again when nothing of what ended it is left. */
static int back_on(struct rec *r)
{
	struct space *s = r->k->space;

	for (size_t i = 0; i < r->tasks.n; i++)
		if (r->tasks.v[i]->space == s && r->tasks.v[i]->nqueue)
			return 0;
	return s->mixed ? 0 : buf_switch(r, true);
}

int buf_entry(struct rec *r, struct user_regs_struct *regs, bool *moved)
{
	uint64_t site = regs->rip - STUB_DONE, back;
	int e = buf_flush(r);

	if (e == 0 && r->k->space->off)
		e = back_on(r);
	if (e < 0 || regs->rip < STUB_SITES || regs->rip >= STUB_STATE)
		return e;
	if (tracee_read(&r->k->t, site + offsetof(struct stub_site, back), &back, sizeof(back)) != sizeof(back))
		return rec_broken(r, -EFAULT);
	regs->rip = back;
	*moved = true;
	return 0;
}
