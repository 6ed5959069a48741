/* SPDX-License-Identifier: Apache-2.0 */
/* Provider javaN: entry, return and exceptions of the Java methods of process N, a JVM, and the objects of its classes
 * that are made. An agent that is loaded into it
 * (java/) has the methods call a place of its library, which is probed like a static probe. It takes the calls out
 * again when the connection ends. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lang/later.h"
#include "prov/user/jprov.h"
#include "sym/proc/maps.h"

#define PROV_PREFIX "java"
#define PID_DIGITS 9
#define MAX_ARGS 10 /* that the inserted code passes */
#if defined(__aarch64__)
#define JVM_MACHINE EM_AARCH64
#else
#define JVM_MACHINE EM_X86_64
#endif

#define CONSTRUCTOR "<init>"

static const char *const names[J_KINDS] = { "entry", "return", "throw", "object-alloc" };

/* -- the JVM -- */

void java_add_class(void *arg, char *line)
{
	struct matching *m = arg;
	struct arena *keep = m->env->cache->arena;
	struct jclass *c;
	unsigned idx;
	int at = 0;
	char *dot;

	if (sscanf(line, "class %u %n", &idx, &at) != 1 || !at)
		return;
	c = arena_new_obj(keep, struct jclass);
	*c = (struct jclass){ .idx = idx,
			      .name = arena_strdup(keep, line + at),
			      .all = { .name = CONSTRUCTOR, .desc = "*", .plain = CONSTRUCTOR } };
	c->dotted = dot = arena_strdup(keep, c->name);
	for (; *dot; dot++)
		*dot = *dot == '$' ? '.' : *dot;
	*m->jvm->tail = m->jvm->last = c;
	m->jvm->tail = &c->next;
}

static void add_method(void *arg, char *line)
{
	struct matching *m = arg;
	struct arena *keep = m->env->cache->arena;
	struct jclass *c = m->class;
	char *name = line + sizeof("method ") - 1, *desc;
	const char *plain;

	if (strncmp(line, "method ", sizeof("method ") - 1) != 0 || !(desc = strchr(name, '\t')))
		return;
	*desc++ = '\0';
	plain = java_plain_name(keep, name, desc);
	if (!plain)
		return;
	if ((c->n & (c->n - 1)) == 0) {
		struct jmethod *v = arena_new_arr(keep, struct jmethod, c->n ? c->n * 2 : 1);

		if (c->n)
			memcpy(v, c->v, c->n * sizeof(*v));
		c->v = v;
	}
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].name, name))
			c->v[i].overloaded = true;
	c->v[c->n] = (struct jmethod){ arena_strdup(keep, name), arena_strdup(keep, desc), plain, false, { 0 } };
	for (size_t i = 0; i < c->n; i++)
		c->v[c->n].overloaded |= !strcmp(c->v[i].name, name);
	c->n++;
}

