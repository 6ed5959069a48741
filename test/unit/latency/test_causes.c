/* SPDX-License-Identifier: Apache-2.0 */
/* The language of dlib/causes, and which rule holds. */
#include "unit.h"
#include "base/cleanup.h"
#include "latency/cause/causes.h"
#include "latency/cause/int.h"

static struct causes *rules(const char *text)
{
	struct causes *c = NULL;
	struct err err = { 0 };

	assert_int_equal(causes_new(&c), 0);
	if (causes_add(c, "rules", text, strlen(text), &err) < 0)
		fail_msg("%s", err.msg);
	return c;
}

static struct cause why(struct causes *c, uint32_t facts, const char *stack)
{
	char buf[1024], *save = NULL;
	const char *names[64];
	struct cause ret;
	size_t n = 0;

	strcpy(buf, stack);
	for (char *p = strtok_r(buf, " ", &save); p; p = strtok_r(NULL, " ", &save))
		names[n++] = strcmp(p, "-") ? p : NULL;
	assert_int_equal(causes_classify(c, names, n, facts, &ret), 0);
	return ret;
}

static void assert_words(struct causes *c, const char *stack, const char *words)
{
	assert_string_equal(why(c, 0, stack).words, words);
}

static void wait_is_innermost_operation_outermost(void **state)
{
	struct causes *c = rules("wait lock \"mutex\": __mutex_lock\n"
				 "wait ipc \"pipe\": pipe_read\n"
				 "op \"*\": __x64_sys_*\n"
				 "op \"*\": ksys_*\n");
	struct cause w = why(c, 0, "__schedule __mutex_lock.constprop.0 pipe_read vfs_read ksys_read __x64_sys_read");

	(void)state;
	assert_string_equal(w.words, "read: mutex");
	assert_int_equal(w.class, CAUSE_LOCK);
	assert_int_equal(w.wait.frame, 1);
	assert_int_equal(w.wait.line, 1);
	assert_string_equal(w.wait.file, "rules");
	assert_int_equal(w.op.frame, 5);
	assert_words(c, "__schedule pipe_read vfs_read ksys_readv", "readv: pipe");
	assert_words(c, "pipe_read", "pipe");
	assert_words(c, "foo __x64_sys_ioctl", "ioctl: unknown");
	assert_words(c, "foo - bar", "unknown");
	assert_words(c, "", "unknown");
	assert_int_equal(why(c, 0, "foo __x64_sys_ioctl").class, CAUSE_UNKNOWN);
	causes_free(c);
}

static void priority_is_before_place(void **state)
{
	struct causes *c = rules("wait/1 io \"a page\": folio_wait\n"
				 "wait fs \"a commit\": commit\n"
				 "op/1 \"thread\": kthread\n"
				 "op \"writeback\": wb\n"
				 "op \"other\": wb\n");

	(void)state;
	assert_words(c, "folio_wait commit", "a commit");
	assert_words(c, "commit folio_wait", "a commit");
	assert_words(c, "folio_wait", "a page");
	assert_words(c, "folio_wait wb kthread", "writeback: a page");
	causes_free(c);
}

static void first_rule_of_a_frame_holds(void **state)
{
	struct causes *c = rules("wait lock \"pipe lock\": lock<pipe_*\n"
				 "wait lock \"lock\": lock\n"
				 "skip: mutex_* lock\n");

	(void)state;
	assert_words(c, "lock mutex_x pipe_read", "pipe lock");
	assert_words(c, "lock pipe_read", "pipe lock");
	assert_words(c, "lock vfs_read pipe_read", "lock");
	assert_words(c, "lock", "lock");
	assert_words(c, "lock - pipe_read", "lock");
	causes_free(c);
}

static void own_rules_go_before(void **state)
{
	struct causes *c = rules("wait device \"my device\": do_it\n");
	const char *theirs = "wait io \"block I/O\": do_it\n";

	(void)state;
	assert_int_equal(causes_add(c, "dlib", theirs, strlen(theirs), NULL), 0);
	assert_words(c, "do_it", "my device");
	causes_free(c);
}

