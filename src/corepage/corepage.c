/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and ends the processes of a core's page: the server, which reads what strangers send, and the reader, which
 * has the core. This one opens the core, prints the address, and waits. */
#include "corepage/corepage.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "core/jsheap/index.h"
#include "core/shell.h"
#include "core/target/save.h"
#include "corepage/reader.h"
#include "launcher/launch.h"
#include "launcher/listen.h"
#include "launcher/page.h"
#include "launcher/pair.h"

struct corepage {
	const struct listener *to;
	struct shell shell;
	struct core core;
	pid_t server, reader;
	int stop; /* closed: the server ends */
};

bool corepage_is(const char *path)
{
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t head[sizeof(Elf64_Ehdr)] = { 0 };
	uint16_t type;

	if (fd < 0 || pread(fd, head, sizeof(head), 0) < (ssize_t)sizeof(zstd))
		return false;
	memcpy(&type, head + offsetof(Elf64_Ehdr, e_type), sizeof(type));
	return !memcmp(head, zstd, sizeof(zstd)) || (!memcmp(head, ELFMAG, SELFMAG) && type == ET_CORE);
}

/* -- the processes -- */

_Noreturn static void be_server(struct serve_config *c, int sock, const struct listener *to)
{
	struct err err = { 0 };
	int r = listen_confine();

	if (r < 0)
		err_set(&err, r, "cannot give up privileges: %s", strerror(-r));
	c->start = reader_start;
	c->stop = reader_stop;
	c->ctx = &sock;
	if (r == 0)
		r = serve(c, &err);
	if (r < 0)
		listener_msg(to, "%s", err.msg);
	_exit(r < 0);
}

_Noreturn static void be_reader(struct corepage *p, int sock)
{
	sigset_t none;
	int r;

	setpgid(0, 0); /* Ctrl-C is for the process that waits */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	r = launch_drop(LISTEN_NOBODY);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user forgets it */
	prctl(PR_SET_DUMPABLE, 0);
	if (r == 0)
		r = reader_limit();
	if (r == 0)
		r = reader_run(&p->shell, sock);
	_exit(r < 0);
}

/* Forks the server, opens the core, forks the reader. The server has nothing of the core. */
static int start(struct corepage *p, struct serve_config *c, const char *path, const char *binary)
{
	int sock[2], stop[2];
	struct err err = { 0 };
	struct js *js;
	int r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0 || pipe2(stop, O_CLOEXEC) < 0 ||
	    (p->server = fork()) < 0)
		return listener_fail(p->to, -errno, "cannot start the server: %s", strerror(errno));
	if (p->server == 0) {
		close(sock[0]);
		close(stop[1]);
		c->stop_fd = stop[0];
		be_server(c, sock[1], p->to);
	}
	close(sock[1]);
	close(stop[0]);
	close(c->listen_fd);
	p->stop = stop[1];
	r = core_open(path, binary, &p->core, &err);
	if (r < 0)
		return listener_fail(p->to, r, "cannot open %s: %s", path, err.msg);
	p->shell = (struct shell){ .core = &p->core, .json = true };
	r = shell_js(&p->shell, &js);
	if (r == 0)
		r = js_index_open(&p->core, path, false, &p->shell.index, &p->shell.err);
	if (r < 0)
		return listener_fail(p->to, r, "%s: %s", path, p->shell.err.msg);
	p->reader = fork();
	if (p->reader < 0)
		return listener_fail(p->to, -errno, "cannot start the reader: %s", strerror(errno));
	if (p->reader == 0) {
		close(stop[1]);
		be_reader(p, sock[0]);
	}
	close(sock[0]);
	return 0;
}

/* A child has ended; false: it is time to end. */
static bool see_end(struct corepage *p, pid_t pid, int status, int *result)
{
	if (pid == p->server) {
		p->server = 0;
		*result = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
		return false;
	}
	if (pid == p->reader) {
		p->reader = 0;
		*result = listener_fail(p->to, -ECHILD, "the process that reads the core has ended%s%s",
					WIFSIGNALED(status) ? ": " : "",
					WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
		return false;
	}
	return true;
}

/* Until a signal, or the end of a child. 0 or -errno, told. */
static int wait_for_end(struct corepage *p)
{
	_cleanup_close_ int signals = -1;
	struct signalfd_siginfo si;
	int result = 0, status;
	sigset_t set;
	pid_t pid;

	launch_hold_signals(&set);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0)
		return listener_fail(p->to, -errno, "%s", strerror(errno));
	for (;;) {
		if (read(signals, &si, sizeof(si)) != (ssize_t)sizeof(si))
			return 0;
		if (si.ssi_signo != SIGCHLD)
			return 0;
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (!see_end(p, pid, status, &result))
				return result;
	}
}

static void end(struct corepage *p)
{
	closep(&p->stop);
	if (p->reader > 0) {
		kill(p->reader, SIGKILL);
		waitpid(p->reader, NULL, 0);
	}
	if (p->server > 0)
		waitpid(p->server, NULL, 0);
	shell_done(&p->shell);
	core_close(&p->core);
}

/* Opens the entrance, serves the core, and closes it. */
static int run(struct corepage *p, struct entrance *in, const char *path, const char *binary)
{
	struct serve_config c = { .core = true, .unprivileged = "this is the page of a core" };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	int r;

	pair_hold_signals();
	r = entrance_open(in, a, &c, p->to);
	if (r == 0) {
		c.nassets = page_assets(a, PAGE_CORE, &c.assets, p->to);
		r = start(p, &c, path, binary);
		if (r == 0) {
			entrance_tell(in, stdout);
			r = wait_for_end(p);
		}
		end(p);
		entrance_close(in);
	}
	arena_free(a);
	return r;
}

int corepage_run(struct entrance *in, char *const *words, size_t n, const struct listener *to)
{
	struct corepage p = { .to = to, .stop = -1 };

	if (n > 2)
		return listener_fail(to, LISTENER_WRONG,
				     "a core file and its program are shown alone: '%s' is too much", words[2]);
	return run(&p, in, words[0], n > 1 ? words[1] : NULL);
}

int corepage_process(struct entrance *in, pid_t pid, const struct listener *to)
{
	struct corepage p = { .to = to, .stop = -1 };
	struct save_said said;
	struct err err = { 0 };
	char path[64], time[UNITS_LEN];
	_cleanup_close_ int fd = core_save_nameless(pid, &said, &err);

	if (fd < 0)
		return listener_fail(to, fd, "process %d: %s", (int)pid, err.msg);
	listener_msg(to, "process %d stood still for %s while its memory was copied", (int)pid,
		     units_ns(said.stopped_ns, time));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return run(&p, in, path, NULL);
}
