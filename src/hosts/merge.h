/* SPDX-License-Identifier: Apache-2.0 */
/* Merges aggregations of several machines into one table. Shows the n-th printa() of one place in the program when
 * all machines that still run have reached it. */
#ifndef DWELL_HOSTS_MERGE_H
#define DWELL_HOSTS_MERGE_H
#include <stdio.h>
#include "view/text/text.h"

#define MERGE_PENDING_MAX 64 /* tables of one place that wait for a machine; then the oldest is shown without it */
#define MERGE_PLACES_MAX 1024

struct merge;
/* labels: of n machines; they, opts and out live longer. msg gets what is to be said. NULL: no memory. */
struct merge *merge_new(const char *const *labels, size_t n, const struct text_opts *opts, FILE *out, text_msg_fn *msg,
			void *msg_arg);
void merge_free(struct merge *m);
/* A table of a machine, as view/text/aggsend.c writes it. 0; -EPROTO: it is none; -ENOMEM; -errno of writing. */
int merge_add(struct merge *m, size_t host, const char *json, size_t n);
/* It sends no more. As above. */
int merge_ended(struct merge *m, size_t host);
#endif
