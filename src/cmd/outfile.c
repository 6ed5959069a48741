/* SPDX-License-Identifier: Apache-2.0 */
/* Files are written beside their place and then renamed: a reader never sees half of one, a failure leaves the old one.
 */
#include "cmd/outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "view/form/amount.h"

static int fail_open(const char *path)
{
	return cmd_fail("cannot create %s: %s", path, strerror(errno));
}

bool outfile_is(const char *path, const char *suffix)
{
	size_t n = path ? strlen(path) : 0, k = strlen(suffix);

	return n > k && !strcmp(path + n - k, suffix);
}

int outfile_open(struct outfile *o, const char *path)
{
	mode_t mask = umask(0);
	struct stat st;
	int fd;

	umask(mask);
	*o = (struct outfile){ .path = path && strcmp(path, "-") ? path : NULL };
	if (!o->path) {
		o->f = stdout;
		return 0;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		o->f = S_ISDIR(st.st_mode) ? (errno = EISDIR, NULL) : fopen(path, "we");
		return o->f ? 0 : fail_open(path);
	}
	if (asprintf(&o->temp, "%s.XXXXXX", path) < 0)
		return cmd_fail("out of memory");
	fd = mkostemp(o->temp, O_CLOEXEC);
	o->f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!o->f) {
		int r = fail_open(path);

		if (fd >= 0) {
			close(fd);
			unlink(o->temp);
		}
		free(take_ptr(o->temp));
		return r;
	}
	if (fchmod(fd, 0666 & ~mask) < 0)
		fchmod(fd, 0600);
	return 0;
}

/* Who looks at a terminal wants to know what there is now. */
static void tell_size(const char *path)
{
	char size[AMOUNT_MAX];
	struct stat st;

	if (!path || !isatty(STDERR_FILENO) || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	amount_str(size, (uint64_t)st.st_size, "bytes");
	cmd_msg("wrote %s (%s)", path, size);
}

int outfile_close(struct outfile *o, int e)
{
	const char *name = o->path ? o->path : "standard output";

	if (!o->f)
		return EXIT_ERROR;
	if (e == 0 && fflush(o->f) != 0)
		e = -errno;
	if (o->path && fclose(o->f) != 0 && e == 0)
		e = -errno;
	o->f = NULL;
	if (e == 0 && o->temp && rename(o->temp, o->path) < 0)
		e = -errno;
	if (e != 0 && o->temp)
		unlink(o->temp);
	free(take_ptr(o->temp));
	if (e == 0) {
		tell_size(o->path);
		return EXIT_OK;
	}
	if (e == OUTFILE_GIVE_UP)
		return EXIT_ERROR;
	return e == -EPIPE && !o->path ? EXIT_ERROR : cmd_fail("failed to write to %s: %s", name, strerror(-e));
}
