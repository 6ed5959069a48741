/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the run-time pieces that generated programs call: one for each row of rt.def. */
#ifndef DWELL_CG_IR_RTID_H
#define DWELL_CG_IR_RTID_H

enum rt_id {
#define RT(id, nargs) RT_##id,
#include "cg/ir/rt.def"
#undef RT
	RT_COUNT_
};
#endif
