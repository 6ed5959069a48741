/* SPDX-License-Identifier: Apache-2.0 */
/* Answers gdb's packets about a replayed program. gdb can look at everything and change nothing. */
#include "gdb/gdb.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "gdb/regs.h"
#include "gdb/trip.h"
#include "gdb/wire.h"
#include "replay/trace/group.h"
#include "replay/tracee/tracee.h"

#define AUXV_MAX 4096u
#define MARKS_MAX 64u
#define READ_MAX (WIRE_MAX / 2 - 16)
#define AT_BASE_ 7
#define AT_EXECFN_ 31
#define USER_END 0x7ffffffff000ull /* debug registers take no address above */

struct server {
	const struct gdb_opts *o;
	struct wire w;
	struct trip trip;
	struct arms arms;
	uint32_t thread;		/* task of the registers and the memory */
	char reply[PATH_MAX * 2 + 128]; /* why it stands */
	uint8_t auxv[AUXV_MAX];
	size_t nauxv;
	char exe[PATH_MAX];
	uint32_t listed;
	struct position marks[MARKS_MAX]; /* of `monitor checkpoint`: 1, 2, … */
	unsigned nmarks, restart;	  /* restart: the number of that where it goes next; 0: none */
	bool extended;			  /* gdb may want it to run anew after it has ended it */
	bool gone;			  /* gdb */
};
#define SUPPORTED \
	"PacketSize=4000;qXfer:features:read+;qXfer:auxv:read+;qXfer:exec-file:read+;QStartNoAckMode+;vContSupported+;swbreak+;" \
	"hwbreak+;ReverseContinue+;ReverseStep+;exec-events+"

static uint32_t shown(const struct watch_thread *k)
{
	return k->tid ? k->tid : k->task + 1;
}

/* The task of a number that gdb knows; that which runs for 0 and -1, and where there is none. */
static uint32_t task_of(struct server *s, const char *text)
{
	const long id = strtol(text, NULL, 16);
	struct watch_thread k;

	for (size_t i = 0; id > 0 && watch_thread(s->trip.now, i, &k); i++)
		if (shown(&k) == (uint32_t)id)
			return k.task;
	return watch_task(s->trip.now);
}

static bool is_thread(struct server *s, uint32_t id)
{
	struct watch_thread k;

	for (size_t i = 0; watch_thread(s->trip.now, i, &k); i++)
		if (shown(&k) == id)
			return true;
	return false;
}

static uint32_t number_of(struct server *s, uint32_t task)
{
	struct watch_thread k;

	for (size_t i = 0; watch_thread(s->trip.now, i, &k); i++)
		if (k.task == task)
			return shown(&k);
	return task + 1;
}

static int no(struct server *s)
{
	return wire_text(&s->w, "E01");
}

/* The auxiliary vector is above the arguments and the environment, at the first instruction. */
static void note_auxv(struct server *s)
{
	uint64_t at = s->trip.regs.rsp + 8, word = 1, pair[2] = { 1, 0 };

	for (int i = 0; i < 2; i++)
		do {
			if (watch_read(s->trip.now, at, &word, 8) != 8)
				return;
			at += 8;
		} while (word);
	s->nauxv = 0;
	s->exe[0] = 0;
	while (pair[0] && s->nauxv + sizeof(pair) <= AUXV_MAX &&
	       watch_read(s->trip.now, at, pair, sizeof(pair)) == sizeof(pair)) {
		char path[PATH_MAX] = "";

		memcpy(s->auxv + s->nauxv, pair, sizeof(pair));
		if (pair[0] == AT_BASE_)
			loader_find(&s->trip.loader, watch_pid(s->trip.now), pair[1]);
		s->nauxv += sizeof(pair);
		at += sizeof(pair);
		if (pair[0] != AT_EXECFN_)
			continue;
		watch_read(s->trip.now, pair[1], path, sizeof(path) - 1);
		if (!realpath(path, s->exe))
			snprintf(s->exe, sizeof(s->exe), "%s", path);
	}
}

static int fault_signal(struct server *s)
{
	const struct group *g = watch_group(s->trip.now);

	return g->kind == EV_END ? WTERMSIG(g->end.status) : (int)g->state.signo;
}

