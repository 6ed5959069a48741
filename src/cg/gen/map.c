/* SPDX-License-Identifier: Apache-2.0 */
/* Adds maps to the image when they are first needed. */
#include "base/gofmt.h"
#include "cg/rt/unwind.h"
#include "cg/gen/layout.h"
#include "cg/gen/map.h"

#define MIN_RING 4096u
#define MAX_RING (1u << 30)

int cg_add_map(struct cg *c, enum img_map_role role, const char *name, enum bpf_map_type type, uint32_t key,
	       uint32_t value, uint32_t entries, uint32_t flags)
{
	c->maps = cg_grow(c, c->maps, c->nmaps, &c->maps_cap, sizeof(*c->maps));

	struct img_map *m = &c->maps[c->nmaps];

	*m = (struct img_map){
		.role = role, .type = type, .key_size = key, .value_size = value, .max_entries = entries, .flags = flags
	};
	snprintf(m->name, sizeof(m->name), "%s", name);
	for (char *s = m->name; *s; s++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", *s))
			*s = '_';
	return (int)c->nmaps++;
}

/* CPUs that a map must have an entry for. */
uint32_t cg_ncpus(const struct cg *c)
{
	unsigned cpus = c->caps->nr_cpu_ids > c->caps->possible_cpus ? c->caps->nr_cpu_ids : c->caps->possible_cpus;

	return cpus ? cpus : 1;
}

/* A power of two, so that the number of a CPU can be made an index without a branch. */
uint32_t cg_cpu_places(const struct cg *c)
{
	uint32_t n = 1;

	while (n < cg_ncpus(c))
		n *= 2;
	return n;
}

/* This number of CPUs has places even while they are offline: they may come while the program runs. Virtual machines
 * have room for hundreds that never do. */
#define SPARE_PLACES 8

uint32_t cg_online_places(const struct cg *c)
{
	uint32_t n = 1, all = cg_ncpus(c);

	while (n < c->caps->online_ids || n < SPARE_PLACES)
		n *= 2;
	return c->caps->online_ids && n < all ? n : all;
}

int cg_map_rings(struct cg *c)
{
	uint64_t size = MIN_RING;

	if (c->m_rings >= 0)
		return c->m_rings;
	while (size < c->opts->bufsize && size < MAX_RING)
		size *= 2;
	c->m_rings = cg_add_map(c, IMG_MAP_RINGS, "d_rings", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, cg_ncpus(c), 0);
	c->maps[c->m_rings].inner_size = size;
	return c->m_rings;
}

int cg_map_counters(struct cg *c)
{
	if (c->m_counters < 0)
		c->m_counters = cg_add_map(c, IMG_MAP_COUNTERS, "d_counters", BPF_MAP_TYPE_PERCPU_ARRAY, 4,
					   REC_NSLOTS * 8, 1, 0);
	return c->m_counters;
}

int cg_map_hits(struct cg *c, uint32_t n)
{
	struct img_map *m;

	if (c->m_hits < 0)
		c->m_hits = cg_add_map(c, IMG_MAP_HITS, "d_hits", BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 0, BPF_F_NO_PREALLOC);
	m = &c->maps[c->m_hits];
	m->max_entries += n < CG_MAX_MAP_ENTRIES - m->max_entries ? n : CG_MAX_MAP_ENTRIES - m->max_entries;
	return c->m_hits;
}

/* Trackers' settings are there before programs run. */
static const void *state_init(struct cg *c)
{
	char *init = arena_calloc(c->a, c->state_size, 1);

	for (const struct dtracker *t = c->p->trackers; t; t = t->next) {
		struct tracker_settings *s = (struct tracker_settings *)(void *)(init + c->tracks[t->id].state);

		s->threshold = s->general = t->settings[TS_THRESHOLD];
		s->timeout = t->settings[TS_TIMEOUT];
		s->gc = t->settings[TS_GC];
		s->scan.timeout = img_tracker_due(s->timeout, s->gc);
		s->worst = t->settings[TS_WORST];
		s->limit = t->settings[TS_LIMIT];
	}
	return init;
}

int cg_map_state(struct cg *c)
{
	if (c->m_state < 0) {
		c->m_state = cg_add_map(c, IMG_MAP_STATE, "d_state", BPF_MAP_TYPE_ARRAY, 4, c->state_size, 1,
					BPF_F_MMAPABLE);
		c->maps[c->m_state].init = state_init(c);
	}
	return c->m_state;
}

int cg_map_rodata(struct cg *c)
{
	if (c->m_rodata < 0)
		c->m_rodata = cg_add_map(c, IMG_MAP_RODATA, "d_rodata", BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_RDONLY_PROG);
	return c->m_rodata;
}

int cg_map_scratch(struct cg *c)
{
	if (c->m_scratch < 0)
		c->m_scratch = cg_add_map(c, IMG_MAP_SCRATCH, "d_scratch",
					  c->long_strings ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1, 0);
	return c->m_scratch;
}

/* Elements that `bytes` of kernel memory hold. */
static uint32_t entries_for(uint64_t bytes, uint64_t per_entry, uint32_t most)
{
	uint64_t n = bytes / (per_entry + CG_ENTRY_OVERHEAD);

	return n < 1 ? 1 : n > most ? most : (uint32_t)n;
}

/* Elements of an array. DTrace counts the bytes of keys and values only, which decides where there is room for few. */
static uint32_t elements_for(uint64_t bytes, uint64_t per_entry)
{
	uint32_t n = entries_for(bytes, per_entry, CG_MAX_MAP_ENTRIES);
	uint64_t few = bytes / per_entry < CG_FREE_ENTRIES ? bytes / per_entry : CG_FREE_ENTRIES;

	return n < few ? (uint32_t)few : n;
}

uint32_t cg_tls_size(const struct cg *c)
{
	return c->tls_size ? ROUND_UP(c->tls_size, 8) : 8;
}

int cg_map_tls(struct cg *c)
{
	uint32_t size = cg_tls_size(c);

	if (c->m_tls >= 0)
		return c->m_tls;
	if (c->caps->task_storage) {
		c->m_tls = cg_add_map(c, IMG_MAP_TLS, "d_tls", BPF_MAP_TYPE_TASK_STORAGE, 4, size, 0,
				      BPF_F_NO_PREALLOC);
		c->maps[c->m_tls].needs_btf = true;
	} else { /* nobody says when a thread has ended: what was not used for longest gives way */
		c->m_tls = cg_add_map(c, IMG_MAP_TLS, "d_tls", BPF_MAP_TYPE_LRU_HASH, CG_TLS_KEY, size,
				      entries_for(c->opts->dynvarsize, CG_TLS_KEY + size, CG_MAX_MAP_ENTRIES), 0);
	}
	return c->m_tls;
}

static uint64_t table_bytes(const struct cg *c)
{
	uint64_t n = c->caps->memory / CG_UNWIND_SHARE;

	if (c->opts->unwindsize)
		return (uint64_t)c->opts->unwindsize;
	return n < CG_UNWIND_LEAST ? CG_UNWIND_LEAST : n > CG_UNWIND_MOST ? CG_UNWIND_MOST : n;
}

int cg_map_unwind(struct cg *c)
{
	if (c->m_unwind >= 0)
		return c->m_unwind;
	c->m_unwind = cg_add_map(c, IMG_MAP_UW_TABLES, "d_uw_tables", BPF_MAP_TYPE_ARRAY, 4, 8,
				 (uint32_t)(table_bytes(c) / 8), BPF_F_MMAPABLE);
	cg_add_map(c, IMG_MAP_UW_AREAS, "d_uw_areas", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct uw_area), CG_UNWIND_AREAS,
		   BPF_F_MMAPABLE);
	cg_add_map(c, IMG_MAP_UW_PROCS, "d_uw_procs", BPF_MAP_TYPE_HASH, 4, sizeof(struct uw_proc), CG_UNWIND_PROCS,
		   BPF_F_NO_PREALLOC); /* filled by user space only */
	cg_add_map(c, IMG_MAP_UW_WANT, "d_uw_want", BPF_MAP_TYPE_HASH, 4, 8, CG_UNWIND_WANT, 0);
	cg_add_map(c, IMG_MAP_UW_FILES, "d_uw_files", BPF_MAP_TYPE_HASH, sizeof(struct uw_file_key),
		   sizeof(struct uw_file), CG_UNWIND_FILES, BPF_F_NO_PREALLOC); /* the same */
	cg_add_map(c, IMG_MAP_UW_SCRATCH, "d_uw_scratch", BPF_MAP_TYPE_PERCPU_ARRAY, 4,
		   (uint32_t)sizeof(struct rt_unwind_state), 1, 0);
	return c->m_unwind;
}

