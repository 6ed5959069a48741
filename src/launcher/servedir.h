/* SPDX-License-Identifier: Apache-2.0 */
/* The recordings that `dwell serve` shows: those of the command line, the one of the live view, and those that were
 * sent to the server. The latter two are in a folder of this run, which goes with it. */
#ifndef DWELL_LAUNCHER_SERVEDIR_H
#define DWELL_LAUNCHER_SERVEDIR_H
#include "base/arena.h"
#include "base/err.h"
#include "run/session/tmpdir.h"
#include "serve/serve.h"

#define SERVEDIR_FILES_MAX 1000 /* recordings of the command line */

struct servedir {
	struct serve_recording *files; /* of the command line */
	char **paths;
	size_t nfiles;
	struct tmpdir dir;
	char *live, *uploads; /* file, folder in it; NULL: none */
};

/* Finds the recordings that words (files and folders) name; folders are not searched further. 0, or -errno with
 * the words in err. */
int servedir_find(struct arena *a, char *const *words, size_t n, struct servedir *ret, struct err *err);
/* Makes the folder; nobody but `user` may write to the part for uploads. 0 or -errno. */
int servedir_make(struct arena *a, struct servedir *d, unsigned user);
void servedir_remove(struct servedir *d);
/* The recording `source` ("live", "r1", "u2") for a process of `user`, who has no privileges: 0 and *ret_path, which
 * that process opens, or a descriptor (ret_path is empty then). -ENOENT: there is none; -errno. */
int servedir_open(const struct servedir *d, const char *source, unsigned user, char *ret_path, size_t size);
/* Before the live view begins again. */
void servedir_forget_live(const struct servedir *d);
#endif
