/* SPDX-License-Identifier: Apache-2.0 */
/* Inlines and translators that the network providers share: connections, packets, addresses. */

/* Source: include/linux/socket.h, include/uapi/linux/if_arp.h. */
inline int AF_UNIX = 1;
inline int AF_INET = 2;
inline int AF_INET6 = 10;
inline int AF_NETLINK = 16;
inline int AF_PACKET = 17;
inline int AF_VSOCK = 40;
inline int ARPHRD_ETHER = 1;
inline int ARPHRD_INFINIBAND = 32;

inline int NET_PROBE_OUTBOUND = 0;
inline int NET_PROBE_INBOUND = 1;
inline int NET_PROBE_STATE = 2;

typedef uint64_t netstackid_t;

typedef struct conninfo {
	string ci_local;	/* local address */
	string ci_remote;	/* remote address */
	string ci_protocol;	/* "ipv4", "ipv6" */
} conninfo_t;

typedef struct pktinfo {
	uintptr_t pkt_addr;	/* the sk_buff */
} pktinfo_t;

typedef struct csinfo {
	uintptr_t cs_addr;	/* the socket */
	uint64_t cs_cid;	/* the connection: the same at this end of it from its first packet to its last */
	pid_t cs_pid;		/* the process that uses the socket right now, or -1 */
	zoneid_t cs_zoneid;	/* always 0 */
} csinfo_t;

/* Requests and sockets in TIME_WAIT are not whole: they end after the part that all have.
 * Source: include/net/tcp_states.h (6 TIME_WAIT, 12 NEW_SYN_RECV). */
inline int sock_is_full[struct sock *S] = S->__sk_common.skc_state != 6 && S->__sk_common.skc_state != 12;

/* Addresses of a socket as text, of either family. */
inline string sock_local[struct sock *S] =
	S->__sk_common.skc_family == AF_INET ? inet_ntoa(&S->__sk_common.skc_rcv_saddr) :
	S->__sk_common.skc_family == AF_INET6 ? inet_ntoa6(&S->__sk_common.skc_v6_rcv_saddr) : "<unknown>";
inline string sock_remote[struct sock *S] =
	S->__sk_common.skc_family == AF_INET ? inet_ntoa(&S->__sk_common.skc_daddr) :
	S->__sk_common.skc_family == AF_INET6 ? inet_ntoa6(&S->__sk_common.skc_v6_daddr) : "<unknown>";
/* When a socket has been closed, the number that it was bound to is what it sent from. */
inline uint16_t sock_lport[struct sock *S] = S->__sk_common.skc_num != 0 || !sock_is_full[S] ? S->__sk_common.skc_num :
	ntohs(((struct inet_sock *)S)->inet_sport);
inline uint16_t sock_rport[struct sock *S] = ntohs(S->__sk_common.skc_dport);
inline string inet_endpoint[string ADDRESS, uint16_t PORT] = strjoin(ADDRESS, strjoin(":", lltostr(PORT)));

/* Headers of a packet: NULL where there is none yet. */
inline uint8_t *skb_ip[struct sk_buff *P] =
	P != NULL && P->network_header != 0 ? P->head + P->network_header : NULL;
inline uint8_t *skb_transport[struct sk_buff *P] =
	P != NULL && P->transport_header != 0 && P->transport_header != 0xffff ?
	P->head + P->transport_header : NULL;

translator conninfo_t < struct sock *S > {
	ci_local = S != NULL ? sock_local[S] : "<unknown>";
	ci_remote = S != NULL ? sock_remote[S] : "<unknown>";
	ci_protocol = S == NULL ? "<unknown>" : S->__sk_common.skc_family == AF_INET ? "ipv4" :
		      S->__sk_common.skc_family == AF_INET6 ? "ipv6" : "<unknown>";
};

translator pktinfo_t < struct sk_buff *P > {
	pkt_addr = (uintptr_t)P;
};

/* A length of 16 bits cannot hold all that the kernel handles as one packet. For more than 65,535 bytes it is 0. For a
 * segment that others were added to while its socket was in use, it is the length of the first one. Otherwise the
 * header is right and the packet may have padding. H: the IP header, which is in front of the data when the transport's
 * header is about to be looked at. All with IP header. Source: include/linux/ip.h skb_ip_totlen(), net/ipv4/tcp_ipv4.c
 * tcp_add_backlog(). */
inline int PACKET_FIELD_MAX = 65535;
inline uint32_t packet_len[struct sk_buff *P, uint8_t *H] = P->len + (uint32_t)((uintptr_t)P->data - (uintptr_t)H);
inline int packet_tells[struct sk_buff *P, uint8_t *H] =
	P != NULL && H != NULL && ((uintptr_t)H < (uintptr_t)P->data || packet_len[P, H] > PACKET_FIELD_MAX);
inline uint32_t ip4_len[struct sk_buff *P, uint8_t *H] = packet_tells[P, H] ? packet_len[P, H] :
    ntohs(((struct iphdr *)H)->tot_len);
/* The kernel marks an IPv6 packet of more than 65,535 bytes by a header of its own, IPV6_JUMBO bytes after the first.
 * No network sees this header (until Linux 6.19), so it does not count. Source: include/net/ipv6.h, struct
 * hop_jumbo_hdr. */
