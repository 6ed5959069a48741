/* SPDX-License-Identifier: Apache-2.0 */
/* Makes another tree of the same stacks: reversed, or the part around a function. */
#ifndef DWELL_VIEW_STACK_STACKXFORM_H
#define DWELL_VIEW_STACK_STACKXFORM_H
#include "view/stack/stacktree.h"

/* Stacks turned round. The leaves are the first frames, so that functions are together wherever they were called from.
 * *ret is the caller's. 0 or the error of the new tree. */
int stackxform_reverse(const struct stacktree *t, struct stacktree **ret);
/* Splits the stacks around a function. For each stack in which its name occurs, *callees gets the part from its
 * outermost occurrence on, and *callers gets that occurrence and its callers, in reverse order. -ENOENT: no such
 * function. */
int stackxform_sandwich(const struct stacktree *t, const char *function, struct stacktree **callers,
			struct stacktree **callees);
#endif
