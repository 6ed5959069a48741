/* SPDX-License-Identifier: Apache-2.0 */
/* A machine's own policy: the users that may run programs on it from elsewhere, and how much they may take. Its lines:
 *
 *	user UABC… alice         her public key (`dwell fleet key`); "user UABC… alice write" may use -w, too
 *	cpu 1%                   of the machine for a program's probes
 *	seconds 60               a program may run
 *	rows 100000              lines and rows of aggregations that a program may send
 *	programs 2               at a time
 *
 * "#" begins a comment. Only its owner may write the file. The owner is root, or the user who runs dwell. */
#ifndef DWELL_FLEET_RUN_POLICY_H
#define DWELL_FLEET_RUN_POLICY_H
#include <stdbool.h>
#include <stdio.h>
#include "base/vec.h"
#include "fleet/run/msg.h"

#define RUNPOLICY_USERS_MAX 1000u
#define RUNPOLICY_USER_LEN 64u

struct runpolicy_user {
	uint8_t key[NKEY_SIZE];
	char name[RUNPOLICY_USER_LEN];
	bool write;
};
struct runpolicy {
	VEC(struct runpolicy_user) users;
	uint64_t cpu; /* percent */
	uint64_t seconds, rows, programs;
};
/* Opens a file of permissions: only its owner may write it. 0 or -errno with *err. */
int runpolicy_open(const char *path, const char *what, FILE **ret, struct err *err);
/* 0 or -errno with *err. */
int runpolicy_read(const char *path, struct runpolicy *ret, struct err *err);
void runpolicy_free(struct runpolicy *p);
/* The user of a key; NULL: nobody that the policy knows. */
const struct runpolicy_user *runpolicy_user(const struct runpolicy *p, const uint8_t key[NKEY_SIZE]);
/* Whether it allows a RUNMSG_RUN while `running` programs run. 0, or -EPERM with the reason in *err. */
int runpolicy_check(const struct runpolicy *p, const struct runmsg *m, size_t running, struct err *err);
#endif