static void via_outermost_first_and_no_echo(void **state)
{
	struct causes *c = rules("wait io \"disk\": io\nvia \"reclaim\": shrink reclaim\nvia \"fault\": fault\n"
				 "op/1 \"fault\": fault\nop \"*\": sys_*\nvia \"close\": fput\n");

	(void)state;
	assert_words(c, "io shrink reclaim fault sys_write", "write: fault: reclaim: disk");
	assert_words(c, "io reclaim fault", "fault: reclaim: disk");
	/* Frames further in than the wait only tell how the kernel waits. */
	assert_words(c, "shrink io fault", "fault: disk");
	assert_int_equal(why(c, 0, "io shrink reclaim fault sys_write").nvia, 2);
	assert_words(c, "io reclaim fault fput reclaim sys_x", "x: reclaim: close: fault: disk");
	causes_free(c);
}

/* A thread that reclaims memory in a write does not wait for what the write could have waited for. */
static void a_way_hides_what_lies_further_out(void **state)
{
	struct causes *c = rules(
		"via \"reclaim\": reclaim direct\nwait/3 memory \"memory\": reclaim shrink @reclaim\n"
		"wait/4 io \"a page\": write_begin\nwait/6 fs \"a journal\": journal\nop \"*\": sys_*\n");

	(void)state;
	assert_words(c, "x shrink reclaim direct write_begin sys_write", "write: reclaim: memory");
	assert_words(c, "x reclaim write_begin sys_write", "write: reclaim: memory");
	assert_words(c, "x shrink journal reclaim write_begin sys_write", "write: reclaim: a journal");
	assert_words(c, "x shrink reclaim journal write_begin sys_write", "write: reclaim: memory");
	/* Frames further in than the way match no rule. */
	assert_words(c, "x direct write_begin sys_write", "write: a page");
	/* No way in between: the priority counts. */
	assert_words(c, "x shrink write_begin sys_write", "write: a page");
	assert_words(c, "x write_begin direct sys_write", "write: reclaim: a page");
	assert_string_equal(why(c, CAUSE_FACT_RECLAIM, "x direct write_begin").words, "reclaim: memory");
	causes_free(c);
}

static void alone_leaves_the_operation_out(void **state)
{
	struct causes *c = rules("wait time \"sleep\" alone inferred: nanosleep\nop \"*\": sys_*\n");
	struct cause w = why(c, 0, "nanosleep sys_clock_nanosleep");

	(void)state;
	assert_string_equal(w.words, "sleep");
	assert_string_equal(w.op.words, "clock_nanosleep");
	assert_true(w.inferred);
	causes_free(c);
}

static void facts_count_as_frames_further_in(void **state)
{
	struct causes *c = rules(
		"wait/9 cpu \"quota\" alone: @throttled throttle_work\n"
		"wait lock \"mutex\": __mutex_lock @mutex\nwait/1 io \"I/O\": @iowait\nwait/6 ipc \"condition\" alone: @condition\n"
		"op \"*\": sys_*\nvia \"reclaim\": @reclaim\n");

	(void)state;
	assert_string_equal(why(c, CAUSE_FACT_THROTTLED, "__mutex_lock sys_read").words, "quota");
	assert_string_equal(why(c, CAUSE_FACT_MUTEX, "foo sys_read").words, "read: mutex");
	assert_int_equal(why(c, CAUSE_FACT_MUTEX, "foo sys_read").wait.frame, -1);
	assert_string_equal(why(c, CAUSE_FACT_IOWAIT, "__mutex_lock sys_read").words, "read: mutex");
	assert_string_equal(why(c, CAUSE_FACT_IOWAIT | CAUSE_FACT_RECLAIM, "foo sys_read").words, "read: reclaim: I/O");
	assert_string_equal(why(c, CAUSE_FACT_IRQ, "foo sys_read").words, "read: unknown");
	assert_string_equal(why(c, CAUSE_FACT_CONDITION, "futex_do_wait sys_futex").words, "condition");
	assert_string_equal(why(c, CAUSE_FACT_CONDITION, "__mutex_lock sys_read").words,
			    "read: mutex"); /* registers of another call */
	causes_free(c);
}

