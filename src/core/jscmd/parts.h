/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a value that is a part of an object: inside of core/. */
#ifndef DWELL_CORE_JSCMD_PARTS_H
#define DWELL_CORE_JSCMD_PARTS_H
#include "core/js/js.h"
#include "core/shell.h"

/* A line with a value and its name; objects go to the next command. 0, or -errno with s->err. */
int js_say_value(struct shell *s, const struct js *js, const char *name, uint64_t v);
#endif
