/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of waits made by hand: links, their evidence, their order; cycles, overlaps, limits. */
#include "unit.h"
#include "base/cleanup.h"
#include "latency/cause/chain.h"
#include "store/flight.h"

#define MS 1000000ull

static struct chain_wait wait_of(uint32_t tid, const char *comm, uint64_t from_ms, uint64_t to_ms, const char *words)
{
	struct chain_wait w = { .tid = tid, .pid = tid, .from = from_ms * MS, .to = to_ms * MS, .level = CHAIN_SLEEP };

	strcpy(w.comm, comm);
	strcpy(w.words, words);
	return w;
}

static struct chain_wait by(struct chain_wait w, enum chain_via via, uint32_t tid, const char *comm)
{
	w.via = via;
	w.by_tid = tid;
	strcpy(w.by_comm, comm);
	return w;
}

static struct chain_wait on(struct chain_wait w, enum chain_level level, const char *object)
{
	w.level = level;
	strcpy(w.object, object);
	return w;
}

static void add(struct chains *c, struct chain_wait w)
{
	chains_add(c, &w);
}

static struct chains *fresh(void)
{
	struct chains *c = NULL;

	assert_int_equal(chains_new(&c), 0);
	return c;
}

static struct chain assert_sentence(const struct chains *c, struct chain_wait w, const char *want)
{
	struct strb b = { 0 };
	struct chain ch;

	chains_build(c, &w, &ch);
	chain_sentence(&ch, &b);
	assert_string_equal(strb_str(&b), want);
	strb_free(&b);
	return ch;
}

static void assert_completed(const struct chains *c, struct chain_wait w, const struct flight_rec *f, const char *want)
{
	struct strb b = { 0 };
	struct chain ch;

	chains_build(c, &w, &ch);
	chain_complete(&ch, f);
	chain_sentence(&ch, &b);
	assert_string_equal(strb_str(&b), want);
	strb_free(&b);
}

static void alone(void **state)
{
	struct chains *c = fresh();
	struct chain_wait w = wait_of(412, "postgres", 100, 141, "journal commit (jbd2)");

	(void)state;
	strcpy(w.op, "fsync");
	assert_sentence(c, w, "postgres 412 waited 41.0 ms in fsync for journal commit (jbd2)");
	add(c, w);
	assert_int_equal(assert_sentence(c, w, "postgres 412 waited 41.0 ms in fsync for journal commit (jbd2)").n, 1);
	w.inferred = true;
	assert_sentence(
		c, by(w, CHAIN_WAKER, 233, "jbd2/vda-8"),
		"postgres 412 waited 41.0 ms in fsync for journal commit (jbd2) (inferred), ended by jbd2/vda-8 233");
	chains_free(c);
}

static void call_sleep_request_queue(void **state)
{
	struct chains *c = fresh();
	struct chain_wait call = on(wait_of(412, "postgres", 100, 150, "the call"), CHAIN_CALL, "");
	struct chain ch;

	(void)state;
	strcpy(call.op, "fsync(/a/file)");
	add(c, on(wait_of(77, "kworker/u4:2", 90, 138, "write"), CHAIN_QUEUED, "vda"));
	add(c, on(wait_of(78, "late", 102, 149, "write"), CHAIN_QUEUED, "vda"));
	add(c, on(wait_of(79, "elsewhere", 90, 149, "write"), CHAIN_QUEUED, "vdb"));
	add(c, on(wait_of(412, "postgres", 101, 149, "block I/O"), CHAIN_QUEUED, "vda"));
	struct chain_wait page = wait_of(412, "postgres", 101, 150, "a page being written");
	strcpy(page.op, "fsync");
	add(c, page);
	add(c, wait_of(412, "postgres", 10, 20, "sleep"));
	ch = assert_sentence(
		c, call,
		"postgres 412 waited 50.0 ms in fsync(/a/file) for a page being written: block I/O on vda, queued "
		"behind 37.0 ms of write by kworker/u4:2 77 (inferred)");
	assert_int_equal(ch.n, 4);
	assert_int_equal(ch.links[1].how, LINK_SAME);
	assert_int_equal(ch.links[3].how, LINK_QUEUE);
	assert_true(ch.links[3].inferred && !ch.links[2].inferred);
	assert_string_equal(chain_evidence(&ch.links[3]), "overlap");
	assert_string_equal(chain_how_name(ch.links[3].how), "queue");
	chains_free(c);
}

