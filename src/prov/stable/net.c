/* SPDX-License-Identifier: Apache-2.0 */
/* Providers ip, tcp and udp. Packets are seen where they are handed to a device (net_dev_queue) and where a device
 * hands them over (netif_receive_skb). The latter runs before the stack has looked at the packet: the IP header is at
 * skb->data. So a packet that passes two devices (VLAN, bridge) is seen at both. Changes of a TCP socket come from
 * inet_sock_set_state, without a packet.
 * Arguments as in Oracle's port: skb, sock, IP header, protocol's sock, protocol's header, TCP state,
 * direction (0 out, 1 in, 2 change of state); then the state before the change. The IP header has types by which the
 * library knows that it belongs to the packet (dlib/ip.d). Source: DTrace guide, "tcp", "udp" and "ip" providers;
 * net/core/dev.c, net/ipv4/af_inet.c, net/ipv4/tcp_input.c, include/net/tcp_states.h (1 ESTABLISHED, 2 SYN_SENT, 3
 * SYN_RECV). */
#include "base/cleanup.h"
#include "prov/stable/stable.h"

/* ETH_P_IP and ETH_P_IPV6 as a little-endian machine reads them. */
#define IS_V4 "skb->protocol == 0x0008"
#define IS_V6 "skb->protocol == 0xdd86"
#define NET_HDR "(skb->head + skb->network_header)" /* going out */
#define V4(p) "((struct iphdr *)" p ")"
#define V6(p) "((struct ipv6hdr *)" p ")"
/* In IPv6 the next header may be that of a fragment (44), or of hop-by-hop options (0). The kernel itself puts the
 * latter into packets of more than 65,535 bytes. Both begin with what follows and their length, in 8 bytes and less
 * one. */
#define MORE(p) "(" V6(p) "->nexthdr == 0 || " V6(p) "->nexthdr == 44)"
#define BYTE(p, n) "*((uint8_t *)" p " + " n ")"
/* The packet begins with a header of protocol n: not so fragments that are not the first. */
#define CARRIES(p, n) \
	"((" IS_V4 " && " V4(p) "->protocol == " n " && (" V4(p) "->frag_off & 0xff1f) == 0) || (" IS_V6 " && (" V6( \
		p) "->nexthdr == " n \
		   " || (" MORE(p) " && " BYTE(p, "40") " == " n " && (" V6(p) "->nexthdr == 0 || (" BYTE( \
			   p, "42") " == 0 && " BYTE(p, "43") " < 8))))))"
#define IS_IP "(" IS_V4 " || " IS_V6 ")"
#define OWN "(uintptr_t)skb->sk != 0" /* not forwarded */
/* The header after that of IP. */
#define AFTER(p) \
	"(" IS_V6 " ? " p " + 40 + (" MORE(p) " ? (" BYTE(p, "41") " + 1) * 8 : 0) : " p " + " V4(p) "->ihl * 4)"
#define TCP(p) "((struct tcphdr *)" AFTER(p) ")"

#define ARGS(skb, sk, PIP, ip, PSOCK, psk, PHDR, hdr, state, dir, last) \
	.args = { { "struct sk_buff *", skb, "skb", false }, \
		  { "struct sock *", sk, "sk", false }, \
		  { PIP, ip, "ip", false }, \
		  { PSOCK, psk, "psk", false }, \
		  { PHDR, hdr, "hdr", false }, \
		  { "int", state, "state", false }, \
		  { "int", dir, "dir", false }, \
		  { "int", last, "last", false } }
#define TCP_X(last, n) \
	.xargs = { { "pktinfo_t *", 0, NULL },	{ "csinfo_t *", 1, NULL },  { "ipinfo_t *", 2, NULL }, \
		   { "tcpsinfo_t *", 3, NULL }, { "tcpinfo_t *", 4, NULL }, { last, 7, NULL } }, \
	.nxargs = n
#define TCP_ARGS(skb, sk, ip, hdr, state, dir) \
	ARGS(skb, sk, "struct napi_gro_cb *", "(struct napi_gro_cb *)" ip, "struct tcp_sock *", \
	     "(struct tcp_sock *)" sk, "struct tcphdr *", hdr, state, dir, "0"), \
		TCP_X(NULL, 5)
/* Without a packet. The library describes a packet that would have come in from a struct inet_sock. It describes the
 * socket with its new state, which is not in it yet, from a struct inet_connection_sock. */
#define TCP_NO_PACKET(state, old, n) \
	ARGS("0", "(struct sock *)sk", "struct inet_sock *", "(struct inet_sock *)sk", \
	     "struct inet_connection_sock *", "(struct inet_connection_sock *)sk", "struct inet_sock *", \
	     "(struct inet_sock *)sk", state, "2", old), \
		TCP_X("tcplsinfo_t *", n)
#define TCP_CHANGE(from, to) \
	.tp = "inet_sock_set_state", .cond = "sk->sk_protocol == 6 && oldstate == " from " && newstate == " to, \
	TCP_NO_PACKET("newstate", "oldstate", 5)
