/* SPDX-License-Identifier: Apache-2.0 */
/* Removes the file of a recording whose run did not begin, also when a signal ends the process. */
#include "engine/record/unstarted.h"
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "run/os/atend.h"

/* The file, and those that SQLite puts next to it. Handlers have nothing but globals. */
static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
static char paths[ARRAY_SIZE(suffixes)][PATH_MAX];
static bool guarded;
static sigset_t unheld;

static void remove_files(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		unlink(paths[i]);
}

void unstarted_begin(void)
{
	atend_hold(&unheld);
}

static void guard(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if ((size_t)snprintf(paths[i], PATH_MAX, "%s%s", path, suffixes[i]) >= PATH_MAX)
			return;
	guarded = atend_add(remove_files) == 0;
}

void unstarted_set(const char *path)
{
	if (path)
		guard(path);
	sigprocmask(SIG_SETMASK, &unheld, NULL);
}

void unstarted_commit(void)
{
	if (!guarded)
		return;
	guarded = false;
	atend_drop(remove_files);
}

void unstarted_remove(void)
{
	if (guarded)
		remove_files();
	unstarted_commit();
}
