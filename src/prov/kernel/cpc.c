/* SPDX-License-Identifier: Apache-2.0 */
/* Provider cpc: fires at every N-th event of a kind, EVENT-MODE-N. The events of the kernel (page faults,
 * context switches …) are everywhere, those of the CPU where the machine has a unit that counts them.
 * Source: DTrace guide, "cpc Provider": names and arguments; perf_event_open(2). */
#include <errno.h>
#include <linux/bpf_perf_event.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "load/cpus.h"
#include "load/link.h"
#include "load/reasons.h"
#include "prov/prov_int.h"

#define COUNT_MAX INT64_MAX    /* perf refuses the top bit */
#define CLOCK_MIN_NS 200000ull /* of the events that count time, as the provider profile has it */
#define DYNAMIC 128	       /* ids: those of listed probes, then what else is named */

static const struct cpc_event {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t listed; /* N of the listed probe; 0: another name for an event, not listed */
	bool is_time;
} events[] = {
#define SW(name, config, n) \
	{ \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, n, false \
	}
#define HW(name, config, n) \
	{ \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, n, false \
	}
	SW("page-faults", PAGE_FAULTS, 1000),
	SW("faults", PAGE_FAULTS, 0),
	SW("minor-faults", PAGE_FAULTS_MIN, 1000),
	SW("major-faults", PAGE_FAULTS_MAJ, 10),
	SW("context-switches", CONTEXT_SWITCHES, 1000),
	SW("cs", CONTEXT_SWITCHES, 0),
	SW("cpu-migrations", CPU_MIGRATIONS, 100),
	SW("migrations", CPU_MIGRATIONS, 0),
	SW("alignment-faults", ALIGNMENT_FAULTS, 100),
	SW("emulation-faults", EMULATION_FAULTS, 100),
	SW("cgroup-switches", CGROUP_SWITCHES, 1000),
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000000, true },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 10000000, true },
	HW("cpu-cycles", CPU_CYCLES, 1000000000),
	HW("cycles", CPU_CYCLES, 0),
	HW("instructions", INSTRUCTIONS, 1000000000),
	HW("cache-references", CACHE_REFERENCES, 10000000),
	HW("cache-misses", CACHE_MISSES, 1000000),
	HW("branch-instructions", BRANCH_INSTRUCTIONS, 100000000),
	HW("branches", BRANCH_INSTRUCTIONS, 0),
	HW("branch-misses", BRANCH_MISSES, 10000000),
	HW("bus-cycles", BUS_CYCLES, 100000000),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, 100000000),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND, 100000000),
	HW("ref-cycles", REF_CPU_CYCLES, 1000000000),
	HW("PAPI_tot_cyc", CPU_CYCLES, 0), /* the names that Solaris has on every CPU */
	HW("PAPI_tot_ins", INSTRUCTIONS, 0),
	HW("PAPI_br_ins", BRANCH_INSTRUCTIONS, 0),
	HW("PAPI_br_msp", BRANCH_MISSES, 0),
#undef SW
#undef HW
};
_Static_assert(ARRAY_SIZE(events) < DYNAMIC && DYNAMIC < PROV_N_CPC, "ids of listed probes");

enum mode { MODE_ALL, MODE_USER, MODE_KERNEL };
static const char *const mode_names[] = { "all", "user", "kernel" };

struct cpc_point { /* probe.priv */
	const struct cpc_event *e;
	enum mode mode;
	uint64_t n;
	uint32_t id;
	const char *name;
	struct cpc_point *next;
};

static struct perf_event_attr attr_of(const struct cpc_point *p)
{
	return (struct perf_event_attr){
		.type = p->e->type,
		.size = sizeof(struct perf_event_attr),
		.config = p->e->config,
		.sample_period = p->n,
		.disabled = 1,
		.exclude_user = p->mode == MODE_KERNEL,
		.exclude_kernel = p->mode == MODE_USER,
		.exclude_hv = p->mode == MODE_USER,
	};
}