/* Writes the stop reply for gdb. Signals have its numbers, which are Linux's for those that faults send, but SIGBUS. */
static void note_stop(struct server *s, enum stop_reason reason)
{
	const uint32_t id = number_of(s, watch_task(s->trip.now));
	char hex[PATH_MAX * 2 + 1];
	int n = 5, sig;

	s->reply[0] = 0;
	switch (reason) {
	case STOP_BREAK: n = snprintf(s->reply, sizeof(s->reply), "T05swbreak:;thread:%x;", id); break;
	case STOP_WATCH:
		snprintf(s->reply, sizeof(s->reply), "T05watch:%llx;thread:%x;", (unsigned long long)s->trip.told, id);
		break;
	case STOP_FIRST: snprintf(s->reply, sizeof(s->reply), "T05replaylog:begin;thread:%x;", id); break;
	case STOP_LAST: snprintf(s->reply, sizeof(s->reply), "T05replaylog:end;thread:%x;", id); break;
	case STOP_EXEC:
		wire_hex(hex, s->exe, strlen(s->exe));
		snprintf(s->reply, sizeof(s->reply), "T05exec:%s;thread:%x;", hex, id);
		break;
	case STOP_FAULT:
		sig = fault_signal(s);
		snprintf(s->reply, sizeof(s->reply), "T%02xthread:%x;", sig == SIGBUS ? 10u : (unsigned)sig, id);
		break;
	case STOP_ASKED: snprintf(s->reply, sizeof(s->reply), "T02thread:%x;", id); break;
	case STOP_START:
	case STOP_STEP: snprintf(s->reply, sizeof(s->reply), "T05thread:%x;", id); break;
	}
	(void)n;
}

static size_t all_registers(struct server *s, uint8_t ret[REGS_BYTES])
{
	static uint8_t vectors[VECTORS_MAX];
	struct user_regs_struct regs;
	size_t n = 0;

	if (watch_task_registers(s->trip.now, s->thread, &regs, vectors, &n) < 0 || n < 512)
		return 0;
	return regs_all(s->thread == watch_task(s->trip.now) ? &s->trip.regs : &regs, vectors, ret);
}

static int put_registers(struct server *s, const char *which)
{
	uint8_t all[REGS_BYTES];
	char hex[2 * REGS_BYTES + 1];
	size_t n = all_registers(s, all), at = 0;

	if (n && which)
		n = regs_size((unsigned)strtoul(which, NULL, 16), &at);
	if (!n)
		return no(s);
	wire_hex(hex, all + at, n);
	return wire_text(&s->w, hex);
}

static int put_memory(struct server *s, const char *text)
{
	static uint8_t bytes[READ_MAX];
	static char hex[2 * READ_MAX + 1];
	char *end;
	const uint64_t addr = strtoull(text, &end, 16);
	size_t n = *end == ',' ? strtoull(end + 1, NULL, 16) : 0;

	n = watch_task_read(s->trip.now, s->thread, addr, bytes, n < READ_MAX ? n : READ_MAX);
	if (!n)
		return wire_text(&s->w, "E0e");
	wire_hex(hex, bytes, n);
	return wire_text(&s->w, hex);
}

static int put_threads(struct server *s, bool first)
{
	char text[1024] = "m";
	size_t n = 1;
	struct watch_thread k;

	s->listed = first ? 0 : s->listed;
	while (n + 16 < sizeof(text) && watch_thread(s->trip.now, s->listed, &k)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%x", n > 1 ? "," : "", shown(&k));
		s->listed++;
	}
	return wire_text(&s->w, n > 1 ? text : "l");
}

static int put_name(struct server *s, const char *text)
{
	const uint32_t task = task_of(s, text);
	char hex[64] = "";
	struct watch_thread k;

	for (size_t i = 0; watch_thread(s->trip.now, i, &k); i++)
		if (k.task == task)
			wire_hex(hex, k.comm, strnlen(k.comm, 16));
	return wire_text(&s->w, hex);
}