static void holder_and_what_it_waited_for(void **state)
{
	struct chains *c = fresh();
	struct chain ch;

	(void)state;
	add(c, by(wait_of(977, "cp", 100, 140, "a block of metadata"), CHAIN_WAKER, 5, "ksoftirqd/0"));
	add(c, wait_of(977, "cp", 10, 20, "something else"));
	ch = assert_sentence(
		c, by(wait_of(412, "postgres", 101, 142, "inode lock"), CHAIN_HOLDER, 977, "cp"),
		"postgres 412 waited 41.0 ms for inode lock, held by cp 977, which waited 39.0 ms for a block of metadata, "
		"ended by ksoftirqd/0 5");
	assert_string_equal(chain_evidence(&ch.links[1]), "lock owner");
	/* Hardly any overlap explains nothing. */
	assert_sentence(c, by(wait_of(412, "postgres", 138, 190, "inode lock"), CHAIN_HOLDER, 977, "cp"),
			"postgres 412 waited 52.0 ms for inode lock, held by cp 977");
	assert_sentence(c, by(wait_of(8, "w", 300, 310, "futex (lock or condition)"), CHAIN_RELEASER, 9, "h"),
			"w 8 waited 10.0 ms for futex (lock or condition), released by h 9");
	assert_sentence(
		c, by(wait_of(412, "postgres", 101, 142, "data in a pipe"), CHAIN_WAKER, 977, "cp"),
		"postgres 412 waited 41.0 ms for data in a pipe, ended by cp 977, which waited 39.0 ms for a block of metadata "
		"(inferred), ended by ksoftirqd/0 5");
	chains_free(c);
}

/* Waits in one another of a thread are told as one where they took the same time. */
static void told_together(void **state)
{
	struct chains *c = fresh();
	struct chain_wait call = on(wait_of(5, "a", 100, 200, "the call"), CHAIN_CALL, ""), lock, sleep;

	(void)state;
	strcpy(call.op, "flock(/a/b)");
	sleep = by(wait_of(5, "a", 101, 200, "file lock"), CHAIN_WAKER, 6, "b");
	strcpy(sleep.op, "flock");
	lock = by(on(wait_of(5, "a", 101, 199, "mutex"), CHAIN_LOCKED, "/a/b"), CHAIN_HOLDER, 6, "b");
	lock.general = true;
	add(c, sleep);
	add(c, lock);
	/* The call has the operation, the sleep the words, the lock the holder. */
	assert_sentence(c, call, "a 5 waited 100 ms in flock(/a/b) for file lock, held by b 6");
	assert_sentence(c, sleep, "a 5 waited 99.0 ms in flock for file lock on /a/b, held by b 6");
	/* A wait that took only a part of the time is told by itself. */
	add(c, by(on(wait_of(7, "c", 320, 350, "a CPU"), CHAIN_LOCKED, ""), CHAIN_RUNNING, 8, "hog"));
	assert_sentence(c, wait_of(7, "c", 300, 350, "sleep"),
			"c 7 waited 50.0 ms for sleep, of which 30.0 ms for a CPU, taken by hog 8");
	chains_free(c);
}

static void the_one_to_blame_is_handed_on(void **state)
{
	struct chains *c = fresh();
	struct chain_wait lock = on(wait_of(5, "a", 100, 200, "file lock"), CHAIN_LOCKED, "/a/b");

	(void)state;
	lock.general = true;
	add(c, lock);
	add(c, by(lock, CHAIN_HOLDER, 5, "a")); /* itself: known by its process only */
	assert_sentence(c, by(wait_of(5, "a", 100, 200, "file lock"), CHAIN_WAKER, 6, "b"),
			"a 5 waited 100 ms for file lock on /a/b, ended by b 6");
	assert_sentence(c, by(wait_of(9, "s", 1, 2, "SIGCONT"), CHAIN_STOPPER, 6, "b"),
			"s 9 waited 1.00 ms for SIGCONT, stopped by b 6");
	add(c, by(wait_of(7, "kworker/1:0", 0, 100, "a CPU"), CHAIN_NOBODY, 0, ""));
	assert_sentence(
		c, by(wait_of(8, "s", 10, 60, "a work item to end: f"), CHAIN_DOER, 7, "kworker/1:0"),
		"s 8 waited 50.0 ms for a work item to end: f, done by kworker/1:0 7, which waited 50.0 ms for a CPU");
	chains_free(c);
}

