/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the list of a kernel's devices as one HTML file that can be searched and needs no other file. */
#ifndef DWELL_HARDWARE_HWPAGE_H
#define DWELL_HARDWARE_HWPAGE_H
#include <stdio.h>
#include "base/strb.h"

/* rows: a JSON array of arrays: bus, id, module, name. 0 or -errno. */
int hwpage_write(FILE *out, const char *title, const struct strb *rows);
#endif
