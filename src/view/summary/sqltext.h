/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of SQL: their file, where one is wrong, and the views that they may ask. */
#ifndef DWELL_VIEW_SUMMARY_SQLTEXT_H
#define DWELL_VIEW_SUMMARY_SQLTEXT_H
#include "base/strb.h"
#include "view/summary/sqlout.h"

/* Appends what is in a file ("-": standard input), RECSQL_MAX_TEXT bytes at most. 0, or -errno with a message. */
int sqltext_read(const char *path, struct strb *ret, struct err *err);
/* Puts "FILE: line 1, column 15: " in front of a message about byte `at` of a text of n bytes; mark gets that line with
 * a mark below. file: or NULL. */
void sqltext_place(const char *text, size_t n, size_t at, const char *file, struct err *err, struct strb *mark);
/* The list of views: as a table by paragraphs, since columns are many. 0, or -errno of writing. */
int sqltext_views(enum sqlout_form form, struct recsql_sink *sink, FILE *out);
#endif
