/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command line of `dwell fleet query`, and copies the store's password into memory for it. */
#include "fleet/ask/line.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/writeall.h"

/* The path by which the child reads the password from memory. */
static int copy_password(struct arena *a, const char *path, const char **ret, struct err *err)
{
	char text[ASKLINE_PASSWORD_MAX];
	_cleanup_close_ int file = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = file < 0 ? -1 : read(file, text, sizeof(text));
	int fd;

	if (n <= 0)
		return err_set(err, n < 0 ? -errno : -ENODATA, "the password cannot be read from %s: %s", path,
			       n < 0 ? strerror(errno) : "it is empty");
	fd = memfd_create("password", 0);
	if (fd < 0 || write_all(fd, text, (size_t)n) < 0)
		return err_set(err, -errno, "memory for a password: %s", strerror(errno));
	*ret = arena_printf(a, "/dev/fd/%d", fd);
	return 0;
}

int askline_make(struct arena *a, const struct click_options *store, const char *tenant, char *const **ret,
		 struct err *err)
{
	const char *words[] = { "dwell", "fleet", "query", "--tenant", tenant, "--store", store->url };
	char **argv = arena_alloc(a, (ARRAY_SIZE(words) + 7) * sizeof(*argv));
	const char *password = NULL;
	size_t n = ARRAY_SIZE(words);
	int e = store->password_file ? copy_password(a, store->password_file, &password, err) : 0;

	for (size_t i = 0; i < n; i++)
		argv[i] = arena_strdup(a, words[i]);
	if (store->database) {
		argv[n++] = arena_strdup(a, "--store-database");
		argv[n++] = arena_strdup(a, store->database);
	}
	if (store->user) {
		argv[n++] = arena_strdup(a, "--store-user");
		argv[n++] = arena_strdup(a, store->user);
	}
	if (password) {
		argv[n++] = arena_strdup(a, "--store-password");
		argv[n++] = arena_strdup(a, password);
	}
	argv[n] = NULL;
	*ret = argv;
	return e;
}
