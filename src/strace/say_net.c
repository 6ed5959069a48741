/* SPDX-License-Identifier: Apache-2.0 */
/* Prints arguments about sockets: addresses, options, messages. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "strace/say_int.h"

static void addr_unix(struct strb *b, const uint8_t *p, uint32_t n)
{
	const uint8_t *path = p + offsetof(struct sockaddr_un, sun_path);
	uint32_t len = n > offsetof(struct sockaddr_un, sun_path) ? n - offsetof(struct sockaddr_un, sun_path) : 0;

	if (!len)
		return;
	strb_adds(b, ", sun_path=");
	if (path[0]) {
		say_quoted(b, path, strnlen((const char *)path, len), len, false);
	} else { /* a name of the abstract namespace, all of it */
		strb_addc(b, '@');
		say_quoted(b, path + 1, len - 1, len, false);
	}
}

static void addr_inet(struct strb *b, const uint8_t *p, uint32_t n)
{
	struct sockaddr_in a;
	char text[INET_ADDRSTRLEN];

	if (n < sizeof(a))
		return;
	memcpy(&a, p, sizeof(a));
	strb_printf(b, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", ntohs(a.sin_port),
		    inet_ntop(AF_INET, &a.sin_addr, text, sizeof(text)));
}

#define INET6_SHORT 24 /* without the scope, as old programs have it */

static void addr_inet6(struct strb *b, const uint8_t *p, uint32_t n)
{
	struct sockaddr_in6 a = { 0 };
	char text[INET6_ADDRSTRLEN];

	if (n < INET6_SHORT)
		return;
	memcpy(&a, p, n < sizeof(a) ? n : sizeof(a));
	strb_printf(b, ", sin6_port=htons(%u), sin6_flowinfo=htonl(%u), inet_pton(AF_INET6, \"%s\", &sin6_addr)",
		    ntohs(a.sin6_port), ntohl(a.sin6_flowinfo), inet_ntop(AF_INET6, &a.sin6_addr, text, sizeof(text)));
	if (n >= sizeof(a))
		strb_printf(b, ", sin6_scope_id=%u", a.sin6_scope_id);
}

static void addr_netlink(struct strb *b, const uint8_t *p, uint32_t n)
{
	struct sockaddr_nl a;

	if (n < sizeof(a))
		return;
	memcpy(&a, p, sizeof(a));
	strb_printf(b, ", nl_pid=%u, nl_groups=%08x", a.nl_pid, a.nl_groups);
}

void say_addr(struct strb *b, const uint8_t *p, uint32_t n)
{
	uint16_t family;

	memcpy(&family, p, sizeof(family));
	strb_adds(b, "{sa_family=");
	flag_choice(b, &flags_family, family);
	if (family == AF_UNIX)
		addr_unix(b, p, n);
	else if (family == AF_INET)
		addr_inet(b, p, n);
	else if (family == AF_INET6)
		addr_inet6(b, p, n);
	else if (family == AF_NETLINK)
		addr_netlink(b, p, n);
	else if (n > sizeof(family)) {
		strb_adds(b, ", sa_data=");
		say_quoted(b, p + sizeof(family), n - sizeof(family), n, false);
	}
	strb_addc(b, '}');
}

SAY(say_sockaddr)
{
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, false, &n);
	bool out = arg_descs[s->e->call->args[i]].cap == CAP_ADDR;

	(void)t;
	if (p && n >= sizeof(uint16_t) && (!out || say_ok(s->e)))
		say_addr(s->b, p, n);
	else
		say_address(s->b, s->e->arg[i]);
}

SAY(say_socklen)
{
	uint32_t n;
	const uint8_t *after = event_bytes(s->e, i, false, &n);
	int v;

	(void)t;
	if (!say_struct(s, i, true, &v, sizeof(v)))
		return;
	strb_printf(s->b, "[%d", v);
	if (after && n >= 4 && say_ok(s->e) && (int)say_u32(after) != v)
		strb_printf(s->b, " => %d", (int)say_u32(after));
	strb_addc(s->b, ']');
}

SAY(say_optval)
{
	bool out = arg_descs[s->e->call->args[i]].cap == CAP_ADDR;
	uint32_t n;
	const uint8_t *p = event_bytes(s->e, i, false, &n);

	(void)t;
	if (!p || (out && !say_ok(s->e)))
		say_address(s->b, s->e->arg[i]);
	else if (s->e->arg[1] == SOL_SOCKET && s->e->arg[2] == SO_LINGER && n == 8)
		strb_printf(s->b, "{l_onoff=%d, l_linger=%d}", (int)say_u32(p), (int)say_u32(p + 4));
	else if (s->e->arg[1] == SOL_SOCKET && s->e->arg[2] == SO_PEERCRED && n == 12)
		strb_printf(s->b, "{pid=%d, uid=%d, gid=%d}", (int)say_u32(p), (int)say_u32(p + 4),
			    (int)say_u32(p + 8));
	else if (s->e->arg[1] == SOL_SOCKET && (s->e->arg[2] == 20 || s->e->arg[2] == 21) && n == 16)
		say_timeval_of(s->b, p); /* SO_RCVTIMEO_OLD, SO_SNDTIMEO_OLD */
	else if (n == 4)
		strb_printf(s->b, "[%d]", (int)say_u32(p));
	else
		say_quoted(s->b, p, n, s->o->size, false);
}

#define TYPE_BITS 0xf

