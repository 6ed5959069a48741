/* SPDX-License-Identifier: Apache-2.0 */
#include "base/solib.h"
#include <dlfcn.h>
#include <stddef.h>

void *solib_open(const char *soname)
{
	/* The library stays loaded after dlclose(): it will be needed again. */
	return dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

const char *solib_advice(const char *install)
{
	return install;
}

void *solib_sym(void *lib, const char *name)
{
	return dlsym(lib, name);
}

void solib_close(void *lib)
{
	if (lib)
		dlclose(lib);
}
