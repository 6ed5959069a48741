/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the agent of the provider java into a running JVM. It writes the agent's files where the JVM finds them, asks
 * it by HotSpot's attach protocol to load them, and takes the connection. Source of the protocol: OpenJDK 17,
 * attachListener_posix.cpp and VirtualMachineImpl.java. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdbool.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/writeall.h"
#include "prov/user/jvm.h"

#define ATTACH_WAIT_MS 10000 /* for the JVM to answer */
#define ATTACH_STEP_MS 20
#define REPLY_MAX 4096
#define VERSION_FILE "version" /* as Agent.java has it */
#define CANNOT_CONNECT "cannot connect to the JVM %d: %s"

/* The JVM as it sees itself, and the folder of the files. */
struct attaching {
	const _Atomic bool *stop; /* or NULL */
	int pid, nspid;
	uid_t uid;
	gid_t gid;
	unsigned long long caught; /* signals that it has handlers for */
	int tmp, dir;		   /* its /tmp, and our folder there */
	int server;
	char folder[64];
};

static int read_status(struct attaching *t, struct err *err)
{
	char path[32], line[512];

	snprintf(path, sizeof(path), "/proc/%d/status", t->pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f)
		return err_set(err, -ESRCH, "there is no process %d", t->pid);
	t->nspid = t->pid;
	while (fgets(line, sizeof(line), f)) {
		unsigned real, effective;

		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			t->uid = effective;
		else if (sscanf(line, "Gid: %u %u", &real, &effective) == 2)
			t->gid = effective;
		else if (!strncmp(line, "NSpid:", 6))
			t->nspid = atoi(strrchr(line, '\t') ? strrchr(line, '\t') : "0");
		else
			(void)sscanf(line, "SigCgt: %llx", &t->caught);
	}
	return 0;
}

static int open_tmp(struct attaching *t, struct err *err)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char path[32];
	int r;

	snprintf(path, sizeof(path), "/proc/%d/root", t->pid);
	_cleanup_close_ int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	t->tmp = root < 0 ? -1 : (int)syscall(SYS_openat2, root, "tmp", &how, sizeof(how));
	r = t->tmp < 0 ? -errno : 0;
	return r ? err_set(err, r, "cannot open /tmp of process %d: %s", t->pid, strerror(-r)) : 0;
}

static int write_file(int dir, const char *name, const char *data, size_t n)
{
	_cleanup_close_ int fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0 || fchmod(fd, 0644) < 0)
		return -errno;
	return write_all(fd, data, n);
}

/* A socket that only the JVM's user may connect to. Nobody reaches the folder yet. (No umask(): it is of all threads.)
 */
static int listen_in(struct attaching *t)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int r;

	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/socket", t->dir);
	t->server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (t->server < 0)
		return -errno;
	r = bind(t->server, (struct sockaddr *)&at, sizeof(at)) < 0 ? -errno : 0;
	if (r == 0 && (fchmodat(t->dir, "socket", 0600, 0) < 0 ||
		       fchownat(t->dir, "socket", t->uid, t->gid, AT_SYMLINK_NOFOLLOW) < 0 || listen(t->server, 1) < 0))
		r = -errno;
	return r;
}

/* Nobody but root can change the folder; the JVM reads it. */
static int make_folder(struct attaching *t, struct err *err)
{
	char version[JAGENT_VERSION];
	int r;

	jagent_version(version);
	snprintf(t->folder, sizeof(t->folder), "dwell-java-%d-%llx", t->pid,
		 (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	if (mkdirat(t->tmp, t->folder, 0700) < 0) {
		r = -errno;
		t->folder[0] = '\0';
		return err_set(err, r, "cannot make a folder in /tmp of process %d: %s", t->pid, strerror(-r));
	}
	t->dir = openat(t->tmp, t->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	r = t->dir < 0 ? -errno : 0;
	if (r == 0)
		r = write_file(t->dir, "agent.jar", asset_java_jar, asset_java_jar_size);
	if (r == 0)
		r = write_file(t->dir, "libdwelljava.so", asset_java_lib, asset_java_lib_size);
	if (r == 0)
		r = write_file(t->dir, VERSION_FILE, version, strlen(version));
	if (r == 0)
		r = listen_in(t);
	if (r == 0 && fchmod(t->dir, 0755) < 0)
		r = -errno;
	return r ? err_set(err, r, "cannot write the agent to /tmp of process %d: %s", t->pid, strerror(-r)) : 0;
}

static void remove_folder(struct attaching *t)
{
	if (t->dir >= 0) {
		unlinkat(t->dir, "agent.jar", 0);
		unlinkat(t->dir, "libdwelljava.so", 0);
		unlinkat(t->dir, VERSION_FILE, 0);
		unlinkat(t->dir, "socket", 0);
		close(t->dir);
	}
	if (t->folder[0])
		unlinkat(t->tmp, t->folder, AT_REMOVEDIR);
	if (t->server >= 0)
		close(t->server);
	if (t->tmp >= 0)
		close(t->tmp);
}

/* The other end is the JVM itself. */
static bool is_its(const struct attaching *t, int fd)
{
	struct ucred c;
	socklen_t n = sizeof(c);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &n) == 0 && c.pid == t->pid;
}

/* Connects to the socket on which it listens for commands; -ENOENT: it does not yet. */
static int connect_jvm(struct attaching *t)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), ".java_pid%d", t->nspid);
	if (fstatat(t->tmp, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/%s", t->tmp, name);
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		return errno == ECONNREFUSED ? -ENOENT : -errno; /* left by another of this number */
	return is_its(t, fd) ? take_fd(fd) : -ENOENT;
}

/* It is gone, or what is left waits for its parent. */
static bool has_ended(int pid)
{
	char path[32], to[1];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, to, sizeof(to)) < 0 && errno == ENOENT;
}

