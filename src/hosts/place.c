/* SPDX-License-Identifier: Apache-2.0 */
/* Parses "ssh:[USER@]NAME[:PORT]" and writes command lines of ssh. */
#include "hosts/place.h"
#include <stdio.h>
#include <string.h>
#include "base/num.h"

#define FOLDER "$HOME/.cache/dwell-host"
#define KEPT_DAYS "30" /* copies of other versions of dwell go when they are older than that */

/* Letters that mean nothing to ssh, its configuration or a shell. */
static bool is_name(const char *s, size_t n)
{
	static const char others[] = "._-";

	if (n == 0 || n >= PLACE_LEN || s[0] == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= 'A' && s[i] <= 'Z') && !(s[i] >= '0' && s[i] <= '9') &&
		    !memchr(others, s[i], sizeof(others) - 1))
			return false;
	return true;
}

static bool is_ipv6(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!memchr("0123456789abcdefABCDEF:.", s[i], 24))
			return false;
	return n > 1 && n < PLACE_LEN;
}

static void keep(char to[PLACE_LEN], const char *s, size_t n)
{
	memcpy(to, s, n);
	to[n] = '\0';
}

const char *place_parse(const char *text, struct place *ret)
{
	const char *at, *s, *end;
	uint64_t port;
	size_t n;

	*ret = (struct place){ 0 };
	if (strncmp(text, "ssh:", 4) != 0)
		return "it must be ssh:[USER@]NAME[:PORT]";
	s = ret->label = text + 4;
	at = strchr(s, '@');
	if (at) {
		if (!is_name(s, (size_t)(at - s)))
			return "the user's name may have letters, digits and . _ - only";
		keep(ret->user, s, (size_t)(at - s));
		s = at + 1;
	}
	if (*s == '[') {
		n = strcspn(s, "]");
		if (!s[n] || !is_ipv6(s + 1, n - 1))
			return "between brackets an IPv6 address must be";
		keep(ret->name, s + 1, n - 1);
		end = s + n + 1;
	} else {
		n = strcspn(s, ":");
		if (!is_name(s, n))
			return "the host's name may have letters, digits and . _ - only";
		keep(ret->name, s, n);
		end = s + n;
	}
	if (!*end)
		return NULL;
	if (*end != ':' || strlen(end + 1) > 5 || strspn(end + 1, "0123456789") != strlen(end + 1) ||
	    num_parse_u64(end + 1, &port) < 0 || port == 0 || port > UINT16_MAX)
		return "after the name may come :PORT, a number from 1 to 65535";
	snprintf(ret->port, sizeof(ret->port), "%s", end + 1);
	return NULL;
}

/* Options, the name, and ret->script as the last word. */
static void make_argv(const struct place *p, const struct place_ssh *s, bool compress, struct place_argv *ret)
{
	size_t n = 0;

	snprintf(ret->timeout, sizeof(ret->timeout), "ConnectTimeout=%u", s->patience_sec);
	snprintf(ret->interval, sizeof(ret->interval), "ServerAliveInterval=%u", s->patience_sec / 3 + 1);
	snprintf(ret->count, sizeof(ret->count), "ServerAliveCountMax=3");
	ret->argv[n++] = "ssh";
	if (s->config) {
		ret->argv[n++] = "-F";
		ret->argv[n++] = (char *)s->config;
	}
	/* BatchMode: ssh asks no questions, since several ssh would ask at a time. */
	ret->argv[n++] = "-o";
	ret->argv[n++] = "BatchMode=yes";
	ret->argv[n++] = "-o";
	ret->argv[n++] = ret->timeout;
	ret->argv[n++] = "-o";
	ret->argv[n++] = ret->interval;
	ret->argv[n++] = "-o";
	ret->argv[n++] = ret->count;
	ret->argv[n++] = "-T";
	ret->argv[n++] = "-x";
	ret->argv[n++] = "-a";
	if (compress)
		ret->argv[n++] = "-C";
	if (p->port[0]) {
		ret->argv[n++] = "-p";
		ret->argv[n++] = (char *)p->port;
	}
	if (p->user[0]) {
		ret->argv[n++] = "-l";
		ret->argv[n++] = (char *)p->user;
	}
	ret->argv[n++] = "--";
	ret->argv[n++] = (char *)p->name;
	ret->argv[n++] = ret->script;
	ret->argv[n] = NULL;
}

/* The login shell may be any. It gets a word in single quotes. The word has none of the characters that a shell takes
 * for something else there (a quote, a backslash, an exclamation mark). */
void place_run(const struct place *p, const struct place_ssh *s, struct place_argv *ret)
{
	snprintf(ret->script, sizeof(ret->script),
		 "exec /bin/sh -c 'f=" FOLDER "/%s/dwell; if [ -x \"$f\" ]; then exec %s\"$f\" host-agent; fi; "
		 "echo \"DWELL-HOST 1 need $(uname -s) $(uname -m)\"'",
		 s->hash, s->sudo ? "sudo -n " : "");
	make_argv(p, s, false, ret);
}

/* The copy gets its name when it is whole. Only its owner may use it, and the owner must own the folder, too. */
void place_copy(const struct place *p, const struct place_ssh *s, struct place_argv *ret)
{
	snprintf(ret->script, sizeof(ret->script),
		 "exec /bin/sh -c 'umask 077; set -e; d=" FOLDER "; t=$d/new.$$; mkdir -p \"$d\"; chmod 700 \"$d\"; "
		 "find \"$d\" -type f -mtime +" KEPT_DAYS " -exec rm -f {} +; rmdir \"$d\"/* 2>/dev/null || :; "
		 "cat >\"$t\" || { rm -f \"$t\"; exit 1; }; "
		 "[ $(wc -c <\"$t\") -eq %llu ] || { rm -f \"$t\"; echo the copy is not whole >&2; exit 1; }; "
		 "chmod 700 \"$t\"; mkdir -p \"$d/%s\"; mv \"$t\" \"$d/%s/dwell\"'",
		 (unsigned long long)s->size, s->hash, s->hash);
	make_argv(p, s, true, ret);
}
