/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the functions that can be traced: ftrace's list, with addresses where the kernel gives them (Linux 6.5),
 * else by kallsyms. Source: kernel/trace/ftrace.c, t_show(). */
#include "prov/kernel/kfuncs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/reasons.h"
#include "load/tracefs.h"
#include "sym/proc/kallsyms.h"

#define INVALID "__ftrace_invalid_address___" /* ftrace prints it for a function that is no longer in memory */
#define LOC_MAX 16			      /* bytes from a function's start to the place that is patched */

/* Functions that BPF, its maps and helpers, ftrace and stack walks call while a program of dwell runs; a * ends a name.
 * The kernel would skip such firings: bpf_prog_active in kernel/trace/bpf_trace.c. */
static const char *const machinery[] = {
	"bpf_*",
	"__bpf_*",
	"___bpf_*",
	"____bpf_*",
	"__traceiter_*",
	"__probestub_*",
	"htab_*",
	"__htab_*",
	"lookup_nulls_elem_raw*",
	"lookup_elem_raw*",
	"alloc_htab_elem*",
	"free_htab_elem*",
	"pcpu_copy_value*",
	"pcpu_init_value*",
	"check_and_init_map_value*",
	"unit_alloc",
	"unit_free",
	"array_map_*",
	"percpu_array_*",
	"pcpu_*freelist_*",
	"__pcpu_freelist_*",
	"copy_from_kernel_nofault*",
	"copy_from_user_nofault*",
	"strncpy_from_kernel_nofault*",
	"strncpy_from_user_nofault*",
	"copy_to_user_nofault*",
	"trace_call_bpf",
	"kprobe_*",
	"kretprobe_*",
	"__kprobe_*",
	"fprobe_*",
	"rethook_*",
	"objpool_*",
	"fgraph_*",
	"is_endbr",
	"ftrace_*",
	"__ftrace_*",
	"arch_ftrace_*",
	"arch_rethook_*",
	"function_graph_*",
	"trace_recursion_*",
	"perf_trace_buf_*",
	"get_perf_callchain",
	"get_callchain_*",
	"put_callchain_*",
	"perf_callchain_*",
	"perf_get_*",
	"unwind_*",
	"__unwind_*",
	"orc_*",
	"stack_access_ok",
	"get_stack_info*",
	"in_task_stack",
	"in_irq_stack",
	"in_entry_stack",
	"__module_address",
	"__module_text_address",
	"is_module_text_address",
	"is_bpf_text_address",
	"kernel_text_address",
	"__kernel_text_address",
	"core_kernel_text",
	"__rcu_read_*",
	"rcu_read_*",
	"rcu_is_watching",
	"rcu_lockdep_*",
	"migrate_disable",
	"migrate_enable",
	"preempt_count_*",
	"ktime_get_mono_fast_ns",
	"ktime_get_boot_fast_ns",
	"ktime_get_raw_fast_ns",
	"irq_work_*",
	"__irq_work_*",
	"arch_irq_work_*",
	"sysvec_irq_work",
	"__sysvec_irq_work",
	"tnum_*",
	"__task_pid_nr_ns",
	"lookup_bpf_*",
	"bstr_printf",
};

/* Functions that the kernel calls for each function whose code it patches. In a guest with 6.12 they fired dozens of
 * times per function, which takes longer than the patching. Source: arch/x86/kernel/alternative.c, __text_poke(). */
static const char *const patching[] = {
	"__text_poke*",
	"text_poke*",
	"perf_event_text_poke",
	"insn_*",
	"inat_*",
	"aarch64_insn_*",
	"__aarch64_insn_*",
	"switch_mm_irqs_off",
	"switch_ldt",
	"*use_temporary_mm",
	"__get_locked_pte",
	"walk_to_pmd",
	"__pte_offset_map*",
	"flush_tlb_*",
	"do_flush_tlb_*",
	"native_flush_tlb*",
	"vmalloc_to_page",
	"do_sync_core",
	"on_each_cpu*",
	"smp_call_function*",
	"generic_smp_call*",
	"__flush_smp_call*",
	"*sysvec_call_function*",
	"*sysvec_apic_timer*",
	"*sysvec_reschedule*",
	"llist_*",
	"_raw_spin_*",
	"_raw_read_*",
	"_raw_write_*",
	"mutex_*",
	"__mutex_*",
	"__cond_resched*",
	"kallsyms_*",
	"get_symbol_*",
	"__slab_*",
	"kfree",
	"__kmalloc*",
	"ktime_get*",
	"irq_enter*",
	"irq_exit*",
	"*hrtimer_*",
	"tick_*",
	"update_*",
	"rcu_*",
};

