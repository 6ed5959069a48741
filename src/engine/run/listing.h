/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the probes that a description matches, as text: for a completion, which may get no answer but no harm. */
#ifndef DWELL_ENGINE_RUN_LISTING_H
#define DWELL_ENGINE_RUN_LISTING_H
#include <stddef.h>
#include "base/strb.h"

/* consent: an option of D that the probes need, or NULL. Adds the lines of `-l` as JSON to out, up to about `most`
 * bytes. A child makes them: all functions of the kernel are many. Messages are dropped. 0 or -errno. */
int listing_probes(const char *description, const char *consent, size_t most, struct strb *out);
#endif
