/* SPDX-License-Identifier: Apache-2.0 */
/* Actions: those whose arguments no prototype describes, and which may stand after which. */
#include "lang/check/call.h"
#include "lang/check/clause.h"

/* -- order of actions within a clause -- */

static void after_commit(struct checker *c, struct node *n)
{
	if (c->recorded) /* commit() after commit() is fine since DTrace 2.0.1 */
		fail(c, n, D_COMM_DREC, "commit( ) may not follow data-recording action(s)");
	c->committed = true;
}

static void after_speculate(struct checker *c, struct node *n)
{
	if (c->speculating || c->loops)
		fail(c, n, D_SPEC_SPEC, "speculate( ) may not follow speculate( )");
	else if (c->committed)
		fail(c, n, D_SPEC_COMM, "speculate( ) may not follow commit( )");
	else if (c->recorded)
		fail(c, n, D_SPEC_DREC, "speculate( ) may not follow data-recording action(s)");
	c->speculating = true;
}

static void check_destructive(struct checker *c, struct node *n)
{
	if (!c->prog->destructive.src)
		c->prog->destructive = n->at;
	if (c->speculating)
		fail(c, n, D_ACT_SPEC, "destructive actions may not follow speculate( )");
}

void check_effects(struct checker *c, struct node *n)
{
	const struct builtin *b = n->builtin;
	enum bi_id id = b->id;
	bool data = b->kind == BIK_ACT || b->flags & BIF_VALUE, recorded = data && !(b->flags & BIF_KERNEL);

	if (c->frame && recorded)
		c->nrecords++;
	if (id == BI_COMMIT) {
		after_commit(c, n);
	} else if (id == BI_SPECULATE) {
		after_speculate(c, n);
	} else if (data && id != BI_DISCARD) {
		if (b->flags & BIF_DESTRUCTIVE)
			check_destructive(c, n);
		if (id == BI_EXIT && c->speculating)
			fail(c, n, D_EXIT_SPEC, "exit( ) may not follow speculate( )");
		if (c->committed)
			fail(c, n, D_DREC_COMM, "data-recording actions may not follow commit( )");
		c->recorded |= recorded;
	}
	if (id == BI_EXIT)
		c->prog->has_exit = true;
}

/* -- stacks -- */

/* More than -x maxframes are not taken, as in DTrace. */
static uint32_t cap_frames(struct checker *c, uint64_t frames)
{
	const struct dopts *o = c->env->opts;
	uint64_t max = o && o->maxframes > 0 ? (uint64_t)o->maxframes : OPTIONS_FRAMES_MAX;

	if (max > OPTIONS_FRAMES_MAX)
		max = OPTIONS_FRAMES_MAX;
	return (uint32_t)(frames < max ? frames : max);
}

static uint64_t default_frames(const struct checker *c)
{
	return c->env->opts ? (uint64_t)c->env->opts->stackframes : 20;
}

const struct dtype *check_stack_type(struct checker *c)
{
	return dtype_stack(c->t, DK_STACK, cap_frames(c, default_frames(c)), 0);
}

/* Reports a wrong number of frames. */
static struct node *fail_frames(struct checker *c, struct node *n, const char *tag)
{
	if (!is_int(c, n->args))
		return proto_arg(c, n, 0, n->args, "uint32_t");
	return fail(c, n, tag, "%s( ) argument #1 must be a non-zero positive integer constant", n->name);
}

struct node *check_stack(struct checker *c, struct node *n)
{
	uint64_t frames = default_frames(c);

	if (n->args && !is_positive_const(c, n->args))
		return fail_frames(c, n, D_STACK_SIZE);
	if (n->args)
		frames = n->args->ival;
	return set_type(n, dtype_stack(c->t, DK_STACK, cap_frames(c, frames), 0));
}

struct node *check_ustack(struct checker *c, struct node *n)
{
	bool j = n->builtin->id == BI_JSTACK;
	const struct dopts *o = c->env->opts;
	uint64_t frames = 100, strsize = 0;
	struct node *a, *b;

	a = n->args;
	b = a ? a->next : NULL;
	if (o)
		frames = (uint64_t)(j ? o->jstackframes : o->ustackframes);
	if (o && j)
		strsize = o->jstackstrsize;
	if (a && !is_positive_const(c, a))
		return fail_frames(c, n, D_USTACK_FRAMES);
	if (b && !is_int(c, b))
		return proto_arg(c, n, 1, b, "uint32_t");
	if (b && (b->kind != N_INT || (res(c, b)->is_signed && (int64_t)b->ival < 0)))
		return fail(c, n, D_USTACK_STRSIZE, "%s( ) argument #2 must be a positive integer constant", n->name);
	if (a)
		frames = a->ival;
	if (b)
		strsize = b->ival;
	return set_type(n, dtype_stack(c->t, DK_USTACK, cap_frames(c, frames), (uint32_t)strsize));
}