/* Only the part of the holder's wait counts that is within the wait for it. */
static void only_the_time_in_question_counts(void **state)
{
	struct chains *c = fresh();

	(void)state;
	add(c, by(wait_of(2, "b", 50, 200, "data"), CHAIN_HOLDER, 3, "c"));
	add(c, by(wait_of(3, "c", 0, 150, "block I/O"), CHAIN_NOBODY, 0, ""));
	assert_sentence(
		c, by(wait_of(1, "a", 100, 200, "mutex"), CHAIN_HOLDER, 2, "b"),
		"a 1 waited 100 ms for mutex, held by b 2, which waited 100 ms for data, held by c 3, which waited 50.0 ms for block I/O");
	chains_free(c);
}

/* A thread that has a CPU does not wait. A thread that waited itself for most of the time had the CPU in passing. */
static void who_had_the_cpu(void **state)
{
	struct chains *c = fresh();
	struct chain_wait w = by(wait_of(1, "a", 100, 200, "a CPU"), CHAIN_RUNNING, 2, "b");

	(void)state;
	add(c, wait_of(2, "b", 100, 149, "events"));
	assert_sentence(c, w, "a 1 waited 100 ms for a CPU, taken by b 2");
	add(c, wait_of(2, "b", 90, 160, "events"));
	assert_sentence(c, w, "a 1 waited 100 ms for a CPU, last taken by b 2");
	chains_free(c);
}

/* A condition's wait is as idle as who gave the sign. */
static void conditions_of_who_had_nothing_to_do(void **state)
{
	struct chains *c = fresh();
	struct chain_wait w = by(wait_of(1, "w", 100, 200, "a condition"), CHAIN_WAKER, 2, "main"),
			  m = by(wait_of(2, "main", 100, 199, "a condition"), CHAIN_WAKER, 3, "hub");
	struct chain ch;

	(void)state;
	w.condition = m.condition = true;
	chains_build(c, &w, &ch);
	assert_false(chain_is_idle(&ch)); /* it worked, for all that is known */
	add(c, m);
	chains_build(c, &w, &ch);
	assert_false(chain_is_idle(&ch));
	m = wait_of(3, "hub", 90, 199, "events");
	m.idle = true;
	add(c, m);
	chains_build(c, &w, &ch);
	assert_true(chain_is_idle(&ch));
	w.asked = true;
	chains_build(c, &w, &ch);
	assert_false(chain_is_idle(&ch));
	chains_free(c);

	c = fresh();
	w.asked = false;
	m = by(wait_of(2, "main", 100, 199, "mutex"), CHAIN_RELEASER, 3, "hub"); /* a wait for a lock is no excuse */
	add(c, m);
	m = wait_of(3, "hub", 90, 199, "events");
	m.idle = true;
	add(c, m);
	chains_build(c, &w, &ch);
	assert_false(chain_is_idle(&ch));
	m = wait_of(2, "main", 150, 199, "events"); /* worked for half of the time */
	m.idle = true;
	add(c, m);
	chains_build(c, &w, &ch);
	assert_false(chain_is_idle(&ch));
	chains_free(c);
}

/* The loop of a worker waits for work, but where the chain knows what kept the work from it. */
static void loops_of_workers_are_idle(void **state)
{
	struct chains *c = fresh();
	struct chain_wait w = by(wait_of(1, "w", 100, 200, "a condition"), CHAIN_WAKER, 2, "main"),
			  m = wait_of(2, "main", 150, 199, "events");
	struct chain ch;

	(void)state;
	w.condition = w.loop = true;
	chains_build(c, &w, &ch);
	assert_true(chain_is_idle(&ch));
	m.idle = true;
	add(c, m);
	chains_build(c, &w, &ch);
	assert_true(chain_is_idle(&ch));
	w.asked = true;
	chains_build(c, &w, &ch);
	assert_false(chain_is_idle(&ch));
	chains_free(c);

	c = fresh();
	w.asked = false;
	add(c, by(wait_of(2, "main", 100, 199, "mutex"), CHAIN_RELEASER, 3, "hub"));
	chains_build(c, &w, &ch);
	assert_false(chain_is_idle(&ch));
	chains_free(c);
}

