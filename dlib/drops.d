/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons for which packets are dropped (args[2] of sdt:skb::kfree_skb) that mean that somebody was too slow, or that
 * there was no room. Their numbers change from kernel to kernel; -1: it does not tell that one. */
inline int DROP_RCVBUFF = SKB_DROP_REASON_SOCKET_RCVBUFF;
inline int DROP_RCVBUFF = -1;
inline int DROP_BACKLOG = SKB_DROP_REASON_SOCKET_BACKLOG;
inline int DROP_BACKLOG = -1;
inline int DROP_QDISC = SKB_DROP_REASON_QDISC_DROP;
inline int DROP_QDISC = -1;
inline int DROP_CPU = SKB_DROP_REASON_CPU_BACKLOG;
inline int DROP_CPU = -1;
inline int DROP_RING = SKB_DROP_REASON_FULL_RING;
inline int DROP_RING = -1;
inline int DROP_NOMEM = SKB_DROP_REASON_NOMEM;
inline int DROP_NOMEM = -1;
inline int DROP_NEIGH = SKB_DROP_REASON_NEIGH_FAILED;
inline int DROP_NEIGH = -1;