static void functions_of_programs_tell_what_a_futex_is(void **state)
{
	static const struct cause_uframe loop[] = { { "libc.so.6", "pthread_cond_wait", false },
						    { "libuv.so.1", "uv_cond_wait", false },
						    { "libuv.so.1", NULL, false },
						    { "libc.so.6", NULL, false } },
					 deep[] = { { "libc.so.6", "pthread_cond_wait", false },
						    { "a", "get", false },
						    { "a", "query", false },
						    { "a", "serve", false },
						    { "libc.so.6", NULL, false } },
					 first[] = { { "libc.so.6", "pthread_cond_wait", false },
						     { "a", "main", false },
						     { "libc.so.6", "__libc_start_main", false },
						     { "a", "_start", false } },
					 join[] = { { "libc.so.6", "__pthread_clockjoin_ex", false },
						    { "a", "work", false },
						    { "libc.so.6", "start_thread", false } },
					 lock[] = { { "libc.so.6", "__lll_lock_wait", false },
						    { "libc.so.6", "pthread_mutex_lock", false },
						    { "a", "work", false },
						    { "libc.so.6", NULL, false } },
					 go[] = { { "a", "runtime.futex.abi0", false },
						  { "a", "runtime.notesleep", false },
						  { "a", "runtime.stopm", false } };
	const uint32_t condition = CAUSE_FACT_CONDITION, work = CAUSE_FACT_WORK;
	const struct cause_uframe collects[] = { { "libc.so.6", "pthread_cond_wait", false },
						 { "node", "v8::platform::DefaultJobState::Join", false },
						 { "node", "v8::internal::Heap::PerformGarbageCollection", false } };
	const struct cause_uframe heap_lock[] = { { "libc.so.6", "pthread_mutex_lock", false },
						  { "libjvm.so", "Mutex::lock", false },
						  { "libjvm.so", "G1CollectedHeap::attempt_allocation_slow", false } },
				  stopped[] = { { "libc.so.6", "syscall", false },
						{ "libjvm.so", "SafepointSynchronize::block", false } };

	(void)state;
	assert_int_equal(causes_user_facts(0, heap_lock, ARRAY_SIZE(heap_lock), false), CAUSE_FACT_COLLECTED);
	assert_int_equal(causes_user_facts(0, heap_lock, 2, false), CAUSE_FACT_USER_LOCK);
	assert_int_equal(causes_user_facts(0, stopped, ARRAY_SIZE(stopped), false), CAUSE_FACT_SAFEPOINT);
	assert_int_equal(causes_user_facts(condition, collects, ARRAY_SIZE(collects), true),
			 condition | CAUSE_FACT_COLLECTOR);
	assert_int_equal(causes_user_facts(condition, collects, 2, false), condition);
	assert_int_equal(causes_user_facts(condition, loop, ARRAY_SIZE(loop), true), condition | work);
	assert_int_equal(causes_user_facts(condition, loop, ARRAY_SIZE(loop), false), condition); /* cut */
	assert_int_equal(causes_user_facts(0, loop, ARRAY_SIZE(loop), true), 0);
	assert_int_equal(causes_user_facts(condition, deep, ARRAY_SIZE(deep), true), condition);
	assert_int_equal(causes_user_facts(condition, first, ARRAY_SIZE(first), true), condition);
	assert_int_equal(causes_user_facts(condition, join, ARRAY_SIZE(join), true), condition);
	assert_int_equal(causes_user_facts(condition, lock, ARRAY_SIZE(lock), true), condition | CAUSE_FACT_USER_LOCK);
	assert_int_equal(causes_user_facts(0, go, ARRAY_SIZE(go), false), work);
	assert_int_equal(causes_user_facts(0, NULL, 0, true), 0);
}

static void java_parks_and_waits_for_classes(void **state)
{
	const struct cause_uframe parked[] = { { "libc.so.6", "pthread_cond_wait", false },
					       { "libjvm.so", "Parker::park", false },
					       { "libjvm.so", "Unsafe_Park", false },
					       { "java", "ReentrantLock.lock", true } },
				  class[] = { { "libc.so.6", "pthread_cond_wait", false },
					      { "libjvm.so", "ObjectMonitor::wait", false },
					      { "libjvm.so", "InstanceKlass::initialize_impl", false } },
				  static_[] = { { "libc.so.6", "pthread_cond_wait", false },
						{ "java", "App$Config.<clinit>", true },
						{ "libjvm.so", "InstanceKlass::initialize_impl", false } };
	const uint32_t condition = CAUSE_FACT_CONDITION;

	(void)state;
	assert_int_equal(causes_user_facts(0, parked, 3, false), CAUSE_FACT_PARKED);
	assert_int_equal(causes_user_facts(0, parked, ARRAY_SIZE(parked), false), CAUSE_FACT_USER_LOCK);
	assert_int_equal(causes_user_facts(0, class, ARRAY_SIZE(class), false), CAUSE_FACT_CLASSINIT);
	assert_int_equal(causes_user_facts(condition, static_, ARRAY_SIZE(static_), false), condition);
}