int cg_map_runtime(struct cg *c, enum runtime r)
{
	static const struct {
		enum img_map_role role;
		const char *name;
		uint32_t size;
	} maps[RUNTIMES] = {
		[RUNTIME_PYTHON] = { IMG_MAP_PY_PROCS, "d_py_procs", sizeof(struct py_proc) },
		[RUNTIME_V8] = { IMG_MAP_V8_PROCS, "d_v8_procs", sizeof(struct v8_proc) },
		[RUNTIME_HOTSPOT] = { IMG_MAP_HS_PROCS, "d_hs_procs", sizeof(struct hs_proc) },
		[RUNTIME_GO] = { IMG_MAP_GO_PROCS, "d_go_procs", sizeof(struct go_proc) },
	};

	if (c->m_runtimes[r] < 0)
		c->m_runtimes[r] = cg_add_map(c, maps[r].role, maps[r].name, BPF_MAP_TYPE_HASH, 4, maps[r].size,
					      CG_UNWIND_PROCS, BPF_F_NO_PREALLOC); /* filled by user space only */
	return c->m_runtimes[r];
}

/* Programs that use too many maps find those of one shape in one: a map of maps. Slots do not depend on the order in
 * which maps are made, so that programs of probes that are found later use the same. */
static void add_to_shape(struct cg *c, int map, uint32_t slot, uint32_t nslots)
{
	const struct img_map *m = &c->maps[map];
	char name[16];
	int outer;

	if (!c->by_shape)
		return;
	snprintf(name, sizeof(name), "d_%c%x_%x_%x", m->role == IMG_MAP_AGG ? 'a' : 'v', (unsigned)m->type & 15,
		 m->key_size, m->value_size);
	for (outer = 0; outer < (int)c->nmaps; outer++)
		if (c->maps[outer].role == IMG_MAP_SHAPE && !strcmp(c->maps[outer].name, name))
			break;
	if (outer == (int)c->nmaps) {
		cg_add_map(c, IMG_MAP_SHAPE, name, BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, nslots, 0);
		c->maps[outer].slot = slot;
	}
	c->maps[map].outer = (uint32_t)outer + 1;
	c->maps[map].slot = slot;
}