/* Does this machine count it? *reason says it when not. */
static bool can_count(const struct cpc_event *e, const char **reason)
{
	struct cpc_point p = { .e = e, .mode = MODE_ALL, .n = COUNT_MAX };
	struct perf_event_attr a = attr_of(&p);
	_cleanup_close_ int fd = (int)syscall(SYS_perf_event_open, &a, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		return true;
	if (errno != ENOENT && errno != EOPNOTSUPP && errno != ENODEV && errno != EINVAL)
		return true; /* not an answer: attaching will tell */
	*reason =
		e->type == PERF_TYPE_HARDWARE
			? "this machine has no performance monitoring unit for it (virtual machines often have none); "
			  "the software events, such as page-faults-all-1000, work"
			: "the kernel does not count it";
	return false;
}

/* -- names -- */

/* Names of events are the same with - and _. */
static bool same_event(const char *name, size_t n, const char *event)
{
	if (strlen(event) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] != event[i] && !(name[i] == '_' && event[i] == '-'))
			return false;
	return true;
}

/* "page-faults-user-100" taken apart; false: not of this form. *reason: of this form, but wrong. */
static bool parse_name(const char *name, struct cpc_point *p, const char **reason)
{
	const char *count = strrchr(name, '-'), *mode = NULL;
	size_t k = 0;
	char *end;

	for (const char *s = name; count && s < count; s++)
		if (*s == '-')
			mode = s;
	if (!mode)
		return false;
	while (k < ARRAY_SIZE(mode_names) &&
	       (strncmp(mode + 1, mode_names[k], (size_t)(count - mode - 1)) || mode_names[k][count - mode - 1]))
		k++;
	if (k == ARRAY_SIZE(mode_names))
		return false;
	p->mode = (enum mode)k;
	p->name = name;
	errno = 0;
	p->n = strtoull(count + 1, &end, 10);
	for (size_t i = 0; !p->e && i < ARRAY_SIZE(events); i++)
		if (same_event(name, (size_t)(mode - name), events[i].name))
			p->e = &events[i];
	if (!p->e)
		*reason = "no such event; dwell -l -P cpc lists them";
	else if (count[1] < '0' || count[1] > '9' || *end || errno || !p->n || p->n > COUNT_MAX)
		*reason = "the last part of the name is how many events there are to a firing: a positive number";
	else if (p->e->is_time && p->n < CLOCK_MIN_NS)
		*reason = "events that count time are in nanoseconds, 200000 or more to a firing";
	return true;
}

static struct cpc_point *listed_point(struct arena *a, size_t i, enum mode mode)
{
	struct cpc_point *p = arena_new_obj(a, struct cpc_point);

	*p = (struct cpc_point){
		.e = &events[i], .mode = mode, .n = events[i].listed, .id = PROV_ID_CPC + (uint32_t)i
	};
	p->name = arena_printf(a, "%s-%s-%llu", p->e->name, mode_names[mode], (unsigned long long)p->n);
	return p;
}

/* The session's record of a name. NULL: there are too many. */
static const struct cpc_point *intern(struct prov_env *env, const struct cpc_point *q)
{
	struct prov_cache *pc = env->cache;
	struct cpc_point **at = &pc->cpc;
	uint32_t n = DYNAMIC;
	size_t i = (size_t)(q->e - events);

	if (q->mode == MODE_ALL && q->e->listed == q->n) {
		struct cpc_point *l = listed_point(pc->arena, i, MODE_ALL);

		if (!strcmp(l->name, q->name))
			return l;
	}
	for (; *at; at = &(*at)->next, n++)
		if (!strcmp((*at)->name, q->name))
			return *at;
	if (n == PROV_N_CPC)
		return NULL;
	*at = arena_new_obj(pc->arena, struct cpc_point);
	**at = *q;
	(*at)->name = arena_strdup(pc->arena, q->name);
	(*at)->id = PROV_ID_CPC + n;
	return *at;
}

/* -- the provider -- */

static struct probe *make(struct arena *a, const struct cpc_point *p)
{
	struct probe *r = arena_new_obj(a, struct probe);

	r->id = p->id;
	r->prov = "cpc";
	r->mod = r->func = "";
	r->name = p->name;
	r->priv = p;
	return r;
}

