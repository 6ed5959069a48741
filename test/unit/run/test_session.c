/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs with images written by hand, on the live kernel: order of BEGIN, events, snapshots, END;
 * exit(), signals, targets, drops, the governor. */
#include "../unit.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include "../load/handimg.h"
#include "base/clock.h"
#include "load/bpf_sys.h"
#include "run/consume/agg.h"
#include "run/session.h"

enum { P_BEGIN = 1, P_END = 2, P_SYS = 10, P_TIMER = 20 };
enum { F_BEGIN = 1, F_CALL, F_EXIT, F_END };
enum { CALLS = 3000, STATUS = 7 };

static const struct provider prov = { .name = "test" };
static const struct probe probes[] = {
	{ .id = P_BEGIN, .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN", .provider = &prov },
	{ .id = P_END, .prov = "dtrace", .mod = "", .func = "", .name = "END", .provider = &prov },
	{ .id = P_SYS, .prov = "test", .mod = "", .func = "getppid", .name = "entry", .provider = &prov },
	{ .id = P_TIMER, .prov = "test", .mod = "", .func = "", .name = "tick", .provider = &prov },
};
static const struct probe *const p_begin[] = { &probes[0] }, *const p_end[] = { &probes[1] },
				 *const p_sys[] = { &probes[2] }, *const p_timer[] = { &probes[3] };
static const struct rec_probe rec_probes[] = {
	{ P_BEGIN, "dtrace", "", "", "BEGIN" },
	{ P_END, "dtrace", "", "", "END" },
	{ P_SYS, "test", "", "getppid", "entry" },
	{ P_TIMER, "test", "", "", "tick" },
};

static const struct recfield key_fields[] = { { .kind = FLD_INT, .size = 8 } };
static const struct aggdesc by_key = {
	.id = 0, .name = "k", .func = AGG_SUM, .keys = key_fields, .nkeys = 1, .key_size = 8, .value_size = 16
};
static const struct aggdesc plain_count = { .id = 1, .name = "c", .func = AGG_COUNT, .value_size = 8 };
static const struct aggdesc *aggs[] = { &by_key, &plain_count };
static const struct recact printa = { .kind = ACT_PRINTA };
static const struct recfmt f_begin = { .epid = F_BEGIN, .size = 16 }, f_call = { .epid = F_CALL, .size = 16 },
			   f_exit = { .epid = F_EXIT, .size = 16, .has_exit = true },
			   f_end = { .epid = F_END, .size = 16, .acts = &printa, .nacts = 1 };
static const struct recfmt *fmts[] = { &f_begin, &f_call, &f_exit, &f_end };

static const struct bpf_insn begin_insns[] = {
	RECORD(16, F_BEGIN, P_BEGIN, 3),
	SUBMIT(),
	MOVI(0, 0),
	EXIT(),
};
static const struct bpf_insn end_insns[] = {
	RECORD(16, F_END, P_END, 3),
	SUBMIT(),
	MOVI(0, 0),
	EXIT(),
};
/* sys_enter of this process: getppid counts into the set of this epoch and records; getpgid(STATUS)
 * exits. Filled in with our tgid. */
static struct bpf_insn call_insns[] = {
	MOV(6, 1),
	CALL(BPF_FUNC_get_current_pid_tgid),
	INSN(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32),
	/* 3 */ JEQI(0, 0 /* tgid */, 2),
	MOVI(0, 0),
	EXIT(),
	/* 6 */ LDX(BPF_DW, 8, 6, 8),
	MAPVAL(9, HI_STATE, 0),
	/* 9 */ JEQI(8, SYS_getpgid, 32),
	JEQI(8, SYS_getppid, 2),
	MOVI(0, 0),
	EXIT(),
	/* 13 */ STI(BPF_W, 10, -8, 0),
	MOV(2, 10),
	ADDI(2, -8),
	LDX(BPF_W, 1, 9, 0),
	/* 17 */ JEQI(1, 0, 3),
	MAP(1, HI_COUNT1),
	INSN(BPF_JMP | BPF_JA, 0, 0, 2, 0),
	/* 21 */ MAP(1, HI_COUNT0),
	/* 23 */ CALL(BPF_FUNC_map_lookup_elem),
	JEQI(0, 0, 2),
	MOVI(1, 1),
	XADD(0, 0, 1),
	/* 27 */ RECORD(16, F_CALL, P_SYS, 3),
	SUBMIT(),
	MOVI(0, 0),
	EXIT(),
	/* exit: */ MOVI(1, IMG_DRAINING),
	MOVI(2, STATUS),
	STX(BPF_W, 9, 2, 8),
	STX(BPF_W, 9, 1, 4),
	RECORD(16, F_EXIT, P_SYS, 3),
	SUBMIT(),
	MOVI(0, 0),
	EXIT(),
};
#define N(a) (sizeof(a) / sizeof((a)[0]))

/* Distance from the jump at 9 to "exit:", found rather than counted. */
static void fix_call_insns(void)
{
	call_insns[3].imm = getpid();
	for (size_t i = 20; i < N(call_insns); i++)
		if (call_insns[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) && call_insns[i].dst_reg == 1 &&
		    call_insns[i + 1].imm == STATUS)
			call_insns[9].off = (short)(i - 10);
}

static struct img_prog progs[4];
static struct image img;
static struct dopts opts;
static struct dprog prog;
static struct rec_schema schema;
static struct caps caps;

static struct img_prog make_prog(uint32_t index, struct entry e, const struct bpf_insn *v, size_t n,
				 const struct probe *const *p)
{
	return (struct img_prog){ .name = "hand",
				  .entry = e,
				  .insns = (struct bpf_insn *)(uintptr_t)v,
				  .ninsns = (uint32_t)n,
				  .index = index,
				  .probes = (const struct probe **)(uintptr_t)p,
				  .nprobes = 1,
				  .first_epid = 1,
				  .last_epid = 1 };
}

static void setup(void)
{
	struct entry begin = { .kind = ENTRY_TEST_RUN, .target = "BEGIN" },
		     end = { .kind = ENTRY_TEST_RUN, .target = "END" },
		     sys = { .kind = ENTRY_RAW_TP, .target = "sys_enter" };

	fix_call_insns();
	progs[0] = make_prog(0, begin, begin_insns, N(begin_insns), p_begin);
	progs[1] = make_prog(1, sys, call_insns, N(call_insns), p_sys);
	progs[2] = make_prog(2, end, end_insns, N(end_insns), p_end);
	img = (struct image){ .maps = hi_maps,
			      .nmaps = HI_NMAPS,
			      .progs = progs,
			      .nprogs = 3,
			      .fmts = fmts,
			      .nfmts = 4,
			      .aggs = aggs,
			      .naggs = 2,
			      .state_size = HI_STATE_SIZE,
			      .has_exit = true };
	memset(&opts, 0, sizeof(opts));
	opts.switchrate = opts.aggrate = opts.statusrate = 1000000000;
	opts.maxcpu = "";
	opts.bufresize = "auto";
	opts.destructive = true; /* keeps the privileges, which the next test needs */
	prog = (struct dprog){ .opts = &opts };
	caps = hi_caps();
	schema = (struct rec_schema){ .fmts = fmts,
				      .nfmts = 4,
				      .aggs = aggs,
				      .naggs = 2,
				      .probes = rec_probes,
				      .nprobes = 4,
				      .ncpus = caps.possible_cpus };
}

/* The rows that the consumer wrote. */
static struct {
	struct recording *rec;
	unsigned events[5]; /* by format */
	unsigned begin_at, end_at, printa_at, last_agg_at, n;
	uint64_t agg_total, keyed_total, keys, drops[REC_NLOSSES];
	uint64_t last_ts;
	bool disorder;
	unsigned notes;
	char note[256];
	enum session_stop stopping;
	unsigned stops, end_events_at_stop;
	int answer; /* of consume() */
} got;

static void take(const struct row *row)
{
	got.n++;
	switch (row->kind) {
	case ROW_EVENT:
		got.events[row->id]++;
		got.disorder |= row->ts < got.last_ts;
		got.last_ts = row->ts;
		if (row->id == F_BEGIN)
			got.begin_at = got.n;
		if (row->id == F_END)
			got.printa_at = got.n;
		break;
	case ROW_AGG:
		if (row->id == 1)
			got.agg_total += row->value[0];
		else
			got.keyed_total += row->value[1], got.keys++;
		got.last_agg_at = got.n;
		break;
	case ROW_DROPS: got.drops[row->id] += row->count; break;
	case ROW_NOTE:
		got.notes++;
		snprintf(got.note, sizeof(got.note), "%s", (const char *)row->data);
		break;
	case ROW_END: got.end_at = got.n; break;
	default: break;
	}
}

static int consume(void *ctx)
{
	struct row row;

	(void)ctx;
	while (recording_next(got.rec, &row))
		take(&row);
	recording_release(got.rec);
	return got.answer;
}

static void stopping(void *ctx, enum session_stop stop)
{
	(void)ctx;
	got.stops++;
	got.stopping = stop;
	got.end_events_at_stop = got.events[F_END];
}

/* Runs the image; targets may be NULL, for_ns 0. */
static struct session_result run_for(struct target *t, uint64_t for_ns)
{
	struct session_result res = { 0 };
	struct session_config c = { .img = &img,
				    .prog = &prog,
				    .caps = &caps,
				    .consume = consume,
				    .stopping = stopping,
				    .targets = &t,
				    .ntargets = t != NULL,
				    .for_ns = for_ns };
	struct session *s = NULL;
	struct err err = { 0 };

	memset(&got, 0, offsetof(__typeof__(got), answer));
	assert_int_equal(recording_new_memory(&schema, &got.rec), 0);
	assert_int_equal(registry_new(NULL, &caps, 0, &c.reg), 0);
	c.rec = got.rec;
	if (session_new(&c, &s, &err) < 0)
		fail_msg("%s\n%s", err.msg, err.detail ? err.detail : "");
	if (session_run(s, &res, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(got.stops, 1);
	assert_int_equal(got.stopping, res.stop);
	assert_int_equal(got.end_events_at_stop, 0);
	session_free(s);
	registry_free(c.reg);
	recording_free(got.rec);
	return res;
}

static struct session_result run(struct target *t)
{
	return run_for(t, 0);
}

static void *make_calls(void *arg)
{
	unsigned n = *(unsigned *)arg;

	/* BEGIN is shown once everything is attached. */
	while (!*(volatile unsigned *)&got.events[F_BEGIN])
		usleep(1000);
	for (unsigned i = 0; i < n; i++) {
		syscall(SYS_getppid);
		if (i % 100 == 99)
			usleep(5000);
	}
	syscall(SYS_getpgid, STATUS);
	for (unsigned i = 0; i < 10; i++)
		syscall(SYS_getppid); /* not shown any more */
	return NULL;
}

static void a_run_in_order(void **state)
{
	unsigned n = CALLS;
	struct session_result res;
	pthread_t t;

	(void)state;
#ifdef DWELL_STRESS_RING
	skip(); /* rings of one page lose records */
#endif
	setup();
	opts.aggrate = 20000000; /* many snapshots while it counts */
	pthread_create(&t, NULL, make_calls, &n);
	res = run(NULL);
	pthread_join(t, NULL);
	assert_int_equal(res.stop, SESSION_EXIT);
	assert_int_equal(res.exit_status, STATUS);
	assert_int_equal(got.events[F_BEGIN], 1);
	assert_int_equal(got.begin_at, 1);
	assert_int_equal(got.events[F_CALL], CALLS);
	assert_int_equal(got.events[F_EXIT], 1);
	assert_int_equal(got.events[F_END], 1);
	assert_false(got.disorder);
	assert_true(got.agg_total >= CALLS && got.agg_total <= CALLS + 10);
	assert_true(got.printa_at > 0 && got.last_agg_at <= got.end_at);
	assert_int_equal(got.end_at, got.n);
	assert_int_equal(got.drops[CNT_DROP_PRINCIPAL], 0);
	assert_int_equal(got.notes, 0);
}

static void exit_in_begin_attaches_nothing(void **state)
{
	static const struct bpf_insn v[] = {
		MAPVAL(9, HI_STATE, 0),
		STI(BPF_W, 9, 8, 3),
		STI(BPF_W, 9, 4, IMG_DRAINING),
		RECORD(16, F_EXIT, P_BEGIN, 3),
		SUBMIT(),
		MOVI(0, 0),
		EXIT(),
	};
	struct session_result res;

	(void)state;
	setup();
	progs[0].insns = (struct bpf_insn *)(uintptr_t)v;
	progs[0].ninsns = N(v);
	res = run(NULL);
	assert_int_equal(res.stop, SESSION_EXIT);
	assert_int_equal(res.exit_status, 3);
	assert_int_equal(got.events[F_EXIT], 1);
	assert_int_equal(got.events[F_END], 1);
	assert_int_equal(got.n, 3);
}

static void *send_signal(void *arg)
{
	struct sigaction sa;

	do { /* until the session listens */
		usleep(1000);
		sigaction(*(int *)arg, NULL, &sa);
	} while (sa.sa_handler == SIG_DFL);
	usleep(200000);
	kill(getpid(), *(int *)arg);
	return NULL;
}

static void a_signal_ends_it_in_order(void **state)
{
	int sig = SIGTERM;
	struct session_result res;
	pthread_t t;

	(void)state;
	setup();
	pthread_create(&t, NULL, send_signal, &sig);
	res = run(NULL);
	pthread_join(t, NULL);
	assert_int_equal(res.stop, SESSION_SIGNAL);
	assert_int_equal(res.signal, SIGTERM);
	assert_int_equal(got.events[F_BEGIN], 1);
	assert_int_equal(got.events[F_END], 1);
	assert_int_equal(got.end_at, got.n);
}

static void a_failing_consumer_ends_it(void **state)
{
	struct session_result res;

	(void)state;
	setup();
	got.answer = -EPIPE;
	res = run(NULL);
	got.answer = 0;
	assert_int_equal(res.stop, SESSION_CONSUMER);
	assert_int_equal(res.consumer_error, -EPIPE);
}

static void the_end_of_the_target_ends_it(void **state)
{
	struct session_result res;
	struct target *t = NULL;
	struct err err = { 0 };

	(void)state;
	setup();
	assert_int_equal(target_command("sleep 0.2", TARGET_EXEC, &t, &err), 0);
	res = run(t);
	assert_int_equal(res.stop, SESSION_TARGETS);
	assert_true(target_ended(t));
	target_free(t);
}

/* The time is counted from when all is attached, and the earlier of two ends counts. */
static void its_time_ends_it(void **state)
{
	const uint64_t time = 50 * 1000000ull;
	struct session_result res;
	struct target *t = NULL;
	struct err err = { 0 };
	uint64_t begun;

	(void)state;
	setup();
	assert_int_equal(target_command("sleep 600", TARGET_EXEC, &t, &err), 0);
	begun = clock_ns(CLOCK_MONOTONIC);
	res = run_for(t, time);
	assert_int_equal(res.stop, SESSION_TIME);
	assert_int_equal(res.exit_status, 0);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begun >= time);
	assert_false(target_ended(t));
	assert_int_equal(got.events[F_END], 1);
	assert_int_equal(got.end_at, got.n);
	target_free(t);
	setup();
	assert_int_equal(target_command("sleep 0.1", TARGET_EXEC, &t, &err), 0);
	res = run_for(t, UINT64_MAX / 2);
	assert_int_equal(res.stop, SESSION_TARGETS);
	target_free(t);
}

/* Adds k keys to the keyed aggregation of set 0, from user space. */
static void fill_keys(int fd, unsigned k)
{
	uint64_t value[2 * 64] = { 0 };
	unsigned cpus = (unsigned)caps.possible_cpus;

	assert_true(cpus <= 64);
	for (uint64_t key = 0; key < k; key++) {
		for (unsigned c = 0; c < cpus; c++) {
			value[2 * c] = 1;
			value[2 * c + 1] = key;
		}
		assert_int_equal(bpfsys_map_update(fd, &key, value), 0);
	}
}

static int count_rows(void *ctx)
{
	(void)ctx;
	return consume(NULL);
}

static void fill_set(struct loaded *l, uint32_t set, unsigned keys)
{
	const struct load_map *m = load_find_map(l, IMG_MAP_AGG, 0, set);

	fill_keys(m->fd, keys);
}

static unsigned entries_of(struct loaded *l, uint32_t set)
{
	const struct load_map *m = load_find_map(l, IMG_MAP_AGG, 0, set);
	uint64_t key, next;
	unsigned n = 0;

	for (int r = bpfsys_map_next_key(m->fd, NULL, &next); r == 0; r = bpfsys_map_next_key(m->fd, &key, &next)) {
		key = next;
		n++;
	}
	return n;
}

/* Takes a snapshot and checks how many keys came, each with the sum that was put in. */
static void snapshot(struct agg_reader *a, enum agg_when when, unsigned keys, unsigned times)
{
	struct agg_sink sink = { got.rec, count_rows, NULL, NULL };
	uint64_t sum = (uint64_t)keys * (keys ? keys - 1 : 0) / 2 * caps.possible_cpus * times;
	struct err err = { 0 };

	got.keys = got.keyed_total = 0;
	if (agg_snapshot(a, 1, when, &sink, &err) < 0)
		fail_msg("%s", err.msg);
	consume(NULL);
	assert_int_equal(got.keys, keys * times);
	assert_int_equal(got.keyed_total, sum);
}

static void keys_are_read_once_and_age(void **state)
{
	enum { KEYS = 5000, MANY = 11000 };
	struct agg_reader *a = NULL;
	struct loaded *l = NULL;
	struct err err = { 0 };

	(void)state;
	setup();
	memset(&got, 0, sizeof(got));
	assert_int_equal(recording_new_memory(&schema, &got.rec), 0);
	assert_int_equal(load_image(&img, NULL, &caps, NULL, &l, &err), 0);
	assert_int_equal(agg_reader_new(l, &schema, false, &a), 0);
	fill_set(l, 0, KEYS);
	snapshot(a, AGG_RUNNING, KEYS, 1); /* set 0; programs go on in set 1 */
	assert_int_equal(l->state->epoch, 1);
	assert_int_equal(entries_of(l, 0), KEYS); /* zero, but there */
	fill_set(l, 1, 5);
	snapshot(a, AGG_RUNNING, 5, 1);
	assert_int_equal(l->state->epoch, 0);
	fill_set(l, 0, 7);
	snapshot(a, AGG_RUNNING, 7, 1);
	assert_int_equal(entries_of(l, 0), 7); /* the idle ones are gone */
	snapshot(a, AGG_RUNNING, 0, 1);
	/* More than half full: emptied. */
	fill_set(l, 0, MANY);
	fill_set(l, 1, MANY);
	snapshot(a, AGG_STILL, MANY, 2);
	assert_int_equal(entries_of(l, 0), MANY);
	snapshot(a, AGG_STILL, 0, 1);
	assert_int_equal(entries_of(l, 0), 0);
	fill_set(l, 0, KEYS);
	fill_set(l, 1, KEYS);
	snapshot(a, AGG_LAST, KEYS, 2);
	assert_int_equal(entries_of(l, 1), KEYS); /* left alone */
	agg_reader_free(a);
	load_free(l);
	recording_free(got.rec);
}

/* Counts CNT_DROP_AGG of program index 1 at each getppid. */
static void losses_are_reported(void **state)
{
	static const struct bpf_insn v[] = {
		STI(BPF_W, 10, -8, 1),
		MOV(2, 10),
		ADDI(2, -8),
		MAP(1, HI_COUNTERS),
		CALL(BPF_FUNC_map_lookup_elem),
		JEQI(0, 0, 2),
		MOVI(1, 5),
		XADD(0, CNT_DROP_AGG * 8, 1),
		MOVI(0, 0),
		EXIT(),
	};
	struct session_result res;

	(void)state;
	setup();
	progs[1] = make_prog(1, progs[0].entry, v, N(v), p_begin);
	img.nprogs = 2;
	got.answer = -EPIPE; /* ends after the first look */
	res = run(NULL);
	assert_int_equal(res.stop, SESSION_CONSUMER);
	got.answer = 0;
	setup();
	progs[1] = make_prog(1, progs[0].entry, v, N(v), p_begin);
	progs[0].insns = (struct bpf_insn *)(uintptr_t)(call_insns + N(call_insns) - 2);
	progs[0].ninsns = 2; /* nothing */
	{
		int sig = SIGINT;
		pthread_t t;

		pthread_create(&t, NULL, send_signal, &sig);
		res = run(NULL);
		pthread_join(t, NULL);
	}
	assert_int_equal(got.drops[CNT_DROP_AGG], 5);
	assert_int_equal(got.drops[CNT_DROP_PRINCIPAL], 0);
}

static void *stop_after_note(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&got.notes, __ATOMIC_RELAXED))
		usleep(10000);
	kill(getpid(), SIGINT);
	return NULL;
}

