/* SPDX-License-Identifier: Apache-2.0 */
/* Provider tcp over a connection through the loopback device, and one that is refused.
 * @options: -q
 * @trigger: tcp 47123 */
inline int PORT = 47123;

/* how the connection ends depends on who is faster */
tcp:::state-change
/(arg5 <= 3 || arg5 == 10) && (((struct sock *)arg1)->__sk_common.skc_num == PORT ||
    ((struct sock *)arg1)->__sk_common.skc_dport == htons(PORT))/
{
	@n[probename, arg5] = count();
}

tcp:::connect-established, tcp:::accept-established, tcp:::connect-refused
/((struct sock *)arg1)->__sk_common.skc_num == PORT ||
    ((struct sock *)arg1)->__sk_common.skc_dport == htons(PORT)/
{
	@n[probename, arg5] = count();
}

tcp:::connect-request
/((struct tcphdr *)arg4)->dest == htons(PORT)/
{
	@n[probename, ((struct sock *)arg1)->sk_protocol] = count();
}

tcp:::receive, tcp:::send
/((struct tcphdr *)arg4)->dest == htons(PORT) && !((struct tcphdr *)arg4)->syn/
{
	this->headers = (((struct iphdr *)arg2)->ihl + ((struct tcphdr *)arg4)->doff) * 4;
	@bytes[probename, arg6] = sum(ntohs(((struct iphdr *)arg2)->tot_len) - this->headers);
}

END
{
	/* states: 1 established, 2 SYN sent, 3 SYN received, 10 listens */
	printa("%s %d %@d\n", @n);
	printa("bytes %s %d %@d\n", @bytes);
}
