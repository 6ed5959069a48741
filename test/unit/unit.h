/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test includes: cmocka and the headers that it wants in front of it. */
#ifndef DWELL_TEST_UNIT_H
#define DWELL_TEST_UNIT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#endif
