/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the shipped programs for the page. */
#ifndef DWELL_LAUNCHER_GALLERY_H
#define DWELL_LAUNCHER_GALLERY_H
#include "base/arena.h"
#include "serve/serve.h"

#define GALLERY_MAX 1024 /* programs */

/* Reads the D programs of dlib/tools and, as "latency.NAME", of dlib/latency, sorted by name; *ret lives in the
 * arena. How many; 0 where the folders cannot be read. */
size_t gallery_read(struct arena *a, const struct serve_program **ret);
/* The words of the language: variables, actions, subroutines, aggregating functions. */
size_t gallery_words(const struct serve_word **ret);
#endif
