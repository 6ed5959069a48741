/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the operators, from op.def. */
#include "lang/op.h"

static const struct {
	const char *text, *name;
	enum op_class class;
} ops[] = {
#define OP(id, text, class) [OP_##id] = { text, #id, OPC_##class },
#include "lang/op.def"
#undef OP
};

const char *op_text(enum op op)
{
	return ops[op].text;
}

const char *op_name(enum op op)
{
	return ops[op].name;
}

enum op_class op_class(enum op op)
{
	return ops[op].class;
}