/* The library among the mappings: the one with code at the address. */
static int find_library(struct matching *m, uint64_t at, struct err *err)
{
	struct jvms *j = m->jvm;
	struct arena *keep = m->env->cache->arena;
	char path[32], *line = NULL;
	size_t size = 0;
	int r = -ENOENT;

	snprintf(path, sizeof(path), "/proc/%d/maps", j->pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	while (f && r == -ENOENT && getline(&line, &size, f) > 0) {
		struct maps_line l;

		if (!maps_parse_line(line, &l) || at < l.start || at >= l.end)
			continue;
		struct uobj_mapping um = { .pid = j->pid,
					   .start = l.start,
					   .end = l.end,
					   .off = l.off,
					   .dev = l.dev,
					   .ino = l.ino,
					   .path = l.path };
		struct uobj *o = arena_new_obj(keep, struct uobj);

		r = uobj_of_mapping(keep, &um, o);
		if (r < 0)
			break;
		j->sites_off = at - l.start + l.off;
		j->file = arena_new_obj(keep, struct uproc_obj);
		j->file->o = o;
	}
	free(line);
	return r < 0 ? err_set(err, r, "the agent's library in process %d cannot be opened: %s", j->pid, strerror(-r))
		     : 0;
}

static bool is_jvm(const struct uproc *p)
{
	for (size_t i = 0; i < p->nobjs; i++)
		if (!strcmp(p->objs[i]->o->name, "libjvm.so"))
			return true;
	return false;
}

/* A class of the class path that the target shall load before it begins. So it has types, and its methods are listed.
 */
struct jahead {
	const char *class;
	struct jahead *next;
};

void java_load_ahead(struct prov_env *env, const struct pdesc *d)
{
	struct arena *keep = env->cache->arena;
	struct jahead *a;

	if (!pdesc_is_exact(d->mod))
		return;
	a = arena_new_obj(keep, struct jahead);
	*a = (struct jahead){ arena_strdup(keep, d->mod), env->cache->ahead };
	env->cache->ahead = a;
}

/* A class that cannot be loaded is waited for. */
static void load_ahead(struct matching *m)
{
	char line[JAVA_LINE];
	struct err err = { 0 };

	for (const struct jahead *a = m->env->cache->ahead; a && m->jvm->pid == m->env->target; a = a->next)
		if (snprintf(line, sizeof(line), "load\t%s\n", a->class) < (int)sizeof(line))
			jagent_ask(m->jvm->agent, line, NULL, NULL, &err);
	err_done(&err);
}

int java_begin(struct matching *m, int fd, struct err *err)
{
	struct jvms *j = m->jvm;
	int r = jagent_new(fd, j->pid, &j->agent, err);

	if (r == 0)
		r = find_library(m, jagent_sites(j->agent), err);
	if (r == 0) {
		load_ahead(m);
		r = jagent_ask(j->agent, "classes\n", java_add_class, m, err);
	}
	return r;
}

static int begin(struct matching *m, struct err *err)
{
	struct jvms *j = m->jvm;
	int r;

	if (!asset_java_jar_size)
		return err_set(err, -EOPNOTSUPP,
			       "this dwell was built without the provider java: there was no JDK or no ASM");
	r = uproc_get(m->env, j->pid, &j->proc, err);
	if (r < 0)
		return r;
	if (!is_jvm(j->proc))
		return err_set(err, -EINVAL, "process %d is no JVM: it has no libjvm.so", j->pid);
	if (!m->env->opts || !m->env->opts->javaagent)
		return err_set(
			err, -EPERM,
			"the probes of process %d need an agent in its JVM, which changes the code of the methods while they "
			"are traced: -x javaagent allows it",
			j->pid);
	r = jattach(j->pid, NULL, err);
	return r < 0 ? r : java_begin(m, r, err);
}

struct jvms *java_new_jvm(struct prov_env *env, int pid, bool any)
{
	struct prov_cache *pc = env->cache;
	struct jvms *j = arena_new_obj(pc->arena, struct jvms);

	*j = (struct jvms){
		.pid = pid, .prov = arena_printf(pc->arena, PROV_PREFIX "%d", pid), .any = any, .next = pc->jvms
	};
	j->tail = &j->classes;
	pc->jvms = j;
	return j;
}

/* The process, with its agent; NULL: there is none, see m->reason. */
static struct jvms *get_jvm(struct matching *m, int pid)
{
	struct prov_cache *pc = m->env->cache;
	struct err err = { 0 };
	struct jvms *j;

	for (j = pc->jvms; j && j->pid != pid; j = j->next)
		;
	if (!j) {
		m->jvm = j = java_new_jvm(m->env, pid, m->any);
		if (begin(m, &err) < 0)
			j->failed = arena_strdup(pc->arena, err.msg);
		err_done(&err);
	}
	m->jvm = j;
	m->reason = j->failed;
	return j->failed ? NULL : j;
}

/* -- matching -- */

static void take_slot(void *arg, char *line)
{
	struct matching *m = arg;

	if (sscanf(line, "slot %ld", &m->slot) != 1)
		m->slot = -1;
}

/* The place of a new probe, -1: none. Lists need none, only numbers. */
static long get_slot(struct matching *m)
{
	struct err err = { 0 };

	if (m->env->listing)
		return m->jvm->listed++;
	m->slot = -1;
	if (jagent_ask(m->jvm->agent, "slot\n", take_slot, m, &err) < 0 || m->slot < 0)
		m->reason = arena_strdup(m->a, err.msg[0] ? err.msg : "the agent gives no place for a probe");
	err_done(&err);
	return m->slot;
}

static struct jprobe *get_probe(struct matching *m, const struct jclass *c, struct jmethod *me, enum jkind kind)
{
	long slot;

	if (me->probes[kind])
		return me->probes[kind];
	slot = get_slot(m);
	if (slot < 0)
		return NULL;
	me->probes[kind] = arena_new_obj(m->env->cache->arena, struct jprobe);
	*me->probes[kind] = (struct jprobe){ m->jvm, c, me, kind, (unsigned)slot, false };
	return me->probes[kind];
}

static void add(struct matching *m, const struct jclass *c, struct jmethod *me, enum jkind kind)
{
	struct jvms *j = m->jvm;
	struct jprobe *jp = get_probe(m, c, me, kind);
	struct upoint at = {
		.kind = UP_JAVA, .proc = j->proc, .obj = j->file->o, .file = j->file, .machine = JVM_MACHINE, .java = jp
	};
	struct probe *p;

	if (!jp)
		return;
	at.off = j->sites_off + (uint64_t)jp->slot * JAGENT_SITE_SIZE;
	p = uproc_probe(m->env, m->a, &at, j->prov, me->overloaded ? me->plain : me->name, names[kind]);
	if (!p)
		return;
	p->mod = c->name;
	prov_list_add(m->a, m->out, p);
}

static bool has_constructor(const struct jclass *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].name, CONSTRUCTOR))
			return true;
	return false;
}

