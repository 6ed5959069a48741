/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell serve CORE`: a core file of Node in the browser. */
#ifndef DWELL_COREPAGE_COREPAGE_H
#define DWELL_COREPAGE_COREPAGE_H
#include <stdbool.h>
#include "engine/listener.h"
#include "launcher/entrance.h"

/* Whether a file begins as a core file does, packed or not. */
bool corepage_is(const char *path);
/* Serves it until a signal ends it, or the server. words: the core, and perhaps its program. 0 or -errno, told. */
int corepage_run(struct entrance *in, char *const *words, size_t n, const struct listener *to);
#endif
