/* SPDX-License-Identifier: Apache-2.0 */
/* UDP: headers and sockets, from struct udphdr, struct sk_buff and struct sock. */
#pragma D depends_on library net.d

typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;	/* header and payload */
	uint16_t udp_checksum;
	struct udphdr *udp_hdr;
} udpinfo_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;	/* the socket */
	uint16_t udps_lport;
	uint16_t udps_rport;
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

translator udpinfo_t < struct udphdr *U > {
	udp_sport = U != NULL ? ntohs(U->source) : 0;
	udp_dport = U != NULL ? ntohs(U->dest) : 0;
	udp_length = U != NULL ? ntohs(U->len) : 0;
	udp_checksum = U != NULL ? ntohs(U->check) : 0;
	udp_hdr = U;
};

translator udpinfo_t < struct sk_buff *P > {
	udp_sport = xlate <udpinfo_t> ((struct udphdr *)skb_transport[P]).udp_sport;
	udp_dport = xlate <udpinfo_t> ((struct udphdr *)skb_transport[P]).udp_dport;
	udp_length = xlate <udpinfo_t> ((struct udphdr *)skb_transport[P]).udp_length;
	udp_checksum = xlate <udpinfo_t> ((struct udphdr *)skb_transport[P]).udp_checksum;
	udp_hdr = xlate <udpinfo_t> ((struct udphdr *)skb_transport[P]).udp_hdr;
};

translator udpsinfo_t < struct sock *S > {
	udps_addr = (uintptr_t)S;
	udps_lport = S != NULL ? sock_lport[S] : 0;
	udps_rport = S != NULL ? sock_rport[S] : 0;
	udps_laddr = S != NULL ? sock_local[S] : "<unknown>";
	udps_raddr = S != NULL ? sock_remote[S] : "<unknown>";
};