#define NATIVE \
	{ "libc.so.6", "__futex_abstimed_wait_common", false }, { "libc.so.6", "pthread_cond_wait", false }, \
		{ "libjvm.so", "Parker::park", false }, { "libjvm.so", "Unsafe_Park", false }, \
		{ "java/native", "jdk.internal.misc.Unsafe.park [native]", true }, \
	{ \
		"java", "java.util.concurrent.locks.LockSupport.park at LockSupport.java:341", true \
	}
#define JAVA(name) \
	{ \
		"java", name, true \
	}
#define OUTER \
	{ "java/stub", "call_stub [stub]", true }, { "libjvm.so", "JavaCalls::call_helper", false }, \
	{ \
		"libc.so.6", NULL, false \
	}

static uint32_t said(const struct cause_uframe *f, size_t n)
{
	return causes_user_facts(CAUSE_FACT_CONDITION, f, n, true) & ~(uint32_t)CAUSE_FACT_CONDITION;
}

static void functions_of_java_tell_a_pool_from_a_lock(void **state)
{
	static const struct cause_uframe pool
		[] = { NATIVE,
		       JAVA("java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionNode.block at AbstractQueuedSynchronizer.java:506"),
		       JAVA("java.util.concurrent.ForkJoinPool.unmanagedBlock at ForkJoinPool.java:3463"),
		       JAVA("java.util.concurrent.ForkJoinPool.managedBlock at ForkJoinPool.java:3434"),
		       JAVA("java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await at AbstractQueuedSynchronizer.java:1623"),
		       JAVA("java.util.concurrent.LinkedBlockingQueue.take at LinkedBlockingQueue.java:435"),
		       JAVA("java.util.concurrent.ThreadPoolExecutor.getTask at ThreadPoolExecutor.java:1062"),
		       OUTER },
	    queue_lock
		    [] = { NATIVE,
			   JAVA("java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire at AbstractQueuedSynchronizer.java:715"),
			   JAVA("java.util.concurrent.locks.ReentrantLock$Sync.lockInterruptibly at ReentrantLock.java:159"),
			   JAVA("java.util.concurrent.LinkedBlockingQueue.take at LinkedBlockingQueue.java:432"),
			   JAVA("java.util.concurrent.ThreadPoolExecutor.getTask at ThreadPoolExecutor.java:1062"),
			   OUTER },
	    asks[] = { NATIVE, JAVA("java.util.concurrent.ArrayBlockingQueue.take at ArrayBlockingQueue.java:420"),
		       JAVA("app.Client.ask at Client.java:7"), OUTER },
	    timer[] = { { "libjvm.so", "JVM_MonitorWait", false },
			JAVA("java.lang.Object.wait [native]"),
			JAVA("java.util.TimerThread.mainLoop at Timer.java:563"),
			OUTER },
	    task[] = { NATIVE, JAVA("java.util.concurrent.FutureTask.get at FutureTask.java:190"),
		       JAVA("app.Task.run at Task.java:9"), JAVA("java.util.TimerThread.mainLoop at Timer.java:566"),
		       OUTER };

	(void)state;
	assert_int_equal(said(pool, ARRAY_SIZE(pool)), CAUSE_FACT_WORK);
	assert_int_equal(said(queue_lock, ARRAY_SIZE(queue_lock)), CAUSE_FACT_USER_LOCK);
	assert_int_equal(said(asks, ARRAY_SIZE(asks)), CAUSE_FACT_PARKED);
	assert_int_equal(said(timer, ARRAY_SIZE(timer)), CAUSE_FACT_WORK);
	assert_int_equal(said(task, ARRAY_SIZE(task)),
			 CAUSE_FACT_PARKED); /* what the timer's thread has called waits */
}