/* A timer at 10 kHz that works: over a limit of 0.0001 % for sure. The run goes on without: it will be tried again. */
static void the_governor_detaches(void **state)
{
	static const struct bpf_insn v[] = {
		STI(BPF_W, 10, -8, 1),
		MOV(2, 10),
		ADDI(2, -8),
		MAP(1, HI_COUNTERS),
		CALL(BPF_FUNC_map_lookup_elem),
		JEQI(0, 0, 2),
		MOVI(1, 1),
		XADD(0, CNT_FIRINGS * 8, 1),
		MOVI(0, 0),
		EXIT(),
	};
	struct entry timer = { .kind = ENTRY_PERF_EVENT, .period_ns = 100000, .cpu = 0 };
	struct session_result res;
	pthread_t t;

	(void)state;
	setup();
	opts.maxcpu = "0.0001%";
	progs[1] = make_prog(1, timer, v, N(v), p_timer);
	pthread_create(&t, NULL, stop_after_note, NULL);
	res = run(NULL);
	pthread_join(t, NULL);
	assert_int_equal(res.stop, SESSION_SIGNAL);
	assert_int_equal(got.notes, 1);
	assert_non_null(strstr(got.note, "maxcpu: detached test:::tick"));
	assert_int_equal(got.events[F_END], 1);
}

