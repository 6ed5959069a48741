/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the operators: spelling, name and class. */
#ifndef DWELL_LANG_OP_H
#define DWELL_LANG_OP_H
#include "lang/ast.h"

/* The classes of op.def: U prefix, P postfix, B arithmetic, S shift, R relational, L logical, A = */
enum op_class { OPC_U, OPC_P, OPC_B, OPC_S, OPC_R, OPC_L, OPC_A };

const char *op_text(enum op op); /* "+" */
const char *op_name(enum op op); /* "ADD" */
enum op_class op_class(enum op op);
#endif
