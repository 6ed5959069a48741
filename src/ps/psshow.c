/* SPDX-License-Identifier: Apache-2.0 */
#include "ps/psshow.h"
#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "base/units.h"
#include "view/form/table.h"

#define MAX_WHERE 3 /* places of a program that are named */
#define KIB 1024
#define WIDE 110 /* columns of a terminal that has room for all */

/* The heading of a column that narrow terminals do not have; NULL: it is not shown. */
static const char *if_wide(const struct psshow *s, const char *heading)
{
	return s->columns && s->columns < WIDE ? NULL : heading;
}

/* The sums of a process. */
struct sums {
	uint64_t run_ns, runs, misses, places;
};

static struct sums sums_of(const struct inventory *v, const struct inv_proc *p)
{
	struct sums s = { .places = p->nevents };

	for (size_t i = 0; i < p->nprogs; i++) {
		s.run_ns += v->progs[p->progs[i]].run_ns;
		s.runs += v->progs[p->progs[i]].runs;
		s.misses += v->progs[p->progs[i]].misses;
	}
	for (size_t i = 0; i < p->nlinks; i++)
		s.places += v->links[p->links[i]].places;
	return s;
}

/* NAN where nothing was measured. */
static double per_second(const struct inventory *v, uint64_t n)
{
	return v->measured && v->interval_ns ? (double)n * (double)NSEC_PER_SEC / (double)v->interval_ns : NAN;
}

static double cpu_share(const struct inventory *v, uint64_t ns)
{
	return v->measured && v->interval_ns ? 100.0 * (double)ns / (double)v->interval_ns : NAN;
}

static double each(const struct inventory *v, uint64_t ns, uint64_t runs)
{
	return v->measured && runs ? (double)ns / (double)runs : NAN;
}

/* By /etc/passwd alone: getpwuid() may load libraries, which the static build cannot. */
static const char *user_of(struct arena *a, uid_t uid)
{
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *p;
	const char *name = NULL;

	while (f && !name && (p = fgetpwent(f)))
		if (p->pw_uid == uid)
			name = arena_strdup(a, p->pw_name);
	if (f)
		fclose(f);
	return name ? name : arena_printf(a, "%u", uid);
}

static void process_line(struct psshow *s, struct table *t, const struct inv_proc *p)
{
	const struct inventory *v = &s->v;
	struct sums u = sums_of(v, p);
	const struct column columns[] = {
		{ { "PID", CELL_INT, 7, 0, { .i = p->pid } }, "pid", 0 },
		{ { if_wide(s, "USER"), CELL_TEXT, -8, 0, { .s = user_of(s->a, p->uid) } }, NULL, 0 },
		{ { NULL, CELL_UINT, 0, 0, { .u = p->uid } }, "uid", 0 },
		{ { "PROGRAMS", CELL_UINT, 8, 0, { .u = p->nprogs } }, "programs", 0 },
		{ { "PROBES", CELL_UINT, 7, 0, { .u = u.places } }, "probes", 0 },
		{ { if_wide(s, "MAPS"), CELL_UINT, 5, 0, { .u = p->nmaps } }, "maps", 0 },
		{ { "KIB", CELL_UINT, 8, 0, { .u = (p->map_memory + KIB - 1) / KIB } }, NULL, 0 },
		{ { NULL, CELL_UINT, 0, 0, { .u = p->map_memory } }, "map_bytes", 0 },
		{ { "RUNS/S", CELL_NUMBER, 9, 0, { .d = per_second(v, u.runs) } }, "runs_per_s", 1 },
		{ { "NS/RUN", CELL_NUMBER, 8, 0, { .d = each(v, u.run_ns, u.runs) } }, "ns_per_run", 1 },
		{ { "CPU%", CELL_NUMBER, 6, 2, { .d = cpu_share(v, u.run_ns) } }, "cpu_percent", 4 },
		{ { if_wide(s, "MISSES"), CELL_UINT, 7, 0, { .u = u.misses } }, "misses", 0 },
		{ { "COMMAND", CELL_TEXT, -1, 0, { .s = p->command } }, "command", 0 },
	};

	t->type = "process";
	table_columns(t, columns, ARRAY_SIZE(columns));
}

/* Names of the places of a link: of the kernel's functions, or what the kernel says. */
static size_t add_places(struct psshow *s, const struct inv_link *l, struct strb *b, size_t n)
{
	struct symbol sym;

	if (!l->addrs[0] && *l->where && n++ < MAX_WHERE)
		strb_printf(b, "%s%s", b->n ? ", " : "", l->where);
	for (size_t i = 0; i < INV_ADDRS && l->addrs[i] && n < MAX_WHERE; i++, n++) {
		bool known = s->sym && sym_kernel(s->sym, l->addrs[i], &sym);

		strb_printf(b, "%s", b->n ? ", " : arena_printf(s->a, "%s ", l->where));
		if (!known)
			strb_printf(b, "0x%llx", (unsigned long long)l->addrs[i]);
		else if (sym.offset)
			strb_printf(b, "%s+0x%llx", sym.name, (unsigned long long)sym.offset);
		else
			strb_adds(b, sym.name);
	}
	return n;
}

