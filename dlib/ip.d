/* SPDX-License-Identifier: Apache-2.0 */
/* IP: packets and interfaces, from their headers, from struct sk_buff and from struct sock. */
#pragma D depends_on library net.d

inline int IPPROTO_IP = 0;
inline int IPPROTO_ICMP = 1;
inline int IPPROTO_IGMP = 2;
inline int IPPROTO_IPIP = 4;
inline int IPPROTO_TCP = 6;
inline int IPPROTO_EGP = 8;
inline int IPPROTO_PUP = 12;
inline int IPPROTO_UDP = 17;
inline int IPPROTO_IDP = 22;
inline int IPPROTO_TP = 29;
inline int IPPROTO_DCCP = 33;
inline int IPPROTO_IPV6 = 41;
inline int IPPROTO_ROUTING = 43;
inline int IPPROTO_FRAGMENT = 44;
inline int IPPROTO_RSVP = 46;
inline int IPPROTO_GRE = 47;
inline int IPPROTO_ESP = 50;
inline int IPPROTO_AH = 51;
inline int IPPROTO_ICMPV6 = 58;
inline int IPPROTO_NONE = 59;
inline int IPPROTO_DSTOPTS = 60;
inline int IPPROTO_OSPF = 89;
inline int IPPROTO_MTP = 92;
inline int IPPROTO_BEETPH = 94;
inline int IPPROTO_ENCAP = 98;
inline int IPPROTO_PIM = 103;
inline int IPPROTO_COMP = 108;
inline int IPPROTO_SCTP = 132;
inline int IPPROTO_MH = 135;
inline int IPPROTO_UDPLITE = 136;
inline int IPPROTO_RAW = 255;
inline int IPPROTO_MAX = 256;
inline int IPPROTO_HOPOPTS = 0;

inline string ip_protostr[int P] =
	P == IPPROTO_TCP ? "TCP" :
	P == IPPROTO_UDP ? "UDP" :
	P == IPPROTO_IP ? "IP" :
	P == IPPROTO_ICMP ? "ICMP" :
	P == IPPROTO_IGMP ? "IGMP" :
	P == IPPROTO_EGP ? "EGP" :
	P == IPPROTO_IPV6 ? "IPv6" :
	P == IPPROTO_ROUTING ? "ROUTE" :
	P == IPPROTO_ESP ? "ESP" :
	P == IPPROTO_AH ? "AH" :
	P == IPPROTO_ICMPV6 ? "ICMPv6" :
	P == IPPROTO_OSPF ? "OSPF" :
	P == IPPROTO_SCTP ? "SCTP" :
	P == IPPROTO_RAW ? "RAW" :
	lltostr(P);

typedef struct ipinfo {
	uint8_t ip_ver;		/* 4, 6; 0: unknown */
	uint32_t ip_plength;	/* bytes of payload */
	string ip_saddr;	/* source address */
	string ip_daddr;	/* destination address */
} ipinfo_t;

typedef struct ifinfo {
	string if_name;		/* interface */
	int8_t if_local;	/* delivered locally */
	netstackid_t if_ipstack; /* network namespace */
	uintptr_t if_addr;	/* the net_device */
} ifinfo_t;

typedef struct ipv4info {
	uint8_t ipv4_ver;
	uint8_t ipv4_ihl;	/* bytes of header */
	uint8_t ipv4_tos;
	uint32_t ipv4_length;	/* header and payload; more than 65,535 bytes where the kernel joins packets */
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;
	uint16_t ipv4_offset;	/* of the fragment */
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;
	ipaddr_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	struct iphdr *ipv4_hdr;
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint32_t ipv6_plen;	/* bytes of payload, also more than 65,535 */
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	in6_addr_t *ipv6_src;
	in6_addr_t *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	struct ipv6hdr *ipv6_hdr;
} ipv6info_t;

/* The IP header by version: NULL for the other one. */
inline int ip_version[uint8_t *H] = H != NULL ? *H >> 4 : 0;
inline struct iphdr *ip_v4[uint8_t *H] = ip_version[H] == 4 ? (struct iphdr *)H : NULL;
inline struct ipv6hdr *ip_v6[uint8_t *H] = ip_version[H] == 6 ? (struct ipv6hdr *)H : NULL;

translator ipinfo_t < struct iphdr *I > {
	ip_ver = I != NULL ? 4 : 0;
	ip_plength = I != NULL ? ntohs(I->tot_len) - (I->ihl << 2) : 0;
	ip_saddr = I != NULL ? inet_ntoa(&I->saddr) : "<unknown>";
	ip_daddr = I != NULL ? inet_ntoa(&I->daddr) : "<unknown>";
};

translator ipinfo_t < struct ipv6hdr *I > {
	ip_ver = I != NULL ? 6 : 0;
	ip_plength = I != NULL ? ntohs(I->payload_len) : 0;
	ip_saddr = I != NULL ? inet_ntoa6(&I->saddr) : "<unknown>";
	ip_daddr = I != NULL ? inet_ntoa6(&I->daddr) : "<unknown>";
};

