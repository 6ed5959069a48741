/* SPDX-License-Identifier: Apache-2.0 */
/* A set of files, by device and inode. */
#include "engine/run/files.h"

void run_files_add(struct run_files *f, const struct probe_place *at)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].ino == at->ino && f->v[i].dev == at->dev)
			return;
	if (f->n < RUN_MAX_FILES)
		f->v[f->n++] = *at;
	else
		f->more = true;
}