/* Where a program is attached, by the links of a process that lead to it; p NULL: nobody knows. */
static const char *where_of(struct psshow *s, const struct inv_proc *p, const struct inv_prog *g, uint64_t *places,
			    uint64_t *missed)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	size_t n = 0;

	*places = *missed = 0;
	for (size_t i = 0; p && i < p->nlinks; i++) {
		const struct inv_link *l = &s->v.links[p->links[i]];

		if (l->prog != g->id)
			continue;
		*places += l->places;
		*missed += l->missed;
		n = add_places(s, l, &b, n);
	}
	n = n < MAX_WHERE ? n : MAX_WHERE;
	if (b.n && *places > n)
		strb_printf(&b, " and %llu more", (unsigned long long)(*places - n));
	return arena_strdup(s->a, strb_str(&b));
}

static void program_line(struct psshow *s, struct table *t, const struct inv_proc *p, const struct inv_prog *g)
{
	const struct inventory *v = &s->v;
	uint64_t places, missed;
	const char *where = where_of(s, p, g, &places, &missed);
	const struct column columns[] = {
		{ { "PROGRAM", CELL_UINT, 7, 0, { .u = g->id } }, "id", 0 },
		{ { if_wide(s, "TYPE"), CELL_TEXT, -12, 0, { .s = g->type } }, "kind", 0 },
		{ { "NAME", CELL_NAME, -15, 0, { .s = g->name } }, "name", 0 },
		{ { "PROBES", CELL_UINT, 6, 0, { .u = places } }, "probes", 0 },
		{ { "HITS", CELL_UINT, 9, 0, { .u = g->runs } }, "hits", 0 },
		{ { "NS/RUN", CELL_NUMBER, 8, 0, { .d = each(v, g->run_ns, g->runs) } }, "ns_per_run", 1 },
		{ { "CPU%", CELL_NUMBER, 6, 2, { .d = cpu_share(v, g->run_ns) } }, "cpu_percent", 4 },
		{ { "MISSES", CELL_UINT, 7, 0, { .u = g->misses + missed } }, "misses", 0 },
		{ { "WHERE", CELL_NAME, -1, 0, { .s = where } }, "where", 0 },
	};

	t->type = "program";
	table_columns(t, columns, ARRAY_SIZE(columns));
}

static int by_cost(const void *a, const void *b, void *arg)
{
	struct sums x = sums_of(arg, a), y = sums_of(arg, b);

	if (x.run_ns != y.run_ns)
		return x.run_ns < y.run_ns ? 1 : -1;
	return ((const struct inv_proc *)a)->pid - ((const struct inv_proc *)b)->pid;
}

int psshow_processes(struct psshow *s)
{
	struct table t = { .out = s->out, .json = s->json, .fit = s->columns }, free_ones = t;
	size_t without = 0;

	qsort_r(s->v.procs, s->v.nprocs, sizeof(*s->v.procs), by_cost, &s->v);
	for (size_t i = 0; i < s->v.nprocs; i++)
		process_line(s, &t, &s->v.procs[i]);
	if (!s->v.nprocs && !s->json)
		fprintf(s->out, "no process holds BPF programs\n");
	for (size_t i = 0; i < s->v.nprogs; i++)
		without += !s->v.progs[i].held;
	if (without && !s->json)
		fprintf(s->out, "\n%zu program%s held by no process: pinned, or attached for good%s\n", without,
			without == 1 ? " is" : "s are", s->all ? ":" : " (dwell ps --all)");
	for (size_t i = 0; i < s->v.nprogs && s->all; i++)
		if (!s->v.progs[i].held)
			program_line(s, &free_ones, NULL, &s->v.progs[i]);
	if (s->v.left_out && !s->json)
		fprintf(s->out, "more than %u programs: %zu are left out\n", INVENTORY_MAX_PROGS, s->v.left_out);
	if (s->v.links_left_out && !s->json)
		fprintf(s->out, "more than %u links: the probes of %zu are left out\n", INVENTORY_MAX_LINKS,
			s->v.links_left_out);
	return t.error ? t.error : free_ones.error;
}

int psshow_one(struct psshow *s, pid_t pid)
{
	struct table t = { .out = s->out, .json = s->json, .fit = s->columns };

	for (size_t i = 0; i < s->v.nprocs; i++) {
		const struct inv_proc *p = &s->v.procs[i];

		if (p->pid != pid)
			continue;
		for (size_t k = 0; k < p->nprogs; k++)
			program_line(s, &t, p, &s->v.progs[p->progs[k]]);
		return t.error;
	}
	return -ESRCH;
}