static bool burning;

/* Keeps CPU 0 busy: what an idle one does not do is no loss. */
static void *burn(void *arg)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	while (__atomic_load_n(&burning, __ATOMIC_RELAXED))
		;
	return arg;
}

/* A timer whose program counts one of two firings looks as if it missed half of them. */
static void missed_timers_are_reported(void **state)
{
	static const struct bpf_insn v[] = {
		MAPVAL(6, HI_STATE, sizeof(struct img_state)),
		LDX(BPF_DW, 1, 6, 0),
		ADDI(1, 1),
		STX(BPF_DW, 6, 1, 0),
		INSN(BPF_ALU64 | BPF_AND | BPF_K, 1, 0, 0, 1),
		JEQI(1, 0, 9),
		STI(BPF_W, 10, -8, 1),
		MOV(2, 10),
		ADDI(2, -8),
		MAP(1, HI_COUNTERS),
		CALL(BPF_FUNC_map_lookup_elem),
		JEQI(0, 0, 2),
		MOVI(1, 1),
		XADD(0, CNT_FIRINGS * 8, 1),
		MOVI(0, 0),
		EXIT(),
	};
	struct entry timer = { .kind = ENTRY_PERF_EVENT, .period_ns = 1000000, .cpu = 0 };
	int sig = SIGINT;
	pthread_t t, load;

	(void)state;
	setup();
	progs[1] = make_prog(1, timer, v, N(v), p_timer);
	opts.statusrate = 50000000;
	burning = true;
	pthread_create(&load, NULL, burn, NULL);
	pthread_create(&t, NULL, send_signal, &sig);
	run(NULL);
	pthread_join(t, NULL);
	__atomic_store_n(&burning, false, __ATOMIC_RELAXED);
	pthread_join(load, NULL);
	assert_in_range(got.drops[CNT_TIMER_MISSES], 50, 300); /* 200 ms, when nothing else runs */
	assert_in_range(got.drops[CNT_TIMER_ASLEEP], 0, 50);
	assert_int_equal(got.drops[CNT_FIRINGS], 0);
}

