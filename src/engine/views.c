/* SPDX-License-Identifier: Apache-2.0 */
/* Lists all views: those of the floor view, and the ones that need the engine. */
#include "engine/views.h"

const struct view *const all_views[] = {
#define VIEW(name) &view_##name,
#include "view/view.def"
#undef VIEW
	&view_report,
	NULL,
};