#define UDP_ARGS(sk, p, dir) \
	ARGS("(struct sk_buff *)skb", sk, "struct napi_gro_cb *", "(struct napi_gro_cb *)" p, "struct sock *", sk, \
	     "struct udphdr *", "(struct udphdr *)" AFTER(p), "0", dir, "0"), \
		.xargs = { { "pktinfo_t *", 0, NULL }, \
			   { "csinfo_t *", 1, NULL }, \
			   { "ipinfo_t *", 2, NULL }, \
			   { "udpsinfo_t *", 3, NULL }, \
			   { "udpinfo_t *", 4, NULL } }, \
		.nxargs = 5
#define IP_ARGS(p, dir) \
	.args = { { "struct sk_buff *", "(struct sk_buff *)skb", "skb", false }, \
		  { "struct sock *", "skb->sk", "sk", false }, \
		  { "struct napi_gro_cb *", "(struct napi_gro_cb *)" p, "ip", false }, \
		  { "struct net_device *", "skb->dev", "dev", false }, \
		  { "struct inet_skb_parm *", IS_V4 " ? (struct inet_skb_parm *)" p " : (struct inet_skb_parm *)0", \
		    "ip4", false }, \
		  { "struct inet6_skb_parm *", IS_V6 " ? (struct inet6_skb_parm *)" p " : (struct inet6_skb_parm *)0", \
		    "ip6", false }, \
		  { "int", dir, "dir", false } }, \
	.xargs = { { "pktinfo_t *", 0, NULL }, { "csinfo_t *", 1, NULL },   { "ipinfo_t *", 2, NULL }, \
		   { "ifinfo_t *", 3, NULL },  { "ipv4info_t *", 4, NULL }, { "ipv6info_t *", 5, NULL } }, \
	.nxargs = 6

#define DATA "skb->data"
/* The packet that tcp_send_reset answers. The numbers are no typed pointers for the verifier, which wants those that
 * may be NULL to be tested in a way of its own. */
#define RST_SKB "(uintptr_t)skb__nullable"
#define RST_HDR(h) "(((struct sk_buff *)" RST_SKB ")->head + ((struct sk_buff *)" RST_SKB ")->" h ")"
#define RST_TCP "((struct tcphdr *)" RST_HDR("transport_header") ")"

static const struct stable_row tcp_rows[] = {
	{ .name = "accept-established", TCP_CHANGE("3", "1") },
	{ .name = "accept-refused",
	  .tp = "tcp_send_reset",
	  .need = "reason",
	  .cond = RST_SKB " != 0 && " RST_TCP "->syn",
	  TCP_ARGS("(struct sk_buff *)" RST_SKB, "(struct sock *)(uintptr_t)sk", RST_HDR("network_header"), RST_TCP,
		   "7", "1") },
	{ .name = "connect-established", TCP_CHANGE("2", "1") },
	{ .name = "connect-refused",
	  .tp = "tcp_receive_reset",
	  .cond = "sk->__sk_common.skc_state == 2",
	  TCP_NO_PACKET("7", "2", 5) },
	{ .name = "connect-request",
	  .tp = "net_dev_queue",
	  .cond = OWN " && " CARRIES(NET_HDR, "6") " && " TCP(NET_HDR) "->syn && !" TCP(NET_HDR) "->ack",
	  TCP_ARGS("(struct sk_buff *)skb", "skb->sk", NET_HDR, TCP(NET_HDR), "2", "0") },
	{ .name = "receive",
	  .tp = "tcp_probe",
	  TCP_ARGS("(struct sk_buff *)skb", "(struct sock *)sk", NET_HDR,
		   "(struct tcphdr *)(skb->head + skb->transport_header)", "sk->__sk_common.skc_state", "1") },
	{ .name = "send",
	  .tp = "net_dev_queue",
	  .cond = OWN " && " CARRIES(NET_HDR, "6"),
	  TCP_ARGS("(struct sk_buff *)skb", "skb->sk", NET_HDR, TCP(NET_HDR), "skb->sk->__sk_common.skc_state", "0") },
	{ .name = "state-change",
	  .tp = "inet_sock_set_state",
	  .cond = "sk->sk_protocol == 6",
	  TCP_NO_PACKET("newstate", "oldstate", 6) },
};

static const struct stable_row udp_rows[] = {
	{ .name = "receive",
	  .tp = "netif_receive_skb",
	  .cond = CARRIES(DATA, "17"),
	  UDP_ARGS("(struct sock *)0", DATA, "1") },
	{ .name = "send",
	  .tp = "net_dev_queue",
	  .cond = OWN " && " CARRIES(NET_HDR, "17"),
	  UDP_ARGS("skb->sk", NET_HDR, "0") },
};

static const struct stable_row ip_rows[] = {
	{ .name = "receive", .tp = "netif_receive_skb", .cond = IS_IP, IP_ARGS(DATA, "1") },
	{ .name = "send", .tp = "net_dev_queue", .cond = IS_IP, IP_ARGS(NET_HDR, "0") },
};

STABLE_PROVIDER(tcp, TCP);
STABLE_PROVIDER(udp, UDP);
STABLE_PROVIDER(ip, IP);