/* The entries of each of n maps: all of them, or less if there are more than CG_FULL_MAPS maps. */
static uint32_t shared(uint32_t entries, uint32_t n)
{
	uint64_t each = n > CG_FULL_MAPS ? (uint64_t)entries * CG_FULL_MAPS / n : entries;

	return each ? (uint32_t)each : 1;
}

static uint32_t count_arrays(const struct cg *c)
{
	uint32_t n = 0;

	for (const struct dvar *v = c->p->vars; v; v = v->next)
		n += v->is_assoc;
	return n;
}

static uint32_t count_keyed(const struct cg *c)
{
	uint32_t n = 0;

	for (const struct dagg *a = c->p->aggs; a; a = a->next)
		n += a->nkeys != 0;
	return n;
}

int cg_map_assoc(struct cg *c, const struct dvar *v)
{
	struct lay_var *l = &c->vars[v->id];
	char name[16];

	if (l->map >= 0)
		return l->map;
	snprintf(name, sizeof(name), "d_v_%.11s", v->name);
	l->map = cg_add_map(c, IMG_MAP_ASSOC, name, BPF_MAP_TYPE_HASH, l->key.size, ROUND_UP(l->size, 8),
			    shared(elements_for(c->opts->dynvarsize, (uint64_t)l->key.size + l->size), count_arrays(c)),
			    BPF_F_NO_PREALLOC);
	c->maps[l->map].var = v->id;
	add_to_shape(c, l->map, v->id, c->p->nvars + 1);
	return l->map;
}

int cg_map_agg(struct cg *c, const struct dagg *a, unsigned set)
{
	struct lay_agg *l = &c->aggs[a->id];
	const struct aggdesc *d = l->desc;
	unsigned cpus = c->caps->possible_cpus ? c->caps->possible_cpus : 1;
	uint32_t key_size = d->key_size + l->key.extra;
	bool large = d->value_size >
		     CG_MAX_SCRATCH; /* the kernel has no such memory at hand when a key is new: all is taken at once */
	/* aggsize counts per CPU, as in DTrace. */
	uint32_t n = l->key.extra ? entries_for(c->opts->aggsize * (large ? 1 : cpus), key_size + d->value_size,
						CG_MAX_AGG_ENTRIES)
				  : entries_for(c->opts->aggsize, key_size + d->value_size, CG_MAX_MAP_ENTRIES);
	char name[16];

	if (l->map[set] >= 0)
		return l->map[set];
	n = shared(n, count_keyed(c));
	for (unsigned i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "d_a%u_%.9s", i, a->name);
		if (d->key_size)
			l->map[i] = cg_add_map(c, IMG_MAP_AGG, name,
					       l->key.extra ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_PERCPU_HASH, key_size,
					       d->value_size, n, large ? 0 : BPF_F_NO_PREALLOC);
		else if (l->by_cpu)
			l->map[i] = cg_add_map(c, IMG_MAP_AGG, name, BPF_MAP_TYPE_ARRAY, 4, d->value_size, cg_ncpus(c),
					       0);
		else
			l->map[i] = cg_add_map(c, IMG_MAP_AGG, name, BPF_MAP_TYPE_PERCPU_ARRAY, 4, d->value_size, 1, 0);
		c->maps[l->map[i]].agg = a->id;
		c->maps[l->map[i]].set = i;
		add_to_shape(c, l->map[i], a->id * 2 + i, c->p->naggs * 2);
	}
	return l->map[set];
}

