/* SPDX-License-Identifier: Apache-2.0 */
#include "ps/probestats.h"
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/vec.h"
#include "load/bpf_sys.h"
#include "load/kmem.h"
#include "run/session/ctl.h"
#include "sym/elf/insn.h"
#include "sym/proc/kallsyms.h"
#include "view/form/table.h"

#define CODE_BYTES 32 /* longer than any two instructions */
/* endbr64, and the nop that the kernel makes of it where nothing jumps to indirectly. */
#define ENDBR_BYTES 4

struct program {
	uint64_t id, runs, ns, misses, hits; /* hits: of its probes, or UINT64_MAX */
	const char *name;
	size_t nprobes;
};

struct stat_probe {
	uint64_t id, hits;
	bool counted; /* by itself; else hits is the program's */
	size_t program;
	const char *prov, *mod, *func, *name, *note;
};

struct session_stats {
	VEC(struct program) programs;
	VEC(struct stat_probe) probes;
};

/* Reads the kernel's code; opened for the first probe that asks. */
struct code {
	bool tried, open;
	struct ksyms syms;
	struct kmem mem;
	size_t left;
};

static void stats_done(struct session_stats *s)
{
	vec_free(&s->programs);
	vec_free(&s->probes);
}

/* -- reading an answer -- */

static int number(const char *s, uint64_t *ret)
{
	return num_parse_u64(s, ret) < 0 ? -EBADMSG : 0;
}

static int read_program(struct arena *a, struct session_stats *s, const char *const *t)
{
	struct program p = { .name = arena_strdup(a, t[1]) };

	if (number(t[0], &p.id) || number(t[2], &p.runs) || number(t[3], &p.ns) || number(t[4], &p.misses))
		return -EBADMSG;
	return vec_try_push(&s->programs, p);
}

static int read_probe(struct arena *a, struct session_stats *s, const char *const *t)
{
	struct stat_probe p = { .counted = *t[6] != '\0',
				.program = s->programs.n - 1,
				.prov = arena_strdup(a, t[1]),
				.mod = arena_strdup(a, t[2]),
				.func = arena_strdup(a, t[3]),
				.name = arena_strdup(a, t[4]),
				.note = *t[5] ? arena_strdup(a, t[5]) : NULL };
	struct program *g = s->programs.n ? &s->programs.v[s->programs.n - 1] : NULL;

	if (!g || number(t[0], &p.id) || (p.counted && number(t[6], &p.hits)))
		return -EBADMSG;
	if (!p.counted)
		p.hits = g->runs;
	g->hits = p.counted ? g->hits + p.hits : g->runs;
	g->nprobes++;
	return vec_try_push(&s->probes, p);
}

static int read_answer(struct arena *a, const char *text, size_t len, struct session_stats *s)
{
	const char *t[HITS_PROBE_TEXTS], *kind;
	size_t at = 0;
	int r = 0;

	if (!hits_texts(text, len, &at, 1, &kind) || strcmp(kind, HITS_HEAD) != 0)
		return -EBADMSG;
	while (r == 0 && at < len) {
		if (!hits_texts(text, len, &at, 1, &kind))
			return -EBADMSG;
		if (!strcmp(kind, HITS_PROGRAM))
			r = hits_texts(text, len, &at, HITS_PROGRAM_TEXTS, t) ? read_program(a, s, t) : -EBADMSG;
		else if (!strcmp(kind, HITS_PROBE))
			r = hits_texts(text, len, &at, HITS_PROBE_TEXTS, t) ? read_probe(a, s, t) : -EBADMSG;
		else
			r = -EBADMSG;
	}
	return r;
}

int probestats_read(struct arena *a, const char *text, size_t len, size_t *ret_programs, size_t *ret_probes)
{
	struct session_stats s = { 0 };
	int r = read_answer(a, text, len, &s);

	*ret_programs = s.programs.n;
	*ret_probes = s.probes.n;
	stats_done(&s);
	return r;
}

static int read_file(struct arena *a, int fd, struct session_stats *s)
{
	struct stat st;
	void *mem;
	int r;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > HITS_MAX_BYTES)
		return -EBADMSG;
	mem = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mem == MAP_FAILED)
		return -errno;
	r = read_answer(a, mem, (size_t)st.st_size, s);
	munmap(mem, (size_t)st.st_size);
	return r;
}

/* -- asking -- */

static void say(struct probestats *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct probestats *s, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->msg(s->ctx, text);
}

/* Tells the answer of the session if it is not "ok". */
static void say_refusal(struct probestats *s, uint32_t pid, int r, const char *answer)
{
	if (r == -ESRCH)
		say(s, "no dwell that can be asked runs as process %u, or it is another user's", pid);
	else if (r < 0)
		say(s, "cannot reach the dwell that runs as process %u: %s", pid, strerror(-r));
	else
		say(s, "process %u: %.*s", pid, (int)strcspn(answer, "\n"),
		    !strncmp(answer, "error: ", 7) ? answer + 7
		    : *answer			   ? answer
						   : "there was no answer");
}