static void calls_that_only_wait_for_something_to_do(void **state)
{
	struct chains *c = fresh();
	struct chain_wait call = on(wait_of(5, "a", 100, 200, "the call"), CHAIN_CALL, ""),
			  sleep = wait_of(5, "a", 101, 200, "events");
	struct chain ch;

	(void)state;
	chains_build(c, &call, &ch);
	assert_false(chain_is_idle(&ch));
	sleep.idle = true;
	add(c, sleep);
	chains_build(c, &call, &ch);
	assert_true(chain_is_idle(&ch));
	call.asked = true; /* a request, which somebody waits for */
	chains_build(c, &call, &ch);
	assert_false(chain_is_idle(&ch));
	call.asked = false;
	add(c, by(on(wait_of(5, "a", 150, 200, "a CPU"), CHAIN_LOCKED, ""), CHAIN_RUNNING, 8, "hog"));
	chains_build(c, &call, &ch);
	assert_false(chain_is_idle(&ch));
	chains_free(c);
}

static void cycles_end(void **state)
{
	struct chains *c = fresh();
	struct chain ch;

	(void)state;
	add(c, by(wait_of(1, "a", 100, 200, "mutex"), CHAIN_HOLDER, 2, "b"));
	add(c, by(wait_of(2, "b", 100, 200, "mutex"), CHAIN_HOLDER, 1, "a"));
	ch = assert_sentence(
		c, by(wait_of(1, "a", 100, 200, "mutex"), CHAIN_HOLDER, 2, "b"),
		"a 1 waited 100 ms for mutex, held by b 2, which waited 100 ms for mutex, held by a 1, which is in this chain "
		"itself: a deadlock, if it lasts");
	assert_true(ch.cycle && ch.n == 2);
	/* Waking each other up is no deadlock, and ends as well. */
	add(c, by(wait_of(3, "c", 100, 200, "data"), CHAIN_WAKER, 4, "d"));
	add(c, by(wait_of(4, "d", 100, 200, "data"), CHAIN_WAKER, 3, "c"));
	ch = assert_sentence(
		c, by(wait_of(3, "c", 100, 200, "data"), CHAIN_WAKER, 4, "d"),
		"c 3 waited 100 ms for data, ended by d 4, which waited 100 ms for data (inferred), ended by c 3");
	assert_false(ch.cycle);
	/* A lock that the waiter has itself (a CPU number taken for an owner, say) is no chain. */
	ch = assert_sentence(c, by(wait_of(9, "i", 100, 200, "mutex"), CHAIN_HOLDER, 9, "i"),
			     "i 9 waited 100 ms for mutex");
	assert_false(ch.cycle);
	chains_free(c);
}

static void eight_links_at_most(void **state)
{
	struct chains *c = fresh();
	struct chain ch;

	(void)state;
	for (uint32_t i = 1; i < 20; i++)
		add(c, by(wait_of(i, "t", 100, 200, "mutex"), CHAIN_HOLDER, i + 1, "t"));
	struct chain_wait w = by(wait_of(1, "t", 100, 200, "mutex"), CHAIN_HOLDER, 2, "t");
	chains_build(c, &w, &ch);
	assert_int_equal(ch.n, CHAIN_MAX_LINKS);
	assert_true(ch.more);
	w = by(wait_of(13, "t", 100, 200, "mutex"), CHAIN_HOLDER, 14, "t");
	chains_build(c, &w, &ch);
	assert_int_equal(ch.n, 7);
	assert_false(ch.more);
	chains_free(c);
}

static void old_waits_are_forgotten(void **state)
{
	struct chains *c = fresh();
	struct chain_wait w = by(wait_of(1, "a", 100, 200, "mutex"), CHAIN_HOLDER, 2, "b");
	struct chain ch;

	(void)state;
	add(c, wait_of(2, "b", 100, 200, "disk"));
	for (uint32_t i = 0; i < CHAIN_MAX_WAITS - 1; i++)
		add(c, wait_of(1000 + i, "x", 100, 200, "sleep"));
	chains_build(c, &w, &ch);
	assert_int_equal(ch.n, 2);
	add(c, wait_of(5, "x", 100, 200, "sleep"));
	chains_build(c, &w, &ch);
	assert_int_equal(ch.n, 1);
	chains_free(c);
}

static void the_largest_overlap_counts(void **state)
{
	struct chains *c = fresh();

	(void)state;
	add(c, wait_of(2, "b", 100, 120, "the first"));
	add(c, wait_of(2, "b", 121, 160, "the long one"));
	add(c, wait_of(2, "b", 161, 180, "the last"));
	assert_sentence(c, by(wait_of(1, "a", 100, 180, "data"), CHAIN_WAKER, 2, "b"),
			"a 1 waited 80.0 ms for data, ended by b 2, which waited 39.0 ms for the long one (inferred)");
	chains_free(c);
}

