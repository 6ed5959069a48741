/* SPDX-License-Identifier: Apache-2.0 */
/* Prints arguments of poll(2), select(2) and epoll(7). */
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include "strace/say_int.h"

static void poll_events(struct strb *b, uint16_t v)
{
	flag_bits(b, &flags_poll, v);
}

SAY(say_pollfds)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (!p) {
		say_address(s->b, s->e->arg[i]);
		return;
	}
	strb_addc(s->b, '[');
	for (uint32_t k = 0; k + 8 <= n && k / 8 < s->o->size; k += 8) {
		struct pollfd f;

		memcpy(&f, p + k, sizeof(f));
		strb_printf(s->b, "%s{fd=%d", k ? ", " : "", f.fd);
		if (f.fd >= 0) {
			strb_adds(s->b, ", events=");
			poll_events(s->b, (uint16_t)f.events);
		}
		strb_addc(s->b, '}');
	}
	strb_adds(s->b, n / 8 > s->o->size || (uint32_t)s->e->arg[i + 1] > n / 8 ? ", ...]" : "]");
}

static void ready_poll(struct say *s)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, 0, false, &n);
	const char *sep = "";

	if (s->e->ret == 0) {
		strb_adds(s->b, " (Timeout)");
		return;
	}
	strb_adds(s->b, " ([");
	for (uint32_t k = 0; p && k + 8 <= n; k += 8) {
		struct pollfd f;

		memcpy(&f, p + k, sizeof(f));
		if (!f.revents)
			continue;
		strb_printf(s->b, "%s{fd=%d, revents=", sep, f.fd);
		poll_events(s->b, (uint16_t)f.revents);
		strb_addc(s->b, '}');
		sep = ", ";
	}
	strb_addc(s->b, ']');
	p = event_bytes(s->e, 2, false, &n);
	if (arg_descs[s->e->call->args[2]].cap == CAP_FIX && p && n >= 16 && s->e->arg[2]) {
		strb_adds(s->b, ", left ");
		say_timespec_of(s->b, p);
	}
	strb_addc(s->b, ')');
}

static void fd_set_of(struct strb *b, const uint8_t *p, uint32_t n, uint64_t nfds)
{
	const char *sep = "";

	strb_addc(b, '[');
	for (uint32_t k = 0; k < nfds && k / 8 < n; k++)
		if (p[k / 8] >> (k % 8) & 1) {
			strb_printf(b, "%s%u", sep, k);
			sep = " ";
		}
	strb_addc(b, ']');
}

SAY(say_fdset)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, true, &n);

	(void)t;
	if (p && s->e->arg[i])
		fd_set_of(s->b, p, n, (uint32_t)s->e->arg[0]);
	else
		say_address(s->b, s->e->arg[i]);
}

static void ready_select(struct say *s)
{
	static const char *const names[] = { NULL, "in", "out", "except" };
	const char *sep = " (";
	uint32_t n;
	const uint8_t *p;

	if (s->e->ret == 0) {
		strb_adds(s->b, " (Timeout)");
		return;
	}
	for (unsigned i = 1; i <= 3; i++) {
		bool any = false;

		p = s->e->arg[i] ? event_bytes(s->e, i, false, &n) : NULL;
		for (uint32_t k = 0; p && k < n && k * 8 < (uint32_t)s->e->arg[0]; k++)
			any |= p[k] != 0;
		if (!any)
			continue;
		strb_printf(s->b, "%s%s ", sep, names[i]);
		fd_set_of(s->b, p, n, (uint32_t)s->e->arg[0]);
		sep = ", ";
	}
	p = s->e->arg[4] ? event_bytes(s->e, 4, false, &n) : NULL;
	if (p && n >= 16) {
		strb_printf(s->b, "%sleft ", sep);
		if (s->e->call->nargs == 6)
			say_timespec_of(s->b, p);
		else
			say_timeval_of(s->b, p);
		sep = ", ";
	}
	strb_adds(s->b, sep[0] == ',' ? ")" : "");
}

void say_ready(struct say *s)
{
	if (s->e->call->ret == RET_POLL)
		ready_poll(s);
	else
		ready_select(s);
}

/* struct epoll_event is packed on x86-64: the data stand after what else there is. */
static void epoll_event(struct strb *b, const uint8_t *p, unsigned size)
{
	const uint8_t *data = p + size - 8;

	strb_adds(b, "{events=");
	flag_bits(b, &flags_epoll, say_u32(p));
	strb_printf(b, ", data={u32=%u, u64=%" PRIu64 "}}", say_u32(data), say_u64(data));
}

SAY(say_epollev)
{
	unsigned size = arg_descs[A_EPOLLEV].size;
	const uint8_t *p = say_memory(s, i, false, size);

	(void)t;
	if (p)
		epoll_event(s->b, p, size);
}

SAY(say_epollevs)
{
	unsigned size = arg_descs[A_EPOLLEVS].size;
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, false, &n);

	(void)t;
	if (!p && !(say_ok(s->e) && s->e->ret == 0)) {
		say_address(s->b, s->e->arg[i]);
		return;
	}
	strb_addc(s->b, '[');
	for (uint32_t k = 0; p && k + size <= n && k / size < s->o->size; k += size) {
		strb_adds(s->b, k ? ", " : "");
		epoll_event(s->b, p + k, size);
	}
	strb_adds(s->b, p && (n / size > s->o->size || (uint64_t)s->e->ret > n / size) ? ", ...]" : "]");
}