/* qXfer:KIND:read:ANNEX:OFFSET,LENGTH of these bytes. */
static int put_part(struct server *s, const char *text, const void *bytes, size_t n)
{
	const char *comma = strrchr(text, ','), *colon = strrchr(text, ':');
	size_t at = colon ? strtoull(colon + 1, NULL, 16) : 0, len = comma ? strtoull(comma + 1, NULL, 16) : 0;
	static char part[WIRE_MAX];

	at = at < n ? at : n;
	len = len < n - at ? len : n - at;
	len = len < WIRE_MAX / 2 ? len : WIRE_MAX / 2;
	part[0] = at + len < n ? 'm' : 'l';
	memcpy(part + 1, (const char *)bytes + at, len);
	return wire_send(&s->w, part, len + 1);
}

static int transfer(struct server *s, const char *p)
{
	if (!strncmp(p, "features:read:target.xml:", 25))
		return put_part(s, p, regs_xml(), strlen(regs_xml()));
	if (!strncmp(p, "auxv:read:", 10))
		return put_part(s, p, s->auxv, s->nauxv);
	if (!strncmp(p, "exec-file:read:", 15))
		return put_part(s, p, s->exe, strlen(s->exe));
	return wire_text(&s->w, "");
}

static int say(struct server *s, const char *text)
{
	char hex[1024];

	wire_hex(hex, text, strlen(text) < 500 ? strlen(text) : 500);
	return wire_text(&s->w, hex);
}

static int add_mark(struct server *s)
{
	char text[100];

	if (s->nmarks == MARKS_MAX || trip_copy(&s->marks[s->nmarks], &s->trip.here) < 0)
		return say(s, "there are too many checkpoints\n");
	snprintf(text, sizeof(text), "checkpoint %u: after %llu system calls of the recording\n", ++s->nmarks,
		 (unsigned long long)watch_calls(s->trip.now));
	return say(s, text);
}

/* gdb does not ask for registers after that: it goes there when gdb lets it go on. */
static int restart(struct server *s, unsigned long n)
{
	char text[100];

	if (!n || n > s->nmarks)
		return say(s, "there is no such checkpoint: see monitor checkpoint\n");
	s->restart = (unsigned)n;
	snprintf(text, sizeof(text), "stepi or continue goes to checkpoint %lu, and no further\n", n);
	return say(s, text);
}

/* monitor WORD */
static int monitor(struct server *s, const char *hex)
{
	char word[32] = "", text[200];

	for (size_t i = 0; hex[2 * i] && hex[2 * i + 1] && i + 1 < sizeof(word); i++) {
		const char two[3] = { hex[2 * i], hex[2 * i + 1], 0 };

		word[i] = (char)strtoul(two, NULL, 16);
	}
	if (!strcmp(word, "when")) {
		snprintf(text, sizeof(text), "after %llu system calls of the recording, task %u\n",
			 (unsigned long long)watch_calls(s->trip.now), watch_task(s->trip.now));
		return say(s, text);
	}
	if (!strcmp(word, "checkpoint"))
		return add_mark(s);
	if (!strncmp(word, "restart ", 8))
		return restart(s, strtoul(word + 8, NULL, 10));
	return say(s, "monitor when: where in the recording this is\n"
		      "monitor checkpoint: remembers this place\n"
		      "monitor restart N: the next stepi or continue goes to checkpoint N\n");
}

static int query(struct server *s, const char *p)
{
	char text[64];

	if (!strncmp(p, "qSupported", 10))
		return wire_text(&s->w, SUPPORTED);
	if (!strncmp(p, "qXfer:", 6))
		return transfer(s, p + 6);
	if (!strcmp(p, "qC")) {
		snprintf(text, sizeof(text), "QC%x", number_of(s, watch_task(s->trip.now)));
		return wire_text(&s->w, text);
	}
	if (!strcmp(p, "qfThreadInfo") || !strcmp(p, "qsThreadInfo"))
		return put_threads(s, p[1] == 'f');
	if (!strncmp(p, "qThreadExtraInfo,", 17))
		return put_name(s, p + 17);
	if (!strncmp(p, "qAttached", 9))
		return wire_text(&s->w, "1");
	if (!strncmp(p, "qRcmd,", 6))
		return monitor(s, p + 6);
	return wire_text(&s->w, "");
}

static int breakpoint(struct server *s, bool set, uint64_t addr)
{
	struct arms *a = &s->arms;
	size_t i = 0;

	while (i < a->n && a->brk[i] != addr)
		i++;
	if (set && i == a->n) {
		if (a->n == ARMS_MAX)
			return no(s);
		a->brk[a->n++] = addr;
	} else if (!set && i < a->n) {
		a->brk[i] = a->brk[--a->n];
	}
	return wire_text(&s->w, "OK");
}

