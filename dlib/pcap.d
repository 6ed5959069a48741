/* SPDX-License-Identifier: Apache-2.0 */
/* Link types for pcap(): with what the packet begins at skb->data. Other numbers are those of libpcap (DLT_*). */
inline int PCAP_NULL = 0;	/* the loopback of BSD */
inline int PCAP_ETHER = 1;	/* an Ethernet header; so does Linux' loopback */
inline int PCAP_PPP = 9;
inline int PCAP_IP = 12;	/* the header of IPv4 or IPv6 */
inline int PCAP_WIFI = 105;	/* an IEEE 802.11 header */
inline int PCAP_IPOIB = 242;	/* IP over InfiniBand */
