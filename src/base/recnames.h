/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the numbers of recfmt.h to names and back. Recordings, JSON Lines and dumps of programs have the names,
 * since the numbers may change between versions of dwell. */
#ifndef DWELL_BASE_RECNAMES_H
#define DWELL_BASE_RECNAMES_H
#include "base/aggval.h"
#include "base/recfmt.h"

/* The name of a number, NULL if it has none; the number of a name, -1 if there is none such (name may be NULL). */
const char *rec_field_name(enum field_kind k);
int rec_field_kind(const char *name);
const char *rec_act_name(enum act_kind k);
int rec_act_kind(const char *name);
const char *rec_agg_name(enum agg_func f);
int rec_agg_func(const char *name);
#endif