void java_match_class(struct matching *m, struct jclass *c)
{
	const struct pdesc *d = m->d;
	struct err err = { 0 };

	if (!c->known) {
		char question[32];

		c->known = true;
		m->class = c;
		snprintf(question, sizeof(question), "methods %u\n", c->idx);
		/* A class with a method of types that cannot be loaded has no list. */
		jagent_ask(m->jvm->agent, question, add_method, m, &err);
		err_done(&err);
	}
	for (size_t i = 0; i < c->n && !m->reason; i++)
		if (pdesc_glob(d->func, c->v[i].name) || pdesc_glob(d->func, c->v[i].plain))
			for (enum jkind k = 0; k < J_OF_METHODS; k++)
				if (pdesc_glob(d->name, names[k]))
					add(m, c, &c->v[i], k);
	if (!m->reason && pdesc_glob(d->func, CONSTRUCTOR) && pdesc_glob(d->name, names[J_MADE]) && has_constructor(c))
		add(m, c, &c->all, J_MADE);
}

void java_match_classes(struct matching *m)
{
	for (struct jclass *c = m->jvm->classes; c && !m->reason; c = c->next)
		if (pdesc_glob(m->d->mod, c->name) || pdesc_glob(m->d->mod, c->dotted))
			java_match_class(m, c);
}

/* A class that is not loaded yet may be meant: any that a pattern matches, or the one of that name if there is none. */
static bool is_open(const struct jvms *j, const struct pdesc *d)
{
	if (!pdesc_is_exact(d->mod))
		return true;
	for (const struct jclass *c = j->classes; c; c = c->next)
		if (!strcmp(d->mod, c->name) || !strcmp(d->mod, c->dotted))
			return false;
	return true;
}

bool java_watch(struct matching *m)
{
	char line[JAVA_LINE];
	struct err err = { 0 };
	bool told = snprintf(line, sizeof(line), "watch\t%s\n", m->d->mod && m->d->mod[0] ? m->d->mod : "*") <
			    (int)sizeof(line) &&
		    jagent_ask(m->jvm->agent, line, NULL, NULL, &err) == 0;

	err_done(&err);
	return told;
}

bool java_parse_pid(const char *prov, int *ret)
{
	const char *digits = prov + sizeof(PROV_PREFIX) - 1;

	if (strncmp(prov, PROV_PREFIX, sizeof(PROV_PREFIX) - 1) != 0 || digits[0] < '1' || digits[0] > '9' ||
	    digits[strspn(digits, "0123456789")] || strlen(digits) > PID_DIGITS)
		return false;
	*ret = atoi(digits);
	return true;
}

