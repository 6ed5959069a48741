/* SPDX-License-Identifier: Apache-2.0 */
#include "base/outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"

bool outfile_is(const char *path, const char *suffix)
{
	size_t n = path ? strlen(path) : 0, k = strlen(suffix);

	return n > k && !strcmp(path + n - k, suffix);
}

static int fail_open(const char *path, struct err *err)
{
	int e = -errno;

	return err_set(err, e, "cannot create %s: %s", path, strerror(-e));
}

/* Opens the temporary file in the folder of the path. */
static int open_temp(struct outfile *o, mode_t mode, struct err *err)
{
	int fd, e;

	if (asprintf(&o->temp, "%s.XXXXXX", o->path) < 0)
		return o->temp = NULL, err_set(err, -ENOMEM, "out of memory");
	fd = mkostemp(o->temp, O_CLOEXEC);
	o->f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (o->f) {
		if (fchmod(fd, mode) < 0)
			fchmod(fd, 0600);
		return 0;
	}
	e = fail_open(o->path, err);
	if (fd >= 0) {
		close(fd);
		unlink(o->temp);
	}
	free(take_ptr(o->temp));
	return e;
}

int outfile_begin(struct outfile *o, const char *path, struct err *err)
{
	mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	*o = (struct outfile){ .path = path && strcmp(path, "-") ? path : NULL };
	if (!o->path) {
		o->f = stdout;
		return 0;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		o->f = S_ISDIR(st.st_mode) ? (errno = EISDIR, NULL) : fopen(path, "we");
		return o->f ? 0 : fail_open(path, err);
	}
	return open_temp(o, 0666 & ~mask, err);
}

int outfile_try(const char *path, struct err *err)
{
	struct outfile o;
	struct stat st;
	int e;

	if (!path || !strcmp(path, "-") || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return 0;
	e = outfile_begin(&o, path, err);
	if (e == 0)
		outfile_end(&o, -ECANCELED, NULL);
	return e;
}

int outfile_end(struct outfile *o, int e, struct err *err)
{
	const char *name = o->path ? o->path : "standard output";

	if (!o->f)
		return e;
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
	if (e == 0 || (err && err->msg[0]) || (e == -EPIPE && !o->path))
		return e;
	return err_set(err, e, "failed to write to %s: %s", name, strerror(-e));
}
