/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, threads and what they have, in the running kernel. */
#ifndef DWELL_CORE_NATIVE_KERNELTASKS_H
#define DWELL_CORE_NATIVE_KERNELTASKS_H
#include "core/shell.h"

/* ::walk thread, ::whatis, ::status, ::threads of the kernel. */
int kernel_walk_threads(struct shell *s, const struct dcall *d);
int kernel_whatis(struct shell *s, uint64_t addr);
int kernel_status(struct shell *s);
int kernel_threads(struct shell *s, const struct dcall *d);
/* Whether the target is the kernel, else -EINVAL with s->err. */
int kernel_wanted(struct shell *s, const char *what);
#endif
