/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the width of standard output in columns. */
#ifndef DWELL_BASE_COLUMNS_H
#define DWELL_BASE_COLUMNS_H

#define COLUMNS_MIN 60
#define COLUMNS_DEFAULT 80
#define COLUMNS_MAX 200

/* Columns of the terminal, from COLUMNS_MIN to COLUMNS_MAX; of anything else COLUMNS_DEFAULT. */
int columns_of_stdout(void);
#endif
