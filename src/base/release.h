/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the version of the running kernel, for the few features that cannot be found by trying. */
#ifndef DWELL_BASE_RELEASE_H
#define DWELL_BASE_RELEASE_H
#include <stdbool.h>

/* Is the kernel at least as new as "6.18"? False if its version cannot be read. */
bool release_since(const char *version);
#endif
