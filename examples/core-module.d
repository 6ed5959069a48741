/* SPDX-License-Identifier: Apache-2.0 */
/* A module of `dwell core` in D, for the same service as core-module.c.
 *
 *     dwell core --module core-module.d -p PID -c '::walk list | ::conninfo port'
 *
 * Each translator is a command that prints its members, on an address. A pragma gives a line a name. */
typedef struct conninfo {
	int port;
	string host;
} conninfo_t;

translator conninfo < struct conn *C > {
	port = C->port;
	host = C->host;
	after = C->next;
};

#pragma D walker list "conns::print | ::list struct conn next" "the service's connections"
#pragma D command ports "::walk list | ::print struct conn port" "the ports of all connections"
