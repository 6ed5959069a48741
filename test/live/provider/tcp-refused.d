/* SPDX-License-Identifier: Apache-2.0 */
/* The SYN of a connection that nobody listens for.
 * @options: -q
 * @needs: accept-refused
 * @trigger: tcp 47126 */
tcp:::accept-refused
/args[4]->tcp_dport == 47126 && args[2]->ip_daddr == "127.0.0.1"/
{
	@n[probename, args[4]->tcp_flags & TH_SYN, args[1]->cs_addr] = count();
}

END
{
	printa("%s %d %d %@d\n", @n);
}