/* why(stack): the same frames, shown in words. */
struct node *check_why(struct checker *c, struct node *n)
{
	struct node *a = n->args;

	if (n->nargs != 1)
		return fail(c, n, D_STACK_PROTO,
			    "why( ) prototype mismatch: takes one kernel stack, such as why(stack())");
	if (res(c, a)->kind != DK_STACK) {
		fail(c, a, D_STACK_PROTO, "why( ) takes a kernel stack, not '%s'", tname(c, a));
		hint(c, "why(stack()) tells what a thread that is about to wait, or has waited, waits for");
		return set_err(c, n);
	}
	return set_type(n, dtype_why(c->t, res(c, a)->nframes));
}

/* -- tracemem(address, size [, bytes to show]) -- */

struct node *check_tracemem(struct checker *c, struct node *n)
{
	struct node *a, *b, *k;

	a = n->args;
	b = a->next;
	k = b->next;
	if (!is_int(c, a) && !is_ptr(c, a))
		return fail(c, n, D_TRACEMEM_ADDR,
			    "tracemem( ) argument #1 is incompatible with prototype:\n"
			    "\tprototype: pointer or integer\n\t argument: %s",
			    tname(c, a));
	if (!is_int(c, b))
		return proto_arg(c, n, 1, b, "size_t");
	if (!is_positive_const(c, b))
		return fail(c, n, D_TRACEMEM_SIZE,
			    "tracemem( ) argument #2 must be a non-zero positive integral constant "
			    "expression");
	if (k && !is_int(c, k))
		return fail(c, n, D_TRACEMEM_SIZE, "tracemem( ) argument #3 must be an integer");
	n->args = decay(c, a);
	return set_type(n, basic(c, DT_VOID));
}

/* -- print(value), print(pointer) -- */

/* DTrace takes pointers only; here other values are shown too, but constants, which need no print(). */
struct node *check_print(struct checker *c, struct node *n)
{
	const struct dtype *r, *to;
	struct node *a = n->args;

	if (a->kind == N_AGG)
		return fail(c, n, D_PROTO_ARG,
			    "print( ) argument #1 is incompatible with prototype:\n"
			    "\tprototype: void *\n\t argument: aggregation");
	if (!a->type) /* an action */
		return proto_arg(c, n, 0, set_type(a, basic(c, DT_VOID)), "void *");
	r = res(c, a);
	if (r->kind == DK_PTR) {
		to = dtype_resolve(c->t, r->base);
		if (to->kind == DK_FUNC || !to->size)
			return fail(c, n, D_PRINT_SIZE,
				    "print( ) argument #1 reference has type '%s' "
				    "with size 0; cannot print( ) it.",
				    dtype_name(c->t, r->base));
	} else if (a->kind == N_INT || (r->kind != DK_STRING && !r->size)) {
		return proto_arg(c, n, 0, a, "void *");
	}
	return set_type(n, basic(c, DT_VOID));
}

/* -- printf, system, freopen -- */

struct node *check_printf(struct checker *c, struct node *n)
{
	struct node *fmt = n->args;

	if (fmt->kind != N_STR && n->builtin->id == BI_PRINTF && !type_strcompat(c, fmt->type))
		return proto_arg(c, n, 0, fmt, "string");
	if (fmt->kind != N_STR)
		return fail(c, n, D_PRINTF_ARG_FMT,
			    "%s( ) argument #1 is incompatible with prototype:\n\tprototype: "
			    "string constant\n\t argument: %s",
			    n->name, tname(c, fmt));
	if (n->builtin->id == BI_FREOPEN && fmt->len == 1 && fmt->str[0] == '.')
		return fail(c, n, D_FREOPEN_INVALID, "%s( ) argument #1 cannot be \"%s\"", n->name, fmt->str);
	return check_format(c, n, fmt) ? set_type(n, basic(c, DT_VOID)) : set_err(c, n);
}

/* -- actions on aggregations -- */

/* Its tags, and how many arguments it takes. */
struct agg_act {
	const char *proto, *aggarg, *scalar, *undefined;
	unsigned min, max;
};

static struct node *not_agg(struct checker *c, struct node *n, unsigned i, struct node *arg, const char *tag)
{
	const struct builtin *b = arg->kind == N_CALL ? find_builtin_func(c, arg->name) : NULL;

	if (b && b->kind == BIK_AGG)
		return fail(c, n, tag,
			    "%s( ) argument #%u is incompatible with prototype:\n\tprototype: "
			    "aggregation\n\t argument: %s( )",
			    n->name, i, arg->name);
	return fail(c, n, tag,
		    "%s( ) argument #%u is incompatible with prototype:\n\tprototype: "
		    "aggregation\n"
		    "\t argument: %s",
		    n->name, i, tname(c, arg));
}

