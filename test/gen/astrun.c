/* SPDX-License-Identifier: Apache-2.0 */
/* Interpreter of checked D programs: statements, and the program around it; see astrun.h.
 *
 * usage: astrun [-l LOOPMAX] FILE.d    prints what the BEGIN clauses print, then the sums of aggregations
 * as "agg NAME KEY SUM", and on standard error each fault as "error: ID n: text in action #n".
 * Exit code: 0, 1 the compiler refuses the program, 3 it has something that is not known here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "astrun.h"

#define MAX_FILE ((size_t)16 << 20)
#define DEFAULT_LOOPMAX 1000

/* -- probes -- */

/* Clauses of END are accepted, but not run: they print what has been added up. */
static struct probe known[] = {
	{ .id = 1, .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN", .args_known = true },
	{ .id = 2, .prov = "dtrace", .mod = "", .func = "", .name = "END", .args_known = true },
};

static int match(void *ctx, struct arena *a, const struct pdesc *d, struct probe_list *ret, const char **reason)
{
	(void)ctx;
	(void)reason;
	*ret = (struct probe_list){ 0 };
	ret->v = arena_calloc(a, 2, sizeof(*ret->v));
	for (size_t i = 0; i < 2; i++)
		if (pdesc_match(d, &known[i]))
			ret->v[ret->n++] = &known[i];
	return 0;
}

static int get_args(void *ctx, struct arena *a, struct probe *p)
{
	(void)ctx;
	(void)a;
	(void)p;
	return 0;
}

/* -- what is printed -- */

/* Only %d, %s and %%. */
static void do_printf(struct machine *m, const struct node *call)
{
	const struct node *arg = call->args->next;
	const char *f = call->args->str, *end = f + call->args->len;
	struct strb line = { 0 };

	for (; f < end; f++) {
		struct value v;

		if (*f != '%' || f + 1 == end) {
			strb_addc(&line, *f);
			continue;
		}
		f++;
		if (*f == '%') {
			strb_addc(&line, '%');
			continue;
		}
		v = eval(m, arg);
		arg = arg->next;
		if (*f == 's')
			strb_adds(&line, v.s);
		else if (*f == 'd')
			strb_printf(&line, "%lld", (long long)v.i);
		else
			m->unsupported = true;
	}
	if (!m->fault)
		strb_adds(&m->held, strb_str(&line));
	strb_free(&line);
}

static bool is_call_of(const struct stmt *s, enum bi_id id)
{
	return s->kind == ST_EXPR && s->expr->kind == N_CALL && s->expr->builtin && s->expr->builtin->id == id;
}

static bool is_data(const struct stmt *s)
{
	return is_call_of(s, BI_PRINTF) || is_call_of(s, BI_EXIT);
}

static bool is_straight(const struct stmt *s)
{
	return s->kind == ST_EXPR || s->kind == ST_AGG || s->kind == ST_LOCAL || s->kind == ST_EMPTY;
}

/* -- statements -- */

struct value *local_cell(struct machine *m, const struct dvar *v)
{
	return &m->vars[v->id].v;
}

static void do_local(struct machine *m, const struct stmt *s)
{
	struct cell *c = &m->vars[s->var->id];

	if (s->expr) {
		eval(m, s->expr);
		return;
	}
	c->v = (struct value){ 0 };
	free(c->elems);
	c->elems = NULL;
}

static void do_sum(struct machine *m, const struct stmt *s)
{
	const struct dagg *a = s->expr->agg;
	struct value v = { .i = 1 };
	struct elem *e;

	if (a->func == AGG_SUM)
		v = eval(m, s->call->args);
	else if (a->func != AGG_COUNT)
		m->unsupported = true;
	if (m->fault)
		return;
	e = find_elem(m, &m->aggs[a->id], s->expr->args);
	if (!m->fault)
		e->v.i += v.i;
}

static enum flow run_loop(struct machine *m, const struct stmt *s)
{
	enum flow f = run_list(m, s->init);
	bool first = s->post;

	if (!m->calls)
		m->action = s->number;
	while (f == GO || f == CONTINUED) {
		if (s->expr && !first && !truth(m, s->expr))
			break;
		first = false;
		if (!m->fault && m->iterations++ == m->loopmax)
			fault(m, "loop stopped");
		if (m->fault)
			return FAULTED;
		f = run_list(m, s->body);
		if (!m->calls && f != FAULTED)
			m->action = s->number;
		if ((f == GO || f == CONTINUED) && s->step)
			eval(m, s->step);
		if (m->fault)
			return FAULTED;
	}
	return f == BROKE || f == CONTINUED ? GO : f;
}

static enum flow run_one(struct machine *m, const struct stmt *s)
{
	bool yes;