/* The header of either version. */
translator ipinfo_t < uint8_t *H > {
	ip_ver = ip_version[H];
	ip_plength = ip_version[H] == 4 ? xlate <ipinfo_t> ((struct iphdr *)H).ip_plength :
		     ip_version[H] == 6 ? xlate <ipinfo_t> ((struct ipv6hdr *)H).ip_plength : 0;
	ip_saddr = ip_version[H] == 4 ? inet_ntoa(&((struct iphdr *)H)->saddr) :
		   ip_version[H] == 6 ? inet_ntoa6(&((struct ipv6hdr *)H)->saddr) : "<unknown>";
	ip_daddr = ip_version[H] == 4 ? inet_ntoa(&((struct iphdr *)H)->daddr) :
		   ip_version[H] == 6 ? inet_ntoa6(&((struct ipv6hdr *)H)->daddr) : "<unknown>";
};

inline uint32_t skb_plength[struct sk_buff *P, uint8_t *H] =
	ip_version[H] == 4 ? ip4_len[P, H] - ((*H & 0xf) << 2) : ip_version[H] == 6 ? ip6_len[P, H] : 0;

translator ipinfo_t < struct sk_buff *P > {
	ip_ver = xlate <ipinfo_t> (skb_ip[P]).ip_ver;
	ip_plength = skb_plength[P, skb_ip[P]];
	ip_saddr = xlate <ipinfo_t> (skb_ip[P]).ip_saddr;
	ip_daddr = xlate <ipinfo_t> (skb_ip[P]).ip_daddr;
};

/* The probes of the network providers that have a packet, arg0, give its IP header under types of their own. So the
 * packet's length can be asked for. Either version is struct napi_gro_cb, IPv4 struct inet_skb_parm and IPv6 struct
 * inet6_skb_parm. */
translator ipinfo_t < struct napi_gro_cb *H > {
	ip_ver = xlate <ipinfo_t> ((uint8_t *)H).ip_ver;
	ip_plength = skb_plength[(struct sk_buff *)arg0, (uint8_t *)H];
	ip_saddr = xlate <ipinfo_t> ((uint8_t *)H).ip_saddr;
	ip_daddr = xlate <ipinfo_t> ((uint8_t *)H).ip_daddr;
};

/* Where there is no packet: the socket's addresses, local as source. */
translator ipinfo_t < struct sock *S > {
	ip_ver = S == NULL ? 0 : S->__sk_common.skc_family == AF_INET ? 4 :
		 S->__sk_common.skc_family == AF_INET6 ? 6 : 0;
	ip_plength = 0;
	ip_saddr = S != NULL ? sock_local[S] : "<unknown>";
	ip_daddr = S != NULL ? sock_remote[S] : "<unknown>";
};

/* Where there was one that came in (provider tcp). */
translator ipinfo_t < struct inet_sock *S > {
	ip_ver = xlate <ipinfo_t> ((struct sock *)S).ip_ver;
	ip_plength = 0;
	ip_saddr = sock_remote[(struct sock *)S];
	ip_daddr = sock_local[(struct sock *)S];
};

translator ifinfo_t < struct net_device *N > {
	if_name = N != NULL ? stringof(N->name) : "<unknown>";
	if_local = N == NULL;
	if_ipstack = N != NULL ? (netstackid_t)N->nd_net.net : 0;
	if_addr = (uintptr_t)N;
};

translator ifinfo_t < struct sk_buff *P > {
	if_name = xlate <ifinfo_t> (P->dev).if_name;
	if_local = xlate <ifinfo_t> (P->dev).if_local;
	if_ipstack = xlate <ifinfo_t> (P->dev).if_ipstack;
	if_addr = xlate <ifinfo_t> (P->dev).if_addr;
};

translator ipv4info_t < struct iphdr *I > {
	ipv4_ver = I != NULL ? 4 : 0;
	ipv4_ihl = I != NULL ? I->ihl << 2 : 0;
	ipv4_tos = I != NULL ? I->tos : 0;
	ipv4_length = I != NULL ? ntohs(I->tot_len) : 0;
	ipv4_ident = I != NULL ? ntohs(I->id) : 0;
	ipv4_flags = I != NULL ? ntohs(I->frag_off) >> 12 & 0xe : 0;
	ipv4_offset = I != NULL ? ntohs(I->frag_off) & 0x1fff : 0;
	ipv4_ttl = I != NULL ? I->ttl : 0;
	ipv4_protocol = I != NULL ? I->protocol : 0;
	ipv4_protostr = I != NULL ? ip_protostr[I->protocol] : "<null>";
	ipv4_checksum = I != NULL ? ntohs(I->check) : 0;
	ipv4_src = I != NULL ? I->saddr : 0;
	ipv4_dst = I != NULL ? I->daddr : 0;
	ipv4_saddr = I != NULL ? inet_ntoa(&I->saddr) : "<null>";
	ipv4_daddr = I != NULL ? inet_ntoa(&I->daddr) : "<null>";
	ipv4_hdr = I;
};