/* One debug register: aligned, 1, 2, 4 or 8 bytes. */
static bool watch_piece(struct arms *a, bool set, uint64_t addr, unsigned len, unsigned kind)
{
	const uint64_t bits = (uint64_t)(kind | (len == 8 ? 2u : len - 1) << 2);

	for (unsigned i = 0; i < TRIP_WATCH; i++) {
		const uint64_t all = 3ull << 2 * i | 15ull << (16 + 4 * i);
		const bool used = a->seven >> 2 * i & 3;

		if (set && !used) {
			a->addr[i] = addr;
			a->seven |= 1ull << 2 * i | bits << (16 + 4 * i);
			return true;
		}
		if (!set && used && a->addr[i] == addr && (a->seven >> (16 + 4 * i) & 15) == bits) {
			a->seven &= ~all;
			return true;
		}
	}
	return false;
}

/* kind: 1, writes; 3, reads too. */
static int watchpoint(struct server *s, bool set, uint64_t addr, uint64_t len, unsigned kind)
{
	const struct arms before = s->arms;

	if (!len || len > 32 || addr >= USER_END - 32)
		return no(s);
	while (len) {
		unsigned n = 8;

		while (n > len || (addr & (n - 1)))
			n /= 2;
		if (!watch_piece(&s->arms, set, addr, n, kind) && set) {
			s->arms = before;
			return no(s);
		}
		addr += n;
		len -= n;
	}
	return wire_text(&s->w, "OK");
}

/* Z0,ADDR,KIND */
static int point(struct server *s, const char *p)
{
	char *end;
	const uint64_t addr = strtoull(p + 3, &end, 16), len = *end == ',' ? strtoull(end + 1, NULL, 16) : 0;

	switch (p[1]) {
	case '0':
	case '1': return breakpoint(s, p[0] == 'Z', addr);
	case '2': return watchpoint(s, p[0] == 'Z', addr, len, 1);
	case '3':
	case '4': return watchpoint(s, p[0] == 'Z', addr, len, 3);
	default: return wire_text(&s->w, "");
	}
}

/* vCont;s:1;c: true if some task is to do one step. */
static bool wants_step(struct server *s, const char *p)
{
	for (const char *a = strchr(p, ';'); a; a = strchr(a + 1, ';'))
		if (a[1] == 's' || a[1] == 'S') {
			const char *id = strchr(a + 1, ':'), *next = strchr(a + 1, ';');

			s->trip.task = task_of(s, id && (!next || id < next) ? id + 1 : "0");
			return true;
		}
	return false;
}

/* Packets that let it go on, or end it; false: it is none of them. */
static bool goes(struct server *s, const char *p, enum trip_next *ret)
{
	s->trip.steps = false;
	*ret = NEXT_GO;
	if (s->extended && !strncmp(p, "vKill", 5)) { /* `run` does so first, and takes no breakpoints out */
		memset(&s->arms, 0, sizeof(s->arms));
		wire_text(&s->w, "OK");
		return false;
	}
	if (p[0] == 'k' || !strncmp(p, "vKill", 5) || p[0] == 'D') {
		s->gone = true;
		if (p[0] != 'k')
			wire_text(&s->w, "OK");
		*ret = NEXT_END;
	} else if (!strcmp(p, "bc")) {
		*ret = NEXT_BACK;
	} else if (!strcmp(p, "bs")) {
		*ret = NEXT_STEP_BACK;
	} else if (!strncmp(p, "vRun", 4) || p[0] == 'R') {
		*ret = NEXT_AGAIN;
	} else if (!strncmp(p, "vCont;", 6)) {
		s->trip.steps = wants_step(s, p);
	} else if (p[0] == 's' || p[0] == 'S') {
		s->trip.steps = true;
		s->trip.task = watch_task(s->trip.now);
	} else if (p[0] != 'c' && p[0] != 'C') {
		return false;
	}
	if (s->restart && *ret != NEXT_END && trip_copy(&s->trip.place, &s->marks[s->restart - 1]) == 0)
		*ret = NEXT_PLACE;
	s->restart = 0;
	return true;
}

