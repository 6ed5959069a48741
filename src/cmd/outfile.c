/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes output files, and prints what went wrong. */
#include "cmd/outfile.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "view/form/amount.h"

int outfile_open(struct outfile *o, const char *path)
{
	struct err err = { 0 };

	return outfile_begin(o, path, &err) < 0 ? cmd_fail("%s", err.msg) : 0;
}

void outfile_report(const char *path)
{
	char size[AMOUNT_MAX];
	struct stat st;

	if (!path || !strcmp(path, "-") || !isatty(STDERR_FILENO) || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	amount_str(size, (uint64_t)st.st_size, "bytes");
	cmd_msg("wrote %s (%s)", path, size);
}

int outfile_close(struct outfile *o, int e)
{
	struct err err = { 0 };
	const char *path = o->path;

	e = outfile_end(o, e == OUTFILE_GIVE_UP ? -ECANCELED : e, e == OUTFILE_GIVE_UP ? NULL : &err);
	if (e == 0)
		outfile_report(path);
	return e == 0 ? EXIT_OK : err.msg[0] ? cmd_fail("%s", err.msg) : EXIT_ERROR;
}
