/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the D texts of a command line: reads scripts from files (through cpp), and completes one-liners to D. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "base/strb.h"
#include "base/utf8.h"
#include "base/writeall.h"
#include "engine/front/compile.h"
#include "lang/dprog.h"
#include "load/reasons.h"
#include "shelf/shelf.h"

static int open_script(const struct listener *to, struct arena *a, const char *path, int *ret)
{
	struct stat st;
	int fd = strcmp(path, "-") ? shelf_open(path, 0) : dup(STDIN_FILENO), e = fd;

	if (fd == -ENOENT && !strchr(path, '/')) /* a tool that is shipped */
		fd = shelf_open(arena_printf(a, "%s/tools/%s", shelf_dir(a), path), 0);
	if (fd < 0) /* without /proc dwell does not find what is beside it */
		return listener_fail(to, e, "failed to open %s: %s%s", path, strerror(-e),
				     e == -ENOENT ? reason_proc() : "");
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return listener_fail(to, -EISDIR, "failed to open %s: %s", path, strerror(EISDIR));
	}
	*ret = fd;
	return 0;
}

/* Options for cpp. They define away what system headers use, and neither C nor D knows: GNU spellings and inline
 * functions. And: "…" are files of the current directory. */
static const char *const cpp_plain[] = {
	"-iquote.",
	"-D__attribute__(x)=",
	"-D__extension__=",
	"-D__asm__(x)=",
	"-D__restrict=",
	"-D__restrict__=",
	"-D__signed__=signed",
	"-D__const=const",
	"-D__volatile__=volatile",
	"-D__inline=inline",
	"-D__inline__=inline",
	"-D__alignof__(x)=sizeof(x)",
	"-D_BITS_BYTESWAP_H=1",
	"-D_BITS_UINTN_IDENTITY_H=1",
	"-D_LINUX_SWAB_H=1",
	"-D_UAPI_LINUX_SWAB_H=1",
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	"-D_LINUX_BYTEORDER_LITTLE_ENDIAN_H=1",
	"-D_UAPI_LINUX_BYTEORDER_LITTLE_ENDIAN_H=1",
	"-D__LITTLE_ENDIAN=1234",
	"-D__LITTLE_ENDIAN_BITFIELD=1",
#endif
};

/* -X: __STDC__ is 1 by itself, or undefined as before ISO C. t, for which it once was 0, is the same as a, as in DTrace
 * on Linux: gcc's preprocessor warns of another value. */
static const char *cpp_stdc(const char *mode)
{
	return *mode == 's' ? "-traditional-cpp" : NULL;
}

/* Argument vector of the C preprocessor, as DTrace starts it. */
static const char **cpp_argv(struct request *c)
{
	char *args = arena_strdup(c->arena, c->opts.cppargs), *save = NULL;
	const char **av = arena_new_arr(c->arena, const char *, strlen(args) + ARRAY_SIZE(cpp_plain) + 9);
	size_t n = 0;

	av[n++] = c->opts.cpppath;
	av[n++] = "-D__linux__";
	av[n++] = "-D__SUNW_D=1";
	av[n++] = "-D__SUNW_D_VERSION=0x02000001";
	if (cpp_stdc(c->opts.stdc))
		av[n++] = cpp_stdc(c->opts.stdc);
	for (size_t i = 0; i < ARRAY_SIZE(cpp_plain); i++)
		av[n++] = cpp_plain[i];
	for (char *p = strtok_r(args, "\n", &save); p; p = strtok_r(NULL, "\n", &save))
		av[n++] = p;
	av[n++] = "/dev/stdin"; /* as it calls its input in messages */
	av[n] = NULL;
	return av;
}

static void exec_cpp(struct request *c, int in, int out)
{
	const char **av = cpp_argv(c);

	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	av[0] = strrchr(av[0], '/') ? strrchr(av[0], '/') + 1 : av[0]; /* the name in its messages, as with DTrace */
	execvp(c->opts.cpppath, (char *const *)av);
	listener_msg(&c->to, "failed to run %s: %s", c->opts.cpppath, strerror(errno));
	_exit(127);
}

/* A file with the text for cpp, without a first line "#!…", for which cpp has no use; its end stays, so that the lines
 * keep their numbers. */