static bool in_table(const char *const *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if ((v[i][0] == name[0] || v[i][0] == '*') && pdesc_glob(v[i], name))
			return true;
	return false;
}

bool kfuncs_is_machinery(const char *name)
{
	return in_table(machinery, ARRAY_SIZE(machinery), name);
}

bool kfuncs_is_patching(const char *name)
{
	return in_table(patching, ARRAY_SIZE(patching), name);
}

size_t kfuncs_stem(const char *name)
{
	static const char *const marks[] = { ".isra.", ".constprop.", ".part.", ".cold", ".llvm." };
	const char *end = NULL;

	for (size_t i = 0; strchr(name, '.') && i < ARRAY_SIZE(marks); i++) {
		const char *p = strstr(name, marks[i]);

		if (p && p > name && (!end || p < end))
			end = p;
	}
	return end ? (size_t)(end - name) : strlen(name);
}

bool kfuncs_matches(const char *pat, const char *name)
{
	char stem[KSYMS_MAX_NAME];
	size_t n;

	if (!pat || pdesc_glob(pat, name))
		return true;
	n = strchr(name, '.') ? kfuncs_stem(name) : sizeof(stem);
	if (n >= sizeof(stem) || !name[n])
		return false;
	memcpy(stem, name, n);
	stem[n] = '\0';
	return pdesc_glob(pat, stem);
}

/* One line in place. False: it names no function. */
static bool parse_line(char *line, bool addrs, struct kfunc *f)
{
	char *s = line, *mod, *end;

	*f = (struct kfunc){ .mod = "vmlinux" };
	if (addrs) {
		f->loc = strtoull(s, &end, 16);
		if (end == s || *end != ' ')
			return false;
		s = end + 1;
	}
	f->name = s;
	s += strcspn(s, " \t");
	mod = strchr(s, '[');
	*s = '\0';
	if (mod) {
		f->mod = mod + 1;
		mod[strcspn(mod, "]")] = '\0';
	}
	return *f->name && strncmp(f->name, INVALID, strlen(INVALID)) != 0;
}

static uint32_t hash_name(const struct kfunc *f)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (const char *s = f->mod; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	for (const char *s = f->name; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return h ^ h >> 16;
}

static int by_slot(const void *a, const void *b)
{
	const struct kfunc *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Slots of modules' functions: the hash, or the next that is free. */
static int give_slots(struct kfuncs *k)
{
	uint32_t room = KFUNCS_MAX_SLOTS - KFUNCS_MAX_BUILTIN, s;
	_cleanup_free_ uint8_t *taken = calloc(room, 1);

	if (!taken)
		return -ENOMEM;
	if (k->nbuiltin > KFUNCS_MAX_BUILTIN)
		return -E2BIG;
	if (k->n - k->nbuiltin > room / 2)
		k->n = k->nbuiltin + room / 2;
	for (size_t i = 0; i < k->n; i++) {
		if (i < k->nbuiltin) {
			k->v[i].slot = (uint32_t)i;
			continue;
		}
		for (s = hash_name(&k->v[i]) % room; taken[s]; s = (s + 1) % room)
			;
		taken[s] = 1;
		k->v[i].slot = KFUNCS_MAX_BUILTIN + s;
	}
	if (k->n > k->nbuiltin)
		qsort(k->v + k->nbuiltin, k->n - k->nbuiltin, sizeof(*k->v), by_slot);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct kfunc *x = *(struct kfunc *const *)a, *y = *(struct kfunc *const *)b;
	int r = strcmp(x->name, y->name);

	r = r ? r : strcmp(x->mod, y->mod);
	return r ? r : x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Numbers functions of the same name. Returns all functions sorted by name, malloc'ed. */
static struct kfunc **sort_names(struct kfuncs *k)
{
	struct kfunc **v = malloc((k->n + 1) * sizeof(*v));

	if (!v)
		return NULL;
	for (size_t i = 0; i < k->n; i++)
		v[i] = &k->v[i];
	qsort(v, k->n, sizeof(struct kfunc *), by_name);
	for (size_t i = 1; i < k->n; i++)
		if (!strcmp(v[i]->name, v[i - 1]->name) && !strcmp(v[i]->mod, v[i - 1]->mod))
			v[i]->nth = v[i - 1]->nth + 1;
	return v;
}

int kfuncs_parse(struct arena *a, char *text, bool addrs, struct kfuncs *ret)
{
	struct kfuncs k = { 0 };
	char *save = NULL;
	size_t lines = 1;

	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	k.v = arena_new_arr(a, struct kfunc, lines);
	/* Functions of the kernel come first, in the list's order. */
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		struct kfunc *f = &k.v[k.n];

		if (!parse_line(l, addrs, f))
			continue;
		f->machinery = kfuncs_is_machinery(f->name);
		k.n++;
		if (strcmp(f->mod, "vmlinux") != 0)
			continue;
		if (k.nbuiltin < k.n - 1) { /* a module's came before */
			struct kfunc t = k.v[k.nbuiltin];

			k.v[k.nbuiltin] = *f;
			*f = t;
		}
		k.nbuiltin++;
	}
	int r = give_slots(&k);

	if (r == 0)
		*ret = k;
	return r;
}

int kfuncs_get(struct prov_env *env, const struct kfuncs **ret, const char **reason)
{
	struct prov_cache *pc = env->cache;
	_cleanup_free_ char *text = NULL;
	struct reason words;
	struct kfuncs k;
	bool addrs = true;
	size_t len;
	int dir, r;

	if (pc->kfuncs) {
		*ret = pc->kfuncs;
		return 0;
	}
	dir = prov_tracefs(env);
	r = dir < 0 ? env->tracefs_error : tracefs_read(dir, "available_filter_functions_addrs", &text, &len);
	if (r == -ENOENT && dir >= 0) {
		addrs = false;
		r = tracefs_read(dir, "available_filter_functions", &text, &len);
	}
	if (r < 0) {
		*reason = r == -ENOENT && dir >= 0 ? "the kernel has no list of functions that can be traced: it was "
						     "built without CONFIG_DYNAMIC_FTRACE"
						   : arena_strdup(pc->arena, reason_tracefs(r, &words));
		return r;
	}
	r = kfuncs_parse(pc->arena, arena_strndup(pc->arena, text, len), addrs, &k);
	if (r < 0) {
		*reason = "the kernel's list of functions is too long";
		return r;
	}
	pc->kfuncs = arena_memdup(pc->arena, &k, sizeof(k));
	*ret = pc->kfuncs;
	return 0;
}

const struct kfunc *kfuncs_by_slot(const struct kfuncs *k, uint32_t slot)
{
	struct kfunc key = { .slot = slot };

	return k->n ? bsearch(&key, k->v, k->n, sizeof(key), by_slot) : NULL;
}

/* By the place that is patched: the symbol around it. */
static void locate_by_place(struct kfuncs *k, const struct ksyms *ks)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct ksym *s = ksyms_at(ks, k->v[i].loc);

		if (s && k->v[i].loc - s->addr <= LOC_MAX)
			k->v[i].addr = s->addr;
	}
}