static bool begin(struct probestats *s, uint32_t pid, bool quiet)
{
	_cleanup_free_ char *answer = NULL;
	char line[CTL_MAX_LINE];
	int r;

	snprintf(line, sizeof(line), "hits begin %" PRIu64 "ns", s->ns);
	r = ctl_request(pid, line, &answer);
	if (r == 0 && !strncmp(answer, "ok", 2))
		return true;
	if (!quiet || r != -ESRCH) /* one of all that there are may end meanwhile */
		say_refusal(s, pid, r, answer);
	return false;
}

static bool end(struct probestats *s, uint32_t pid, struct session_stats *ret)
{
	_cleanup_free_ char *answer = NULL;
	_cleanup_close_ int fd = -1;
	int r = ctl_request_file(pid, "hits end", &answer, &fd);

	if (r < 0 || strncmp(answer, "ok", 2) != 0 || fd < 0) {
		say_refusal(s, pid, r, answer);
		return false;
	}
	r = read_file(s->a, fd, ret);
	if (r < 0)
		say(s, "the answer of process %u cannot be read: %s", pid, strerror(-r));
	return r == 0;
}

/* -- the instruction: there is a decoder for x86-64 only -- */

#if defined(__x86_64__)
#define DECODED EM_X86_64
#else
#define DECODED EM_NONE
#endif

static bool is_kernels(const struct stat_probe *p)
{
	return !strcmp(p->prov, "fbt") || !strcmp(p->prov, "rawfbt");
}

static bool code_open(struct code *c)
{
	if (!c->tried) {
		c->tried = true;
		c->left = PROBESTATS_MAX_INSNS;
		c->open = kmem_open(&c->mem) == 0 && ksyms_read(&c->syms, "/proc/kallsyms", NULL) == 0;
	}
	return c->open && c->left > 0;
}

/* The instruction that the kernel runs there now: tracing may have patched it. A mark for branches in front is passed
 * over. */
static const char *read_insn(struct probestats *s, struct code *c, const struct stat_probe *p)
{
	const struct ksym *k = ksyms_find(&c->syms, p->mod, p->func);
	_cleanup_free_ struct insn *v = NULL;
	uint8_t bytes[CODE_BYTES];
	char hex[3 * 16] = "";
	const char *reason;
	size_t n = 0, i = 0;

	c->left--;
	if (!k || kmem_read(&c->mem, k->addr, bytes, sizeof(bytes)) < 0 ||
	    insn_list(DECODED, k->addr, bytes, sizeof(bytes), &v, &n, &reason) < 0)
		return NULL;
	if (n && (!strncmp(v[0].text, "endbr", 5) || (v[0].len == ENDBR_BYTES && v[0].classes & INSN_FILL)))
		i++;
	if (i == n)
		return NULL;
	for (unsigned b = 0; b < v[i].len && b < 16; b++)
		snprintf(hex + 3 * (size_t)b, 4, "%02x ", bytes[v[i].off + b]);
	return arena_printf(s->a, "%s %s", hex, v[i].text);
}

static const char *insn_of(struct probestats *s, struct code *c, const struct stat_probe *p)
{
	if (p->note)
		return p->note;
	if (DECODED != EM_NONE && is_kernels(p) && !strcmp(p->name, "entry") && code_open(c))
		return read_insn(s, c, p);
	return NULL;
}

/* -- showing -- */

