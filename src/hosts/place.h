/* SPDX-License-Identifier: Apache-2.0 */
/* Says where a run is to happen: parses "ssh:[USER@]NAME[:PORT]", and makes the command lines of ssh for it. Has
 * no side effects. */
#ifndef DWELL_HOSTS_PLACE_H
#define DWELL_HOSTS_PLACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/sha256.h"

#define PLACE_LEN 256
#define PLACE_ARGV 40
#define PLACE_SCRIPT 1024

struct place {
	const char *label;    /* what stands after "ssh:" */
	char user[PLACE_LEN]; /* or "" */
	char name[PLACE_LEN]; /* as ssh takes it: without the brackets of an IPv6 address */
	char port[8];	      /* or "" */
};
/* NULL; or why text is none. The label points into it. */
const char *place_parse(const char *text, struct place *ret);

struct place_ssh {
	const char *config;	/* a file for ssh -F, or NULL */
	unsigned patience_sec;	/* until a host that says nothing is given up */
	bool sudo;		/* run it by sudo -n */
	char hash[SHA256_TEXT]; /* of the binary, */
	uint64_t size;		/* and its bytes */
};
struct place_argv {
	char *argv[PLACE_ARGV];
	char script[PLACE_SCRIPT];
	char timeout[64], interval[64], count[64];
};
/* ssh with a script of fixed words for the host: to run its copy of dwell, or to make one of standard input. The only
 * text of users in it are the names of place_parse(), each as a word of its own in front of the script. */
void place_run(const struct place *p, const struct place_ssh *s, struct place_argv *ret);
void place_copy(const struct place *p, const struct place_ssh *s, struct place_argv *ret);
#endif
