/* SPDX-License-Identifier: Apache-2.0 */
/* uthash that survives a lack of memory: after HASH_ADD, an element whose hh.tbl is NULL is not in.
 */
#ifndef DWELL_BASE_HASH_TRY_H
#define DWELL_BASE_HASH_TRY_H
#define HASH_NONFATAL_OOM 1
#include <uthash.h>
#include <utlist.h>
#endif
