/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the output of `dtrace -h` and `dtrace -G` from a provider's declaration, for builds of programs with
 * static probes. */
#ifndef DWELL_USDT_USDTGEN_H
#define DWELL_USDT_USDTGEN_H
#include "base/err.h"
#include "base/strb.h"
#include "lang/ast.h"

#define USDTGEN_MAX_ARGS 12 /* macros of sys/sdt.h */

#define USDTGEN_PROGRAM 1
/* Checks that a unit can be used for the two below: it has a provider (else -EINVAL), and no probe with more arguments
 * than USDTGEN_MAX_ARGS (else -E2BIG). USDTGEN_PROGRAM: it has clauses alone, and a program may be. */
int usdtgen_check(const struct unit *u, bool program, struct err *err);
/* The header with PROVIDER_PROBE() and PROVIDER_PROBE_ENABLED() of all providers of a unit. maker: the command that
 * makes it; guard: name for the include guard. */
void usdtgen_header(struct strb *out, const struct unit *u, const char *maker, const char *guard);
/* A relocatable ELF object of this machine, or of its machine of 32 bits. It defines the semaphores of all probes, to
 * which the notes of sys/sdt.h refer. */
void usdtgen_object(struct strb *out, const struct unit *u, bool is32);
#endif
