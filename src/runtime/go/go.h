/* SPDX-License-Identifier: Apache-2.0 */
/* Go: the version in a binary, and places in the structs of its runtime by version. All that is read may be
 * hostile. */
#ifndef DWELL_RUNTIME_GO_GO_H
#define DWELL_RUNTIME_GO_GO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/gofmt.h"

#define GO_MAX_VERSION 64u /* bytes of a version with its NUL, cut after */
#define GO_INFO_BYTES 128u /* of .go.buildinfo are read */
#define GO_OLDEST 13u	   /* 1.13 to 1.26 are known */
#define GO_NEWEST 26u

/* The version in the first n bytes of .go.buildinfo, "go1.19.8". *ret_at: 0; or the link address of the string's
 * address and length, as before 1.18, and the version is "". 0 or -EBADMSG. */
int go_version_read(const uint8_t *info, size_t n, char ret[GO_MAX_VERSION], uint64_t *ret_at);
/* 19 of "go1.19.8"; 0: it is something else. */
unsigned go_version_minor(const char *version);
/* Why a walk of frames ends at this function of Go (or NULL): its caller is on another stack. "": a thread begins
 * there. NULL: no walk ends at this function. */
const char *go_stack_end(const char *function);
/* Fills the places in; false: the version is not known. */
bool go_places(unsigned minor, struct go_proc *ret);
#endif
