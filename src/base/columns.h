/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the width of standard output in columns, and breaks text to it. */
#ifndef DWELL_BASE_COLUMNS_H
#define DWELL_BASE_COLUMNS_H
#include <stdio.h>

#define COLUMNS_MIN 60
#define COLUMNS_DEFAULT 80
#define COLUMNS_MAX 200

/* Columns of the terminal, from COLUMNS_MIN to COLUMNS_MAX; of anything else COLUMNS_DEFAULT. */
int columns_of_stdout(void);
/* The same; 0 if it is no terminal: nothing is cut or wrapped there. */
int columns_of_terminal(void);
/* Puts the words of a line under each other from the column `indent` on, and a newline. The line has `at` characters
 * before them. columns: 0 keeps them in one line. */
void columns_wrap(FILE *out, const char *text, int at, int indent, int columns);
#endif
