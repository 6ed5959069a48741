/* SPDX-License-Identifier: Apache-2.0 */
/* TCP: headers and connections, from struct tcphdr, struct sk_buff and struct sock. */
#pragma D depends_on library net.d

inline int TH_FIN = 0x01;
inline int TH_SYN = 0x02;
inline int TH_RST = 0x04;
inline int TH_PSH = 0x08;
inline int TH_PUSH = 0x08;
inline int TH_ACK = 0x10;
inline int TH_URG = 0x20;
inline int TH_ECE = 0x40;
inline int TH_CWR = 0x80;

/* The kernel's numbers. Source: include/net/tcp_states.h. */
inline int TCP_STATE_IDLE = 0;
inline int TCP_STATE_ESTABLISHED = 1;
inline int TCP_STATE_SYN_SENT = 2;
inline int TCP_STATE_SYN_RECEIVED = 3;
inline int TCP_STATE_FIN_WAIT_1 = 4;
inline int TCP_STATE_FIN_WAIT_2 = 5;
inline int TCP_STATE_TIME_WAIT = 6;
inline int TCP_STATE_CLOSED = 7;
inline int TCP_STATE_CLOSE_WAIT = 8;
inline int TCP_STATE_LAST_ACK = 9;
inline int TCP_STATE_LISTEN = 10;
inline int TCP_STATE_CLOSING = 11;

inline string tcp_state_string[int S] =
	S == TCP_STATE_IDLE ? "state-idle" :
	S == TCP_STATE_ESTABLISHED ? "state-established" :
	S == TCP_STATE_SYN_SENT ? "state-syn-sent" :
	S == TCP_STATE_SYN_RECEIVED ? "state-syn-received" :
	S == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" :
	S == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" :
	S == TCP_STATE_TIME_WAIT ? "state-time-wait" :
	S == TCP_STATE_CLOSED ? "state-closed" :
	S == TCP_STATE_CLOSE_WAIT ? "state-close-wait" :
	S == TCP_STATE_LAST_ACK ? "state-last-ack" :
	S == TCP_STATE_LISTEN ? "state-listen" :
	S == TCP_STATE_CLOSING ? "state-closing" :
	"<unknown>";

typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;	/* bytes of header */
	uint8_t tcp_flags;	/* TH_* */
	uint16_t tcp_window;
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	uintptr_t tcp_hdr;	/* the tcphdr */
} tcpinfo_t;

typedef struct tcpsinfo {
	uintptr_t tcps_addr;	/* the socket */
	int tcps_local;		/* both ends are this machine */
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int tcps_state;		/* TCP_STATE_* */
	uint32_t tcps_iss;	/* first sequence number sent; one more where the other side connected */
	uint32_t tcps_suna;	/* first unacknowledged */
	uint32_t tcps_snxt;	/* next to send */
	uint32_t tcps_rack;	/* acknowledged to the other side */
	uint32_t tcps_rnxt;	/* next expected */
	uint32_t tcps_swnd;	/* send window */
	int32_t tcps_snd_ws;	/* its scaling */
	uint32_t tcps_rwnd;	/* receive window */
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;	/* congestion window, packets */
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_fack; /* highest that was acknowledged selectively */
	uint32_t tcps_sack_snxt; /* the same */
	uint32_t tcps_rto;	/* retransmission time-out, jiffies */
	uint32_t tcps_mss;
	int tcps_retransmit;	/* in tcp:::send: the packet was sent before */
	uint32_t tcps_rtt;	/* smoothed round trip, ms */
	uint32_t tcps_rtt_sd;	/* its deviation, ms */
	uint32_t tcps_irs;	/* first sequence number received */
} tcpsinfo_t;

typedef struct tcplsinfo {
	int tcps_state;		/* state before the change */
} tcplsinfo_t;

translator tcpinfo_t < struct tcphdr *T > {
	tcp_sport = T != NULL ? ntohs(T->source) : 0;
	tcp_dport = T != NULL ? ntohs(T->dest) : 0;
	tcp_seq = T != NULL ? ntohl(T->seq) : 0;
	tcp_ack = T != NULL ? ntohl(T->ack_seq) : 0;
	tcp_offset = T != NULL ? T->doff << 2 : 0;
	tcp_flags = T != NULL ? *((uint8_t *)T + 13) : 0;
	tcp_window = T != NULL ? ntohs(T->window) : 0;
	tcp_checksum = T != NULL ? ntohs(T->check) : 0;
	tcp_urgent = T != NULL ? ntohs(T->urg_ptr) : 0;
	tcp_hdr = (uintptr_t)T;
};

