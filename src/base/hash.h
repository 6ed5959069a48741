/* SPDX-License-Identifier: Apache-2.0 */
/* uthash for the compiler: running out of memory aborts, as everywhere before anything is attached. */
#ifndef DWELL_BASE_HASH_H
#define DWELL_BASE_HASH_H
#include <stdlib.h>
#define uthash_fatal(msg) abort()
#include <uthash.h>
#endif