bool java_is_everyone(const char *prov)
{
	return !strcmp(prov, PROV_PREFIX "*");
}

bool java_is_ours(const char *prov)
{
	int pid;

	return java_is_everyone(prov) || java_parse_pid(prov, &pid);
}

/* A JVM's probes. *ret_open: a class that is loaded later may be meant, too. */
static void match_jvm(struct matching *m, int pid, bool *ret_open)
{
	const struct pdesc *d = m->d;
	bool begins = m->env->target_begins && pid == m->env->target;
	size_t first = m->out->n;

	if (!get_jvm(m, pid))
		return;
	java_match_classes(m);
	if (!m->reason && !m->env->listing && m->env->opts && is_open(m->jvm, d) &&
	    (m->out->n > first || m->env->opts->zdefs || begins))
		*ret_open |= java_watch(m);
}

bool java_has_libjvm(int pid)
{
	static const char name[] = "/libjvm.so\n";
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	while (f && (n = getline(&line, &size, f)) > 0)
		if ((size_t)n >= sizeof(name) && !strcmp(line + n - (sizeof(name) - 1), name))
			return true;
	return false;
}

/* A JVM with an agent counts: another may have ended, or refuse it. JVMs that begin later are meant, too. */
static void match_everyone(struct matching *m, bool *ret_open)
{
	const char *first = NULL;
	struct dirent *e;
	bool any = false;
	DIR *dir = opendir("/proc");

	m->any = true;
	while (dir && (e = readdir(dir))) {
		int pid = atoi(e->d_name);

		if (pid <= 0 || pid == getpid() || !java_has_libjvm(pid))
			continue;
		match_jvm(m, pid, ret_open);
		any |= !m->reason;
		first = first ? first : m->reason;
		m->reason = NULL;
	}
	if (dir)
		closedir(dir);
	m->reason = any ? NULL : first ? first : "no JVM runs on this machine (-Z waits for one)";
	if (m->env->listing || !m->env->opts || (!any && !m->env->opts->zdefs))
		return;
	if (!m->env->opts->javaagent || !asset_java_jar_size) {
		m->reason = first ? first
				  : "JVMs that begin later need an agent, which changes the code of the methods while "
				    "they are traced: -x javaagent allows it";
		return;
	}
	m->reason = NULL;
	*ret_open = true;
}

static int java_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		      const char **reason)
{
	struct matching m = { .env = env, .a = a, .d = d, .out = out };
	size_t first = out->n;
	bool open = false;
	int pid;

	if (!d->prov || env->past || !java_is_ours(d->prov))
		return 0;
	if (java_parse_pid(d->prov, &pid))
		match_jvm(&m, pid, &open);
	else
		match_everyone(&m, &open);
	if (m.reason) {
		out->n = first;
		if (reason)
			*reason = m.reason;
		return 0;
	}
	prov_list_sort(out, first);
	if (open)
		prov_list_add(a, out, ulater_model(env, a, d));
	return 0;
}

/* -- arguments -- */

/* Fractions are the bits of them: D has none. */
static struct probe_arg type_of(const char *s)
{
	static const struct {
		char c;
		const char *type;
	} types[] = { { 'Z', "uint8_t" }, { 'B', "int8_t" },  { 'C', "uint16_t" }, { 'S', "int16_t" },
		      { 'I', "int32_t" }, { 'J', "int64_t" }, { 'F', "uint32_t" }, { 'D', "uint64_t" } };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].c == *s)
			return (struct probe_arg){ .ctype = types[i].type };
	return (struct probe_arg){ .ctype = "char *", .user_string = true };
}

static struct jprobe *of(const struct probe *p)
{
	return ((const struct upoint *)p->priv)->java;
}