/* The flight recorder tells what no slow event tells: the thread on the CPU, and what the thread to blame did
 * meanwhile. */
static void flight_recorder_completes(void **state)
{
	struct {
		struct rec_flight h;
		struct rec_flight_event v[5];
	} m = { .h = { .n = 5 },
		.v = { { .ts = 5 * MS, .cpu = 1, .id = 2, .kind = "switch", .text = "hog" },
		       { .ts = 40 * MS, .cpu = 1, .id = 3, .info = 1, .kind = "switch", .text = "cat" },
		       { .ts = 48 * MS, .cpu = 1, .id = 0, .info = 1, .kind = "switch", .text = "swapper/1" },
		       { .ts = 49 * MS, .cpu = 0, .id = 2, .kind = "wake", .text = "hog" },
		       { .ts = 49 * MS, .cpu = 1, .id = 2, .kind = "switch", .text = "hog" } } };
	struct chain_wait w = by(wait_of(1, "a", 10, 50, "a CPU"), CHAIN_RUNNING, 3, "cat");
	struct chains *c = fresh();
	struct flight_rec f;
	struct chain ch;

	(void)state;
	w.cpu = 1;
	assert_int_equal(flight_open(&m, sizeof(m), &f), 0);
	assert_completed(c, w, &f,
			 "a 1 waited 40.0 ms for a CPU, while CPU 1 was held by hog 2 for 31.0 ms, cat 3 for 8.00 ms, "
			 "nobody for 1.00 ms");
	w.from = 0;
	w.to = 9 * MS; /* too little is known */
	assert_completed(c, w, &f, "a 1 waited 9.00 ms for a CPU, taken by cat 3");
	w.cpu = 7;
	w.to = 40 * MS;
	assert_completed(c, w, &f, "a 1 waited 40.0 ms for a CPU, taken by cat 3");
	w = by(wait_of(1, "a", 10, 50, "mutex"), CHAIN_HOLDER, 2, "hog");
	assert_completed(
		c, w, &f,
		"a 1 waited 40.0 ms for mutex, held by hog 2, which meanwhile ran for 31.0 ms, slept for 9.00 ms "
		"(inferred)");
	w.by_tid = 77; /* of whom nothing is known */
	assert_completed(c, w, &f, "a 1 waited 40.0 ms for mutex, held by hog 77");
	m.h.skipped = 1;
	w.by_tid = 2;
	assert_int_equal(flight_open(&m, sizeof(m), &f), 0);
	chains_build(c, &w, &ch);
	chain_complete(&ch, &f);
	assert_string_equal(ch.did, "");
	chains_free(c);
}