translator tcpinfo_t < struct sk_buff *P > {
	tcp_sport = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_sport;
	tcp_dport = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_dport;
	tcp_seq = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_seq;
	tcp_ack = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_ack;
	tcp_offset = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_offset;
	tcp_flags = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_flags;
	tcp_window = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_window;
	tcp_checksum = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_checksum;
	tcp_urgent = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_urgent;
	tcp_hdr = xlate <tcpinfo_t> ((struct tcphdr *)skb_transport[P]).tcp_hdr;
};

/* Requests and sockets in TIME_WAIT are smaller than a tcp_sock: they have no numbers. */
inline struct tcp_sock *sock_tcp[struct sock *S] =
	S != NULL && sock_is_full[S] ? (struct tcp_sock *)S : NULL;
inline int sock_is_local[struct sock *S] =
	S->__sk_common.skc_family == AF_INET ?
	S->__sk_common.skc_rcv_saddr == S->__sk_common.skc_daddr :
	S->__sk_common.skc_family == AF_INET6 &&
	*(uint64_t *)&S->__sk_common.skc_v6_rcv_saddr == *(uint64_t *)&S->__sk_common.skc_v6_daddr &&
	*((uint64_t *)&S->__sk_common.skc_v6_rcv_saddr + 1) == *((uint64_t *)&S->__sk_common.skc_v6_daddr + 1);

translator tcpsinfo_t < struct sock *S > {
	tcps_addr = (uintptr_t)S;
	tcps_local = S != NULL ? sock_is_local[S] : 0;
	tcps_lport = S != NULL ? sock_lport[S] : 0;
	tcps_rport = S != NULL ? sock_rport[S] : 0;
	tcps_laddr = S != NULL ? sock_local[S] : "<unknown>";
	tcps_raddr = S != NULL ? sock_remote[S] : "<unknown>";
	tcps_state = S != NULL ? S->__sk_common.skc_state : 0;
	tcps_iss = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_iss;
	tcps_suna = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_suna;
	tcps_snxt = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_snxt;
	tcps_rack = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_rack;
	tcps_rnxt = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_rnxt;
	tcps_swnd = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_swnd;
	tcps_snd_ws = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_snd_ws;
	tcps_rwnd = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_rwnd;
	tcps_rcv_ws = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_rcv_ws;
	tcps_cwnd = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_cwnd;
	tcps_cwnd_ssthresh = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_cwnd_ssthresh;
	tcps_sack_fack = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_sack_fack;
	tcps_sack_snxt = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_sack_snxt;
	tcps_rto = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_rto;
	tcps_mss = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_mss;
	tcps_retransmit = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_retransmit;
	tcps_rtt = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_rtt;
	tcps_rtt_sd = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_rtt_sd;
	tcps_irs = xlate <tcpsinfo_t> (sock_tcp[S]).tcps_irs;
};

inline uint32_t tcp_sacked[struct tcp_sock *T] =
	T->sacked_out == 0 ? T->snd_una : T->highest_sack == NULL ? T->snd_nxt :
	((struct tcp_skb_cb *)&T->highest_sack->cb[0])->seq;
/* Answers to the first packet of a connection come from a request, and sockets in TIME_WAIT are smaller, too. */
inline int tcp_full[struct tcp_sock *T] = T != NULL && sock_is_full[(struct sock *)T];
inline int tcp_sends = probeprov == "tcp" && probename == "send";
/* A segment is sent again: it begins before what is to be sent next, and has data, SYN or FIN. */
inline int tcp_is_again[struct tcp_sock *T, struct tcphdr *H] = (int32_t)(ntohl(H->seq) - T->snd_nxt) < 0;
inline int tcp_takes_room[uint8_t *I, struct tcphdr *H] = (*((uint8_t *)H + 13) & (TH_SYN | TH_FIN)) != 0 ||
	skb_plength[(struct sk_buff *)arg0, I] > H->doff << 2;

