/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a library that is used only where it is installed, and looks up its functions. */
#include <errno.h>
#include "base/solib.h"

int solib_load(const char *soname, const char *what, const char *install, const struct solib_func *funcs, size_t n,
	       void *ret, struct err *err)
{
	void *lib = solib_open(soname);

	if (!lib)
		return err_set(err, -ENOENT, "%s %s cannot be opened: %s", what, soname, solib_advice(install));
	for (size_t i = 0; i < n; i++) {
		void *f = solib_sym(lib, funcs[i].name);

		if (!f)
			return err_set(err, -ENOENT, "%s has no %s", soname, funcs[i].name);
		*(void **)((char *)ret + funcs[i].offset) = f;
	}
	return 0;
}
