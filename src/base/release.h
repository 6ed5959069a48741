/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the running kernel, for what cannot be found out by trying. */
#ifndef DWELL_BASE_RELEASE_H
#define DWELL_BASE_RELEASE_H
#include <stdbool.h>

/* Is the kernel at least as new as "6.18"? False if its version cannot be read. */
bool release_since(const char *version);
#endif
