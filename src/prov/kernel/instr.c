/* SPDX-License-Identifier: Apache-2.0 */
/* Provider instr: a probe at any instruction of a function of the kernel or of a module. Its name is the offset, the
 * class or the mnemonic; kprobes do the work. kinst is FreeBSD's way to name the same: the offset alone, in decimal.
 * The id of a probe is the lower bits of its address: kernel and modules lie in the last 2 GiB. Source:
 * Documentation/arch/x86/x86_64/mm.rst; FreeBSD's kinst(4); kernel/trace/trace_kprobe.c, within_notrace_func(). */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/kprobe.h"
#include "load/link.h"
#include "load/probe_caps.h"
#include "prov/kernel/fbt.h"
#include "prov/kernel/kcode.h"

#define MAX_FUNCS 1000 /* that one description may look into */
#define TOP_BITS 0xffffffff80000000ull

struct instr_state {
	enum kprobe_way way;
	int error;
	char reason[CAPS_REASON_MAX];
	size_t attached;
	bool said_slow;
};

/* Where a probe is. */
struct place {
	const struct kfunc *f;
	bool at_entry; /* nothing has run yet that could change an argument */
};

/* One description while it is matched. */
struct matching {
	struct prov_env *env;
	struct arena *a;
	struct probe_list *out;
	const char **reason;
	const char *name; /* what the instructions must be; NULL: all */
	bool is_offset;	  /* … at this place: */
	uint64_t off;
	unsigned class; /* … or of this class, or 0 */
	struct kcode code;
	size_t nfuncs, ninsns;
};

static struct instr_state *state(struct prov_env *env)
{
	struct prov_cache *pc = env->cache;
	struct instr_state *s = pc->instr;

	if (s)
		return s;
	s = pc->instr = arena_new_obj(pc->arena, struct instr_state);
	s->way = caps_attach_cookie() ? KPROBE_COOKIE : KPROBE_PLAIN;
	if (KCODE_MACHINE != EM_X86_64) {
		s->error = -EOPNOTSUPP;
		snprintf(s->reason, sizeof(s->reason), "dwell tells the instructions of x86-64 only");
	} else if (!caps_try_kprobe(s->reason, sizeof(s->reason))) {
		s->error = -EOPNOTSUPP;
	}
	return s;
}

#define FAIL(m, ...) (*(m)->reason = arena_printf((m)->env->cache->arena, __VA_ARGS__))

/* Reads the name of a description. False: it means nothing, and *reason tells why. */
static bool read_name(struct matching *m, const char *name, bool decimal)
{
	const char *digits = name;
	char *end;

	m->name = name && *name ? name : NULL;
	if (!m->name || (!decimal && !pdesc_is_exact(name)))
		return true;
	if (!strncmp(name, "0x", 2))
		digits = name + 2;
	else if (!decimal)
		decimal = name[0] >= '0' && name[0] <= '9';
	if (digits == name && !decimal) {
		m->class = insn_class_by_name(name);
		return true;
	}
	m->is_offset = true;
	m->off = strtoull(digits, &end, digits == name ? 10 : 16);
	if (*end || end == digits || strchr("+- \t", *digits)) {
		FAIL(m, "'%s' is no offset: write 0x1a, or in decimal 26", name);
		return false;
	}
	return true;
}

/* The instruction in words, with the name of what it goes to. */
static const char *text_of(struct matching *m, const struct kfunc *f, const struct insn *i)
{
	struct arena *a = m->env->cache->arena;
	const struct ksym *to = kcode_target(&m->code, f, i);

	return to ? arena_printf(a, "%s %s", i->mnemonic, ksyms_name(&m->code.syms, to)) : arena_strdup(a, i->text);
}

static bool wanted(const struct matching *m, const struct kfunc *f, const struct insn *i, const char *hex)
{
	if (m->is_offset)
		return i->off == m->off;
	if (m->class)
		return kcode_class(&m->code, f, i) & m->class;
	return pdesc_glob(m->name, hex) || (m->name && !strcmp(m->name, i->mnemonic));
}

static void add(struct matching *m, const struct kfunc *f, const struct insn *i, const char *hex, bool at_entry)
{
	struct arena *a = m->env->cache->arena;
	const struct place place = { f, at_entry };
	struct probe *p = arena_new_obj(m->a, struct probe);

	*p = (struct probe){ .id = PROV_ID_INSTR | (uint32_t)(f->addr + i->off),
			     .prov = "instr",
			     .mod = f->mod,
			     .func = f->name,
			     .name = arena_strdup(a, hex),
			     .note = text_of(m, f, i),
			     .provider = &prov_instr,
			     .priv = arena_memdup(m->a, &place, sizeof(place)) };
	prov_list_add(m->a, m->out, p);
}

