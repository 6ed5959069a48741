/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point of every fuzz target. */
#ifndef DWELL_TEST_FUZZ_H
#define DWELL_TEST_FUZZ_H
#include <stddef.h>
#include <stdint.h>

/* Feeds one input; returns 0. The input is not NUL-terminated. A failure is a crash, a sanitizer's
 * report, or abort(). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#endif