static bool wanted(const struct probestats *s, const struct stat_probe *p)
{
	_cleanup_(strb_free) struct strb all = { 0 };

	strb_printf(&all, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	for (size_t i = 0; i < s->nwords; i++)
		if (!strstr(strb_str(&all), s->words[i]))
			return false;
	return true;
}

static int by_hits(const void *a, const void *b)
{
	const struct stat_probe *x = a, *y = b;

	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

struct shown {
	struct table probes, programs;
	struct code code;
	bool measured;
	uint64_t ns; /* how long it was looked */
};

static double each(const struct shown *sh, const struct program *g)
{
	return sh->measured && g->hits ? (double)g->ns / (double)g->hits : NAN;
}

static void probe_line(struct probestats *s, struct shown *sh, uint32_t pid, const struct session_stats *st,
		       const struct stat_probe *p)
{
	const struct program *g = &st->programs.v[p->program];
	const char *insn = insn_of(s, &sh->code, p);
	bool known = p->counted || sh->measured, alone = g->nprobes == 1;
	const struct column columns[] = {
		{ { "PID", CELL_UINT, 7, 0, { .u = pid } }, "pid", 0 },
		{ { "ID", CELL_UINT, 10, 0, { .u = p->id } }, "id", 0 },
		{ { "PROVIDER", CELL_TEXT, -10, 0, { .s = p->prov } }, "provider", 0 },
		{ { "MODULE", CELL_NAME, -12, 0, { .s = p->mod } }, "module", 0 },
		{ { "FUNCTION", CELL_NAME, -24, 0, { .s = p->func } }, "function", 0 },
		{ { "NAME", CELL_TEXT, -14, 0, { .s = p->name } }, "name", 0 },
		{ { "HITS", CELL_NUMBER, 9, 0, { .d = known ? (double)p->hits : NAN } }, "hits", 0 },
		{ { "MISSES", CELL_NUMBER, 7, 0, { .d = alone ? (double)g->misses : NAN } }, "misses", 0 },
		{ { "NS/HIT", CELL_NUMBER, 7, 0, { .d = each(sh, g) } }, "ns_per_hit", 1 },
		{ { "PROGRAM", CELL_UINT, 8, 0, { .u = g->id } }, "program", 0 },
		{ { "INSTRUCTION", CELL_TEXT, -1, 0, { .s = insn } }, "instruction", 0 },
	};

	sh->probes.type = "probe";
	table_columns(&sh->probes, columns, ARRAY_SIZE(columns));
}

static void program_line(struct shown *sh, uint32_t pid, const struct program *g)
{
	double cpu = sh->measured && sh->ns ? 100.0 * (double)g->ns / (double)sh->ns : NAN;
	double runs = sh->measured ? (double)g->runs : NAN;
	const struct column columns[] = {
		{ { "PID", CELL_UINT, 7, 0, { .u = pid } }, "pid", 0 },
		{ { "PROGRAM", CELL_UINT, 8, 0, { .u = g->id } }, "id", 0 },
		{ { "NAME", CELL_TEXT, -15, 0, { .s = g->name } }, "name", 0 },
		{ { "PROBES", CELL_UINT, 7, 0, { .u = g->nprobes } }, "probes", 0 },
		{ { "RUNS", CELL_NUMBER, 9, 0, { .d = runs } }, "runs", 0 },
		{ { "CPU%", CELL_NUMBER, 6, 2, { .d = cpu } }, "cpu_percent", 4 },
		{ { "MISSES", CELL_UINT, 7, 0, { .u = g->misses } }, "misses", 0 },
	};

	sh->programs.type = "program";
	table_columns(&sh->programs, columns, ARRAY_SIZE(columns));
}

static void show_session(struct probestats *s, struct shown *sh, uint32_t pid, struct session_stats *st)
{
	if (st->probes.n)
		qsort(st->probes.v, st->probes.n, sizeof(*st->probes.v), by_hits);
	for (size_t i = 0; i < st->probes.n; i++)
		if (wanted(s, &st->probes.v[i]))
			probe_line(s, sh, pid, st, &st->probes.v[i]);
}

/* -- all of it -- */

/* The sessions that begin to count: pids is shortened to them. */
static size_t begin_all(struct probestats *s, uint32_t *pids, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (begin(s, pids[i], !s->npids))
			pids[k++] = pids[i];
	return k;
}

static int choose(struct probestats *s, uint32_t **ret)
{
	int n = (int)s->npids;

	if (!s->npids)
		n = ctl_sessions(ret);
	else if (!(*ret = calloc(s->npids, sizeof(**ret))))
		return -ENOMEM;
	for (size_t i = 0; i < s->npids; i++)
		(*ret)[i] = (uint32_t)s->pids[i];
	return n < (int)PROBESTATS_MAX_SESSIONS ? n : (int)PROBESTATS_MAX_SESSIONS;
}

static int show_all(struct probestats *s, struct shown *sh, const uint32_t *pids, size_t n)
{
	_cleanup_free_ struct session_stats *st = calloc(n + 1, sizeof(*st));
	size_t any = 0;

	if (!st)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		any += end(s, pids[i], &st[i]);
	for (size_t i = 0; i < n; i++)
		show_session(s, sh, pids[i], &st[i]);
	if (any && !s->json)
		fputc('\n', s->out);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < st[i].programs.n; k++)
			program_line(sh, pids[i], &st[i].programs.v[k]);
		stats_done(&st[i]);
	}
	return any ? 0 : -ESRCH;
}

int probestats_show(struct probestats *s)
{
	struct shown sh = { .probes = { .out = s->out, .json = s->json },
			    .programs = { .out = s->out, .json = s->json } };
	_cleanup_close_ int stats = bpfsys_enable_run_stats();
	const struct timespec pause = clock_timespec(s->ns);
	_cleanup_free_ uint32_t *pids = NULL;
	int n = choose(s, &pids), r;
	uint64_t from;

	if (n < 0)
		return n;
	if (n == 0)
		say(s, "no dwell that can be asked is running");
	sh.measured = stats >= 0;
	if (!sh.measured)
		say(s,
		    "without times, and without hits of programs with one probe: the kernel does not measure BPF programs: %s",
		    strerror(-stats));
	n = (int)begin_all(s, pids, (size_t)n);
	if (n == 0)
		return -ESRCH;
	from = clock_ns(CLOCK_MONOTONIC);
	nanosleep(&pause, NULL);
	sh.ns = clock_ns(CLOCK_MONOTONIC) - from;
	r = show_all(s, &sh, pids, (size_t)n);
	if (sh.code.tried) {
		kmem_close(&sh.code.mem);
		ksyms_free(&sh.code.syms);
	}
	return r < 0 ? r : sh.probes.error ? sh.probes.error : sh.programs.error;
}
