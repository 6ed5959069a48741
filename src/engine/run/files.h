/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the files in which probes are. */
#ifndef DWELL_ENGINE_RUN_FILES_H
#define DWELL_ENGINE_RUN_FILES_H
#include <stdbool.h>
#include <stddef.h>
#include "prov/provider.h"

#define RUN_MAX_FILES 256 /* that are counted */

struct run_files {
	struct probe_place v[RUN_MAX_FILES];
	size_t n;
	bool more; /* there is one that v has no room for */
};

/* Adds the file of a place, unless it is there. */
void run_files_add(struct run_files *f, const struct probe_place *at);
#endif