struct named {
	const char *name, *mod;
	uint64_t addr;
};

static int by_symbol(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	r = r ? r : strcmp(x->mod, y->mod);
	return r ? r : x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* By name. Where the list has fewer functions of a name than there are, nobody knows which. */
static void locate_by_name(struct kfuncs *k, const struct ksyms *ks)
{
	_cleanup_free_ struct named *n = malloc((ks->n + 1) * sizeof(*n));
	_cleanup_free_ struct kfunc **v = sort_names(k);
	size_t m = 0, at = 0;

	if (!n || !v)
		return;
	for (size_t i = 0; i < ks->n; i++)
		if (strchr("tTwW", ks->v[i].type))
			n[m++] = (struct named){ ksyms_name(ks, &ks->v[i]), ksyms_module(ks, &ks->v[i]),
						 ks->v[i].addr };
	qsort(n, m, sizeof(*n), by_symbol);
	for (size_t i = 0, j; i < k->n; i = j) {
		struct named key = { v[i]->name, v[i]->mod, 0 };
		size_t have = 0;

		for (j = i + 1; j < k->n && v[j]->nth > 0; j++)
			;
		while (at < m && by_symbol(&n[at], &key) < 0)
			at++;
		while (at + have < m && !strcmp(n[at + have].name, key.name) && !strcmp(n[at + have].mod, key.mod))
			have++;
		for (size_t t = i; have == j - i && t < j; t++)
			v[t]->addr = n[at + t - i].addr;
	}
}

void kfuncs_locate_in(struct kfuncs *k, const struct ksyms *ks)
{
	if (k->n && k->v[0].loc)
		locate_by_place(k, ks);
	else
		locate_by_name(k, ks);
	k->located = true;
}

int kfuncs_locate(struct prov_env *env, struct err *err)
{
	struct kfuncs *k = env->cache->kfuncs;
	struct ksyms ks;
	int r;

	if (k->located)
		return 0;
	r = ksyms_read(&ks, "/proc/kallsyms", err);
	if (r < 0)
		return r;
	kfuncs_locate_in(k, &ks);
	ksyms_free(&ks);
	return 0;
}
