/* SPDX-License-Identifier: Apache-2.0 */
/* What the network providers share: connections, packets, addresses. */

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
	uint64_t cs_cid;	/* its cookie, 0 when it was given none */
} csinfo_t;

/* Addresses of a socket as text, of either family. */
inline string sock_local[struct sock *S] =
	S->__sk_common.skc_family == AF_INET ? inet_ntoa(&S->__sk_common.skc_rcv_saddr) :
	S->__sk_common.skc_family == AF_INET6 ? inet_ntoa6(&S->__sk_common.skc_v6_rcv_saddr) : "<unknown>";
inline string sock_remote[struct sock *S] =
	S->__sk_common.skc_family == AF_INET ? inet_ntoa(&S->__sk_common.skc_daddr) :
	S->__sk_common.skc_family == AF_INET6 ? inet_ntoa6(&S->__sk_common.skc_v6_daddr) : "<unknown>";
inline uint16_t sock_lport[struct sock *S] = S->__sk_common.skc_num;
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

translator csinfo_t < struct sock *S > {
	cs_addr = (uintptr_t)S;
	cs_cid = S != NULL ? S->__sk_common.skc_cookie.counter : 0;
};
