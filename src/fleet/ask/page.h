/* SPDX-License-Identifier: Apache-2.0 */
/* Answers questions of the fleet's page. A text of lines, the name of the question and then key=value, as the page's
 * server hands it over (serve/askapi.c), becomes lines of JSON. The page can ask these questions only. */
#ifndef DWELL_FLEET_ASK_PAGE_H
#define DWELL_FLEET_ASK_PAGE_H
#include <stdio.h>
#include "fleet/ask/show.h"

#define ASKPAGE_EVENTS 100u		     /* slow events */
#define ASKPAGE_RANGE_MAX (400u * 24 * 3600) /* s */

struct askpage {
	struct askshow show; /* its store is set */
	const char *question;
	uint64_t step; /* s of a column */
	double quantile;
};
/* Reads the text, which is cut and must outlive p. 0; -EINVAL with what is wrong. */
int askpage_read(struct askpage *p, char *text, struct err *err);
/* Answers to p->show.out. 0 or -errno. */
int askpage_answer(struct askpage *p, struct click *c, struct err *err);
#endif
