/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the addresses in a recording file: a symboliser that asks nothing but the file. */
#ifndef DWELL_VIEW_FORM_RECSYM_H
#define DWELL_VIEW_FORM_RECSYM_H
#include "store/file/recfile.h"
#include "sym/sym.h"

/* The symboliser must not outlive f. 0 or -errno. */
int recsym_new(struct recread *f, struct sym **ret, struct err *err);
#endif