	if (!m->calls)
		m->action = s->number;
	switch (s->kind) {
	case ST_EXPR:
		if (is_call_of(s, BI_PRINTF))
			do_printf(m, s->expr);
		else if (is_call_of(s, BI_EXIT))
			m->exited = true;
		else
			eval(m, s->expr);
		return GO;
	case ST_AGG: do_sum(m, s); return GO;
	case ST_LOCAL: do_local(m, s); return GO;
	case ST_IF: yes = truth(m, s->expr); return m->fault ? FAULTED : run_list(m, yes ? s->body : s->els);
	case ST_LOOP: return run_loop(m, s);
	case ST_BLOCK: return run_list(m, s->body);
	case ST_BREAK: return BROKE;
	case ST_CONTINUE: return CONTINUED;
	case ST_RETURN:
		if (s->expr)
			eval(m, s->expr);
		return RETURNED;
	case ST_EMPTY: break;
	}
	return GO;
}

/* The last data action of the run that begins with s: they are one record, lost in a fault. */
static const struct stmt *run_end(const struct stmt *s)
{
	const struct stmt *last = s;

	for (; s && is_straight(s); s = s->next)
		if (is_data(s))
			last = s;
	return last;
}

static void release(struct machine *m)
{
	strb_adds(&m->out, strb_str(&m->held));
	strb_free(&m->held);
	m->held = (struct strb){ 0 };
}

enum flow run_list(struct machine *m, const struct stmt *s)
{
	const struct stmt *end = NULL;

	for (; s; s = s->next) {
		enum flow f;

		if (!end && !m->holding && !m->calls && is_data(s))
			end = run_end(s);
		f = run_one(m, s);
		if (m->fault)
			return FAULTED;
		if (s == end) {
			release(m);
			end = NULL;
		}
		if (f != GO)
			return f;
	}
	return GO;
}

static void run_clause(struct machine *m, const struct clause_instance *ds)
{
	m->fault = NULL;
	m->iterations = 0;
	m->calls = m->action = 0;
	m->holding = true;
	for (const struct stmt *s = ds->body; s; s = s->next)
		m->holding &= is_straight(s);
	if (!ds->pred || truth(m, ds->pred))
		run_list(m, ds->body);
	if (!m->fault) {
		release(m);
		return;
	}
	strb_free(&m->held);
	m->held = (struct strb){ 0 };
	fprintf(stderr, "error: ID %u: %s in action #%u\n", ds->epid, m->fault, m->action);
}

/* -- the program -- */

static int compile(struct arena *a, const char *path, struct source *src, struct dprog **ret)
{
	static const char *const argv[] = { "astrun" };
	struct probe_source probes = { .match = match, .get_args = get_args };
	struct macro_env macros = { .argv = argv, .argc = 1 };
	struct dopts *opts = arena_new_obj(a, struct dopts);
	struct compile_env env = { .probes = &probes, .macros = &macros, .opts = opts };
	struct strb b = { 0 };
	struct unit *unit;
	struct diags d;
	char *text = arena_alloc(a, MAX_FILE + 1);
	FILE *f = fopen(path, "re");
	int r;

	if (!f)
		return -1;
	*src = (struct source){ .name = path, .text = text, .len = fread(text, 1, MAX_FILE, f) };
	fclose(f);
	text[src->len] = '\0';
	dopts_init(opts, a);
	diags_init(&d, a);
	r = lang_parse(a, src, &env, &d, &unit);
	if (r == 0)
		r = lang_check(a, &unit, 1, &env, &d, ret);
	for (const struct diag *g = d.first; g; g = g->next)
		diag_format(&b, g, true);
	fputs(strb_str(&b), stderr);
	strb_free(&b);
	return r;
}

static void free_list(struct elem *e)
{
	while (e) {
		struct elem *next = e->next;

		free(e);
		e = next;
	}
}

static void finish(struct machine *m)
{
	fputs(strb_str(&m->out), stdout);
	for (const struct dagg *a = m->prog->aggs; a; a = a->next) {
		for (const struct elem *e = m->aggs[a->id]; e; e = e->next)
			printf("agg %s %s%lld\n", a->name, e->key, (long long)e->v.i);
		free_list(m->aggs[a->id]);
	}
	for (uint32_t i = 0; i < m->prog->nvars; i++) {
		free(m->vars[i].elems);
		free_list(m->vars[i].list);
	}
	free(m->vars);
	free(m->aggs);
	strb_free(&m->out);
}

int main(int argc, char **argv)
{
	struct machine m = { .loopmax = DEFAULT_LOOPMAX };
	struct arena *a = arena_new((size_t)1 << 30);
	struct source src;
	int opt;

	while ((opt = getopt(argc, argv, "l:")) != -1) {
		if (opt != 'l')
			return 2;
		m.loopmax = atoll(optarg);
	}
	if (optind + 1 != argc || compile(a, argv[optind], &src, &m.prog) < 0)
		return 1;
	m.vars = calloc(m.prog->nvars + 1, sizeof(*m.vars));
	m.aggs = calloc(m.prog->naggs + 1, sizeof(*m.aggs));
	if (!m.vars || !m.aggs)
		return 1;
	for (const struct clause_instance *ds = m.prog->instances; ds && !m.exited; ds = ds->next)
		if (ds->probes.v[0] == &known[0])
			run_clause(&m, ds);
	finish(&m);
	arena_free(a);
	return m.unsupported ? 3 : 0;
}