inline int IPV6_HEADER = 40;
inline int IPV6_JUMBO = 8;
inline int ip6_is_jumbo[uint8_t *H] = ((struct ipv6hdr *)H)->payload_len == 0 && ((struct ipv6hdr *)H)->nexthdr == 0;
inline uint32_t ip6_len[struct sk_buff *P, uint8_t *H] = packet_tells[P, H] ?
	packet_len[P, H] - IPV6_HEADER - (ip6_is_jumbo[H] ? IPV6_JUMBO : 0) : ntohs(((struct ipv6hdr *)H)->payload_len);
inline uint8_t ip6_next[uint8_t *H] = ip6_is_jumbo[H] ? *(H + IPV6_HEADER) : ((struct ipv6hdr *)H)->nexthdr;

/* A connection's number is made of its ends, the local one first, and its network namespace. So all kernel objects for
 * one connection (request, socket, TIME_WAIT) have the same number, and packets that came in, which have no socket yet.
 * IPv4 addresses are taken as IPv6 has them (::ffff:a.b.c.d), since a socket of IPv6 may have them like that. */
inline uint64_t CID_MIX = 0x9e3779b97f4a7c15;
inline uint64_t cid_fold[uint64_t X] = X ^ X >> 32;
inline uint64_t cid_mix[uint64_t H, uint64_t V] = cid_fold[(H ^ V) * CID_MIX];
inline uint64_t cid_v4[uint32_t A] = (uint64_t)A << 32 | 0xffff0000;
inline uint64_t cid_of[uint64_t NET, uint64_t PORTS, uint64_t L0, uint64_t L1, uint64_t R0, uint64_t R1] =
	cid_mix[cid_mix[cid_mix[cid_mix[cid_mix[NET, PORTS], L0], L1], R0], R1];

uint64_t sock_cid(struct sock *S)
{
	uint64_t net = (uintptr_t)S->__sk_common.skc_net.net, ports;
	uint16_t lport = sock_lport[S], rport = ntohs(S->__sk_common.skc_dport);

	/* It connects and has no port yet, or it was just made for a thread that connects: nothing else has both ends,
	 * and the address is its own. */
	if (lport == 0 || rport == 0)
		return (uintptr_t)S;
	ports = (uint64_t)lport << 16 | rport;
	if (S->__sk_common.skc_family != AF_INET6)
		return cid_of[net, ports, 0, cid_v4[S->__sk_common.skc_rcv_saddr], 0, cid_v4[S->__sk_common.skc_daddr]];
	return cid_of[net, ports, *(uint64_t *)&S->__sk_common.skc_v6_rcv_saddr,
	    *((uint64_t *)&S->__sk_common.skc_v6_rcv_saddr + 1), *(uint64_t *)&S->__sk_common.skc_v6_daddr,
	    *((uint64_t *)&S->__sk_common.skc_v6_daddr + 1)];
}

/* The connection of a packet: P, its IP header H, and whether it came in. 0: it has no ports. */
uint64_t packet_cid(struct sk_buff *P, uint8_t *H, int in)
{
	uint64_t net, l0 = 0, l1, r0 = 0, r1;
	uint16_t sport, dport;
	uint8_t *t;
	int proto;

	if (P == NULL || H == NULL)
		return 0;
	if (*H >> 4 == 4) {
		proto = ((struct iphdr *)H)->protocol;
		t = H + ((*H & 0xf) << 2);
		l1 = cid_v4[((struct iphdr *)H)->saddr];
		r1 = cid_v4[((struct iphdr *)H)->daddr];
	} else {
		proto = ip6_next[H];
		t = H + IPV6_HEADER + (ip6_is_jumbo[H] ? IPV6_JUMBO : 0);
		l0 = *(uint64_t *)(H + 8);
		l1 = *(uint64_t *)(H + 16);
		r0 = *(uint64_t *)(H + 24);
		r1 = *(uint64_t *)(H + 32);
	}
	if (proto != 6 && proto != 17)
		return 0;
	sport = ntohs(*(uint16_t *)t);
	dport = ntohs(*((uint16_t *)t + 1));
	net = (uintptr_t)P->dev->nd_net.net;
	if (in)
		return cid_of[net, (uint64_t)dport << 16 | sport, r0, r1, l0, l1];
	return cid_of[net, (uint64_t)sport << 16 | dport, l0, l1, r0, r1];
}

/* arg0 to arg6 are those of the network providers: packet, socket, IP header …, direction. */
inline int is_net_probe = probeprov == "tcp" || probeprov == "udp" || probeprov == "ip";

translator csinfo_t < struct sock *S > {
	cs_addr = (uintptr_t)S;
	cs_cid = S != NULL && (!is_net_probe || arg0 == 0 || S->__sk_common.skc_dport != 0) ? sock_cid(S) :
		 is_net_probe ? packet_cid((struct sk_buff *)arg0, (uint8_t *)arg2, arg6 == NET_PROBE_INBOUND) : 0;
	/* A locked socket is locked by the current thread. Interrupts process a socket only while it is unlocked. */
	cs_pid = S != NULL && sock_is_full[S] && S->sk_lock.owned ? pid : -1;
	cs_zoneid = 0;
};
