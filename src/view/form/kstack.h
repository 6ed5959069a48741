/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on top of kernel stacks that are there only because the stack was taken. */
#ifndef DWELL_VIEW_FORM_KSTACK_H
#define DWELL_VIEW_FORM_KSTACK_H
#include <stdbool.h>

/* A function of the tracing machinery, which views leave out where it is on top of a tracepoint's stack. */
bool kstack_is_tracing(const char *function);
#endif
