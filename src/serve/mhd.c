/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd is opened when a server starts: linked, it and what it stands on (TLS, which is not used)
 * would cost every start of dwell a millisecond. */
#include <errno.h>
#include <stddef.h>
#include "base/cleanup.h"
#include "base/solib.h"
#include "serve/serve_int.h"

#define LIBRARY "libmicrohttpd.so.12"

struct mhd mhd;

int mhd_open(struct err *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} funcs[] = {
#define MHD(name) { "MHD_" #name, offsetof(struct mhd, name) },
#include "serve/mhd.def"
#undef MHD
	};
	void *lib = solib_open(LIBRARY);

	if (!lib)
		return err_set(err, -ENOENT, "the HTTP library %s cannot be opened: %s", LIBRARY,
			       solib_advice("install Debian's package libmicrohttpd12"));
	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++) {
		void *f = solib_sym(lib, funcs[i].name);

		if (!f)
			return err_set(err, -ENOENT, "%s has no %s", LIBRARY, funcs[i].name);
		*(void **)((char *)&mhd + funcs[i].offset) = f;
	}
	return 0;
}