translator tcpsinfo_t < struct tcp_sock *T > {
	tcps_addr = xlate <tcpsinfo_t> ((struct sock *)T).tcps_addr;
	tcps_local = xlate <tcpsinfo_t> ((struct sock *)T).tcps_local;
	/* The socket that answers for nobody has no ports: its packet has. */
	tcps_lport = T == NULL ? 0 : sock_rport[(struct sock *)T] != 0 || !tcp_sends || arg4 == 0 ?
		     sock_lport[(struct sock *)T] : ntohs(((struct tcphdr *)arg4)->source);
	tcps_rport = T == NULL ? 0 : sock_rport[(struct sock *)T] != 0 || !tcp_sends || arg4 == 0 ?
		     sock_rport[(struct sock *)T] : ntohs(((struct tcphdr *)arg4)->dest);
	tcps_laddr = xlate <tcpsinfo_t> ((struct sock *)T).tcps_laddr;
	tcps_raddr = xlate <tcpsinfo_t> ((struct sock *)T).tcps_raddr;
	tcps_state = xlate <tcpsinfo_t> ((struct sock *)T).tcps_state;
	tcps_iss = tcp_full[T] ? T->snd_una - (uint32_t)T->bytes_acked : 0;
	tcps_suna = tcp_full[T] ? T->snd_una : 0;
	tcps_snxt = tcp_full[T] ? T->snd_nxt : 0;
	tcps_rack = tcp_full[T] ? T->rcv_wup : 0;
	tcps_rnxt = tcp_full[T] ? T->rcv_nxt : 0;
	tcps_swnd = tcp_full[T] ? T->snd_wnd : 0;
	tcps_snd_ws = tcp_full[T] ? T->rx_opt.snd_wscale : 0;
	tcps_rwnd = tcp_full[T] ? T->rcv_wnd : 0;
	tcps_rcv_ws = tcp_full[T] ? T->rx_opt.rcv_wscale : 0;
	tcps_cwnd = tcp_full[T] ? T->snd_cwnd : 0;
	tcps_cwnd_ssthresh = tcp_full[T] ? T->snd_ssthresh : 0;
	tcps_sack_fack = tcp_full[T] ? tcp_sacked[T] : 0;
	tcps_sack_snxt = tcp_full[T] ? tcp_sacked[T] : 0;
	tcps_rto = tcp_full[T] ? T->inet_conn.icsk_rto : 0;
	tcps_mss = tcp_full[T] ? T->mss_cache : 0;
	tcps_retransmit = tcp_full[T] && tcp_sends && arg4 != 0 ?
	    tcp_is_again[T, (struct tcphdr *)arg4] && tcp_takes_room[(uint8_t *)arg2, (struct tcphdr *)arg4] : 0;
	tcps_rtt = tcp_full[T] ? (T->srtt_us >> 3) / 1000 : 0;
	tcps_rtt_sd = tcp_full[T] ? (T->mdev_us >> 2) / 1000 : 0;
	/* The SYN is the 1. */
	tcps_irs = tcp_full[T] && T->rcv_nxt != 0 ? T->rcv_nxt - (uint32_t)T->bytes_received - 1 : 0;
};

translator tcplsinfo_t < int I > {
	tcps_state = I;
};

/* The probes of provider tcp that have no packet give their socket under these two types. Its state is
 * about to become arg5. */
translator tcpsinfo_t < struct inet_connection_sock *C > {
	tcps_state = arg5;
	tcps_addr = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_addr;
	tcps_local = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_local;
	tcps_lport = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_lport;
	tcps_rport = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_rport;
	tcps_laddr = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_laddr;
	tcps_raddr = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_raddr;
	tcps_iss = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_iss;
	tcps_suna = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_suna;
	tcps_snxt = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_snxt;
	tcps_rack = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_rack;
	tcps_rnxt = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_rnxt;
	tcps_swnd = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_swnd;
	tcps_snd_ws = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_snd_ws;
	tcps_rwnd = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_rwnd;
	tcps_rcv_ws = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_rcv_ws;
	tcps_cwnd = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_cwnd;
	tcps_cwnd_ssthresh = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_cwnd_ssthresh;
	tcps_sack_fack = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_sack_fack;
	tcps_sack_snxt = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_sack_snxt;
	tcps_rto = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_rto;
	tcps_mss = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_mss;
	tcps_retransmit = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_retransmit;
	tcps_rtt = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_rtt;
	tcps_rtt_sd = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_rtt_sd;
	tcps_irs = xlate <tcpsinfo_t> ((struct tcp_sock *)C).tcps_irs;
};

/* The packet that came in, as far as its socket tells. */
translator tcpinfo_t < struct inet_sock *S > {
	tcp_sport = sock_rport[(struct sock *)S];
	tcp_dport = sock_lport[(struct sock *)S];
	tcp_seq = 0;
	tcp_ack = 0;
	tcp_offset = 0;
	tcp_flags = 0;
	tcp_window = 0;
	tcp_checksum = 0;
	tcp_urgent = 0;
	tcp_hdr = 0;
};