static void timers_and_work_count_for_a_futex_only(void **state)
{
	struct causes *c = rules(
		"wait lock \"futex\": futex_do_wait\nwait/7 idle \"work\" alone: @work\n"
		"wait/7 time \"a timer\" alone: @timeout\nwait io \"I/O\": io_schedule\n"
		"wait/8 cpu \"a CPU\" alone: @made_way\nwait idle \"events\" alone: ep_poll\n"
		"wait/7 lock \"row lock\" alone: @event_lock\nwait/8 memory \"gc\" alone: @collector\n");

	(void)state;
	assert_string_equal(why(c, CAUSE_FACT_COLLECTOR, "futex_do_wait sys_futex").words, "gc");
	assert_string_equal(why(c, CAUSE_FACT_COLLECTOR, "io_schedule sys_read").words, "I/O");
	assert_int_equal(why(c, CAUSE_FACT_COLLECTOR, "").class, CAUSE_UNKNOWN); /* the collection itself */
	assert_string_equal(why(c, CAUSE_FACT_TIMEOUT, "futex_do_wait sys_futex").words, "a timer");
	assert_string_equal(why(c, CAUSE_FACT_WORK, "futex_do_wait sys_futex").words, "work");
	assert_string_equal(why(c, CAUSE_FACT_WORK | CAUSE_FACT_TIMEOUT, "io_schedule sys_read").words, "I/O");
	/* A thread was woken up, and then made way for another one: the wait that its stack tells of is over. */
	assert_string_equal(why(c, causes_noted(WHY_MADE_WAY | WHY_FUTEX_TIMEOUT), "futex_do_wait sys_futex").words,
			    "a CPU");
	assert_string_equal(why(c, CAUSE_FACT_MADE_WAY, "io_schedule sys_read").words, "a CPU");
	assert_string_equal(why(c, causes_noted(WHY_FUTEX_CONDITION | WHY_ENDED), "futex_do_wait sys_futex").words,
			    "work");
	assert_string_equal(why(c, causes_noted(WHY_ENDED), "futex_do_wait sys_futex").words, "futex");
	/* Locks that a program makes of events, and events that are none. */
	assert_string_equal(why(c, CAUSE_FACT_USER_LOCK, "ep_poll do_epoll_wait").words, "row lock");
	assert_string_equal(why(c, CAUSE_FACT_USER_LOCK, "do_epoll_wait sys_epoll_wait").words, "row lock");
	assert_string_equal(why(c, CAUSE_FACT_WORK, "ep_poll do_epoll_wait").words, "events");
	assert_string_equal(why(c, CAUSE_FACT_EVENT_LOCK, "io_schedule sys_read").words, "I/O");
	assert_string_equal(why(c, CAUSE_FACT_EVENT_LOCK, "futex_do_wait sys_futex").words, "futex");
	/* A lock that was not to be had in time is one. */
	assert_string_equal(why(c, CAUSE_FACT_USER_LOCK | CAUSE_FACT_TIMEOUT, "futex_do_wait sys_futex").words,
			    "futex");
	causes_free(c);
}

static void names_without_suffix_and_module(void **state)
{
	static const char *const names[][2] = {
		{ "foo", "foo" },
		{ "foo.isra.0", "foo" },
		{ "foo.constprop.0.cold", "foo" },
		{ "xfs`foo.part.3", "foo" },
		{ "foo.llvm.1234", "foo" },
		{ ".foo.x", ".foo" },
		{ "", "" },
		{ "m`", "" },
	};
	char buf[CAUSES_MAX_SYMBOL], tiny[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		causes_plain_name(names[i][0], buf, sizeof(buf));
		assert_string_equal(buf, names[i][1]);
	}
	causes_plain_name("abcdef", tiny, sizeof(tiny));
	assert_string_equal(tiny, "abc");
}

static void globs(void **state)
{
	static const struct {
		const char *pattern, *name, *star; /* star NULL: no match */
	} t[] = {
		{ "a", "a", "" },	   { "a", "b", NULL },	      { "a", "ab", NULL },
		{ "ab", "a", NULL },	   { "*", "abc", "abc" },     { "*", "", "" },
		{ "a*", "abc", "bc" },	   { "*c", "abc", "ab" },     { "a*c", "abcbc", "bcb" },
		{ "a*b*c", "axbyc", "x" }, { "a*b*", "axxb", "xx" },  { "a?c", "abc", "" },
		{ "a?c", "ac", NULL },	   { "*a*", "bab", "b" },     { "a**", "ab", "" },
		{ "*_x", "a_b_x", "a_b" }, { "x*y?", "xaayb", "aa" }, { "a*?", "a", NULL },
	};
	char got[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		uint16_t star = 0, len = 0;

		if (cause_glob(t[i].pattern, t[i].name, &star, &len) != (t[i].star != NULL))
			fail_msg("%s, %s", t[i].pattern, t[i].name);
		if (!t[i].star)
			continue;
		snprintf(got, sizeof(got), "%.*s", len, t[i].name + star);
		if (strcmp(got, t[i].star))
			fail_msg("%s, %s: * is '%s'", t[i].pattern, t[i].name, got);
	}
}