/* An offset that no instruction begins at. */
static void explain_offset(struct matching *m, const struct kfunc *f, const struct insn *v, size_t n)
{
	const struct insn *last = NULL, *next = NULL;

	for (size_t i = 0; i < n && !next; i++) {
		if (v[i].off > m->off)
			next = &v[i];
		else
			last = &v[i];
	}
	if (last && m->off >= last->off + last->len)
		FAIL(m, "%s has no instruction at 0x%llx: its last one is at 0x%x (%s)", f->name,
		     (unsigned long long)m->off, last->off, text_of(m, f, last));
	else if (last && next)
		FAIL(m,
		     "0x%llx is inside of an instruction of %s, a probe there would destroy it: the nearest ones begin at 0x%x "
		     "(%s) and 0x%x (%s)",
		     (unsigned long long)m->off, f->name, last->off, text_of(m, f, last), next->off,
		     text_of(m, f, next));
	else if (last)
		FAIL(m, "0x%llx is inside of the last instruction of %s, which begins at 0x%x (%s)",
		     (unsigned long long)m->off, f->name, last->off, text_of(m, f, last));
}

/* 0, or -errno with *reason: nothing more is looked at. */
static int match_func(struct matching *m, const struct kfunc *f)
{
	_cleanup_free_ struct insn *v = NULL;
	size_t n = 0, first = m->out->n;
	bool at_entry = true;
	char hex[24];
	int r = f->addr ? kcode_list(&m->code, m->env->cache->arena, f, &v, &n, m->reason) : 0;

	if (!f->addr)
		FAIL(m, "other functions are called %s, and the kernel does not tell which of them can be traced",
		     f->name);
	if (r < 0)
		return r;
	m->nfuncs++;
	m->ninsns += n;
	for (size_t i = 0; i < n; i++) {
		snprintf(hex, sizeof(hex), "0x%x", v[i].off);
		if (wanted(m, f, &v[i], hex))
			add(m, f, &v[i], hex, at_entry);
		at_entry = at_entry && kcode_class(&m->code, f, &v[i]) & INSN_FILL;
	}
	if (m->out->n == first && m->is_offset && f->addr)
		explain_offset(m, f, v, n);
	return 0;
}

/* Why a function of this name is not looked into, or NULL. */
static const char *refusal(struct matching *m, const struct kfunc *f)
{
	if (!f->machinery)
		return NULL;
	return FAIL(m, "BPF itself, or what it calls, runs %s for dwell's programs: the kernel skips probes there",
		    f->name);
}

static int match_funcs(struct matching *m, const struct pdesc *d, const struct kfuncs *k)
{
	const struct kfunc *other = NULL;
	size_t found = 0;
	int r = 0;

	for (size_t i = 0; i < k->n && r == 0; i++) {
		const struct kfunc *f = &k->v[i];

		if (!pdesc_glob(d->mod, f->mod) || !kfuncs_matches(d->func, f->name))
			continue;
		found++;
		if (refusal(m, f))
			continue;
		if (m->nfuncs >= MAX_FUNCS) {
			FAIL(m, "more than %d functions would be looked into: name fewer", MAX_FUNCS);
			return -E2BIG;
		}
		r = match_func(m, f);
	}
	if (!found)
		other = fbt_other_name(m->env, d, m->reason);
	if (other && !refusal(m, other))
		r = match_func(m, other);
	return r;
}

static int match_all(struct matching *m, const struct pdesc *d)
{
	const struct kfuncs *k;
	size_t first = m->out->n;
	int r = kfuncs_get(m->env, &k, m->reason);

	if (r < 0 || kcode_open(m->env->cache->arena, &m->code, m->reason) < 0)
		return 0;
	kfuncs_locate_in(m->env->cache->kfuncs, &m->code.syms);
	r = match_funcs(m, d, k);
	kcode_close(&m->code);
	if (r == 0 && m->out->n - first > KPROBE_MAX_SINGLE && !m->env->listing) {
		FAIL(m,
		     "it matches %zu instructions; the kernel attaches these probes one at a time, which would take minutes: name "
		     "fewer, at most %d",
		     m->out->n - first, KPROBE_MAX_SINGLE);
		r = -E2BIG;
	}
	if (r < 0)
		m->out->n = first;
	else if (m->out->n == first && m->nfuncs && !m->is_offset && m->name)
		FAIL(m,
		     "none of the %zu instructions there is '%s': a name is an offset (0x1a), a class (call, ret, branch, load, "
		     "store, lock) or a mnemonic (popcnt)",
		     m->ninsns, m->name);
	return 0;
}

/* Only where the provider is named, and so is a function: all instructions of the kernel are millions. */
static int match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		 const char **reason, bool decimal)
{
	struct matching m = { .env = env, .a = a, .out = out, .reason = reason };

	if (!pdesc_is_exact(d->prov))
		return 0;
	if (state(env)->error)
		*reason = state(env)->reason;
	else if (!d->func || !*d->func || !strcmp(d->func, "*"))
		*reason = "name a function, or a pattern of some: instr:MODULE:FUNCTION:NAME";
	else if (read_name(&m, d->name, decimal))
		return match_all(&m, d);
	return 0;
}

