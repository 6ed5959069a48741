/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the table of all views: those of src/view, and the view that prints a recorded run again. */
#ifndef DWELL_ENGINE_VIEWS_H
#define DWELL_ENGINE_VIEWS_H
#include "view/view.h"

extern const struct view view_report;
extern const struct view *const all_views[]; /* ends with NULL */
#endif
