/* SPDX-License-Identifier: Apache-2.0 */
/* `dtrace -h` and `dtrace -G`: what builds of programs with static probes make of a provider's
 * declaration. */
#ifndef DWELL_CMD_USDTGEN_H
#define DWELL_CMD_USDTGEN_H
#include "base/strb.h"
#include "cmd/opts.h"
#include "lang/ast.h"

/* Runs -h or -G as the command line says; an exit code. Needs no privileges. */
int cmd_usdtgen(struct cmdline *c);
/* The header with PROVIDER_PROBE() and PROVIDER_PROBE_ENABLED() of all providers of a unit. guard: name for
 * the include guard. */
void usdtgen_header(struct strb *out, const struct unit *u, const char *guard);
/* A relocatable ELF object of this machine in which the semaphores of all probes are defined: what the
 * notes of sys/sdt.h refer to. */
void usdtgen_object(struct strb *out, const struct unit *u);
#endif