static int answer(struct server *s, const char *p)
{
	switch (p[0]) {
	case '?': return wire_text(&s->w, s->reply);
	case 'g': return put_registers(s, NULL);
	case 'p': return put_registers(s, p + 1);
	case 'm': return put_memory(s, p + 1);
	case 'q': return query(s, p);
	case 'Z':
	case 'z': return point(s, p);
	case 'H':
		if (p[1] == 'g')
			s->thread = task_of(s, p + 2);
		return wire_text(&s->w, "OK");
	case 'T': return wire_text(&s->w, is_thread(s, (uint32_t)strtoul(p + 1, NULL, 16)) ? "OK" : "E01");
	case 'G':
	case 'P':
	case 'M':
	case 'X': return no(s); /* what was recorded cannot be changed */
	case '!': s->extended = true; return wire_text(&s->w, "OK");
	default: break;
	}
	if (s->extended && !strncmp(p, "vKill", 5))
		return 0;
	if (!strcmp(p, "vCont?"))
		return wire_text(&s->w, "vCont;c;C;s;S");
	if (!strcmp(p, "QStartNoAckMode")) {
		const int e = wire_text(&s->w, "OK");

		s->w.quiet = true;
		return e;
	}
	return wire_text(&s->w, "");
}

static enum trip_next stopped(void *ctx, struct trip *t, enum stop_reason reason)
{
	static char packet[WIRE_MAX + 1];
	struct server *s = ctx;
	bool tell = s->reply[0]; /* the first one is asked for */
	enum trip_next next;

	if (reason == STOP_START || reason == STOP_EXEC)
		note_auxv(s);
	for (;;) {
		s->thread = watch_task(t->now);
		note_stop(s, reason);
		if (t->gave_up)
			s->o->note(
				"the instruction before is too far from all that is known: this is a place before it");
		t->gave_up = false;
		if (tell && wire_text(&s->w, s->reply) < 0)
			return NEXT_END;
		do {
			if (wire_get(&s->w, packet) < 0) {
				s->gone = true;
				return NEXT_END;
			}
		} while (!goes(s, packet, &next) && answer(s, packet) == 0);
		t->arms = s->arms;
		tell = true;
		if (reason != STOP_LAST || next != NEXT_GO) /* there is nothing after the end */
			return next;
	}
}

/* gdb shows it. */
static int put_output(void *ctx, int fd, const void *bytes, size_t n)
{
	static char text[WIRE_MAX + 2];
	struct server *s = ctx;
	int e = 0;

	(void)fd;
	for (size_t at = 0, k; at < n && e == 0; at += k) {
		k = n - at < READ_MAX ? n - at : READ_MAX;
		text[0] = 'O';
		wire_hex(text + 1, (const char *)bytes + at, k);
		e = wire_text(&s->w, text);
	}
	return e;
}

static bool asked(void *ctx)
{
	struct server *s = ctx;

	return wire_stop(&s->w);
}

int gdb_serve(const struct gdb_opts *o, struct err *e)
{
	struct server *s = calloc(1, sizeof(*s));
	struct replay_result result;
	char text[ERR_MSG_MAX];
	int x;

	if (!s)
		return err_set(e, -ENOMEM, "out of memory");
	s->o = o;
	s->trip.stopped = stopped;
	s->trip.asked = asked;
	s->trip.output = put_output;
	s->trip.ctx = s;
	signal(SIGPIPE, SIG_IGN);
	x = wire_open(&s->w, o->where, o->note, e);
	if (x == 0) {
		x = trip_run(&s->trip, o->trace, &result, e);
		if (x < 0 && !e->code)
			err_set(e, x, "%s", x == -EBADE ? "a position was not found again" : strerror(-x));
		if (!s->gone) {
			snprintf(text, sizeof(text),
				 x < 0			      ? "X09"
				 : WIFSIGNALED(result.status) ? "X%02x"
							      : "W%02x",
				 WIFSIGNALED(result.status) ? WTERMSIG(result.status) : WEXITSTATUS(result.status));
			wire_text(&s->w, text);
		}
		wire_close(&s->w);
	}
	trip_free(&s->trip);
	for (unsigned i = 0; i < s->nmarks; i++)
		vec_free(&s->marks[i].legs);
	free(s);
	return x;
}
