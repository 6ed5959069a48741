/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell serve CORE`: a core file of Node in the browser, or a process. */
#ifndef DWELL_COREPAGE_COREPAGE_H
#define DWELL_COREPAGE_COREPAGE_H
#include <stdbool.h>
#include <sys/types.h>
#include "engine/listener.h"
#include "launcher/entrance.h"

/* Whether a file begins as a core file does, packed or not. */
bool corepage_is(const char *path);
/* Serves it until a signal ends it, or the server. words: the core, and perhaps its program. 0 or -errno, told. */
int corepage_run(struct entrance *in, char *const *words, size_t n, const struct listener *to);
/* The same of a process, which stands still while its memory is copied. The copy is a file without a name. */
int corepage_process(struct entrance *in, pid_t pid, const struct listener *to);
#endif
