/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the kernel can do: lines for people, JSON Lines for programs. */
#ifndef DWELL_LOAD_CAPS_SHOW_H
#define DWELL_LOAD_CAPS_SHOW_H
#include <stdio.h>
#include "load/probe_caps.h"

/* columns: of the terminal; 0: none. */
void caps_show(FILE *out, const struct caps_row *rows, size_t n, int columns);
int caps_show_json(FILE *out, const struct caps_row *rows, size_t n); /* 0 or -errno */
#endif
