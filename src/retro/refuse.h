/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of programs that a recording cannot answer. */
#ifndef DWELL_RETRO_REFUSE_H
#define DWELL_RETRO_REFUSE_H
#include "base/diag.h"
#include "lang/dprog.h"

/* An error for each probe and each built-in of the program that a recording of system calls cannot answer. */
void refuse_unknown(const struct dprog *p, struct diags *d);
#endif
