/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the libraries of a command that is stopped after its exec. Asks the command's own dynamic linker, "ld.so
 * --list PROGRAM", which runs no code of the program. Source: ld.so(8); musl knows the option, too. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "run/consume/unwind_int.h"
#include "sym/elf/elf.h"

extern char **environ;

/* The interpreter of an open program. */
static bool read_interp(const struct elf *e, char *buf, size_t size)
{
	for (unsigned i = 0; i < e->nph; i++) {
		const Elf64_Phdr *p = &e->ph[i];

		if (p->p_type != PT_INTERP || p->p_filesz == 0 || p->p_filesz > size)
			continue;
		return elf_read(&e->src, p->p_offset, buf, p->p_filesz) == 0 && buf[p->p_filesz - 1] == '\0';
	}
	return false;
}

static bool find_interp(const char *exe, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(exe, O_RDONLY | O_CLOEXEC);
	struct stat st;
	struct elf e;
	bool found;

	if (fd < 0 || fstat(fd, &st) < 0 ||
	    elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }) < 0)
		return false;
	found = read_interp(&e, buf, size);
	elf_close(&e);
	return found && buf[0] == '/';
}

static pid_t spawn(char *const argv[], int out)
{
	posix_spawn_file_actions_t fa;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&fa, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, argv[0], &fa, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&fa);
	return pid;
}

/* "\tlibc.so.6 => /lib/libc.so.6 (0x7f…)": the path. */
static char *path_of(char *line)
{
	char *p = strstr(line, "=> /"), *end;

	p = p ? p + strlen("=> ") : NULL;
	end = p ? strrchr(p, '(') : NULL;
	if (!end || end == p)
		return NULL;
	end[-1] = '\0';
	return p;
}

void unwind_list_libs(const char *exe, void (*fn)(void *ctx, const char *path), void *ctx)
{
	char interp[PATH_MAX], line[PATH_MAX * 2];
	_cleanup_fclose_ FILE *in = NULL;
	int fds[2];
	pid_t pid;

	if (!find_interp(exe, interp, sizeof(interp)) || pipe2(fds, O_CLOEXEC) < 0)
		return;
	pid = spawn((char *[]){ interp, (char[]){ "--list" }, (char *)(uintptr_t)exe, NULL }, fds[1]);
	close(fds[1]);
	in = fdopen(fds[0], "r");
	if (!in)
		close(fds[0]);
	for (unsigned n = 0; in && n < UNWIND_MAX_LIBS && fgets(line, sizeof(line), in); n++) {
		char *path = path_of(line);

		if (path)
			fn(ctx, path);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}