static int make_cpp_input(const struct strb *script, int *ret)
{
	size_t bom = utf8_bom(strb_str(script), script->n), n = script->n - bom;
	const char *text = strb_str(script) + bom;
	size_t skip = n > 2 && !memcmp(text, "#!", 2) ? strcspn(text, "\n") : 0;
	_cleanup_close_ int fd = memfd_create("script", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : write_all(fd, text + skip, n - skip);

	if (r < 0)
		return r;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	*ret = take_fd(fd);
	return 0;
}

/* Replaces the script's text by what cpp makes of it. */
static int run_cpp(struct request *c, const char *path, struct strb *b)
{
	_cleanup_close_ int in = -1;
	int p[2], status, r;
	pid_t pid;

	r = make_cpp_input(b, &in);
	if (r < 0)
		return listener_fail(&c->to, r, "failed to read %s: %s", path, strerror(-r));
	if (pipe2(p, O_CLOEXEC) < 0)
		return listener_fail(&c->to, -errno, "failed to run %s: %s", c->opts.cpppath, strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		exec_cpp(c, in, p[1]);
	close(p[1]);
	strb_reset(b);
	r = pid < 0 ? -errno : read_stream(p[0], b, DPROG_MAX_SOURCE);
	close(p[0]);
	if (pid < 0)
		return listener_fail(&c->to, r, "failed to run %s: %s", c->opts.cpppath, strerror(-r));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r < 0)
		return listener_fail(&c->to, r, "failed to read %s: %s", path, strerror(-r));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return listener_fail(&c->to, -EINVAL,
				     "failed to compile script %s: Preprocessor failed to process input program", path);
	return 0;
}

static void set_source(struct request *c, struct prog_text *p, const char *name, const char *text, size_t len)
{
	char *copy = arena_alloc(c->arena, len + 1);

	memcpy(copy, text, len);
	p->src = (struct source){ .name = name, .text = copy, .len = len, .is_file = p->kind == PROG_SCRIPT };
}

int prog_read(struct request *c, const struct prog_text *p, struct strb *ret)
{
	_cleanup_close_ int fd = -1;
	int r = p->text ? 0 : open_script(&c->to, c->arena, p->arg, &fd);

	if (r)
		return r;
	if (!p->text)
		r = read_stream(fd, ret, DPROG_MAX_SOURCE);
	else if (p->size > DPROG_MAX_SOURCE)
		r = -EFBIG;
	else
		strb_add(ret, p->text, p->size);
	return r < 0 ? listener_fail(&c->to, r, "failed to read %s: %s", p->arg,
				     r == -EFBIG ? "the D text is too large" : strerror(-r))
		     : 0;
}

static int load_script(struct request *c, struct prog_text *p)
{
	struct strb b = { 0 };
	int r = prog_read(c, p, &b);

	if (r == 0 && c->opts.cpp && !p->own)
		r = run_cpp(c, p->arg, &b);
	if (r == 0) {
		size_t bom = utf8_bom(strb_str(&b), b.n);

		set_source(c, p, p->arg, strb_str(&b) + bom, b.n - bom);
		if (c->argc > 0 && !p->own)
			c->argv[0] = p->arg;
	}
	strb_free(&b);
	return r;
}

/* The probe descriptions of a one-liner end at its predicate, action or ';'. */
static size_t desc_len(const char *s)
{
	size_t n = 0, k;

	do {
		n += strspn(s + n, ", \t\n");
		k = strcspn(s + n, ":/{;, \t\n");
		if (!strncmp(s + n, "pid", 3) && !strncmp(s + n + k, ":/", 2)) /* the path of a file */
			n += k + 1 + strcspn(s + n + k + 1, ":{;, \t\n");
		n += strcspn(s + n, "/{;,");
	} while (s[n] == ',');
	return n;
}

const char *prog_tail(enum prog_kind kind)
{
	static const char *const tails[] = { [PROG_PROVIDER] = ":::", [PROG_MODULE] = "::", [PROG_FUNCTION] = ":" };

	return (size_t)kind < ARRAY_SIZE(tails) && tails[kind] ? tails[kind] : "";
}

/* -P, -m and -f take no ids: the length of one at the beginning of text, 0 for anything else. */
static size_t id_len(const struct prog_text *p)
{
	size_t n = strspn(p->arg, "0123456789");

	return *prog_tail(p->kind) && (p->arg[n] == '\0' || strchr(". \t/{;,", p->arg[n])) ? n : 0;
}

/* -P, -m, -f give the left parts of the descriptions: the missing right ones are empty. */
static int load_oneliner(struct request *c, struct prog_text *p)
{
	size_t n = desc_len(p->arg), len = strlen(p->arg), i = 0;
	struct strb b = { 0 };

	if (len > DPROG_MAX_SOURCE)
		return listener_fail(&c->to, -EFBIG, "invalid probe specifier: the D text is too large");
	if (id_len(p))
		return listener_fail(
			&c->to, -EINVAL,
			"invalid probe specifier %s: probe identifier %.*s not permitted when specifying %ss", p->arg,
			(int)id_len(p), p->arg,
			p->kind == PROG_PROVIDER ? "provider"
			: p->kind == PROG_MODULE ? "module"
						 : "function");
	while (i < n) {
		size_t item = strcspn(p->arg + i, ",");
		size_t end = i + item < n ? i + item : n, stop = end;

		while (stop > i && strchr(" \t\n", p->arg[stop - 1]))
			stop--;
		strb_add(&b, p->arg + i, stop - i);
		strb_adds(&b, prog_tail(p->kind));
		strb_add(&b, p->arg + stop, end - stop);
		if (end < n)
			strb_addc(&b, ',');
		i = end + 1;
	}
	strb_adds(&b, p->arg + n);
	set_source(c, p, arena_strndup(c->arena, p->arg, n), strb_str(&b), b.n);
	strb_free(&b);
	return 0;
}

int prog_load(struct request *c, struct prog_text *p)
{
	return p->kind == PROG_SCRIPT ? load_script(c, p) : load_oneliner(c, p);
}

const char *prog_label(struct request *c, const struct prog_text *p)
{
	if (p->kind == PROG_SCRIPT)
		return arena_printf(c->arena, "script '%s'", p->arg);
	return arena_printf(c->arena, "description '%.*s'", (int)desc_len(p->arg), p->arg);
}
