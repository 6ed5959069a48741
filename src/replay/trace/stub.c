/* SPDX-License-Identifier: Apache-2.0 */
/* The stub, which runs inside the recorded program: see stub.h. It has no data but what it finds at STUB_STATE, calls
 * nothing, and uses no vector registers. It is compiled by flags of its own (meson.build). */
#include "replay/trace/stub.h"
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#define PATH_BYTES 4096u
#define MAX_ERRNO 4095
#define ROUND_8(n) (((n) + 7) & ~7ull)

/* The program's registers, as stub_enter puts them on the stub's stack. */
struct frame {
	uint64_t r9, r8, r10, rdx, rsi, rdi, rax, site, flags;
};

/* ecx has the site's address: rcx and r11 are free, as after any `syscall`. The way back changes no flags. */
__asm__(".pushsection " STUB_SECTION ", \"ax\", @progbits\n"
	".globl stub_enter, stub_untraced\n"
	".hidden stub_enter, stub_untraced\n"
	"stub_call:\n"
	"	syscall\n"
	"stub_untraced:\n"
	"	ret\n"
	"stub_enter:\n"
	"	movq %rsp, 0x17000\n"
	"	movq $0x19000, %rsp\n"
	"	pushfq\n"
	"	cld\n"
	"	pushq %rcx\n"
	"	pushq %rax\n"
	"	pushq %rdi\n"
	"	pushq %rsi\n"
	"	pushq %rdx\n"
	"	pushq %r10\n"
	"	pushq %r8\n"
	"	pushq %r9\n"
	"	movq %rsp, %rdi\n"
	"	subq $8, %rsp\n"
	"	call stub_main\n"
	"	addq $8, %rsp\n"
	"	movl %eax, %r11d\n"
	"	popq %r9\n"
	"	popq %r8\n"
	"	popq %r10\n"
	"	popq %rdx\n"
	"	popq %rsi\n"
	"	popq %rdi\n"
	"	popq %rax\n"
	"	popq %rcx\n"
	"	popfq\n"
	"	movq 0x17000, %rsp\n"
	"	leaq (%rcx,%r11), %r11\n"
	"	jmp *%r11\n"
	".popsection\n");
_Static_assert(STUB_STATE == 0x17000 && STUB_STACK == 0x19000, "they are written out above");

#define INSIDE __attribute__((section(STUB_SECTION)))
#define STATE ((struct stub_state *)STUB_STATE)

