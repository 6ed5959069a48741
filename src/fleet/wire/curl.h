/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the functions of libcurl (curl.def), which is opened when it is first needed. */
#ifndef DWELL_FLEET_WIRE_CURL_H
#define DWELL_FLEET_WIRE_CURL_H
#include <curl/curl.h>
/* Macros that check types call the functions by name. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#include "base/err.h"

struct curl_functions {
#define CURL_FN(name) __typeof__(&name) name;
#include "fleet/wire/curl.def"
#undef CURL_FN
};
extern struct curl_functions curl;

/* Before any of them. 0, or -errno with *err: the library is not there, or does not start. */
int curl_load(struct err *err);
#endif