static int java_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	const struct jprobe *jp = p->later ? NULL : of(p);
	struct probe_arg *v = arena_new_arr(a, struct probe_arg, MAX_ARGS);
	const char *s = jp ? jp->method->desc + 1 : NULL;
	unsigned n = 0;

	(void)env;
	if (p->later) {
		for (; n < MAX_ARGS; n++)
			v[n] = (struct probe_arg){ .ctype = LATER_ARG_TYPE };
	} else if (jp->kind == J_MADE) {
		v[n++] = type_of("J");
	} else if (jp->kind == J_ENTRY) {
		for (; *s != ')' && n < MAX_ARGS; s = java_type_end(s))
			v[n++] = type_of(s);
	} else if (jp->kind == J_RETURN) {
		v[n++] = type_of("I");
		s = strchr(s, ')') + 1;
		if (*s != 'V')
			v[n++] = type_of(s);
	} else {
		v[n++] = type_of("L");
		v[n++] = type_of("L");
	}
	p->args = v;
	p->nargs = n;
	p->args_known = true;
	return 0;
}

static int java_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		      const char **reason)
{
	static const char *const targets[J_KINDS] = {
		[J_ENTRY] = "java entry",
		[J_RETURN] = "java return",
		[J_THROW] = "java return",
		[J_MADE] = "java object-alloc",
	};
	const struct jprobe *jp = p->later ? NULL : of(p);

	(void)a;
	if (!jp) {
		*ret = (struct entry){ .kind = ENTRY_UPROBE, .target = "java entry", .cpu = -1 };
		ulater_entry(ret);
		return uproc_caps(env, &ret->uprobe_multi, reason);
	}
	*ret = (struct entry){ .kind = ENTRY_UPROBE,
			       .target = targets[jp->kind],
			       .cpu = -1,
			       .is_return = jp->kind == J_RETURN || jp->kind == J_THROW };
	uregs_entry(JVM_MACHINE, ret);
	return uproc_caps(env, &ret->uprobe_multi, reason);
}

/* -- attaching -- */

/* java*: the JVM has ended meanwhile. */
static int unless_gone(const struct jvms *j, int r, struct err *err)
{
	if (r >= 0 || !j->any || kill(j->pid, 0) == 0 || errno != ESRCH)
		return r;
	err_done(err);
	return 0;
}

static int put_in(const struct jprobe *jp, struct err *err)
{
	char line[JAVA_LINE + 128];

	if (snprintf(line, sizeof(line), "on %u %c %u\t%s\t%s\n", jp->class->idx, names[jp->kind][0], jp->slot,
		     jp->method->name, jp->method->desc) >= (int)sizeof(line))
		return 0;
	return unless_gone(jp->jvm, jagent_say(jp->jvm->agent, line, err), err);
}

/* Words of the JVMs that java* has left out, once. */
static void tell_left_out(struct prov_env *env, struct err *err)
{
	for (struct jvms *j = env->cache->jvms; j; j = j->next)
		if (j->any && j->failed && !j->told && !err->msg[0]) {
			j->told = true;
			err_set(err, 0, "a JVM is left out: %s", j->failed);
		}
}

/* The places first: what is inserted into the code is of use from its first call on. */
static int java_attach(struct prov_env *env, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		       int prog_fd, struct link **ret, struct err *err)
{
	int r = uproc_attach(env, probes, nprobes, e, prog_fd, ret, err);

	for (uint32_t i = 0; i < nprobes && r == 0; i++) {
		struct jprobe *jp = of(probes[i]);

		if (jp->on)
			continue; /* for another program */
		jp->on = true;
		r = put_in(jp, err);
	}
	for (struct jvms *j = env->cache->jvms; j && r == 0; j = j->next)
		if (j->agent)
			r = unless_gone(j, jagent_ask(j->agent, "go\n", NULL, NULL, err), err);
	if (r < 0 && *ret) {
		link_free(*ret);
		*ret = NULL;
	}
	if (r == 0)
		tell_left_out(env, err);
	return r;
}

void java_done(struct prov_cache *pc)
{
	for (struct jvms *j = pc->jvms; j; j = j->next)
		jagent_free(j->agent);
	pc->jvms = NULL;
	if (pc->java_events)
		close(pc->java_events);
	pc->java_events = 0;
}

const struct provider prov_java = {
	.name = "java",
	.of_processes = true,
	.id_base = PROV_ID_PID,
	.id_count = 0, /* its ids are among those of pid */
	.match = java_match,
	.by_id = uproc_by_id,
	.args = java_args,
	.entry = java_entry,
	.attach = java_attach,
};