INSIDE static inline int64_t call(uint64_t nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	int64_t ret;

	__asm__ volatile("call stub_call"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

INSIDE static inline void copy(void *to, const void *from, uint64_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

INSIDE static inline uint64_t now(void)
{
	struct timespec t;

	call(__NR_clock_gettime, CLOCK_MONOTONIC, (uint64_t)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - STATE->mono_ns;
}

/* The arguments of a call that may be logged: the memory that it reads and writes. */
struct shape {
	uint64_t path; /* a text that it reads; 0: none */
	uint64_t out;  /* where it writes; 0: nowhere */
	uint64_t size; /* bytes of that at most */
	bool counted;  /* as many as it returns */
};

INSIDE static inline bool known_fd(uint64_t fd)
{
	return fd < STUB_FDS && STATE->fds[fd];
}

INSIDE static bool fixed(struct shape *s, uint64_t path, uint64_t out, uint64_t size)
{
	s->path = path;
	s->out = out;
	s->size = size;
	s->counted = false;
	return true;
}

INSIDE static bool counted(struct shape *s, uint64_t path, uint64_t out, uint64_t size)
{
	fixed(s, path, out, size);
	s->counted = true;
	return size <= STUB_BYTES_MAX;
}

/* Calls that look at files by their names. */
INSIDE static bool shape_path(const struct frame *f, struct shape *s)
{
	switch (f->rax) {
	case __NR_stat:
	case __NR_lstat: return fixed(s, f->rdi, f->rsi, 144);
	case __NR_newfstatat: return fixed(s, f->rsi, f->rdx, 144);
	case __NR_statx: return fixed(s, f->rsi, f->r8, 256);
	case __NR_statfs: return fixed(s, f->rdi, f->rsi, 120);
	case __NR_access: return fixed(s, f->rdi, 0, 0);
	case __NR_open: return fixed(s, f->rdi, 0, 0);
	case __NR_faccessat:
	case __NR_faccessat2:
	case __NR_openat: return fixed(s, f->rsi, 0, 0);
	case __NR_readlink: return counted(s, f->rdi, f->rsi, f->rdx);
	case __NR_readlinkat: return counted(s, f->rsi, f->rdx, f->r10);
	default: return false;
	}
}

INSIDE static bool shape_other(const struct frame *f, struct shape *s)
{
	switch (f->rax) {
	case __NR_fstat: return fixed(s, 0, f->rsi, 144);
	case __NR_fstatfs: return fixed(s, 0, f->rsi, 120);
	case __NR_clock_gettime: return fixed(s, 0, f->rsi, 16);
	case __NR_gettimeofday: return fixed(s, 0, f->rdi, 16) && !f->rsi;
	case __NR_time: return fixed(s, 0, f->rdi, 8);
	case __NR_getcwd: return counted(s, 0, f->rdi, f->rsi);
	case __NR_getrandom: return counted(s, 0, f->rdi, f->rsi);
	case __NR_getdents64:
	case __NR_read:
	case __NR_pread64: return counted(s, 0, f->rsi, f->rdx);
	case __NR_lseek:
	case __NR_close:
	case __NR_getpid:
	case __NR_gettid:
	case __NR_getppid:
	case __NR_getuid:
	case __NR_geteuid:
	case __NR_getgid:
	case __NR_getegid: return fixed(s, 0, 0, 0);
	case __NR_fcntl:
		return fixed(s, 0, 0, 0) && (f->rsi == F_GETFD || f->rsi == F_SETFD || f->rsi == F_GETFL ||
					     f->rsi == F_DUPFD_CLOEXEC || f->rsi == F_DUPFD);
	case __NR_futex: return fixed(s, 0, 0, 0) && (f->rsi & FUTEX_CMD_MASK) == FUTEX_WAKE;
	default: return false;
	}
}

/* Its hash, and its length. */
INSIDE static uint32_t hash(uint64_t path, uint64_t *length)
{
	const uint8_t *p = (const uint8_t *)path;
	uint32_t h = 2166136261u;

	for (*length = 0; *length < PATH_BYTES && p[*length]; ++*length)
		h = (h ^ p[*length]) * 16777619u;
	return h;
}

INSIDE static bool failed(int64_t ret)
{
	return ret < 0 && ret >= -MAX_ERRNO;
}

/* May the file be opened here? Not what waits for others (fifos, devices), what is made by that, or standard output. */
INSIDE static bool may_open(uint64_t dir, uint64_t path, uint64_t flags)
{
	struct stat st;
	int64_t ret;

	if (flags & (O_CREAT | O_TRUNC | O_PATH) || (flags & O_TMPFILE) == O_TMPFILE)
		return false;
	ret = call(__NR_newfstatat, dir, path, (uint64_t)&st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0, 0, 0);
	if (failed(ret))
		return ret != -EFAULT;					       /* the path cannot be read */
	if (!S_ISDIR(st.st_mode) && (!S_ISREG(st.st_mode) || st.st_size == 0)) /* files of /proc have no size */
		return false;
	for (int i = 0; i < 2; i++)
		if (STATE->std[i].dev == st.st_dev && STATE->std[i].ino == st.st_ino)
			return false;
	return true;
}

INSIDE static bool may_log(const struct frame *f, struct shape *s)
{
	if (!shape_path(f, s) && !shape_other(f, s))
		return false;
	switch (f->rax) {
	case __NR_open: return may_open((uint64_t)AT_FDCWD, f->rdi, f->rsi);
	case __NR_openat: return may_open(f->rdi, f->rsi, f->rdx);
	case __NR_fcntl: return (f->rsi != F_DUPFD && f->rsi != F_DUPFD_CLOEXEC) || known_fd(f->rdi);
	case __NR_close:
	case __NR_read:
	case __NR_pread64:
	case __NR_getdents64: return known_fd(f->rdi);
	default: return true;
	}
}

INSIDE static void follow(const struct frame *f, int64_t ret)
{
	bool makes = f->rax == __NR_open || f->rax == __NR_openat ||
		     (f->rax == __NR_fcntl && (f->rsi == F_DUPFD || f->rsi == F_DUPFD_CLOEXEC));

	if (makes && ret >= 0 && ret < STUB_FDS)
		STATE->fds[ret] = 1;
	if (f->rax == __NR_close && f->rdi < STUB_FDS)
		STATE->fds[f->rdi] = 0;
}

INSIDE static uint64_t written(const struct shape *s, int64_t ret)
{
	if (!s->out || failed(ret))
		return 0;
	return s->counted && (uint64_t)ret < s->size ? (uint64_t)ret : s->size;
}

INSIDE static int record(struct frame *f)
{
	struct stub_call *c = (struct stub_call *)(STUB_LOG + STATE->n);
	struct shape s;
	uint64_t n, text = 0;
	uint8_t *end;

	if (!STATE->on || !may_log(f, &s) || STATE->n + sizeof(*c) + s.size + PATH_BYTES + 16 > STUB_LOG_SIZE)
		return STUB_TRACED;
	c->ns = now();
	c->ret = call(f->rax, f->rdi, f->rsi, f->rdx, f->r10, f->r8, f->r9);
	c->took = (uint32_t)(now() - c->ns);
	c->nr = (uint32_t)f->rax;
	c->args[0] = f->rdi;
	c->args[1] = f->rsi;
	c->args[2] = f->rdx;
	c->args[3] = f->r10;
	c->args[4] = f->r8;
	c->args[5] = f->r9;
	c->site = f->site;
	c->rsp = STATE->rsp;
	c->hash = s.path && c->ret != -EFAULT ? hash(s.path, &text) : 0;
	n = written(&s, c->ret);
	copy(c + 1, (const void *)s.out, n);
	end = (uint8_t *)(c + 1) + ROUND_8(n);
	if (s.path && c->ret != -EFAULT) {
		copy(end, (const void *)s.path, text);
		end[text] = 0;
		end += ROUND_8(text + 1);
	}
	follow(f, c->ret);
	c->size = (uint32_t)(end - (uint8_t *)c);
	STATE->n += c->size; /* last: what is not whole does not count */
	f->rax = (uint64_t)c->ret;
	return STUB_DONE;
}

/* If the call is another one than in the log, it is traced, and the replayer sees that the log is not used up. */
INSIDE static int play(struct frame *f)
{
	const struct stub_call *c = (const struct stub_call *)(STUB_LOG + STATE->at);
	struct shape s;
	uint64_t n;

	if (STATE->at >= STATE->n || c->nr != f->rax || c->args[0] != f->rdi || c->args[1] != f->rsi ||
	    c->args[2] != f->rdx || c->args[3] != f->r10 || c->args[4] != f->r8 || c->args[5] != f->r9 ||
	    c->site != f->site || c->rsp != STATE->rsp || (!shape_path(f, &s) && !shape_other(f, &s)))
		return STUB_TRACED;
	if (s.path && c->ret != -EFAULT && hash(s.path, &n) != c->hash)
		return STUB_TRACED;
	n = written(&s, c->ret);
	if (n > c->size - sizeof(*c))
		return STUB_TRACED;
	copy((void *)s.out, c + 1, n);
	STATE->at += c->size;
	f->rax = (uint64_t)c->ret;
	return STUB_DONE;
}

INSIDE __attribute__((used)) static int stub_main(struct frame *f)
{
	return STATE->play ? play(f) : record(f);
}

/* Not inside a recorded program. */
void stub_data(const struct stub_call *c, struct stub_data *ret)
{
	const struct frame f = { c->args[5], c->args[4], c->args[3], c->args[2], c->args[1],
				 c->args[0], c->nr,	 c->site,    0 };
	struct shape s;
	uint64_t at = sizeof(*c);

	*ret = (struct stub_data){ 0 };
	if (!shape_path(&f, &s) && !shape_other(&f, &s))
		return;
	ret->addr = s.out;
	ret->n = written(&s, c->ret);
	if (ret->n > c->size - at)
		ret->n = c->size - at;
	at += ROUND_8(ret->n);
	if (at < c->size) {
		ret->text_addr = s.path;
		ret->text = (const char *)c + at;
		ret->text_size = c->size - at;
	}
}