static void bad_limits_are_refused(void **state)
{
	static const char *const bad[] = { "x", "0", "-1%", "101%", "5%%", "%" };

	(void)state;
	setup();
	for (size_t i = 0; i < N(bad); i++) {
		struct session_config c = { .img = &img, .prog = &prog, .caps = &caps };
		struct session *s = NULL;
		struct err err = { 0 };

		opts.maxcpu = bad[i];
		assert_int_equal(recording_new_memory(&schema, &c.rec), 0);
		assert_int_equal(session_new(&c, &s, &err), -EINVAL);
		assert_null(s);
		recording_free(c.rec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_in_order),
		cmocka_unit_test(exit_in_begin_attaches_nothing),
		cmocka_unit_test(a_signal_ends_it_in_order),
		cmocka_unit_test(a_failing_consumer_ends_it),
		cmocka_unit_test(the_end_of_the_target_ends_it),
		cmocka_unit_test(its_time_ends_it),
		cmocka_unit_test(keys_are_read_once_and_age),
		cmocka_unit_test(losses_are_reported),
		cmocka_unit_test(the_governor_detaches),
		cmocka_unit_test(missed_timers_are_reported),
		cmocka_unit_test(bad_limits_are_refused),
	};

	if (geteuid() != 0)
		return skip_all("needs root and BPF");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