/* A file of this name and SIGQUIT make the JVM listen. Without a handler the signal would end it. */
static int wake_jvm(struct attaching *t, struct err *err)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ATTACH_WAIT_MS * 1000000ull;
	char name[32];
	int r;

	if (!(t->caught >> (SIGQUIT - 1) & 1))
		return err_set(
			err, -EOPNOTSUPP,
			"process %d is no JVM that agents can be loaded into: it does not handle SIGQUIT (-Xrs?)",
			t->pid);
	snprintf(name, sizeof(name), ".attach_pid%d", t->nspid);
	_cleanup_close_ int fd = openat(t->tmp, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 && errno != EEXIST)
		return err_set(err, -errno, "cannot write to /tmp of process %d: %s", t->pid, strerror(errno));
	if (fd >= 0 && fchown(fd, t->uid, t->gid) < 0) {
		/* newer JVMs take root's, too */
	}
	r = kill(t->pid, SIGQUIT) < 0 ? -errno : -ENOENT;
	while (r == -ENOENT && clock_ns(CLOCK_MONOTONIC) < end) {
		poll(NULL, 0, ATTACH_STEP_MS);
		r = has_ended(t->pid) ? -ESRCH : t->stop && *t->stop ? -ECANCELED : connect_jvm(t);
	}
	if (fd >= 0)
		unlinkat(t->tmp, name, 0);
	return r == -ENOENT ? err_set(err, -ETIMEDOUT,
				      "the JVM %d does not answer: it was started with -XX:+DisableAttachMechanism, or "
				      "it is stopped",
				      t->pid)
	       : r < 0	    ? err_set(err, r, CANNOT_CONNECT, t->pid, strerror(-r))
			    : r;
}

/* Its answer, until it closes the connection. */
static int read_reply(int fd, char *reply, size_t size)
{
	size_t n = 0;

	while (n < size - 1) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t k = poll(&p, 1, ATTACH_WAIT_MS) > 0 ? read(fd, reply + n, size - 1 - n) : -1;

		if (k < 0)
			return -ETIMEDOUT;
		if (k == 0)
			break;
		n += (size_t)k;
	}
	reply[n] = '\0';
	return 0;
}

static int load(struct attaching *t, struct err *err)
{
	char reply[REPLY_MAX], command[256];
	int r = connect_jvm(t);
	size_t n = 0;

	if (r == -ENOENT)
		r = wake_jvm(t, err);
	else if (r < 0)
		err_set(err, r, CANNOT_CONNECT, t->pid, strerror(-r));
	if (r < 0)
		return r;
	_cleanup_close_ int fd = r;
	char jar[128];
	const char *words[] = { "1", "load", "instrument", "false", jar };

	snprintf(jar, sizeof(jar), "/tmp/%s/agent.jar=/tmp/%s", t->folder, t->folder);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		memcpy(command + n, words[i], strlen(words[i]) + 1);
		n += strlen(words[i]) + 1;
	}
	r = write_all(fd, command, n);
	if (r == 0)
		r = read_reply(fd, reply, sizeof(reply));
	if (r < 0)
		return err_set(err, r, "the JVM %d does not load the agent: %s", t->pid, strerror(-r));
	for (char *s = reply; *s; s++)
		*s = *s < ' ' ? ' ' : *s;
	if (!reply[0])
		return err_set(err, -ESRCH, "the JVM %d has ended", t->pid);
	/* "0", and of the agent "return code: 0" or a second "0" */
	if (strtol(reply, NULL, 10) != 0 || (strstr(reply, "return code: ") && !strstr(reply, "return code: 0")))
		return err_set(err, -EPERM, "the JVM %d does not load the agent: it answers %.300s", t->pid, reply);
	return 0;
}

static int take(struct attaching *t, struct err *err)
{
	struct pollfd p = { .fd = t->server, .events = POLLIN };
	_cleanup_close_ int fd = poll(&p, 1, ATTACH_WAIT_MS) > 0 ? accept4(t->server, NULL, NULL, SOCK_CLOEXEC) : -1;

	if (fd < 0 || !is_its(t, fd))
		return err_set(err, -ETIMEDOUT, "the agent in process %d did not begin: the JVM's own output says why",
			       t->pid);
	return take_fd(fd);
}

int jattach(int pid, const _Atomic bool *stop, struct err *err)
{
	struct attaching t = { .stop = stop, .pid = pid, .tmp = -1, .dir = -1, .server = -1 };
	int r;

	r = read_status(&t, err);
	if (r == 0)
		r = open_tmp(&t, err);
	if (r == 0)
		r = make_folder(&t, err);
	if (r == 0)
		r = load(&t, err);
	if (r == 0)
		r = take(&t, err);
	remove_folder(&t);
	return r;
}
