/* SPDX-License-Identifier: Apache-2.0 */
/* Lists all views. */
#include "engine/views.h"

const struct view *const all_views[] = {
#define VIEW(name) &view_##name,
#include "view/view.def"
#undef VIEW
	&view_report,
	NULL,
};