static struct node *agg_call(struct checker *c, struct node *n, const struct agg_act *row)
{
	struct node *b;

	if (n->nargs < row->min || n->nargs > row->max)
		return fail(c, n, row->proto, "%s( ) prototype mismatch: %u args passed, %s%u expected", n->name,
			    n->nargs,
			    row->min == row->max  ? ""
			    : n->nargs < row->min ? "at least "
						  : "no more than ",
			    n->nargs < row->min ? row->min : row->max);
	if (n->args->kind != N_AGG)
		return not_agg(c, n, 1, n->args, row->aggarg);
	b = n->args->next;
	if (b) {
		if (!is_scalar(c, b))
			return fail(c, n, row->scalar, "%s( ) argument #2 must be of scalar type", n->name);
		b = convert(c, b, basic(c, DT_LONG));
		n->args->next = b;
	}
	late_add(c, n, row->undefined);
	return set_type(n, basic(c, DT_VOID));
}

struct node *check_clear(struct checker *c, struct node *n)
{
	static const struct agg_act row = { D_CLEAR_PROTO, D_CLEAR_AGGARG, NULL, D_CLEAR_AGGBAD, 1, 1 };

	return agg_call(c, n, &row);
}

struct node *check_trunc(struct checker *c, struct node *n)
{
	static const struct agg_act row = { D_TRUNC_PROTO, D_TRUNC_AGGARG, D_TRUNC_SCALAR, D_TRUNC_AGGBAD, 1, 2 };

	return agg_call(c, n, &row);
}

/* normalize(@a, n), denormalize(@a) */
struct node *check_normalize(struct checker *c, struct node *n)
{
	unsigned nargs = n->builtin->id == BI_NORMALIZE ? 2 : 1;
	const struct agg_act row = {
		D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_SCALAR, D_NORMALIZE_AGGBAD, nargs, nargs
	};

	return agg_call(c, n, &row);
}

/* printa(@a, …), printa("format", @a, …) */
struct node *check_printa(struct checker *c, struct node *n)
{
	struct node **slot = &n->args;
	unsigned i = 1;

	if (n->args && n->args->kind == N_STR) {
		slot = &n->args->next;
		i = 2;
	}
	if (!n->nargs)
		return fail(c, n, D_PROTO_LEN, "printa( ) prototype mismatch: 0 args passed, at least 1 expected");
	if (n->nargs < i)
		return fail(c, n, D_PRINTA_PROTO, "printa( ) prototype mismatch: %u args passed, %u expected", n->nargs,
			    i);
	for (; *slot; slot = &(*slot)->next, i++)
		if ((*slot)->kind != N_AGG)
			return not_agg(c, n, i, *slot, D_PRINTA_AGGARG);
	late_add(c, n, D_PRINTA_AGGBAD);
	return set_type(n, basic(c, DT_VOID));
}

/* cgroupid("path"): a constant. */
struct node *check_cgroupid(struct checker *c, struct node *n)
{
	const struct cgroup_source *s = c->env->cgroups;
	const char *reason = "there are no control groups here";
	struct node *k;
	uint64_t id;

	if (n->args->kind != N_STR)
		return fail(c, n, D_PROTO_ARG,
			    "cgroupid( ) argument #1 is incompatible with prototype:\n\tprototype: string constant");
	if (!s || s->find(s->ctx, c->a, n->args->str, &id, &reason) < 0)
		return fail(c, n, D_CGROUP_PATH, "cgroupid(\"%s\"): %s", n->args->str, reason);
	if (reason)
		diag_warn(c->d, n->at, D_CGROUP_PATH, "cgroupid(\"%s\"): %s", n->args->str, reason);
	k = new_node(c, N_INT, n->at);
	k->ival = id;
	k->name = "ull";
	k->next = n->next;
	k->is_const = true;
	return set_type(k, basic(c, DT_ULLONG));
}

/* alloca(size) and copyin(address, size): does a constant size fit? It is the last argument. */
struct node *check_scratch(struct checker *c, struct node *n)
{
	uint64_t max = c->env->opts ? c->env->opts->scratchsize : UINT64_MAX;
	const struct node *size;

	size = n->args->next ? n->args->next : n->args;
	if (size->kind == N_INT && size->ival > max)
		return fail(c, n, D_ALLOCA_SIZE, "%s(%s%llu) size larger than scratchsize %llu", n->name,
			    size == n->args ? "" : "..., ", (unsigned long long)size->ival, (unsigned long long)max);
	return by_proto(c, n);
}
