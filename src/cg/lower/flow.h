/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the compilation of statements: blocks, if, loops, calls of functions. */
#ifndef DWELL_CG_LOWER_FLOW_H
#define DWELL_CG_LOWER_FLOW_H
#include "cg/gen/gen.h"

void gen_stmts(struct gen *g, const struct stmt *s);
void gen_block(struct gen *g, const struct stmt *s); /* … with locals of its own */
bool gen_flow(struct gen *g, const struct stmt *s);
void gen_flow_pred(struct gen *g);
void gen_flow_start(struct gen *g);
vreg gen_call_int(struct gen *g, const struct dcall *call);
void gen_call_str(struct gen *g, const struct dcall *call, struct str *ret);
#endif
