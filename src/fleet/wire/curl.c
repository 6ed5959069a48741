/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libcurl and starts it, once for the whole process. */
#include "fleet/wire/curl.h"
#include <errno.h>
#include <stddef.h>
#include "base/cleanup.h"
#include "base/solib.h"

#define LIBRARY "libcurl.so.4"

struct curl_functions curl;

int curl_load(struct err *err)
{
	static const struct solib_func funcs[] = {
#define CURL_FN(name) { #name, offsetof(struct curl_functions, name) },
#include "fleet/wire/curl.def"
#undef CURL_FN
	};
	int e = solib_load(LIBRARY, "the HTTP library", "install Debian's package libcurl4", funcs, ARRAY_SIZE(funcs),
			   &curl, err);

	return e < 0					    ? e
	       : curl.curl_global_init(CURL_GLOBAL_DEFAULT) ? err_set(err, -EIO, "%s does not start", LIBRARY)
							    : 0;
}
