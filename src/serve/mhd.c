/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libmicrohttpd when a server starts. If it were linked, it and its libraries (TLS, which is not used) would
 * cost every start of dwell a millisecond. */
#include <stddef.h>
#include "base/cleanup.h"
#include "base/solib.h"
#include "serve/serve_int.h"

#define LIBRARY "libmicrohttpd.so.12"

struct mhd mhd;

int mhd_open(struct err *err)
{
	static const struct solib_func funcs[] = {
#define MHD(name) { "MHD_" #name, offsetof(struct mhd, name) },
#include "serve/mhd.def"
#undef MHD
	};

	return solib_load(LIBRARY, "the HTTP library", "install Debian's package libmicrohttpd12", funcs,
			  ARRAY_SIZE(funcs), &mhd, err);
}