SAY(say_socktype)
{
	uint64_t v = (uint32_t)s->e->arg[i];

	(void)t;
	flag_choice(s->b, &flags_socktype, v & TYPE_BITS);
	if (v & ~(uint64_t)TYPE_BITS) {
		strb_addc(s->b, '|');
		flag_bits(s->b, &flags_sockflags, v & ~(uint64_t)TYPE_BITS);
	}
}

SAY(say_sockproto)
{
	if (s->e->arg[0] == AF_INET || s->e->arg[0] == AF_INET6)
		flag_choice(s->b, &flags_inetproto, (uint32_t)s->e->arg[i]);
	else if (s->e->arg[0] == AF_NETLINK)
		flag_choice(s->b, &flags_netlink, (uint32_t)s->e->arg[i]);
	else
		say_uint(s, i, t);
}

SAY(say_sockopt)
{
	uint64_t v = (uint32_t)s->e->arg[i];

	switch (s->e->arg[i - 1]) {
	case SOL_SOCKET: flag_choice(s->b, &flags_sockopt, v); break;
	case SOL_TCP: flag_choice(s->b, &flags_tcpopt, v); break;
	case SOL_IP: flag_choice(s->b, &flags_ipopt, v); break;
	case SOL_IPV6: flag_choice(s->b, &flags_ip6opt, v); break;
	default: say_hex(s, i, t); break;
	}
}

static void control_data(struct say *s, const struct cmsghdr *c, const uint8_t *p, size_t n)
{
	strb_adds(s->b, ", cmsg_data=");
	if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		strb_addc(s->b, '[');
		for (size_t k = 0; k + 4 <= n; k += 4)
			strb_printf(s->b, "%s%d", k ? ", " : "", (int)say_u32(p + k));
		strb_addc(s->b, ']');
	} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == 2 && n >= 12) { /* SCM_CREDENTIALS */
		strb_printf(s->b, "{pid=%d, uid=%d, gid=%d}", (int)say_u32(p), (int)say_u32(p + 4),
			    (int)say_u32(p + 8));
	} else {
		say_quoted(s->b, p, n, n, false);
	}
}

static void say_control(struct say *s, uint64_t len, uint64_t base)
{
	uint32_t n;
	const uint8_t *p = event_part(s->e, EVENT_PART_CONTROL, &n);
	struct cmsghdr c;
	const char *sep = "";

	if (!len)
		return;
	strb_adds(s->b, ", msg_control=");
	if (!p) {
		say_address(s->b, base);
		return;
	}
	strb_addc(s->b, '[');
	for (uint32_t k = 0; k + sizeof(c) <= n; k += (uint32_t)CMSG_ALIGN(c.cmsg_len)) {
		memcpy(&c, p + k, sizeof(c));
		if (c.cmsg_len < sizeof(c) || c.cmsg_len > n - k)
			break;
		strb_printf(s->b, "%s{cmsg_len=%zu, cmsg_level=", sep, (size_t)c.cmsg_len);
		flag_choice(s->b, &flags_sockopt_level, (uint64_t)c.cmsg_level);
		strb_adds(s->b, ", cmsg_type=");
		if (c.cmsg_level == SOL_SOCKET)
			flag_choice(s->b, &flags_cmsg, (uint64_t)c.cmsg_type);
		else
			strb_printf(s->b, "%#x", c.cmsg_type);
		if (c.cmsg_len > CMSG_LEN(0))
			control_data(s, &c, p + k + CMSG_LEN(0), c.cmsg_len - CMSG_LEN(0));
		strb_addc(s->b, '}');
		sep = ", ";
	}
	strb_addc(s->b, ']');
}

SAY(say_msg)
{
	bool out = arg_descs[s->e->call->args[i]].cap == CAP_MSGRET;
	uint32_t n, before;
	const uint8_t *first = event_bytes(s->e, i, true, &before), *name, *iov;
	struct msghdr m;

	(void)t;
	if ((out && !say_ok(s->e)) || !say_struct(s, i, false, &m, sizeof(m))) {
		if (out && !say_ok(s->e) && first && before >= sizeof(m))
			strb_printf(s->b, "{msg_namelen=%d}", (int)say_u32(first + 8));
		else if (out && !say_ok(s->e))
			say_address(s->b, s->e->arg[i]);
		return;
	}
	strb_adds(s->b, "{msg_name=");
	name = event_part(s->e, EVENT_PART_NAME, &n);
	if (name && n >= sizeof(uint16_t) && m.msg_namelen)
		say_addr(s->b, name, n);
	else
		say_address(s->b, (uint64_t)(uintptr_t)m.msg_name);
	strb_adds(s->b, ", msg_namelen=");
	if (out && first && before >= sizeof(m) && say_u32(first + 8) != m.msg_namelen)
		strb_printf(s->b, "%d => ", (int)say_u32(first + 8));
	strb_printf(s->b, "%d, msg_iov=", (int)m.msg_namelen);
	iov = event_part(s->e, EVENT_PART_IOV, &n);
	if (iov)
		say_iovs(s, iov, n, m.msg_iovlen);
	else
		say_address(s->b, (uint64_t)(uintptr_t)m.msg_iov);
	strb_printf(s->b, ", msg_iovlen=%zu", (size_t)m.msg_iovlen);
	say_control(s, m.msg_controllen, (uint64_t)(uintptr_t)m.msg_control);
	strb_printf(s->b, ", msg_controllen=%zu, msg_flags=", (size_t)m.msg_controllen);
	flag_bits(s->b, &flags_msg, (uint32_t)m.msg_flags);
	strb_addc(s->b, '}');
}