translator ipv6info_t < struct ipv6hdr *I > {
	ipv6_ver = I != NULL ? 6 : 0;
	ipv6_tclass = I != NULL ? ntohl(*(uint32_t *)I) >> 20 & 0xff : 0;
	ipv6_flow = I != NULL ? ntohl(*(uint32_t *)I) & 0xfffff : 0;
	ipv6_plen = I != NULL ? ntohs(I->payload_len) : 0;
	ipv6_nexthdr = I != NULL ? I->nexthdr : 0;
	ipv6_nextstr = I != NULL ? ip_protostr[I->nexthdr] : "<null>";
	ipv6_hlim = I != NULL ? I->hop_limit : 0;
	ipv6_src = I != NULL ? &I->saddr : NULL;
	ipv6_dst = I != NULL ? &I->daddr : NULL;
	ipv6_saddr = I != NULL ? inet_ntoa6(&I->saddr) : "<null>";
	ipv6_daddr = I != NULL ? inet_ntoa6(&I->daddr) : "<null>";
	ipv6_hdr = I;
};

translator ipv4info_t < struct sk_buff *P > {
	ipv4_ver = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_ver;
	ipv4_ihl = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_ihl;
	ipv4_tos = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_tos;
	ipv4_length = ip_v4[skb_ip[P]] != NULL ? ip4_len[P, (uint8_t *)skb_ip[P]] : 0;
	ipv4_ident = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_ident;
	ipv4_flags = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_flags;
	ipv4_offset = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_offset;
	ipv4_ttl = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_ttl;
	ipv4_protocol = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_protocol;
	ipv4_protostr = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_protostr;
	ipv4_checksum = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_checksum;
	ipv4_src = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_src;
	ipv4_dst = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_dst;
	ipv4_saddr = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_saddr;
	ipv4_daddr = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_daddr;
	ipv4_hdr = xlate <ipv4info_t> (ip_v4[skb_ip[P]]).ipv4_hdr;
};

translator ipv6info_t < struct sk_buff *P > {
	ipv6_ver = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_ver;
	ipv6_tclass = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_tclass;
	ipv6_flow = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_flow;
	ipv6_plen = ip_v6[skb_ip[P]] != NULL ? ip6_len[P, (uint8_t *)skb_ip[P]] : 0;
	ipv6_nexthdr = ip_v6[skb_ip[P]] != NULL ? ip6_next[(uint8_t *)skb_ip[P]] : 0;
	ipv6_nextstr = ip_v6[skb_ip[P]] != NULL ? ip_protostr[ip6_next[(uint8_t *)skb_ip[P]]] : "<null>";
	ipv6_hlim = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_hlim;
	ipv6_src = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_src;
	ipv6_dst = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_dst;
	ipv6_saddr = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_saddr;
	ipv6_daddr = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_daddr;
	ipv6_hdr = xlate <ipv6info_t> (ip_v6[skb_ip[P]]).ipv6_hdr;
};

translator ipv4info_t < struct inet_skb_parm *H > {
	ipv4_ver = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_ver;
	ipv4_ihl = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_ihl;
	ipv4_tos = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_tos;
	ipv4_length = H != NULL ? ip4_len[(struct sk_buff *)arg0, (uint8_t *)H] : 0;
	ipv4_ident = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_ident;
	ipv4_flags = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_flags;
	ipv4_offset = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_offset;
	ipv4_ttl = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_ttl;
	ipv4_protocol = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_protocol;
	ipv4_protostr = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_protostr;
	ipv4_checksum = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_checksum;
	ipv4_src = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_src;
	ipv4_dst = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_dst;
	ipv4_saddr = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_saddr;
	ipv4_daddr = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_daddr;
	ipv4_hdr = xlate <ipv4info_t> ((struct iphdr *)H).ipv4_hdr;
};

translator ipv6info_t < struct inet6_skb_parm *H > {
	ipv6_ver = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_ver;
	ipv6_tclass = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_tclass;
	ipv6_flow = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_flow;
	ipv6_plen = H != NULL ? ip6_len[(struct sk_buff *)arg0, (uint8_t *)H] : 0;
	ipv6_nexthdr = H != NULL ? ip6_next[(uint8_t *)H] : 0;
	ipv6_nextstr = H != NULL ? ip_protostr[ip6_next[(uint8_t *)H]] : "<null>";
	ipv6_hlim = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_hlim;
	ipv6_src = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_src;
	ipv6_dst = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_dst;
	ipv6_saddr = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_saddr;
	ipv6_daddr = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_daddr;
	ipv6_hdr = xlate <ipv6info_t> ((struct ipv6hdr *)H).ipv6_hdr;
};
