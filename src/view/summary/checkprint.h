/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of `dwell check`, as a page of text, as JSON, and as one HTML file. */
#ifndef DWELL_VIEW_SUMMARY_CHECKPRINT_H
#define DWELL_VIEW_SUMMARY_CHECKPRINT_H
#include <stdio.h>
#include "base/strb.h"
#include "latency/check/check.h"

struct check_page {
	const char *title; /* what was looked at: "this machine", "process 4711", a recording's name */
	int columns;
};

/* 0, or -errno: out cannot be written. */
int checkprint_text(const struct check_report *r, const struct check_page *p, FILE *out);
int checkprint_json(const struct check_report *r, const struct check_page *p, FILE *out);
int checkprint_html(const struct check_report *r, const struct check_page *p, FILE *out);

/* -- shared by the three -- */

/* "412 waits, 2.0 ms on average" */
void checkprint_number(struct strb *b, const struct check_finding *f);
/* "nginx 92 %, sh 8 %" */
void checkprint_shares(struct strb *b, const struct check_finding *f, const struct check_shares *s);
/* "twice as much as before (10 ms/s)"; nothing without an earlier recording. */
void checkprint_before(struct strb *b, const struct check_finding *f);
/* The one sentence on top: "Nothing is slow …", "3 findings …". */
void checkprint_verdict(struct strb *b, const struct check_report *r);
/* Writes the end: the own cost, losses, and what was not looked at. */
void checkprint_notes(struct strb *b, const struct check_report *r);
/* Writes the values of an area's other rules: "cpu-saturated 1.20 ms/s, steal 0"; false: there are none. */
bool checkprint_well(struct strb *b, const struct check_report *r, enum check_area area);
#endif