/* Waits of the one who is to blame, and of who is to blame for those. */
static void flight_recorder_adds_links(void **state)
{
	struct {
		struct rec_flight h;
		struct rec_flight_event v[10];
	} m = { .h = { .n = 10, .start = 10 * MS, .to = 50 * MS, .cpu = 1, .end_cpu = 1 },
		.v = { { .ts = 1 * MS, .cpu = 0, .id = 2, .kind = "switch", .text = "owner" },
		       { .ts = 2 * MS, .cpu = 0, .id = 3, .info = 0x20, .kind = "holder", .text = "third" },
		       { .ts = 2 * MS, .cpu = 0, .id = 2, .info = 0x20, .kind = "lock", .text = "owner" },
		       { .ts = 3 * MS, .cpu = 0, .id = 0, .info = 2, .kind = "switch", .text = "swapper/0" },
		       { .ts = 4 * MS, .cpu = 1, .id = 3, .kind = "switch", .text = "third" },
		       { .ts = 12 * MS, .cpu = 1, .id = 0, .info = 1, .kind = "switch", .text = "swapper/1" },
		       { .ts = 46 * MS, .cpu = 1, .id = 3, .info = 2, .kind = "wake", .text = "third" },
		       { .ts = 46 * MS, .cpu = 1, .id = 3, .kind = "switch", .text = "third" },
		       { .ts = 48 * MS, .cpu = 1, .id = 2, .kind = "wake", .text = "owner" },
		       { .ts = 49 * MS, .cpu = 0, .id = 2, .kind = "switch", .text = "owner" } } };
	struct chain_wait w = by(wait_of(1, "a", 10, 50, "futex (lock or condition)"), CHAIN_RELEASER, 2, "owner");
	struct chains *c = fresh();
	struct flight_rec f;
	struct chain ch;

	(void)state;
	assert_int_equal(flight_open(&m, sizeof(m), &f), 0);
	assert_completed(
		c, w, &f,
		"a 1 waited 40.0 ms for futex (lock or condition), released by owner 2, which waited 40.0 ms for mutex "
		"(inferred), held by third 3, which waited 34.0 ms for an interrupt");
	chains_build(c, &w, &ch);
	chain_complete(&ch, &f);
	assert_int_equal(ch.n, 3);
	assert_int_equal(ch.links[1].how, LINK_WAKER);
	assert_int_equal(ch.links[2].how, LINK_HOLDER);
	assert_true(ch.links[1].inferred && !ch.links[2].inferred);
	/* The thread that stopped it waited itself. */
	w = by(wait_of(1, "a", 10, 50, "being stopped"), CHAIN_STOPPER, 3, "third");
	assert_completed(
		c, w, &f,
		"a 1 waited 40.0 ms for being stopped, stopped by third 3, which waited 34.0 ms for an interrupt (inferred)");
	chains_build(c, &w, &ch);
	chain_complete(&ch, &f);
	assert_int_equal(ch.links[1].how, LINK_STOPPER);
	/* The waiter's own lock: the kernel's word instead of who woke it up. */
	w = by(wait_of(2, "owner", 2, 49, "lock"), CHAIN_WAKER, 77, "somebody");
	assert_completed(c, w, &f,
			 "owner 2 waited 47.0 ms for lock, held by third 3, which waited 34.0 ms for an interrupt");
	/* Each has what the other wants. */
	m.v[4] = (struct rec_flight_event){
		.ts = 4 * MS, .cpu = 1, .id = 3, .info = 0x20, .kind = "lock", .text = "third"
	};
	m.v[5] = (struct rec_flight_event){
		.ts = 4 * MS, .cpu = 1, .id = 2, .info = 0x20, .kind = "holder", .text = "owner"
	};
	assert_completed(
		c, w, &f,
		"owner 2 waited 47.0 ms for lock, held by third 3, which waited 45.0 ms for mutex, held by owner 2, which is in "
		"this chain itself: a deadlock, if it lasts");
	chains_free(c);
}

/* As many as there may be. */
static void flight_recorder_fills_the_chain(void **state)
{
	struct {
		struct rec_flight h;
		struct rec_flight_event v[20];
	} m = { .h = { .n = 20, .start = 10 * MS, .to = 50 * MS, .cpu = 1, .end_cpu = 1 } };
	struct chain_wait w = by(wait_of(1, "a", 10, 50, "mutex"), CHAIN_HOLDER, 2, "t");
	struct chains *c = fresh();
	struct flight_rec f;
	struct chain ch;

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		m.v[2 * i] = (struct rec_flight_event){
			.ts = i * MS, .id = i + 2, .info = 0x20, .kind = "lock", .text = "t"
		};
		m.v[2 * i + 1] = (struct rec_flight_event){
			.ts = i * MS, .id = i + 3, .info = 0x20, .kind = "holder", .text = "t"
		};
	}
	assert_int_equal(flight_open(&m, sizeof(m), &f), 0);
	chains_build(c, &w, &ch);
	chain_complete(&ch, &f);
	assert_int_equal(ch.n, CHAIN_MAX_LINKS);
	assert_true(ch.more);
	chains_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),
		cmocka_unit_test(call_sleep_request_queue),
		cmocka_unit_test(holder_and_what_it_waited_for),
		cmocka_unit_test(cycles_end),
		cmocka_unit_test(who_had_the_cpu),
		cmocka_unit_test(conditions_of_who_had_nothing_to_do),
		cmocka_unit_test(loops_of_workers_are_idle),
		cmocka_unit_test(calls_that_only_wait_for_something_to_do),
		cmocka_unit_test(told_together),
		cmocka_unit_test(the_one_to_blame_is_handed_on),
		cmocka_unit_test(only_the_time_in_question_counts),
		cmocka_unit_test(eight_links_at_most),
		cmocka_unit_test(old_waits_are_forgotten),
		cmocka_unit_test(the_largest_overlap_counts),
		cmocka_unit_test(flight_recorder_completes),
		cmocka_unit_test(flight_recorder_adds_links),
		cmocka_unit_test(flight_recorder_fills_the_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
