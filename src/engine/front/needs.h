/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what the shipped programs need of the kernel before it compiles them. A missing feature is reported in one
 * line with cause and remedy (load/reasons.h), in place of pages of errors in D that the user did not write. */
#ifndef DWELL_ENGINE_FRONT_NEEDS_H
#define DWELL_ENGINE_FRONT_NEEDS_H
#include "engine/front/compile.h"

/* BPF programs and the kernel's types, for commands that say something before they run; groups: and those of
 * tracepoints; btf: the file of types (-x btf), or NULL. 0 or -errno, told. */
int needs_tracing(const char *btf, bool groups, const struct listener *to);
/* The parsed programs of a command line: types, groups of tracepoints, timers. Programs of the user's own are left to
 * the compiler, which shows the place. 0 or -errno, told. */
int needs_check(const struct compile_session *w, const struct request *c);
/* The user's programs did not compile, and the kernel's types, which are not there, may be why: says so. */
void needs_explain(const struct compile_session *w, const struct request *c, const struct diags *d);
#endif
