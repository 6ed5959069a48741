/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a statement of SQL, as a table, CSV (RFC 4180) or JSON Lines. */
#ifndef DWELL_VIEW_SUMMARY_SQLOUT_H
#define DWELL_VIEW_SUMMARY_SQLOUT_H
#include <stdio.h>
#include "store/sql/recsql.h"

#define SQLOUT_WIDTH_ROWS 1000u /* the first rows of a table decide how wide its columns are */
#define SQLOUT_MIN_WIDTH 8u	/* of a column that is cut to fit a terminal */

enum sqlout_form { SQLOUT_TABLE, SQLOUT_CSV, SQLOUT_JSON };

struct sqlout;
/* columns: of the terminal; 0: none, nothing is cut. out is not owned. NULL: no memory. */
struct sqlout *sqlout_new(FILE *out, enum sqlout_form form, unsigned columns);
void sqlout_free(struct sqlout *o);
/* Its functions return -errno when out cannot be written. */
struct recsql_sink sqlout_sink(struct sqlout *o);
#endif
