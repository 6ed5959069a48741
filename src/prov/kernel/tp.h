/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what sdt and rawtp share: both list every tracepoint. Private to src/prov. */
#ifndef DWELL_PROV_TP_H
#define DWELL_PROV_TP_H
#include "prov/prov_int.h"

int prov_tp_match(struct prov_env *env, struct arena *a, const struct pdesc *d, const struct provider *pv,
		  struct probe_list *out, const char **reason);
int prov_tp_by_id(struct prov_env *env, struct arena *a, uint32_t id, const struct provider *pv, struct probe **ret);
int prov_tp_args(struct prov_env *env, struct arena *a, struct probe *p);
#endif
