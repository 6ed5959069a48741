/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts with their units, as people read them: "1,234 samples", "1.25 s", "3.4 MiB". */
#ifndef DWELL_VIEW_FORM_AMOUNT_H
#define DWELL_VIEW_FORM_AMOUNT_H
#include <stddef.h>
#include <stdint.h>

#define AMOUNT_MAX 64

/* Units "ns", "us", "ms" and "bytes" are scaled; others follow the number with its thousands apart. */
void amount_str(char buf[AMOUNT_MAX], uint64_t v, const char *unit);
void amount_number(char buf[AMOUNT_MAX], uint64_t v); /* "1,234,567" */
#endif
