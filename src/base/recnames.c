/* SPDX-License-Identifier: Apache-2.0 */
#include "base/recnames.h"
#include <string.h>
#include "base/cleanup.h"

static const char *const field_names[] = {
	[FLD_INT] = "int",	 [FLD_STRING] = "string", [FLD_BYTES] = "bytes", [FLD_STACK] = "stack",
	[FLD_USTACK] = "ustack", [FLD_SYM] = "sym",	  [FLD_FUNC] = "func",	 [FLD_MOD] = "mod",
	[FLD_WHY] = "why",	 [FLD_USYM] = "usym",	  [FLD_UFUNC] = "ufunc", [FLD_UMOD] = "umod",
	[FLD_UADDR] = "uaddr",
};

static const char *const act_names[] = {
#define RECACT(kind, name, ...) [ACT_##kind] = name,
#include "base/recact.def"
#undef RECACT
};

static const char *const agg_names[] = {
	[AGG_COUNT] = "count",
	[AGG_SUM] = "sum",
	[AGG_AVG] = "avg",
	[AGG_MIN] = "min",
	[AGG_MAX] = "max",
	[AGG_STDDEV] = "stddev",
	[AGG_QUANTIZE] = "quantize",
	[AGG_LQUANTIZE] = "lquantize",
	[AGG_LLQUANTIZE] = "llquantize",
	[AGG_HIST] = "hist",
};

static const char *name_of(const char *const *names, size_t n, unsigned k)
{
	return k < n ? names[k] : NULL;
}

static int kind_of(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; name && i < n; i++)
		if (names[i] && !strcmp(names[i], name))
			return (int)i;
	return -1;
}

const char *rec_field_name(enum field_kind k)
{
	return name_of(field_names, ARRAY_SIZE(field_names), k);
}

int rec_field_kind(const char *name)
{
	return kind_of(field_names, ARRAY_SIZE(field_names), name);
}

const char *rec_act_name(enum act_kind k)
{
	return name_of(act_names, ARRAY_SIZE(act_names), k);
}

int rec_act_kind(const char *name)
{
	return kind_of(act_names, ARRAY_SIZE(act_names), name);
}

const char *rec_agg_name(enum agg_func f)
{
	return name_of(agg_names, ARRAY_SIZE(agg_names), f);
}

int rec_agg_func(const char *name)
{
	return kind_of(agg_names, ARRAY_SIZE(agg_names), name);
}