static int instr_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		       const char **reason)
{
	return match(env, a, d, out, reason, false);
}

static int kinst_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		       const char **reason)
{
	return match(env, a, d, out, reason, true);
}

static int instr_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	struct probe_list l = { 0 };
	const char *reason = NULL;
	struct matching m = { .env = env, .a = a, .out = &l, .reason = &reason, .is_offset = true };
	uint64_t addr = TOP_BITS | id;
	const struct kfuncs *k;
	const struct ksym *s;

	if (state(env)->error || kfuncs_get(env, &k, &reason) < 0 ||
	    kcode_open(env->cache->arena, &m.code, &reason) < 0)
		return -ENOENT;
	kfuncs_locate_in(env->cache->kfuncs, &m.code.syms);
	s = ksyms_at(&m.code.syms, addr);
	for (size_t i = 0; s && i < k->n; i++) {
		m.off = addr - s->addr;
		if (k->v[i].addr == s->addr && !k->v[i].machinery && match_func(&m, &k->v[i]) == 0)
			break;
	}
	kcode_close(&m.code);
	if (l.n)
		*ret = l.v[0];
	return l.n ? 0 : -ENOENT;
}

static int kinst_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	(void)env, (void)a, (void)id, (void)ret;
	return -ENOENT;
}

static int instr_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	const struct place *at = p->priv;

	p->args_known = true;
	if (at->at_entry)
		fbt_type_args(env, a, p, at->f, false);
	return 0;
}

static int instr_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		       const char **reason)
{
	struct instr_state *s = state(env);
	const struct place *at = p->priv;

	(void)a;
	if (s->error) {
		*reason = s->reason;
		return s->error;
	}
	*ret = (struct entry){ .kind = ENTRY_KPROBE,
			       .target = "instruction",
			       .cpu = -1,
			       .instance = s->way == KPROBE_PLAIN ? p->id : 1u + at->at_entry };
	if (at->at_entry)
		fbt_place_args(ret, false);
	return 0;
}

/* A note for the user about a success, or the reason why there is none. */
static int outcome(struct instr_state *s, const struct kprobe_fds *f, const struct probe *const *probes, uint32_t n,
		   struct err *err)
{
	static const char patches[] =
		"it patches the code there itself, or the place is on its list of those that no probe may be at";
	const struct probe *p = f->refused ? probes[f->refused_cookie >> 32] : NULL;
	bool listed = f->refusal == -EINVAL || f->refusal == -EILSEQ;

	s->attached += f->attached;
	if (!f->attached)
		return err_set(err, f->refusal, "the kernel does not take a probe there: %s%s%s", strerror(-f->refusal),
			       listed ? "; " : "", listed ? patches : "");
	if (p) {
		err_set(err, 0, "%zu of %u probes are left out, the kernel does not take them: %s:%s:%s:%s (%s) …",
			f->refused, n, p->prov, p->mod, p->func, p->name, listed ? patches : strerror(-f->refusal));
	} else if (s->attached >= KPROBE_SLOW_FROM && !s->said_slow) {
		err_set(err, 0, "instructions of the kernel are attached one at a time: detaching will take long");
		s->said_slow = true;
	}
	return 0;
}

static int instr_attach(struct prov_env *env, const struct probe *const *probes, uint32_t nprobes,
			const struct entry *e, int prog_fd, struct link **ret, struct err *err)
{
	_cleanup_free_ struct kprobe_site *v = malloc((nprobes + 1) * sizeof(*v));
	struct instr_state *s = state(env);
	struct kprobe_fds f = { 0 };
	int r = v ? 0 : err_set(err, -ENOMEM, "out of memory");

	(void)e;
	for (uint32_t i = 0; r == 0 && i < nprobes; i++)
		v[i] = (struct kprobe_site){ TOP_BITS | probes[i]->id, ENTRY_COOKIE(i, probes[i]->id) };
	if (r == 0)
		r = kprobe_attach(s->way, false, v, nprobes, prog_fd, env->stop, &f, err);
	if (r == 0)
		r = outcome(s, &f, probes, nprobes, err);
	if (r == 0)
		r = link_from_fds(f.fds.v, f.fds.n, ret);
	if (r < 0)
		link_close_fds(f.fds.v, f.fds.n);
	vec_free(&f.fds);
	return r;
}

const struct provider prov_instr = {
	.name = "instr",
	.id_base = PROV_ID_INSTR,
	.id_count = PROV_N_INSTR,
	.match = instr_match,
	.by_id = instr_by_id,
	.args = instr_args,
	.entry = instr_entry,
	.attach = instr_attach,
};

/* Its probes are those of instr. */
const struct provider prov_kinst = {
	.name = "kinst",
	.id_base = 0,
	.id_count = 0,
	.match = kinst_match,
	.by_id = kinst_by_id,
	.args = instr_args,
	.entry = instr_entry,
	.attach = instr_attach,
};
