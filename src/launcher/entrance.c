/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the socket and the token of a server, and prints its address. */
#include "launcher/entrance.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "launcher/listen.h"

int entrance_open(struct entrance *n, struct arena *a, struct serve_config *c, const struct listener *to)
{
	c->listen_fd = n->unix_path ? listen_unix(n->unix_path) : listen_tcp(NULL, &n->port);
	if (c->listen_fd < 0)
		return listener_fail(to, c->listen_fd, "cannot listen on %s: %s",
				     n->unix_path ? n->unix_path : "127.0.0.1", strerror(-c->listen_fd));
	if (serve_token(n->token) < 0)
		return listener_fail(to, -EIO, "no random numbers");
	n->hosts[0] = n->unix_path ? "localhost" : arena_printf(a, "127.0.0.1:%u", (unsigned)n->port);
	n->hosts[1] = n->unix_path ? NULL : arena_printf(a, "localhost:%u", (unsigned)n->port);
	n->hosts[2] = NULL;
	c->hosts = n->hosts;
	c->token = n->token;
	c->cookie = arena_printf(a, "dwell%u", (unsigned)n->port);
	return 0;
}

void entrance_tell(const struct entrance *n, FILE *out)
{
	if (n->unix_path)
		fprintf(out, "socket %s token %s\n", n->unix_path, n->token);
	else
		fprintf(out, "http://%s/?token=%s\n", n->hosts[0], n->token);
	if (isatty(STDOUT_FILENO) && n->unix_path)
		fputs("Ctrl-C ends it.\n", out);
	else if (isatty(STDOUT_FILENO))
		fprintf(out,
			"Open it in a browser. On another machine, run this there before:\n"
			"  ssh -L %u:127.0.0.1:%u THIS-MACHINE\n"
			"Ctrl-C ends it.\n",
			(unsigned)n->port, (unsigned)n->port);
	fflush(out);
}

void entrance_close(const struct entrance *n)
{
	if (n->unix_path)
		unlink(n->unix_path);
}
