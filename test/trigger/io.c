/* SPDX-License-Identifier: Apache-2.0 */
/* Disk, file system, network and kernel locks: what the stable providers io, fsinfo, tcp, udp, ip and
 * lockstat see. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "trigger.h"

enum { SKIP = 77, BLOCK = 16384 };

/* N reads of 16 KiB from FILE, which is made first, past the page cache: a request each. */
int run_directio(int argc, char **argv)
{
	long n = arg_num(argc, argv, 2, 1);
	long size = arg_num(argc, argv, 3, 1) * BLOCK;
	void *buf;
	int fd;

	if (argc < 2 || size <= 0 || posix_memalign(&buf, BLOCK, (size_t)size))
		return 2;
	memset(buf, 'x', (size_t)size);
	fd = open(argv[1], O_CREAT | O_TRUNC | O_RDWR | O_DIRECT, 0600);
	if (fd < 0)
		return SKIP;
	for (long i = 0; i < n; i++)
		if (pwrite(fd, buf, (size_t)size, i * size) != size)
			return SKIP;
	fsync(fd);
	raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0); /* now come the reads */
	for (long i = 0; i < n; i++)
		if (pread(fd, buf, (size_t)size, i * size) != size)
			return SKIP;
	free(buf);
	close(fd);
	return unlink(argv[1]);
}

/* In the folder DIR: three files made, 10 bytes written to each, synced, removed; a folder and a link. */
int run_files(int argc, char **argv)
{
	char path[4096];

	if (argc < 2)
		return 2;
	for (int i = 0; i < 3; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/f%d", argv[1], i);
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (fd < 0 || write(fd, "0123456789", 10) != 10 || fsync(fd))
			return 1;
		close(fd);
		if (unlink(path))
			return 1;
	}
	snprintf(path, sizeof(path), "%s/dir", argv[1]);
	if (mkdir(path, 0700) || rmdir(path))
		return 1;
	snprintf(path, sizeof(path), "%s/link", argv[1]);
	return symlink("x", path) || unlink(path);
}

static struct sockaddr_in local(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

/* A connection to PORT of this machine that carries 100 bytes, and one that is refused. */
int run_tcp(int argc, char **argv)
{
	struct sockaddr_in a = local((int)arg_num(argc, argv, 1, 0));
	int s = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), on = 1, d, r;
	char buf[100] = "";

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(s, (struct sockaddr *)&a, sizeof(a)) || listen(s, 1))
		return SKIP;
	if (connect(c, (struct sockaddr *)&a, sizeof(a)))
		return 1;
	d = accept(s, NULL, NULL);
	if (d < 0 || send(c, buf, sizeof(buf), 0) != sizeof(buf) ||
	    recv(d, buf, sizeof(buf), MSG_WAITALL) != sizeof(buf))
		return 1;
	close(s);
	close(c);
	recv(d, buf, 1, 0); /* the end */
	close(d);
	c = socket(AF_INET, SOCK_STREAM, 0);
	r = connect(c, (struct sockaddr *)&a, sizeof(a));
	return r == 0 || errno != ECONNREFUSED;
}

/* N datagrams of 50 bytes to PORT of this machine. */
int run_udp(int argc, char **argv)
{
	struct sockaddr_in a = local((int)arg_num(argc, argv, 1, 0));
	int r = socket(AF_INET, SOCK_DGRAM, 0), s = socket(AF_INET, SOCK_DGRAM, 0);
	char buf[50] = "";

	if (bind(r, (struct sockaddr *)&a, sizeof(a)))
		return SKIP;
	for (long n = arg_num(argc, argv, 2, 1); n > 0; n--)
		if (sendto(s, buf, sizeof(buf), 0, (struct sockaddr *)&a, sizeof(a)) != sizeof(buf) ||
		    recv(r, buf, sizeof(buf), 0) != sizeof(buf))
			return 1;
	return 0;
}

static struct fight {
	uint64_t end;
	int fd;
} fight;

/* Writers of one file wait for its inode's lock, which is a read-write semaphore. */
static void *fighter(void *arg)
{
	static char block[1 << 20];

	(void)arg;
	while (now_ns() < fight.end)
		if (pwrite(fight.fd, block, sizeof(block), 0) < 0)
			break;
	return NULL;
}

int run_fight(int argc, char **argv)
{
	pthread_t t[4];

	if (argc < 3)
		return 2;
	fight.fd = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0600);
	fight.end = now_ns() + (uint64_t)arg_num(argc, argv, 2, 100) * 1000000;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, fighter, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return unlink(argv[1]);
}

/* Touches N new pages one by one, between two calls of getppid. */
int run_touch(int argc, char **argv)
{
	long n = arg_num(argc, argv, 1, 1), page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || madvise(p, (size_t)(n * page), MADV_NOHUGEPAGE))
		return 1;
	raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	for (long i = 0; i < n; i++)
		((volatile char *)p)[i * page] = 1;
	raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	return 0;
}