static void errors_name_the_line(void **state)
{
	static const char *const t[][2] = {
		{ "foo\n", "rules:1: 'foo' begins no rule (skip, wait, via, op)" },
		{ "\n# x\nwait \"x\": y\n", "rules:3: a wait needs a class before its words" },
		{ "wait bogus \"x\": y\n", "rules:1: 'bogus' is no class of waits" },
		{ "wait unknown \"x\": y\n", "rules:1: 'unknown' is no class of waits" },
		{ "wait/x io \"x\": y\n", "rules:1: the priority after / is a digit from 1 to 9" },
		{ "wait/0 io \"x\": y\n", "rules:1: the priority after / is" },
		{ "wait/11 io \"x\": y\n", "rules:1: the priority after / is" },
		{ "op x: y\n", "rules:1: words in quotes are missing" },
		{ "op \"x\ny\": z\n", "rules:1: the words are not ended by a quote" },
		{ "op \"\001\": z\n", "rules:1: the words are not ended" },
		{ "op \"\": z\n", "rules:1: words have 1 to 80 characters" },
		{ "op \"x\" loud: z\n", "rules:1: 'loud' is no flag (alone, inferred)" },
		{ "op \"x\" alone\n", "rules:1: a colon is missing" },
		{ "op \"x\": @nothing\n", "rules:1: '@nothing' is no fact" },
		{ "op \"x\": a<\n", "rules:1: 'a<' is no pattern" },
		{ "op \"x\": a<b<c\n", "rules:1: 'a<b<c' is no pattern" },
		{ "op \"x\": a-b\n", "rules:1: 'a-b' is no pattern" },
		{ "op \"x\": a \"b\"\n", "rules:1: '\"' is not expected among patterns" },
		{ "\tfoo\n", "rules:1: patterns before the first rule" },
		{ "op \"x\":\n\n# y\nop \"z\": a\n", "rules:1: the rule has no patterns" },
		{ "op \"x\":", "rules:1: the rule has no patterns" },
		{ "skip: a<b\n", "rules:1: a frame is skipped for all its callers" },
		{ "skip: @mutex\n", "rules:1: facts are no frames" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct causes *c = NULL;
		struct err err = { 0 };

		assert_int_equal(causes_new(&c), 0);
		assert_int_equal(causes_add(c, "rules", t[i][0], strlen(t[i][0]), &err), -EINVAL);
		if (strncmp(err.msg, t[i][1], strlen(t[i][1])))
			fail_msg("%s: '%s'", t[i][1], err.msg);
		assert_words(c, "y z", "unknown");
		causes_free(c);
	}
}

static void bad_text_adds_nothing(void **state)
{
	struct causes *c = rules("wait io \"one\": one\n");
	const char *text = "wait io \"two\": two one\nwait io \"three\": t-r\n";

	(void)state;
	assert_int_equal(causes_add(c, "b", text, strlen(text), NULL), -EINVAL);
	assert_words(c, "two", "unknown");
	assert_words(c, "one", "one");
	text = "wait io \"four\": four\n";
	assert_int_equal(causes_add(c, "d", text, strlen(text), NULL), 0);
	assert_words(c, "four", "four");
	causes_free(c);
}

static void limits(void **state)
{
	struct causes *c = rules("op \"*\": sys_*\nwait io \"io\": io\n");
	struct strb b = { 0 };
	struct err err = { 0 };
	const char *names[CAUSES_MAX_DEPTH + 2];
	struct cause w;
	char longname[CAUSES_MAX_SYMBOL + 64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		names[i] = "foo";
	names[CAUSES_MAX_DEPTH - 1] = "io";
	assert_int_equal(causes_classify(c, names, ARRAY_SIZE(names), 0, &w), 0);
	assert_string_equal(w.words, "io");
	names[CAUSES_MAX_DEPTH - 1] = "foo";
	names[CAUSES_MAX_DEPTH] = "io";
	assert_int_equal(causes_classify(c, names, ARRAY_SIZE(names), 0, &w), 0);
	assert_string_equal(w.words, "unknown");
	memset(longname, 'a', sizeof(longname) - 1);
	longname[sizeof(longname) - 1] = '\0';
	memcpy(longname, "sys_", 4);
	names[0] = longname;
	assert_int_equal(causes_classify(c, names, 1, 0, &w), 0);
	assert_int_equal(strlen(w.op.words), CAUSES_MAX_SYMBOL - 1 - 4);

	for (unsigned i = 2; i < CAUSES_MAX_RULES; i++)
		strb_printf(&b, "op \"x%u\": a%u\n", i, i);
	assert_int_equal(causes_add(c, "m", strb_str(&b), b.n, &err), 0);
	assert_int_equal(causes_add(c, "m", "op \"x\": a\n", 10, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "more than 4096 rules"));
	strb_reset(&b);
	strb_fill(&b, '#', CAUSES_MAX_BYTES + 1);
	assert_int_equal(causes_add(c, "m", strb_str(&b), b.n, &err), -EFBIG);
	assert_int_equal(causes_add(c, "m", strb_str(&b), b.n - 1, &err), 0);
	strb_free(&b);
	causes_free(c);
}

static void pattern_limit(void **state)
{
	struct causes *c = NULL;
	struct strb b = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(causes_new(&c), 0);
	strb_adds(&b, "skip:");
	for (unsigned i = 0; i < CAUSES_MAX_PATTERNS; i++)
		strb_printf(&b, " a%u", i);
	assert_int_equal(causes_add(c, "m", strb_str(&b), b.n, &err), 0);
	assert_int_equal(causes_add(c, "m", "op \"x\": a\n", 10, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "more than 32768 patterns"));
	strb_free(&b);
	causes_free(c);
}

static void many_names_are_forgotten_not_lost(void **state)
{
	struct causes *c = rules("op \"*\": sys_*\nwait io \"io\": io\n");
	char name[32];
	const char *first, *names[2] = { name, "io" };
	struct cause w;

	(void)state;
	assert_words(c, "io sys_read", "read: io");
	first = why(c, 0, "io sys_read").words;
	for (unsigned i = 0; i < 70000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(causes_classify(c, names, 2, 0, &w), 0);
		assert_string_equal(w.words, "io");
	}
	assert_ptr_equal(why(c, 0, "io sys_read").words, first);
	causes_free(c);
}

static void files(void **state)
{
	struct causes *c = rules("op \"*\": sys_*\n");
	struct err err = { 0 };

	(void)state;
	assert_int_equal(causes_add_file(c, "/nonexistent/causes", &err), -ENOENT);
	assert_string_equal(err.msg, "causes of waits: cannot open /nonexistent/causes: No such file or directory");
	assert_int_equal(causes_add_file(c, "/", &err), -EINVAL);
	assert_string_equal(err.msg, "causes of waits: / is no regular file");
	causes_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_is_innermost_operation_outermost),
		cmocka_unit_test(priority_is_before_place),
		cmocka_unit_test(first_rule_of_a_frame_holds),
		cmocka_unit_test(own_rules_go_before),
		cmocka_unit_test(via_outermost_first_and_no_echo),
		cmocka_unit_test(a_way_hides_what_lies_further_out),
		cmocka_unit_test(alone_leaves_the_operation_out),
		cmocka_unit_test(facts_count_as_frames_further_in),
		cmocka_unit_test(functions_of_programs_tell_what_a_futex_is),
		cmocka_unit_test(java_parks_and_waits_for_classes),
		cmocka_unit_test(functions_of_java_tell_a_pool_from_a_lock),
		cmocka_unit_test(timers_and_work_count_for_a_futex_only),
		cmocka_unit_test(names_without_suffix_and_module),
		cmocka_unit_test(globs),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(bad_text_adds_nothing),
		cmocka_unit_test(limits),
		cmocka_unit_test(pattern_limit),
		cmocka_unit_test(many_names_are_forgotten_not_lost),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