int cg_map_track(struct cg *c, const struct dtracker *t)
{
	struct lay_track *l = &c->tracks[t->id];
	char name[16];

	if (l->map >= 0)
		return l->map;
	snprintf(name, sizeof(name), "d_t_%.11s", t->name);
	l->map = cg_add_map(c, IMG_MAP_TRACK, name, BPF_MAP_TYPE_HASH, l->key.size, nest_size(t, l),
			    (uint32_t)t->settings[TS_SIZE], 0);
	c->maps[l->map].track = t->id;
	return l->map;
}

int cg_map_due(struct cg *c, const struct dtracker *t)
{
	struct lay_track *l = &c->tracks[t->id];
	char name[16];

	if (l->due >= 0)
		return l->due;
	snprintf(name, sizeof(name), "d_d_%.11s", t->name);
	/* The map drops its oldest entries, so those of threads that have ended make room for others. */
	l->due = cg_add_map(c, IMG_MAP_TRACKDUE, name, BPF_MAP_TYPE_LRU_HASH, 8, l->key.size + l->size, CG_MAX_DUE, 0);
	c->maps[l->due].track = t->id;
	return l->due;
}

int cg_map_cgroups(struct cg *c, const struct dtracker *t)
{
	struct lay_track *l = &c->tracks[t->id];
	char name[16];

	if (l->cgroups >= 0)
		return l->cgroups;
	snprintf(name, sizeof(name), "d_c_%.11s", t->name);
	l->cgroups = cg_add_map(c, IMG_MAP_TRACKCGROUPS, name, BPF_MAP_TYPE_HASH, 8, 8,
				(uint32_t)t->settings[TS_CGROUPS], 0);
	c->maps[l->cgroups].track = t->id;
	return l->cgroups;
}

int cg_map_hist(struct cg *c, const struct dtracker *t)
{
	struct lay_track *l = &c->tracks[t->id];
	char name[16];

	if (l->hist >= 0)
		return l->hist;
	snprintf(name, sizeof(name), "d_h_%.11s", t->name);
	l->hist = cg_add_map(c, IMG_MAP_TRACKHIST, name, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct track_cpu),
			     cg_online_places(c), BPF_F_MMAPABLE);
	c->maps[l->hist].track = t->id;
	return l->hist;
}

static void note_map(struct gen *g, int map)
{
	struct prog *pr = g->pr;

	for (unsigned i = 0; i < pr->nmaps_used; i++)
		if (pr->maps_used[i] == map)
			return;
	if (pr->nmaps_used == CG_MAX_MAPS)
		pr->too_many_maps = true;
	else
		pr->maps_used[pr->nmaps_used++] = map;
}

void gen_map(struct gen *g, vreg d, int map)
{
	note_map(g, map);
	ir_map(g->f, d, (uint32_t)map);
}

void gen_shaped_map(struct gen *g, vreg d, int map, irlabel none)
{
	const struct img_map *m = &g->cg->maps[map];
	uint32_t slot = m->slot;
	vreg outer, key;

	if (!m->outer) {
		gen_map(g, d, map);
		return;
	}
	outer = ir_new(g->f);
	key = ir_new(g->f);
	ir_storei_slot(g->f, g->tmp, 8, 4, (int32_t)slot);
	gen_map(g, outer, (int)m->outer - 1);
	ir_slot_addr(g->f, key, g->tmp, 8);
	ir_call(g->f, d, BPF_FUNC_map_lookup_elem, IR_ARGS(outer, key));
	ir_jcci(g->f, IRC_EQ, d, 0, none);
}

vreg gen_mapval(struct gen *g, int map, uint32_t off)
{
	vreg d = ir_new(g->f);

	note_map(g, map);
	ir_mapval(g->f, d, (uint32_t)map, off);
	return d;
}