static int match_name(struct prov_env *env, struct arena *a, const char *name, struct probe_list *out,
		      const char **reason)
{
	struct cpc_point p = { 0 };
	const struct cpc_point *known;
	const char *bad = NULL;

	if (!parse_name(name, &p, &bad))
		return 0;
	if (!bad && can_count(p.e, &bad)) {
		known = intern(env, &p);
		if (known)
			prov_list_add(a, out, make(a, known));
		else
			bad = "too many events";
	}
	if (bad && reason)
		*reason = bad;
	return 0;
}

static int cpc_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		     const char **reason)
{
	if (!pdesc_glob(d->prov, "cpc") || !pdesc_glob(d->mod, "") || !pdesc_glob(d->func, ""))
		return 0;
	if (pdesc_is_exact(d->name))
		return match_name(env, a, d->name, out, reason);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		const char *refusal = NULL;
		struct cpc_point *p;
		struct probe *r;

		if (!events[i].listed)
			continue;
		p = listed_point(env->cache->arena, i, MODE_ALL);
		if (!pdesc_glob(d->name, p->name))
			continue;
		r = make(a, p);
		if (!can_count(p->e, &refusal))
			r->unavailable = refusal;
		prov_list_add(a, out, r);
	}
	return 0;
}

static int cpc_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	uint32_t n = id - PROV_ID_CPC;

	if (n < ARRAY_SIZE(events) && events[n].listed) {
		*ret = make(a, listed_point(env->cache->arena, n, MODE_ALL));
		return 0;
	}
	for (const struct cpc_point *p = env->cache->cpc; p; p = p->next) {
		if (p->id == id) {
			*ret = make(a, p);
			return 0;
		}
	}
	return -ENOENT;
}

static int cpc_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	(void)env;
	(void)a;
	p->args_known = true; /* as with profile, DTrace does not type them */
	return 0;
}

static int cpc_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		     const char **reason)
{
	(void)env;
	(void)a;
	(void)reason;
	*ret = (struct entry){
		.kind = ENTRY_PERF_EVENT,
		.target = "cpc",
		.cpu = -1,
		.instance = p->id,
		.nargs = 3,
		.args = { { .kind = ARG_PC_KERNEL },
			  { .kind = ARG_PC_USER },
			  { .kind = ARG_CTX_REGS, .off = offsetof(struct bpf_perf_event_data, addr) } },
	};
	return 0;
}

static int open_event(const struct cpc_point *p, int cpu, int prog_fd)
{
	struct perf_event_attr a = attr_of(p);

	return link_perf_start((int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC), prog_fd);
}

static int cpc_attach(struct prov_env *env, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		      int prog_fd, struct link **ret, struct err *err)
{
	const struct cpc_point *p = probes[0]->priv;
	struct cpulist cpus = { 0 };
	VEC(int) fds = { 0 };
	struct reason words;
	int r = e->cpu >= 0 ? cpulist_one(&cpus, (unsigned)e->cpu) : cpulist_online(&cpus);

	(void)env;
	(void)nprobes;
	for (size_t i = 0; i < cpus.n && r >= 0; i++) {
		int fd = open_event(p, (int)cpus.v[i], prog_fd);

		if (fd != -ENODEV || e->cpu >= 0) /* went offline meanwhile */
			r = fd < 0 ? fd : vec_try_push(&fds, fd);
	}
	cpulist_done(&cpus);
	if (r >= 0)
		r = link_from_fds(fds.v, fds.n, ret);
	for (size_t i = 0; i < fds.n && r < 0; i++)
		close(fds.v[i]);
	vec_free(&fds);
	return r < 0 ? err_set(err, r, "cannot count the event of cpc:::%s: %s", p->name, reason_perf(r, &words)) : 0;
}

const struct provider prov_cpc = {
	.name = "cpc",
	.id_base = PROV_ID_CPC,
	.id_count = PROV_N_CPC,
	.match = cpc_match,
	.by_id = cpc_by_id,
	.args = cpc_args,
	.entry = cpc_entry,
	.attach = cpc_attach,
};
