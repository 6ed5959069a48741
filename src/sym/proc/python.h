/* SPDX-License-Identifier: Apache-2.0 */
/* The Python interpreter of a process: where it is, and the names of its frames. */
#ifndef DWELL_SYM_PROC_PYTHON_H
#define DWELL_SYM_PROC_PYTHON_H
#include "sym/proc/proc.h"
#include "sym/sym.h"

/* A frame of Python as sym_user() gives it; p NULL: the process is not known. */
bool python_symbol(struct sym *s, struct uproc *p, uint64_t frame, struct symbol *ret);
/* Forgets what is known of the interpreter. */
void python_free(struct uproc *p);
#endif
